package record

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendJSON appends the record to b as one JSON object without a line end.
// Decoding it with encoding/json gives the record back, but for moves that are
// nil, which become empty, invalid UTF-8, which becomes U+FFFD, and numbers that
// JSON doesn't know (NaN, infinities) in the timing, which become 0.
//
// It is written by hand because a run of quick agents writes records as fast
// as it plays: no reflection, no allocation but b's growth.
func (g *Game) AppendJSON(b []byte) []byte {
	b = appendInt(b, `{"game":`, g.Game)
	b = appendInt(b, `,"pair":`, g.Pair)
	b = appendText(b, `,"rules":`, g.Rules)
	b = appendText(b, `,"opening":`, g.Opening)
	b = appendText(b, `,"policy":`, g.Policy)
	b = g.South.append(b, `,"south":`)
	b = g.North.append(b, `,"north":`)
	b = g.Limits.append(b)
	if g.OnRepetition != "" {
		b = appendText(b, `,"on_repetition":`, g.OnRepetition)
	}
	if g.Adjudication != "" {
		b = appendText(b, `,"adjudication":`, g.Adjudication)
	}
	b = appendList(b, `,"moves":[`, g.Moves, appendString)
	if len(g.Scores) > 0 {
		b = appendList(b, `,"scores":[`, g.Scores, func(b []byte, s Score) []byte { return s.append(b) })
	}
	if len(g.Depths) > 0 {
		b = appendList(b, `,"depths":[`, g.Depths, func(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) })
	}
	if len(g.Nodes) > 0 {
		b = appendList(b, `,"nodes":[`, g.Nodes, func(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) })
	}
	b = appendText(b, `,"result":`, g.Result)
	b = appendText(b, `,"reason":`, g.Reason)
	b = appendInt(b, `,"plies":`, int64(g.Plies))
	b = g.Fault.append(b)
	b = g.Timing.append(b)
	return append(b, '}')
}

func (p *Player) append(b []byte, key string) []byte {
	b = append(b, key...)
	b = appendText(b, `{"agent":`, p.Agent)
	b = append(b, `,"seed":"`...)
	b = strconv.AppendUint(b, p.Seed, 10)
	return append(b, `"}`...)
}

func (l *Limits) append(b []byte) []byte {
	if *l == (Limits{}) {
		return b
	}
	b = append(b, `,"limits":{`...)
	start := len(b)
	if l.Depth != 0 {
		b = appendInt(b, `,"depth":`, int64(l.Depth))
	}
	if l.Nodes != 0 {
		b = appendInt(b, `,"nodes":`, l.Nodes)
	}
	if l.MoveTime != "" {
		b = appendText(b, `,"movetime":`, l.MoveTime)
	}
	if l.Clock != "" {
		b = appendText(b, `,"clock":`, l.Clock)
	}
	b = append(b[:start], b[start+1:]...) // the comma before the first key
	return append(b, '}')
}

func (f *Fault) append(b []byte) []byte {
	if f == nil {
		return b
	}
	b = appendText(b, `,"fault":{"side":`, f.Side)
	b = appendText(b, `,"kind":`, string(f.Kind))
	if f.Detail != "" {
		b = appendText(b, `,"detail":`, f.Detail)
	}
	return append(b, '}')
}

func (t *Timing) append(b []byte) []byte {
	b = append(b, `,"timing":{"start":"`...)
	b = t.Start.AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","seconds":`...)
	b = appendFloat(b, t.Seconds)
	if len(t.MoveMS) > 0 {
		b = appendList(b, `,"move_ms":[`, t.MoveMS, appendFloat)
	}
	if t.OverrunMS != 0 {
		b = appendFloat(append(b, `,"overrun_ms":`...), t.OverrunMS)
	}
	if len(t.Trace) > 0 {
		b = appendList(b, `,"trace":[`, t.Trace, appendString)
	}
	return append(b, '}')
}

func appendInt(b []byte, key string, n int64) []byte {
	return strconv.AppendInt(append(b, key...), n, 10)
}

func appendText(b []byte, key, text string) []byte {
	return appendString(append(b, key...), text)
}

// appendList appends open, the elements separated by commas, and a bracket.
func appendList[T any](b []byte, open string, list []T, element func([]byte, T) []byte) []byte {
	b = append(b, open...)
	for i, x := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = element(b, x)
	}
	return append(b, ']')
}

// appendString appends a JSON string. Nearly every text of a record is plain
// ASCII; encoding/json escapes the rest.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			quoted, err := json.Marshal(s)
			if err != nil { // can't happen: every string has a JSON form
				return append(b, `""`...)
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendFloat appends the shortest number that reads back as x. Numbers of
// three decimals at most, as clock readings are, go a quick way.
func appendFloat(b []byte, x float64) []byte {
	const limit = 1 << 40 // below it x*1000 is exact enough for the test
	if x >= 0 && x < limit {
		if n := int64(math.Round(x * 1000)); float64(n)/1000 == x {
			return appendThousandths(b, n)
		}
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(b, '0')
	}
	return strconv.AppendFloat(b, x, 'g', -1, 64)
}

// appendThousandths appends n/1000, n >= 0, without zeros at the end.
func appendThousandths(b []byte, n int64) []byte {
	b = strconv.AppendInt(b, n/1000, 10)
	rest := n % 1000
	if rest == 0 {
		return b
	}
	b = append(b, '.', '0'+byte(rest/100), '0'+byte(rest/10%10), '0'+byte(rest%10))
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}
