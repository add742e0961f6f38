package record

import (
	"strconv"
	"strings"
)

// scan reads a record that is laid out as [Game.AppendJSON] does it and whose
// texts need no unescaping, four times as fast as encoding/json. It reports whether
// the line is such a one; if not, what g holds means nothing.
func (g *Game) scan(line []byte) bool {
	for _, c := range line {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	s := scanner{rest: string(line), ok: true}
	g.Game = s.whole(`{"game":`)
	g.Pair = s.whole(`,"pair":`)
	g.Rules = s.text(`,"rules":`)
	g.Opening = s.text(`,"opening":`)
	g.Policy = s.text(`,"policy":`)
	g.South = s.player(`,"south":`)
	g.North = s.player(`,"north":`)
	g.Limits = s.limits()
	g.OnRepetition = s.optional(`,"on_repetition":`)
	g.Adjudication = s.optional(`,"adjudication":`)
	g.Moves = list(&s, `,"moves":`, func() string { return s.text("") })
	g.Scores = s.scores()
	if s.has(`,"depths":`) {
		g.Depths = list(&s, `,"depths":`, func() int { return int(s.whole("")) })
	}
	if s.has(`,"nodes":`) {
		g.Nodes = list(&s, `,"nodes":`, func() int64 { return s.whole("") })
	}
	g.Result = s.text(`,"result":`)
	g.Reason = s.text(`,"reason":`)
	g.Plies = int(s.whole(`,"plies":`))
	g.Fault = s.fault()
	s.timing(&g.Timing)
	s.skip("}")
	return s.ok && s.rest == ""
}

// scanner takes a line apart from the left; ok is false once it found something
// else than expected.
type scanner struct {
	rest string
	ok   bool
}

func (s *scanner) has(key string) bool { return strings.HasPrefix(s.rest, key) }

func (s *scanner) skip(key string) {
	if s.ok = s.ok && s.has(key); s.ok {
		s.rest = s.rest[len(key):]
	}
}

// text reads a text after a key.
func (s *scanner) text(key string) string {
	s.skip(key)
	s.skip(`"`)
	i := strings.IndexByte(s.rest, '"')
	if !s.ok || i < 0 {
		s.ok = false
		return ""
	}
	text := s.rest[:i]
	s.rest = s.rest[i+1:]
	return text
}

// optional reads a text after a key that may be missing.
func (s *scanner) optional(key string) string {
	if !s.has(key) {
		return ""
	}
	return s.text(key)
}

// digits takes the digits at the beginning: at most so many, none before which
// stands a zero.
func (s *scanner) digits(most int) string {
	n := 0
	for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
		n++
	}
	if !s.ok || n == 0 || n > most || n > 1 && s.rest[0] == '0' {
		s.ok = false
		return ""
	}
	digits := s.rest[:n]
	s.rest = s.rest[n:]
	return digits
}

// whole reads a number from 0 of at most 18 digits after a key.
func (s *scanner) whole(key string) int64 {
	s.skip(key)
	n, _ := strconv.ParseInt(s.digits(18), 10, 64) // 0 if there are none
	return n
}

// decimal reads a number from 0 without an exponent after a key.
func (s *scanner) decimal(key string) float64 {
	s.skip(key)
	start := s.rest
	s.digits(18)
	places := 0
	if s.has(".") {
		s.rest = s.rest[1:]
		for places < len(s.rest) && s.rest[places] >= '0' && s.rest[places] <= '9' {
			places++
		}
		s.ok = s.ok && places > 0
		s.rest = s.rest[places:]
	}
	if !s.ok {
		return 0
	}
	text := start[:len(start)-len(s.rest)]
	if len(text) <= exactDigits {
		return shortDecimal(text, places)
	}
	x, err := strconv.ParseFloat(text, 64)
	s.ok = err == nil
	return x
}

// exactDigits is how many digits a number may have so that it and the power of ten
// it is divided by are exact, and the quotient the nearest float64.
const exactDigits = 15

// shortDecimal reads digits, of which so many follow a point.
func shortDecimal(text string, places int) float64 {
	n := int64(0)
	for i := range len(text) {
		if text[i] != '.' {
			n = 10*n + int64(text[i]-'0')
		}
	}
	return float64(n) / powersOfTen[places]
}

var powersOfTen = [exactDigits]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14}

// list reads a list after a key. Without elements it isn't nil.
func list[T any](s *scanner, key string, element func() T) []T {
	s.skip(key)
	s.skip("[")
	if s.has("]") {
		s.skip("]")
		return []T{}
	}
	end := strings.IndexByte(s.rest, ']')
	if !s.ok || end < 0 {
		s.ok = false
		return nil
	}
	values := make([]T, 0, 1+strings.Count(s.rest[:end], ","))
	for s.ok {
		values = append(values, element())
		if !s.has(",") {
			break
		}
		s.skip(",")
	}
	s.skip("]")
	return values
}

func (s *scanner) scores() []Score {
	const key = `,"scores":`
	if !s.has(key) {
		return nil
	}
	return list(s, key, func() Score {
		if s.has("null") {
			s.skip("null")
			return NoScore
		}
		sign := Score(1)
		if s.has("-") {
			s.skip("-")
			sign = -1
		}
		n, _ := strconv.Atoi(s.digits(9)) // fits
		return sign * Score(n)
	})
}

func (s *scanner) player(key string) Player {
	s.skip(key)
	p := Player{Agent: s.text(`{"agent":`)}
	s.skip(`,"seed":"`)
	p.Seed = s.seed()
	s.skip(`"}`)
	return p
}

// seed reads a number of 64 bits.
func (s *scanner) seed() uint64 {
	n, err := strconv.ParseUint(s.digits(20), 10, 64)
	s.ok = s.ok && err == nil
	return n
}

func (s *scanner) limits() (l Limits) {
	if !s.has(`,"limits":{`) {
		return l
	}
	s.skip(`,"limits":{`)
	comma := ""
	field := func(name string) bool {
		key := comma + `"` + name + `":`
		if !s.has(key) {
			return false
		}
		s.skip(key)
		comma = ","
		return true
	}
	if field("depth") {
		l.Depth = int(s.whole(""))
	}
	if field("nodes") {
		l.Nodes = s.whole("")
	}
	if field("movetime") {
		l.MoveTime = s.text("")
	}
	if field("clock") {
		l.Clock = s.text("")
	}
	s.skip("}")
	return l
}

func (s *scanner) fault() *Fault {
	if !s.has(`,"fault":`) {
		return nil
	}
	f := &Fault{Side: s.text(`,"fault":{"side":`), Kind: FaultKind(s.text(`,"kind":`))}
	f.Detail = s.optional(`,"detail":`)
	s.skip("}")
	return f
}

func (s *scanner) timing(t *Timing) {
	start := s.text(`,"timing":{"start":`)
	if err := t.Start.UnmarshalText([]byte(start)); err != nil {
		s.ok = false
	}
	t.Seconds = s.decimal(`,"seconds":`)
	if s.has(`,"move_ms":`) {
		t.MoveMS = list(s, `,"move_ms":`, func() float64 { return s.decimal("") })
	}
	if s.has(`,"overrun_ms":`) {
		t.OverrunMS = s.decimal(`,"overrun_ms":`)
	}
	if s.has(`,"trace":`) {
		t.Trace = list(s, `,"trace":`, func() string { return s.text("") })
	}
	s.skip("}")
}
