package record

// How a game is read as ratings need it, without reading the whole record.

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/rules"
)

// short is what a [source.Result] is made of, as in the line of a record: texts without quotes, and
// moves without brackets.
type short struct {
	game, pair, rules, opening, south, north []byte
	moves, result, reason, start             []byte
	fault                                    bool
}

// noStart is the start of a game if it isn't known.
const noStart = "0001-01-01T00:00:00Z"

// Short returns the game as ratings need it.
func (g *Record) Short() (o source.Result) {
	g.store(&o, nil, nil)
	return o
}

// store is [short.store] for a whole record.
func (g *Record) store(o *source.Result, players, ruleSets source.Names) {
	s := short{
		game:    strconv.AppendInt(nil, g.Game, 10),
		pair:    strconv.AppendInt(nil, g.Pair, 10),
		rules:   []byte(g.Rules),
		opening: []byte(g.Opening),
		south:   []byte(g.South.Agent),
		north:   []byte(g.North.Agent),
		result:  []byte(g.Result),
		reason:  []byte(g.Reason),
		fault:   g.Fault != nil,
		start:   g.Timing.Start.AppendFormat(nil, time.RFC3339Nano),
	}
	if len(g.Moves) > 0 {
		s.moves = []byte(`"` + strings.Join(g.Moves, `","`) + `"`)
	}
	s.store(o, players, ruleSets)
}

// store stores the result in o, with the texts that players and ruleSets keep.
func (s *short) store(o *source.Result, players, ruleSets source.Names) {
	points := HalfPoints(string(s.result), rules.South)
	*o = source.Result{
		Outcome: source.Outcome{
			South:  players.Of(s.south),
			North:  players.Of(s.north),
			Rules:  ruleSets.Of(s.rules),
			Result: ratings.Result(points - 1),
		},
		ID:        s.game,
		Pair:      s.pair,
		Fault:     s.fault,
		NotPlayed: string(s.reason) == string(FaultSuspended),
		Opening:   source.Hash(s.opening),
		Timed:     len(s.start) > 0 && string(s.start) != noStart,
	}
	moves := source.Hash(s.rules, s.opening, s.result, s.moves)
	if !s.fault && len(s.moves) > 0 {
		o.Moves = moves
	}
	o.Content = moves ^ source.Hash(s.south, s.north, s.start, s.pair, s.reason)
}

// scan finds the parts in a line of JSON, in any order before "timing", and reports whether all are
// there. It reads no line with blanks, escapes or one object in another.
func (s *short) scan(line []byte) bool {
	if bytes.IndexByte(line, '\\') >= 0 {
		return false
	}
	rest, found := bytes.CutPrefix(line, []byte(`{"`))
	for found {
		key, value, _ := bytes.Cut(rest, []byte(`"`))
		value, found = bytes.CutPrefix(value, []byte(`:`))
		if !found || len(value) == 0 {
			return false
		}
		if string(key) == "timing" { // which a writer puts last
			start, _ := bytes.CutPrefix(value, []byte(`{"start":"`))
			s.start, _, _ = bytes.Cut(start, []byte(`"`))
			return s.isComplete()
		}
		n := valueSize(value)
		if n == 0 {
			return false
		}
		s.set(key, value[:n])
		rest, found = bytes.CutPrefix(value[n:], []byte(`,"`))
	}
	return false
}

// isComplete reports whether all parts are there that a record has.
func (s *short) isComplete() bool {
	if !isNumber(s.game) || !isNumber(s.pair) || !slices.Contains(results[:], string(s.result)) {
		return false
	}
	if len(s.south) == 0 || len(s.north) == 0 || s.moves == nil {
		return false
	}
	return len(s.rules) > 0 || string(s.reason) == Imported
}

// set sets the part of a key.
func (s *short) set(key, value []byte) {
	inner := value[1:max(1, len(value)-1)]
	switch string(key) {
	case "game":
		s.game = value
	case "pair":
		s.pair = value
	case "rules":
		s.rules = inner
	case "opening":
		s.opening = inner
	case "south":
		s.south = agentIn(value)
	case "north":
		s.north = agentIn(value)
	case "moves":
		s.moves = inner
	case "result":
		s.result = inner
	case "reason":
		s.reason = inner
	case "fault":
		s.fault = value[0] == '{'
	}
}

// agentIn returns the agent that the object of a player begins with; nil if it doesn't.
func agentIn(player []byte) []byte {
	text, found := bytes.CutPrefix(player, []byte(`{"agent":"`))
	n := bytes.IndexByte(text, '"')
	if !found || n < 0 {
		return nil
	}
	return text[:n]
}

// isNumber reports whether a text is a number of a game or a pair.
func isNumber(text []byte) bool {
	_, err := strconv.ParseUint(string(text), 10, 63)
	return err == nil
}

// valueSize returns the size of the value that a text of JSON without escapes begins with: of an
// object or list up to the first bracket that closes outside a text. It is 0 if there is no end.
func valueSize(text []byte) int {
	switch first := text[0]; first {
	case '"':
		return bytes.IndexByte(text[1:], '"') + 2
	case '[', '{':
		closing := first + 2 // ] or }, in ASCII
		size := 0
		for {
			i := bytes.IndexByte(text[size:], closing)
			if i < 0 {
				return 0
			}
			size += i + 1
			if bytes.Count(text[:size], []byte(`"`))%2 == 0 {
				return size
			}
		}
	}
	return max(bytes.IndexByte(text, ','), 0)
}
