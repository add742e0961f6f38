package pgn

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"gyges/ratings/source"
	"gyges/rules"
	"gyges/tournament/record"
)

const maxWaiting = 1 << 20 // games whose partner has not come, in memory

// Converter makes records of the games of a file of PGN or CSV: players, rules, opening,
// start, result and moves, and which two games are a pair. A game that is not over by the
// rules after its moves has the reason [record.Imported]. The zero value is ready to use; it
// belongs to one goroutine.
type Converter struct {
	Rules string // rule set of games that name none; "": unknown
	Event string // of the first game; "" if it has none
	Date  error  // why the date of the last game, or its time, was left out; nil: it wasn't

	games    int64              // converted so far
	nextPair int64              // number of the next game that begins a pair
	waiting  map[uint64][]int64 // numbers of pairs that lack a game, by [source.Result.PairKey]
}

// Record returns the record of the game that was read last, numbered from 0. The error says why it
// has no moves.
func (c *Converter) Record(in *source.Results, o *source.Result) (*record.Record, error) {
	if c.games == 0 {
		c.Event = in.Tag("Event")
		c.waiting = map[uint64][]int64{}
	}
	r := &record.Record{
		Game:   c.games,
		Pair:   c.pair(o),
		Rules:  cmp.Or(o.Rules, c.Rules),
		South:  record.Player{Agent: cmp.Or(in.Tag(tagWhiteAgent), o.South)},
		North:  record.Player{Agent: cmp.Or(in.Tag(tagBlackAgent), o.North)},
		Result: record.ResultText(o.Result),
		Reason: record.Imported,
		Moves:  []string{},
	}
	c.games++
	r.Timing.Start, c.Date = start(in)
	return r, readMoves(in, r)
}

// start returns when a game began, at midnight if only its day is known; the zero time if it has no
// date. A date in UTC goes with a time in UTC. A date of the place goes with a time there, and both
// are kept as they are written, since no tag says how they differ from UTC. The error says which
// date, or time on it, can't be read.
func start(in *source.Results) (_ time.Time, err error) {
	utc := in.Tag(tagUTCDate) + " " + in.Tag(tagUTCTime)
	local := in.Tag("Date") + " " + cmp.Or(in.Tag("Time"), in.Tag("StartTime"))
	for _, found := range []string{utc, local} {
		text := strings.Trim(separators.Replace(found), " ?:.")
		if text == "" {
			continue
		}
		for _, layout := range []string{"2006.1.2 15:4:5", "2006.1.2"} {
			t, err := time.Parse(layout, text)
			if err == nil && t.Year() > 0 {
				return t, nil
			}
		}
		err = fmt.Errorf("expected a date like 2024.05.31 and a time like 14:05:00, found %.40q",
			strings.TrimSpace(found))
	}
	return time.Time{}, err
}

// separators are those of dates.
var separators = strings.NewReplacer("/", ".", "-", ".")

// pair returns the number of a game's pair: the pair of the first game that waits for this one,
// with the players' sides swapped. Otherwise the game begins a pair. Unlike a [source.Matcher],
// which counts pairs and may take them back, it numbers a game as soon as the game comes.
func (c *Converter) pair(g *source.Result) int64 {
	hasPartner := len(g.Pair) > 0
	partner := g.PairKey(g.North, g.South)
	if list := c.waiting[partner]; hasPartner && len(list) > 0 {
		c.waiting[partner] = list[1:]
		if len(list) == 1 {
			delete(c.waiting, partner)
		}
		return list[0]
	}
	n := c.nextPair
	c.nextPair++
	if hasPartner && len(c.waiting) < maxWaiting {
		key := g.PairKey(g.South, g.North)
		c.waiting[key] = append(c.waiting[key], n)
	}
	return n
}

var (
	// turns are numbers of turns, with or without the move behind them.
	turns = regexp.MustCompile(`^[0-9]*[.…]+|^[0-9]+$`)
	// annotations stand behind a move, the result, as one of many spellings, behind the last one,
	// or by themselves.
	annotations = regexp.MustCompile(`([!?]|\$[0-9]+|\*|½|1/2|` + result + `)+$`)
)

// The regular expressions of the points of one side in a result, and of a result.
const (
	points = `([01](\.0)?|0?\.5|½|1/2)`
	result = points + `[-–:]` + points
)

// words returns the moves as they stand in a text, without numbers, variations,
// annotations and the result.
func words(text string) ([]string, error) {
	var words []string
	depth := 0 // of variations
	for word := range strings.FieldsSeq(text) {
		if depth > 0 || word[0] == '(' { // long notation has parentheses, too, but none in front
			depth += strings.Count(word, "(") - strings.Count(word, ")")
			continue
		}
		word = annotations.ReplaceAllString(word, "")
		word = turns.ReplaceAllString(word, "")
		if word != "" {
			words = append(words, word)
		}
	}
	if depth > 0 {
		return nil, errors.New("expected ) at the end of a variation, found the end of the game")
	}
	return words, nil
}

// readMoves plays the moves of a game, if there are any, and adds them to its record;
// none after an error.
func readMoves(in *source.Results, r *record.Record) error {
	text, err := in.Moves()
	if err != nil {
		return err
	}
	words, err := words(text)
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
	start, err := opening(in, set)
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
			return fmt.Errorf("the moves lead to %v by %s, the result is %s", outcome, reason,
				r.Result)
		}
		r.Reason = string(reason)
	}
	r.Opening = set.FormatPosition(start)
	r.Moves = moves
	r.Plies = game.Ply()
	return nil
}

// opening returns the position that a game began in: that of the tag FEN, or of
// Opening if that is a position and no name, or else the empty board.
func opening(in *source.Results, set *rules.Rules) (rules.Position, error) {
	if text := in.Tag(tagFEN); text != "" {
		p, err := set.ParsePosition(text)
		if err != nil {
			err = fmt.Errorf("%s: %w", tagFEN, err)
		}
		return p, err
	}
	if p, err := set.ParsePosition(in.Tag(tagOpening)); err == nil {
		return p, nil
	}
	return set.Start(), nil
}
