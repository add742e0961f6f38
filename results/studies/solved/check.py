"""Checks a certificate of won positions under the simplified rules of Gygès.

    python3 check.py FOLDER [POSITION ...]    the whole certificate, or some of its positions
    python3 check.py --perft FILE [DEPTH]     the moves, against the counts of an EPD file

Python 3.9 is all it needs. It shares no code with gyges and searches nothing. The certificate has, for each
position in which the winner is to move and can't reach the goal at once, his move and a rank, the plies to
the win. Where each move is legal, each reply of the loser is answered by the goal or by a record whose rank is
at least two lower, and superko forbids no move, the winner wins: ranks fall, so no game goes on for ever.

A board is an integer: bits s and 36 + s are the height on square s (a1 = 0, b1 = 1, ... f6 = 35), low bit and high.
"""
import hashlib, itertools, json, os, re, sys, zlib

GOALS = NORTH_GOAL, SOUTH_GOAL = 36, 37  # of South, beyond row 6, and of North, beyond row 1
SQUARES = (1 << 36) - 1
SIDES = ("South", "North")
RULES = {  # the options that the moves below implement; the others say nothing without displacement or Kang
    "relocation": ("false",), "kang": ("false",), "door_rule": ("undirected",), "null_move": ("forbid",),
    "setup_order": ("south_then_north",), "setup_zone": ("first_row",),
    "repetition": ("superko", "none"),
}

class Wrong(Exception): pass
def demand(condition, message, *details):
    """Stops where the certificate is wrong. Details that are a board and the side to move become text."""
    if not condition:
        raise Wrong(message % tuple(text(*d) if isinstance(d, tuple) else d for d in details))

def steps(square):
    """The squares and goals one step away, each with the door between: a bit, 0 for a goal."""
    file, row = square % 6, square // 6
    if file < 5: yield square + 1, 1 << square
    if file > 0: yield square - 1, 1 << square - 1
    yield (square + 6, 1 << 36 + square) if row < 5 else (NORTH_GOAL, 0)
    yield (square - 6, 1 << 30 + square) if row > 0 else (SOUTH_GOAL, 0)

def legs(square, height, crossed=0, doors=0):
    """The legs of so many steps: squares crossed, doors passed, end. No door is passed twice."""
    for to, door in steps(square):
        if door & doors:
            continue
        if height == 1:
            yield crossed, doors | door, to
        elif to < 36:  # a goal is reached by the last step only
            yield from legs(to, height - 1, crossed | 1 << to, doors | door)

LEGS = [[[leg for leg in legs(s, h) if leg[2] != GOALS[1 - side]] for s in range(36)]
        for side in (0, 1) for h in (1, 2, 3)]  # nobody enters his own goal
ROWS = [63 << 6 * row for row in range(6)]
PIECE = [[(h & 1) << s | (h >> 1) << 36 + s for s in range(36)] for h in range(4)]
FOUR = [[sum(PIECE[byte >> 6 - 2 * i & 3][4 * n + i] for i in range(4)) for byte in range(256)] for n in range(9)]
def occupied(board): return (board | board >> 36) & SQUARES
def height(board, s): return board >> s & 1 | (board >> 36 + s & 1) << 1
def text(board, side):
    return "/".join("".join(str(height(board, 6 * r + f)) for f in range(6)) for r in range(6)) + " " + "sn"[side]

def bits(squares):
    while squares:
        low = squares & -squares
        yield low.bit_length() - 1
        squares ^= low

def courses(board, side, start, wanted=-1):
    """The ends of the courses of the piece on start: {end: (squares crossed, pieces bounced off)}.

    Of several courses to an end one is kept, and only ends in the set wanted. A piece needn't be bounced
    off twice: what the second bounce leads to, the first one does with fewer doors passed. The search is
    over when all ends are found that there would be if doors could be passed again."""
    occ = occupied(board) ^ 1 << start  # the moving piece is lifted
    table, free, reach, links, todo = LEGS[3 * side:3 * side + 3], {}, {}, [], [start]
    for square in todo:  # the legs from the start and each piece that can be landed on, doors aside
        free[square] = [leg for leg in table[height(board, square) - 1][square] if not leg[0] & occ]
        reach[square] = 0
        for end in {leg[2] for leg in free[square]}:
            reach[square] |= 1 << end
            if occ >> end & 1:
                links.append((square, end))
                if end not in todo:
                    todo.append(end)
    for _ in todo:  # the ends after any number of bounces
        before = dict(reach)
        for square, end in reversed(links):
            reach[square] |= reach[end]
        if before == reach:
            break
    missing = reach[start] & ~occ & ~(1 << start) & wanted  # a turn that leaves the board as it was isn't legal
    found = {}

    def search(square, doors, crossed, bounced):
        nonlocal missing
        for over, passed, end in free[square]:
            if passed & doors:
                continue
            if missing >> end & 1:
                missing ^= 1 << end
                found[end] = crossed | over, bounced
            elif occ >> end & 1 and not bounced >> end & 1 and reach[end] & missing:
                search(end, doors | passed, crossed | over, bounced | 1 << end)
            if not missing:
                return

    if missing:
        search(start, 0, 0, 0)
    return found

