package record

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/jsonl"
)

// sample is a whole game by hand: South wins at once.
func sample() Record {
	return Record{
		Game: 17, Pair: 8, Rules: "standard",
		Opening: "000000/000000/000000/321000/021321/033210 s", Policy: "random",
		South:  Player{Agent: "alphabeta:depth=2", Seed: math.MaxUint64},
		North:  Player{Agent: "random", Seed: 1},
		Limits: Limits{Depth: 3, Nodes: 1000, MoveTime: "100ms"},
		Moves:  []string{"a4-goal"},
		Scores: []Score{29999}, Depths: []int{1}, Nodes: []int64{12},
		Result: "1-0", Reason: "goal", Plies: 1,
		Timing: Timing{Start: time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.UTC), Seconds: 0.25, MoveMS: []float64{1.234}},
	}
}

// line returns a record's line with its end.
func line(t require.TestingT, g *Record) []byte {
	text, err := Lines(g)
	require.NoError(t, err)
	return text
}

func TestSchema(t *testing.T) {
	g := sample()
	g.Scores[0] = NoScore
	g.Fault = &Fault{Side: "north", Kind: FaultIllegal, Detail: `said "no"`}
	want := `{"game":17,"pair":8,"rules":"standard","opening":"000000/000000/000000/321000/021321/033210 s","policy":"random",` +
		`"south":{"agent":"alphabeta:depth=2","seed":"18446744073709551615"},"north":{"agent":"random","seed":"1"},` +
		`"limits":{"depth":3,"nodes":1000,"movetime":"100ms"},"moves":["a4-goal"],"scores":[null],"depths":[1],"nodes":[12],` +
		`"result":"1-0","reason":"goal","plies":1,"fault":{"side":"north","kind":"illegal","detail":"said \"no\""},` +
		`"timing":{"start":"2026-01-02T03:04:05.6789Z","seconds":0.25,"move_ms":[1.234],"crc32c":"894d1d65"}}`
	require.Equal(t, want+"\n", string(line(t, &g)))

	bare := Record{Rules: "kang", Result: "1/2-1/2", Moves: []string{}}
	require.Equal(t, `{"game":0,"pair":0,"rules":"kang","opening":"","policy":"","south":{"agent":"","seed":"0"},`+
		`"north":{"agent":"","seed":"0"},"moves":[],"result":"1/2-1/2","reason":"","plies":0,`+
		`"timing":{"start":"0001-01-01T00:00:00Z","seconds":0,"crc32c":"30946a0f"}}`+"\n", string(line(t, &bare)))
}

// A number that JSON doesn't have is an error, and nothing of the record is written.
func TestNumbersJSONHasNot(t *testing.T) {
	var out bytes.Buffer
	w, g := NewWriter(&out), sample()
	require.NoError(t, w.Write(&g))
	g.Timing.Seconds = math.NaN()
	require.ErrorContains(t, w.Write(&g), "game 17: ")
	g.Timing.Seconds = 1
	require.NoError(t, errors.Join(w.Write(&g), w.Close()))
	require.EqualValues(t, 2, w.Written())
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
}

