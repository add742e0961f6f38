/* An engine for Gygès in C, written from the manual of UGI alone, without the extensions. It looks
 * one ply ahead and has three options that can be tuned.
 *
 *     cc -std=c99 -O2 -o engine engine.c
 *     gyges engine check ./engine
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 6, SQUARES = 36, GOAL = 36, NONE = -1, MAX_MOVES = 2048 };

typedef struct { int height[SQUARES]; } Board; /* seen by the side to move; 0: no piece */
typedef struct { int from, to, drop; } Move;   /* a displaced piece goes to drop, else NONE */

/* The options, as they are announced: weights of the evaluation, in hundredths of a point. */
typedef struct { const char *name; int value, min, max; } Option;
enum { W_REACH, W_ADVANCE, W_THREAT, OPTIONS };
static Option options[OPTIONS] = {
	{"wReach", 5, -100, 100},     /* a square where a piece of the opponent could end */
	{"wAdvance", 20, -100, 100},  /* an empty row in front of the opponent */
	{"wThreat", 5000, 0, 100000}, /* a piece of the opponent that could win at once */
};

/* Where the pieces that were followed can end: set by walk, which is at a square, with so many
 * steps left. A door, the edge of two squares, is used once. */
static int ends[SQUARES + 1];
static int used[SQUARES][2]; /* the doors to the right of a square, and above it */

static void walk(const Board *b, int at, int steps)
{
	static const int ahead[4] = {1, -1, SIDE, -SIDE};
	for (int d = 0; d < 4; d++) {
		int to = at + ahead[d];
		if (d == 2 && to >= SQUARES && steps == 1)
			ends[GOAL] = 1;
		if (to < 0 || to >= SQUARES || (d < 2 && to / SIDE != at / SIDE))
			continue;
		int *door = &used[to < at ? to : at][d / 2];
		if (*door || (steps > 1 && b->height[to]))
			continue;
		*door = 1;
		if (steps > 1) {
			walk(b, to, steps - 1);
		} else {
			ends[to] = 1;
			if (b->height[to])
				walk(b, to, b->height[to]); /* it bounces */
		}
		*door = 0;
	}
}

/* follow finds where the piece on a square can end; the square itself is empty meanwhile. */
static void follow(Board *b, int from)
{
	int height = b->height[from];
	memset(ends, 0, sizeof ends);
	b->height[from] = 0;
	walk(b, from, height);
	b->height[from] = height;
}

/* last_row returns the row of the opponent's first piece; the square `from` counts as empty. */
static int last_row(const Board *b, int from)
{
	int i = SQUARES - 1;
	while (i > 0 && (i == from || !b->height[i]))
		i--;
	return i / SIDE;
}

/* displace adds a move for each square where the piece on the square `to` may be put. */
static int displace(const Board *b, int from, int to, Move *moves, int n)
{
	int same = b->height[from] == b->height[to];
	for (int drop = 0; drop < SIDE * (last_row(b, from) + 1); drop++) {
		if (drop == from && same)
			continue; /* the board would stay as it is */
		if (drop == from || !b->height[drop])
			moves[n++] = (Move){from, to, drop};
	}
	return n;
}

/* generate lists the moves: those of the nearest row that has one. */
static int generate(Board *b, Move *moves)
{
	int n = 0;
	for (int from = 0; from < SQUARES; from++) {
		if (from % SIDE == 0 && n > 0)
			break;
		if (!b->height[from])
			continue;
		follow(b, from);
		for (int to = 0; to <= GOAL; to++) {
			if (!ends[to] || to == from)
				continue;
			if (to == GOAL || !b->height[to])
				moves[n++] = (Move){from, to, NONE};
			else
				n = displace(b, from, to, moves, n);
		}
	}
	return n;
}

/* evaluate returns what a position is worth to the side that is not to move. */
static int evaluate(Board *b)
{
	int score = options[W_ADVANCE].value * (SIDE - 1 - last_row(b, NONE));
	for (int from = 0, row = NONE; from < SQUARES; from++) {
		if (!b->height[from] || (row != NONE && from / SIDE != row))
			continue;
		row = from / SIDE;
		follow(b, from);
		score -= options[W_THREAT].value * ends[GOAL];
		for (int to = 0; to < SQUARES; to++)
			score -= options[W_REACH].value * ends[to];
	}
	return score;
}

/* play returns the board after a move, seen by the opponent. */
static Board play(const Board *b, Move m)
{
	Board turned, next = *b;
	next.height[m.from] = 0;
	if (m.drop != NONE)
		next.height[m.drop] = b->height[m.to];
	next.height[m.to] = b->height[m.from];
	for (int i = 0; i < SQUARES; i++)
		turned.height[i] = next.height[SQUARES - 1 - i];
	return turned;
}

/* search answers go. */
static void search(Board *b)
{
	static Move moves[MAX_MOVES];
	int n = generate(b, moves);
	int best_score = -1000000;
	char text[32] = "null";
	for (int i = 0; i < n; i++) {
		int score = 1000000;
		if (moves[i].to != GOAL) {
			Board next = play(b, moves[i]);
			score = evaluate(&next);
		}
		if (score <= best_score)
			continue;
		best_score = score;
		snprintf(text, sizeof text, moves[i].drop == NONE ? "%d|%d" : "%d|%d|%d",
			 moves[i].from, moves[i].to, moves[i].drop);
	}
	printf("bestmove %s score %d nodes %d\n", text, best_score, n);
}

static void set_position(Board *b, const char *rows)
{
	for (int n = 0; *rows && n < SQUARES; rows++)
		if ('0' <= *rows && *rows <= '3')
			b->height[n++] = *rows - '0';
}

int main(void)
{
	static char line[4096];
	static Board board;
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	while (fgets(line, sizeof line, stdin)) {
		const char *word = strtok(line, " \t\r\n");
		const char *first = strtok(NULL, " \t\r\n");
		const char *second = strtok(NULL, " \t\r\n");
		if (!word) {
			continue;
		} else if (strcmp(word, "ugi") == 0) {
			printf("id name example in C\n");
			for (int i = 0; i < OPTIONS; i++)
				printf("option %s type int default %d min %d max %d\n", options[i].name,
				       options[i].value, options[i].min, options[i].max);
			printf("ugiok\n");
		} else if (strcmp(word, "isready") == 0) {
			printf("readyok\n");
		} else if (strcmp(word, "setoption") == 0) {
			for (int i = 0; i < OPTIONS; i++)
				if (second && strcmp(first, options[i].name) == 0)
					options[i].value = atoi(second);
		} else if (strcmp(word, "setpos") == 0) {
			set_position(&board, second ? second : "321123000000000000000000000000321123");
		} else if (strcmp(word, "go") == 0) {
			search(&board);
		} else if (strcmp(word, "quit") == 0) {
			return 0;
		}
	}
}
