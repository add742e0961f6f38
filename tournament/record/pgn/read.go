package pgn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"gyges/ratings/source"
	"gyges/rules"
	"gyges/tournament/record"
)

// maxMoves bounds the text of a game's moves, in bytes. A game of 100,000 plies,
// the longest the rules allow, has some 5 MB.
const maxMoves = record.MaxLine

// maxPairs bounds the pairs in memory whose second game has not come.
const maxPairs = 8192

// Taker receives a game, and its line from 1 in the file. moves says why its moves were left out: they could not be
// played. An error that it returns ends the reading.
type Taker func(g *record.Record, line int, moves error) error

// Read reads games of PGN or CSV as records: players, rules, opening, start, result and
// moves, and which two games are a pair; it returns the event of the first one, "" if it has none. h receives
// what [source.Read] finds beside them. A game that is not over by the rules after its moves has the reason
// [record.Imported]. Games are numbered from 0 in the order of the file. ruleSet is that
// of games whose tags name none; "": unknown.
func Read(
	ctx context.Context, format source.Format, r io.Reader, name, ruleSet string, h *source.Handler, take Taker,
) (event string, err error) {
	in := reader{take: take, rules: ruleSet, tags: map[string]string{}, pairs: map[string]int64{}}
	h.Game, h.Begin, h.Tag, h.Moves = in.game, in.begin, in.tag, in.moveText
	err = source.Read(ctx, format, r, name, h)
	return in.event, err
}

// reader is a file being read.
type reader struct {
	take  Taker
	rules string // of games that name none
	event string // of the first game

	tags    map[string]string // of the present game, those that are used
	moves   []byte            // its moves, as they are in the file
	tooLong bool

	games    int64            // read so far
	pairs    map[string]int64 // the numbers of pairs whose second game has not come
	nextPair int64
}

func (in *reader) begin() {
	clear(in.tags)
	in.moves, in.tooLong = in.moves[:0], false
}

func (in *reader) tag(name, value []byte) {
	switch string(name) {
	case "Event", "Date", tagFEN, tagTime, tagOpening, tagWhiteAgent, tagBlackAgent:
		in.tags[string(name)] = string(value)
	}
}

func (in *reader) moveText(text []byte) {
	in.moves = append(in.moves, '\n')
	if in.tooLong = in.tooLong || len(in.moves)+len(text) > maxMoves; !in.tooLong {
		in.moves = append(in.moves, text...)
	}
}

// game handles a game whose tags are read.
func (in *reader) game(g *source.Game) error {
	if in.games == 0 {
		in.event = in.tags["Event"]
	}
	r := &record.Record{
		Game: in.games, Pair: in.pair(g.Pair), Rules: cmp.Or(g.Rules, in.rules),
		South:  record.Player{Agent: cmp.Or(in.tags[tagWhiteAgent], g.South)},
		North:  record.Player{Agent: cmp.Or(in.tags[tagBlackAgent], g.North)},
		Result: record.ResultText(g.Result), Reason: record.Imported, Moves: []string{},
	}
	r.Timing.Start = in.start()
	err := in.readMoves(r)
	in.games++
	return in.take(r, g.Line, err)
}

// start is when the game began, as far as its tags say.
func (in *reader) start() time.Time {
	t, err := time.Parse(dateForm+" "+timeForm, in.tags["Date"]+" "+in.tags[tagTime])
	if err != nil {
		t, err = time.Parse(dateForm, in.tags["Date"])
	}
	if err != nil || t.Year() < 1 {
		return time.Time{}
	}
	return t
}

// pair returns the number of a game's pair. key is the same in both games; without it
// the game is a pair of its own.
func (in *reader) pair(key []byte) int64 {
	if n, ok := in.pairs[string(key)]; ok {
		delete(in.pairs, string(key))
		return n
	}
	n := in.nextPair
	in.nextPair++
	if len(in.pairs) >= maxPairs {
		clear(in.pairs)
	}
	if len(key) > 0 {
		in.pairs[string(key)] = n
	}
	return n
}

var (
	// comments are in braces, or behind a semicolon up to the line's end.
	comments = regexp.MustCompile(`\{[^}]*\}|(^|\s);[^\n]*`)
	// turns are numbers of turns, with or without the move behind them.
	turns = regexp.MustCompile(`^[0-9]*\.+`)
)

// words returns the moves as they stand in the file, without numbers, comments,
// variations, annotations and the result.
func (in *reader) words() ([]string, error) {
	if in.tooLong {
		return nil, fmt.Errorf("expected moves of at most %d bytes, found more", maxMoves)
	}
	var words []string
	depth := 0 // of variations
	text := comments.ReplaceAllString(string(in.moves), " ")
	if strings.Contains(text, "{") {
		return nil, errors.New("expected } at the end of a comment, found the end of the game")
	}
	for word := range strings.FieldsSeq(text) {
		if depth > 0 || word[0] == '(' { // long notation has parentheses, too, but none in front
			depth += strings.Count(word, "(") - strings.Count(word, ")")
			continue
		}
		word = strings.TrimRight(turns.ReplaceAllString(word, ""), "!?")
		if word != "" && word[0] != '$' && !slices.Contains([]string{"1-0", "0-1", "1/2-1/2", "*"}, word) {
			words = append(words, word)
		}
	}
	if depth > 0 {
		return nil, errors.New("expected ) at the end of a variation, found the end of the game")
	}
	return words, nil
}

// readMoves plays the moves of a game, if there are any, and adds them to its record,
// which stays as it is after an error.
func (in *reader) readMoves(r *record.Record) error {
	words, err := in.words()
	if err != nil || len(words) == 0 {
		return err
	}
	if r.Rules == "" {
		return errors.New("expected a tag Rules or --rules, found neither")
	}
	set, err := rules.Parse(r.Rules)
	if err != nil {
		return err
	}
	start, err := in.opening(set)
	if err != nil {
		return err
	}
	game := rules.NewGame(set, start)
	moves := make([]string, len(words))
	for i, word := range words {
		m, err := set.ParseMove(game.Position(), word)
		if err == nil {
			err = game.Play(m)
		}
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
		moves[i] = m.String()
	}
	outcome, reason := game.Outcome()
	if outcome != rules.Undecided {
		if outcome.String() != r.Result {
			return fmt.Errorf("the moves lead to %v by %s, the result is %s", outcome, reason, r.Result)
		}
		r.Reason = string(reason)
	}
	r.Opening, r.Moves, r.Plies = set.FormatPosition(start), moves, game.Ply()
	return nil
}

// opening returns the position that a game began in: that of the tag FEN, or of
// Opening if that is a position and no name, or else the empty board.
func (in *reader) opening(set *rules.Rules) (rules.Position, error) {
	if text, ok := in.tags[tagFEN]; ok {
		p, err := set.ParsePosition(text)
		if err != nil {
			err = fmt.Errorf("%s: %w", tagFEN, err)
		}
		return p, err
	}
	if p, err := set.ParsePosition(in.tags[tagOpening]); err == nil {
		return p, nil
	}
	return set.Start(), nil
}