def turns(board, side, wanted=-1):
    """The moves of the row nearest to side that has any, those with ends that are wanted: {start: courses}."""
    for row in ROWS if side == 0 else reversed(ROWS):
        starts = bits(occupied(board) & row)
        if found := {s: ends for s in starts if (ends := courses(board, side, s, wanted))}:
            return found
        if wanted != -1 and any(courses(board, side, s) for s in bits(occupied(board) & row)):
            return {}
    return {}

def moved(board, start, end):
    piece = PIECE[height(board, start)]
    return board ^ piece[start] ^ (piece[end] if end < 36 else 0)

def goal_course(board, side):
    """A course with which side wins at once: (start, squares crossed, pieces bounced off); None if there is none."""
    for start, ends in turns(board, side, 1 << GOALS[side]).items():
        return (start,) + ends[GOALS[side]]

def perft(board, side, depth):
    moves = [(start, end) for start, ends in turns(board, side).items() for end in ends]
    if not moves:  # a pass
        return perft(board, 1 - side, depth - 1) if depth > 1 else 1
    if depth == 1:
        return len(moves)
    return sum(perft(moved(board, *m), 1 - side, depth - 1) for m in moves if m[1] < 36)  # a goal ends the game

def parse(position):
    match = re.fullmatch(r"([0-3]{6}(?:/[0-3]{6}){5}) ([sn])", position)
    demand(match, "%.60r is no position", position)
    squares = match[1].replace("/", "")
    demand(all(squares.count(h) == 4 for h in "123"), "%s: expected four pieces of each height", position)
    return sum(PIECE[int(h)][s] for s, h in enumerate(squares)), "sn".index(match[2])

class Part:
    """One side's answers: {board: (rank, start, end)}, and the positions from which it claims to win."""
    def __init__(self, folder, header):
        demand(header["winner"] in SIDES, "winner: expected South or North")
        self.side = SIDES.index(header["winner"])
        self.roots = [(r["position"],) + parse(r["position"]) + (r["plies"],) for r in header["roots"]]
        name, n = header["file"], header["records"]
        demand(re.fullmatch(r"[a-z0-9-]+\.zz", name), "file: %.60r is no name of a part", name)
        with open(os.path.join(folder, name), "rb") as file:
            packed = file.read()
        demand(hashlib.sha256(packed).hexdigest() == header["sha256"], "%s: the SHA-256 differs", name)
        data = zlib.decompressobj().decompress(packed, 13 * min(n, 20_000_000) + 1)
        demand(len(data) == 13 * n, "%s: expected %d records", name, n)
        self.records, last = {}, b""
        for record in zip(*(data[i * n:(i + 1) * n] for i in range(13))):
            key = bytes(record[:9])
            demand(key > last, "%s: the positions don't rise", name)
            last, board = key, sum(map(list.__getitem__, FOUR, key))
            start, end, drop, rank = record[9:]
            demand(start < 36 and end < 36 and drop == 255, "%s: a move that isn't one", (board, self.side))
            self.records[board] = rank, start, end
    def after(self, board):
        _, start, end = self.records[board]
        return moved(board, start, end)
    def replies(self, board):
        """The boards after the replies of the loser: all, and those from which the winner must go on."""
        every, open_, known = [], [], []
        occ, mine = occupied(board), ROWS if self.side == 0 else ROWS[::-1]
        for start, ends in turns(board, 1 - self.side).items():
            for end in ends:
                demand(end < 36, "%s: the loser reaches the goal", (board, 1 - self.side))
                after, stay = moved(board, start, end), occ ^ 1 << start
                now = stay | 1 << end
                nearest = next(row for row in mine if now & row)
                every.append(after)
                # A course found after another reply leads to the goal here, too, if the pieces concerned
                # haven't moved and the squares between are empty.
                if not any(nearest >> piece & 1 and not (bounced | 1 << piece) & ~stay and
                           not crossed & now & ~(1 << piece) for piece, crossed, bounced in known):
                    if course := goal_course(after, self.side):
                        known.append(course)
                    else:
                        open_.append(after)
        return (every, open_) if every else ([board], [] if goal_course(board, self.side) else [board])  # a pass
    def check(self, roots, superko):
        """Plays all games from these positions; returns the numbers of answers and of replies."""
        seen, todo, count = set(), [], 0
        lost = {}  # boards with the loser to move: the rank, one more than the highest after a reply, and a reply
        def reach(board, limit):
            demand(board in self.records, "%s: no answer", (board, self.side))
            demand(self.records[board][0] <= limit, "%s: the rank doesn't fall", (board, self.side))
            if board not in seen:
                seen.add(board)
                todo.append(board)
            return self.records[board][0]
        def answer(board, limit):
            nonlocal count
            if board not in lost:
                every, open_ = self.replies(board)
                count += len(every)
                lost[board] = 1 + max([reach(b, limit - 1) for b in open_], default=1), every[0]
            demand(lost[board][0] <= limit, "%s: the rank doesn't fall", (board, 1 - self.side))
            return lost[board][0]
        for name, board, to_move, plies in roots:
            at_once = to_move == self.side and goal_course(board, to_move)
            rank = 1 if at_once else (reach if to_move == self.side else answer)(board, 255)
            demand(rank == plies, "%s: expected %d plies, found %d", name, rank, plies)
        while todo:
            board = todo.pop()
            rank, start, end = self.records[board]
            legal = end in turns(board, self.side, 1 << end).get(start, ())
            demand(legal, "%s: the move is not legal", (board, self.side))
            answer(self.after(board), rank - 1)
        if superko:
            self.check_superko(seen, lost)
        return len(seen), count
    def check_superko(self, seen, lost):
        """No move of the winner brings a board back, nor does every reply of the loser.
        A board can't return with the same side to move, as ranks fall. So a move to a board is safe if that
        board, the other side to move, isn't among the positions, or no game leads from there to the move."""
        for board, (rank, reply) in lost.items():
            if reply == board or reply not in lost or lost[reply][0] <= rank:
                continue  # a pass, or a reply that is surely legal
            demand(any(n not in lost or lost[n][0] <= rank or not self.leads(self.replies(n)[1], None, board)
                       for n in self.replies(board)[0]), "%s: superko may block every reply", (board, 1 - self.side))
        for board in seen:
            twin = self.after(board)
            if twin in seen and self.records[twin][0] > self.records[board][0]:
                demand(not self.leads([twin], board, None), "%s: superko may forbid the move", (board, self.side))
    def leads(self, boards, winners, losers):
        """Whether a game leads from one of the boards, the winner to move, to that of the winner or the loser."""
        seen, todo = set(), list(boards)
        while todo:
            board = todo.pop()
            if board == winners or self.after(board) == losers:
                return True
            if board not in seen:
                seen.add(board)
                todo += self.replies(self.after(board))[1]
        return False