func TestReaderErrors(t *testing.T) {
	good := func(change func(*Record)) string {
		g := sample()
		if change != nil {
			change(&g)
		}
		return strings.TrimSuffix(string(line(t, &g)), "\n")
	}
	whole := good(nil)
	text, _, _ := strings.Cut(whole, `,"crc32c"`)
	old := text + "}}" // without a checksum
	zeros := func(line string) string {
		i := strings.Index(line, `"scores"`)
		return line[:i] + strings.Repeat("\x00", 9) + line[i+9:]
	}
	for name, c := range map[string]struct{ line, want string }{
		"cut":            {whole[:len(whole)-10], "f.jsonl:2: expected a game record: the line is cut short"},
		"empty":          {" ", "f.jsonl:2: expected a game record, found an empty line"},
		"twice":          {whole + whole, "another one begins in byte 477: the line end between them is lost"},
		"unknown key":    {`{"gam":1}`, "gam: there is no such field"},
		"no object":      {`17`, "the line is no JSON object; gyges import reads PGN and CSV"},
		"null":           {`null`, `expected rules, found none`},
		"seed as number": {strings.Replace(whole, `"1"`, `1`, 1), "f.jsonl:2: expected a game record: "},
		"score": {strings.Replace(whole, `29999`, `1.5`, 1),
			`expected a score, a whole number or null, found "1.5"`},
		"result": {good(func(g *Record) { g.Result = "2-0" }),
			`f.jsonl:2: game 17: expected a result 1-0, 0-1 or 1/2-1/2, found "2-0"`},
		"scores": {good(func(g *Record) { g.Scores = append(g.Scores, 1) }),
			"expected as many scores as the 1 moves, found 2"},
		"plies": {good(func(g *Record) { g.Plies = 2 }), "expected plies from 0 to the 1 moves, found 2"},
		"number": {good(func(g *Record) { g.Game = -1 }),
			"expected game and pair to be numbers from 0, found -1 and 8"},
		"fault's side": {good(func(g *Record) { g.Fault, g.Reason = &Fault{"east", FaultPanic, ""}, "panic" }),
			`expected a fault of south or north, found "east"`},
		"fault's kind": {good(func(g *Record) { g.Fault = &Fault{"north", FaultPanic, ""} }),
			`expected the fault's kind as the reason, found "panic" and "goal"`},
		"fault's result": {good(func(g *Record) { g.Fault, g.Reason = &Fault{"south", FaultPanic, ""}, "panic" }),
			`expected 0-1 after a fault of south, found "1-0"`},
		"unknown key of an object": {strings.Replace(good(func(g *Record) { g.Fault = &Fault{Kind: "x"} }), `"kind"`, `"hosts"`, 1),
			"f.jsonl:2: expected a game record: fault.hosts: there is no such field"},
		"old, joined":           {old + old, "another one begins in byte 457: the line end between them is lost"},
		"zeros":                 {zeros(whole), `invalid character '\x00'`},
		"old with zeros":        {zeros(old), `invalid character '\x00'`},
		"rest":                  {old + "}", "invalid character '}' after top-level value"},
		"another rest":          {strings.Replace(old, `,"timing"`, `"x",,"timing"`, 1), "invalid character '\"' after object value"},
		"another move":          {strings.Replace(whole, "a4-goal", "b4-goal", 1), "was changed after it was written: its CRC-32C is"},
		"another time":          {strings.Replace(whole, "0.25", "0.26", 1), "timing.crc32c is"},
		"sum elsewhere":         {text + `,"crc32c":"00000000" }}`, "expected timing.crc32c, 8 digits, at the end"},
		"short sum":             {text + `,"crc32c":"0"}}`, "expected timing.crc32c, 8 digits, at the end"},
		"sum before the time":   {strings.Replace(old, `"seconds"`, `"crc32c":"00000000","seconds"`, 1), "at the end of the line"},
		"sum beside the timing": {text + `},"crc32c":"00000000"}`, "crc32c: there is no such field"},
		"too long": {strings.Repeat("x", MaxLine+1),
			"f.jsonl:2: expected a record of at most 16777216 bytes, found a longer line"},
	} {
		t.Run(name, func(t *testing.T) {
			text := whole + "\n" + c.line + "\n" + whole + "\n"
			r, short := NewReader(strings.NewReader(text), "f.jsonl"), NewReader(strings.NewReader(text), "f.jsonl")
			for line := range 3 { // the first and the last are read
				_, err := r.Read()
				errShort := short.ReadResult(new(source.Result))
				if line != 1 {
					require.NoError(t, errors.Join(err, errShort))
					continue
				}
				require.ErrorContains(t, err, c.want)
				require.ErrorAs(t, err, new(*jsonl.LineError))
				if errShort == nil { // what it doesn't look at, Record does
					_, errShort = short.Record()
				}
				require.Equal(t, err, errShort)
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	g := sample()
	f.Add(line(f, &g))
	g.Fault, g.Reason = &Fault{"north", FaultError, "x"}, "error"
	f.Add(bytes.TrimSpace(line(f, &g)))
	f.Add([]byte("{}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data), "f")
		for {
			g, err := r.Read()
			if err != nil && !errors.As(err, new(*jsonl.LineError)) {
				return
			}
			if err != nil {
				continue
			}
			_, _ = Replay(g) // must not panic
			again, err := NewReader(bytes.NewReader(line(t, g)), "again").Read()
			require.NoError(t, err)
			require.Equal(t, line(t, g), line(t, again))
		}
	})
}

func TestMovers(t *testing.T) {
	const kang = "303030/111222/000000/000000/000000/000000 "
	for _, c := range []struct {
		opening string
		moves   []string
		index   int
		side    rules.Side
	}{
		{"321123/000000/000000/000000/000000/321123 s", []string{"a1-a2"}, 0, rules.South},
		{"321123/000000/000000/000000/000000/321123 n", []string{"a1-a2"}, 0, rules.North},
		{"000000/000000/000000/000000/000000/321123 n 222/000", []string{"2@a1", "1@a6", "a1-a2"}, 2, rules.South},
		{"x", []string{"2@a6", "a1-a2"}, 1, rules.South},
		{kang + "s 111/000 0-1 n", []string{"a1-a2"}, 0, rules.South},
		{kang + "n 111/000 0-1 n", []string{"a1-a2"}, 0, rules.North},
		{kang + "n 111/000 1-0 s", []string{"a1-a2"}, 0, rules.North},
		{kang + "s 111/000 1-0 sn", []string{"a1-a2"}, 0, rules.South},
	} {
		index, side := -1, rules.North
		for index, side = range (&Record{Opening: c.opening, Moves: c.moves, Plies: len(c.moves) - c.index}).Movers() {
			break
		}
		require.Equal(t, []any{c.index, c.side}, []any{index, side}, c.opening)
	}
	for _, opening := range []string{"", "x", kang, kang + "w"} {
		for range (&Record{Opening: opening, Moves: []string{"a1-a2"}, Plies: 1}).Movers() {
			require.Fail(t, "expected no turns", opening)
		}
	}
	var turns []any
	for index, side := range (&Record{Moves: []string{"2@a1", "a1-a2", "a6-a5"}, Plies: 2}).Movers() {
		turns = append(turns, index, side)
	}
	require.Equal(t, []any{1, rules.South, 2, rules.North}, turns)
}

// Each list of a record but its moves and its trace is in the table of lists. The formats there have one verb, one that
// pages know too, and it suits the elements.
func TestLists(t *testing.T) {
	var fields []string
	elements := map[string]any{}
	for _, part := range []reflect.Type{reflect.TypeFor[Record](), reflect.TypeFor[Timing]()} {
		for f := range part.Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Type.Kind() == reflect.Slice && key != "moves" && key != "trace" {
				fields = append(fields, key)
				elements[key] = reflect.Zero(f.Type.Elem()).Interface()
			}
		}
	}
	verb := regexp.MustCompile(`%(d|s|v|\.\df)`)
	var keys, names []string
	for _, l := range Lists {
		keys, names = append(keys, l.Key), append(names, l.Each)
		for _, format := range []string{l.Text, l.PGN} {
			if format == "" {
				continue
			}
			require.NotContains(t, fmt.Sprintf(format, elements[l.Key]), "%!", "%s: %q", l.Key, format)
			format = strings.ReplaceAll(format, "%%", "")
			require.Len(t, verb.FindAllString(format, -1), 1, "%s: %q", l.Key, format)
			require.Equal(t, 1, strings.Count(format, "%"), "%s: %q", l.Key, format)
		}
	}
	require.Equal(t, fields, keys)
	slices.Sort(names)
	require.Len(t, slices.Compact(names), len(Lists))
}
