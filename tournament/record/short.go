package record

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

// short is what a [source.Result] is made of, as in the line of a record: texts without quotes, moves without brackets.
type short struct {
	game, pair, rules, opening, south, north, moves, result, reason, start []byte
	fault                                                                  bool
}

// noStart is the start of a game of which it isn't known.
const noStart = "0001-01-01T00:00:00Z"

// Short returns the game as ratings need it.
func (g *Record) Short() (o source.Result) {
	g.store(&o, nil, nil)
	return o
}

// store is [short.store] for a whole record.
func (g *Record) store(o *source.Result, players, ruleSets source.Names) {
	s := short{
		game: strconv.AppendInt(nil, g.Game, 10), pair: strconv.AppendInt(nil, g.Pair, 10), rules: []byte(g.Rules),
		opening: []byte(g.Opening), south: []byte(g.South.Agent), north: []byte(g.North.Agent), result: []byte(g.Result),
		reason: []byte(g.Reason), fault: g.Fault != nil, start: g.Timing.Start.AppendFormat(nil, time.RFC3339Nano),
	}
	if len(g.Moves) > 0 {
		s.moves = []byte(`"` + strings.Join(g.Moves, `","`) + `"`)
	}
	s.store(o, players, ruleSets)
}

// store stores the result in o, with the texts that players and ruleSets keep.
func (s *short) store(o *source.Result, players, ruleSets source.Names) {
	*o = source.Result{
		Outcome: source.Outcome{
			South: players.Of(s.south), North: players.Of(s.north), Rules: ruleSets.Of(s.rules),
			Result: ratings.Result(HalfPoints(string(s.result), rules.South) - 1),
		},
		ID: s.game, Pair: s.pair, Fault: s.fault, NotPlayed: string(s.reason) == string(FaultSuspended),
		Opening: source.Hash(s.opening),
		Timed:   len(s.start) > 0 && string(s.start) != noStart,
	}
	moves := source.Hash(s.rules, s.opening, s.result, s.moves)
	if !s.fault && len(s.moves) > 0 {
		o.Moves = moves
	}
	o.Content = moves ^ source.Hash(s.south, s.north, s.start, s.pair, s.reason)
}

// scan finds the parts in a line of JSON, in any order before "timing", and reports whether all are there. It reads
// no line with blanks, escapes or one object in another.
func (s *short) scan(line []byte) bool {
	known := bytes.IndexByte(line, '\\') < 0
	for sep := byte('{'); known && len(line) > 2 && line[0] == sep && line[1] == '"'; sep = ',' {
		line = line[2:]
		n := bytes.IndexByte(line, '"')
		if n < 0 || n+2 >= len(line) || line[n+1] != ':' {
			return false
		}
		key, value := line[:n], line[n+2:]
		if string(key) == "timing" { // which a writer puts last
			start, _ := bytes.CutPrefix(value, []byte(`{"start":"`))
			s.start, _, _ = bytes.Cut(start, []byte{'"'})
			return isNumber(s.game) && isNumber(s.pair) && slices.Contains(results[:], string(s.result)) &&
				len(s.south) > 0 && len(s.north) > 0 && s.moves != nil && (len(s.rules) > 0 || string(s.reason) == Imported)
		}
		if n = valueSize(value); n == 0 {
			return false
		}
		s.set(key, value[:n])
		line = value[n:]
	}
	return false
}

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

func isNumber(text []byte) bool {
	_, err := strconv.ParseUint(string(text), 10, 63)
	return err == nil
}

// valueSize returns the size of the value that a text of JSON without escapes begins with, up to the first bracket that
// closes and stands in no text.
func valueSize(text []byte) int {
	end := byte(',')
	switch text[0] {
	case '"':
		return bytes.IndexByte(text[1:], '"') + 2
	case '[', '{':
		end = text[0] + 2
	}
	for n := 0; ; {
		i := bytes.IndexByte(text[n:], end)
		if i < 0 {
			return 0
		}
		switch n += i; {
		case end == ',':
			return n
		case bytes.Count(text[:n], []byte{'"'})%2 == 0:
			return n + 1
		}
		n++
	}
}