def theorem(part, checked):
    """Says what the positions of a part mean for the first rows of both sides."""
    print(f"{SIDES[part.side]} wins from {len(checked)} positions within {max(root[3] for root in checked)} plies")
    every, rows = {"".join(row) for row in itertools.permutations("112233")}, {}  # South's row: North's rows
    for name, _, to_move, _ in checked:
        if to_move == 0 and name[6:35] == "/000000/000000/000000/000000/" and name[:6] in every:
            rows.setdefault(name[:6], set()).add(name[35:41])
    for row in sorted(rows):
        if part.side == 1:
            print(f"North wins against {row} ({row[::-1]}) with", *(f"{r} ({r[::-1]})" for r in sorted(rows[row])))
        elif rows[row] == every:
            print(f"South wins with {row}, or its mirror image {row[::-1]}, against all {len(every)} rows of North")
    if part.side == 1:
        rest = sorted(every - set(rows) - {row[::-1] for row in rows})
        print(f"North wins against {90 - len(rest)} of South's 90 rows; not among them:", " ".join(rest[:2]) or "none")

def check(folder, positions):
    with open(os.path.join(folder, "certificate.json"), encoding="utf-8") as file:
        header = json.load(file)
    demand(header["format"] == "gyges certificate 1", "format: expected gyges certificate 1")
    options = header["options"]
    lines = "".join(f"{name}={options[name]}\n" for name in sorted(options))
    demand(hashlib.sha256(lines.encode()).hexdigest() == header["options_sha256"], "options_sha256 differs")
    for name, accepted in RULES.items():
        demand(options[name] in accepted, "%s: expected %s", name, " or ".join(accepted))
    superko, unknown = options["repetition"] == "superko", set(positions)
    for part_header in header["parts"]:
        part = Part(folder, part_header)
        roots = [root for root in part.roots if not positions or root[0] in positions]
        unknown -= {root[0] for root in roots}
        demand(max([0] + [root[3] for root in roots]) <= int(options["max_plies"]), "a win is longer than a game")
        if roots:
            answers, replies = part.check(roots, superko)
            print(f"{part_header['file']}: {answers} of {len(part.records)} answers and all {replies} replies hold.")
            theorem(part, roots)
    demand(not unknown, "not in the certificate: %s", ", ".join(sorted(unknown)))
    print("This holds whatever the rule on repetition" if superko else "This holds where positions may return")

def check_perft(path, depth=3):
    with open(path, encoding="utf-8") as file:
        for line in file:
            position, *counts = line.split("#")[0].split(";")
            for plies, count in (c[1:].split() for c in counts if int(c[1:].split()[0]) <= int(depth)):
                found = perft(*parse(position.strip()), int(plies))
                demand(found == int(count), "%s perft %s: expected %s, found %d", position, plies, count, found)
                print(f"{position}perft {plies}: {found}")

def main(args):
    if not args or args[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if args else 2
    try:
        check_perft(*args[1:]) if args[0] == "--perft" else check(args[0], args[1:])
    except (Wrong, OSError, ValueError, LookupError, TypeError, AttributeError, zlib.error) as error:
        print("wrong:", error if isinstance(error, Wrong) else f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0

if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
