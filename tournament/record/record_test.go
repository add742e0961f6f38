package record

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/rules"
)

// sample is a whole game by hand: South wins at once.
func sample() Game {
	return Game{
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

func TestSchema(t *testing.T) {
	g := sample()
	g.Scores[0] = NoScore
	g.Fault = &Fault{Side: "north", Kind: FaultIllegal, Detail: `said "no"`}
	want := `{"game":17,"pair":8,"rules":"standard","opening":"000000/000000/000000/321000/021321/033210 s","policy":"random",` +
		`"south":{"agent":"alphabeta:depth=2","seed":"18446744073709551615"},"north":{"agent":"random","seed":"1"},` +
		`"limits":{"depth":3,"nodes":1000,"movetime":"100ms"},"moves":["a4-goal"],"scores":[null],"depths":[1],"nodes":[12],` +
		`"result":"1-0","reason":"goal","plies":1,"fault":{"side":"north","kind":"illegal","detail":"said \"no\""},` +
		`"timing":{"start":"2026-01-02T03:04:05.6789Z","seconds":0.25,"move_ms":[1.234]}}`
	require.Equal(t, want, string(g.AppendJSON(nil)))

	bare := Game{Rules: "kang", Result: "1/2-1/2"}
	require.Equal(t, `{"game":0,"pair":0,"rules":"kang","opening":"","policy":"","south":{"agent":"","seed":"0"},`+
		`"north":{"agent":"","seed":"0"},"moves":[],"result":"1/2-1/2","reason":"","plies":0,`+
		`"timing":{"start":"0001-01-01T00:00:00Z","seconds":0}}`, string(bare.AppendJSON(nil)))
}

// genGame draws records with anything in them that Go's types allow.
func genGame(t *rapid.T) Game {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,20}`), rapid.SampledFrom([]string{"\x00\"\\\n\u2028<&>\xff\xfe", "é", "a4-goal"}))
	draw := func(label string) string { return text.Draw(t, label) }
	float := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.Int64Range(0, 1<<40), func(n int64) float64 { return float64(n) / 1000 }))
	g := Game{
		Game: rapid.Int64().Draw(t, "game"), Pair: rapid.Int64().Draw(t, "pair"),
		Rules: draw("rules"), Opening: draw("opening"), Policy: draw("policy"),
		South:        Player{draw("south"), rapid.Uint64().Draw(t, "seed")},
		North:        Player{draw("north"), rapid.Uint64().Draw(t, "seed")},
		Limits:       Limits{rapid.IntRange(0, 3).Draw(t, "depth"), rapid.Int64Range(0, 3).Draw(t, "nodes"), rapid.SampledFrom([]string{"", "1s", `"`}).Draw(t, "time"), rapid.SampledFrom([]string{"", "1m0s+1s"}).Draw(t, "clock")},
		Adjudication: draw("adjudication"),
		Moves:        rapid.SliceOf(text).Draw(t, "moves"),
		Scores:       rapid.SliceOf(rapid.Map(rapid.Int32(), func(n int32) Score { return Score(n) })).Draw(t, "scores"),
		Depths:       rapid.SliceOf(rapid.Int()).Draw(t, "depths"),
		Nodes:        rapid.SliceOf(rapid.Int64()).Draw(t, "nodes"),
		Result:       draw("result"), Reason: draw("reason"), Plies: rapid.Int().Draw(t, "plies"),
		Timing: Timing{
			Start:     time.Unix(rapid.Int64Range(-1e9, 1e11).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).UTC(),
			OverrunMS: float.Draw(t, "overrun"),
			Seconds:   float.Draw(t, "seconds"), MoveMS: rapid.SliceOf(float).Draw(t, "ms"),
		},
	}
	if rapid.Bool().Draw(t, "fault") {
		g.Fault = &Fault{draw("side"), FaultKind(draw("kind")), draw("detail")}
	}
	return g
}

// The hand-written encoder and encoding/json say the same of every record.
func TestAppendJSONAgainstEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := genGame(t)
		slow, err := json.Marshal(g)
		require.NoError(t, err)
		var want, got Game
		require.NoError(t, json.Unmarshal(slow, &want))
		require.NoError(t, json.Unmarshal(g.AppendJSON(nil), &got))
		require.Equal(t, want, got)
	})
}

func TestAppendJSONAllocatesNothing(t *testing.T) {
	g := sample()
	b := g.AppendJSON(nil)
	require.Zero(t, testing.AllocsPerRun(100, func() { b = g.AppendJSON(b[:0]) }))
}

func TestNumbersJSONHasNot(t *testing.T) {
	g := sample()
	g.Timing.Seconds, g.Timing.MoveMS = math.NaN(), []float64{math.Inf(1)}
	var back Game
	require.NoError(t, json.Unmarshal(g.AppendJSON(nil), &back))
	require.Equal(t, Timing{Start: g.Timing.Start, MoveMS: []float64{0}}, back.Timing)
}

func TestReaderReadsWhatTheWriterWrote(t *testing.T) {
	var buf bytes.Buffer
	w := NewWriter(&buf)
	for i := range 5 {
		g := sample()
		g.Game = int64(i)
		require.NoError(t, w.Write(&g))
	}
	require.Zero(t, w.Written())
	require.NoError(t, w.Close())
	require.EqualValues(t, 5, w.Written())

	r := NewReader(&buf, "x")
	for i := range 5 {
		g, err := r.Read()
		require.NoError(t, err)
		want := sample()
		want.Game = int64(i)
		require.Equal(t, &want, g)
	}
	_, err := r.Read()
	require.EqualError(t, err, "EOF")
}

func TestReaderErrors(t *testing.T) {
	good := func(change func(*Game)) string {
		g := sample()
		if change != nil {
			change(&g)
		}
		return string(g.AppendJSON(nil))
	}
	whole := good(nil)
	for name, c := range map[string]struct{ line, want string }{
		"cut":            {whole[:len(whole)-10], "f.jsonl:2: expected a game record: the line is cut short"},
		"empty":          {" ", "f.jsonl:2: expected a game record, found an empty line"},
		"twice":          {whole + whole, "f.jsonl:2: expected the end of the line after the record, found more"},
		"unknown key":    {`{"gam":1}`, `f.jsonl:2: expected a game record: json: unknown field "gam"`},
		"no object":      {`17`, "f.jsonl:2: expected a game record: json: cannot unmarshal number into Go value of type record.Game"},
		"null":           {`null`, `expected rules, found none`},
		"seed as number": {strings.Replace(whole, `"1"`, `1`, 1), "f.jsonl:2: expected a game record: "},
		"score":          {strings.Replace(whole, `29999`, `1.5`, 1), `expected a score, a whole number or null, found "1.5"`},
		"result":         {good(func(g *Game) { g.Result = "2-0" }), `f.jsonl:2: game 17: expected a result 1-0, 0-1 or 1/2-1/2, found "2-0"`},
		"scores":         {good(func(g *Game) { g.Scores = append(g.Scores, 1) }), "expected as many scores as the 1 moves, found 2"},
		"plies":          {good(func(g *Game) { g.Plies = 2 }), "expected plies from 0 to the 1 moves, found 2"},
		"number":         {good(func(g *Game) { g.Game = -1 }), "expected game and pair to be numbers from 0, found -1 and 8"},
		"fault's side":   {good(func(g *Game) { g.Fault, g.Reason = &Fault{"east", FaultPanic, ""}, "panic" }), `expected a fault of south or north, found "east"`},
		"fault's kind":   {good(func(g *Game) { g.Fault = &Fault{"north", FaultPanic, ""} }), `expected the fault's kind as the reason, found "panic" and "goal"`},
		"fault's result": {good(func(g *Game) { g.Fault, g.Reason = &Fault{"south", FaultPanic, ""}, "panic" }), `expected 0-1 after a fault of south, found "1-0"`},
		"too long":       {strings.Repeat("x", MaxLine+1), "f.jsonl:2: expected a record of at most 16777216 bytes, found a longer line"},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(strings.NewReader(whole+"\n"+c.line+"\n"+whole+"\n"), "f.jsonl")
			_, err := r.Read()
			require.NoError(t, err)
			_, err = r.Read()
			require.ErrorContains(t, err, c.want)
			_, again := r.Read()
			require.Equal(t, err, again, "an error stays")
		})
	}
}

func FuzzReader(f *testing.F) {
	g := sample()
	f.Add(append(g.AppendJSON(nil), '\n'))
	g.Fault, g.Reason = &Fault{"north", FaultError, "x"}, "error"
	f.Add(g.AppendJSON(nil))
	f.Add([]byte("{}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		agree(t, data)
		r := NewReader(bytes.NewReader(data), "f")
		for {
			g, err := r.Read()
			if err != nil {
				return
			}
			_, _ = Replay(g) // must not panic
			again, err := NewReader(bytes.NewReader(g.AppendJSON(nil)), "again").Read()
			require.NoError(t, err)
			require.Equal(t, g.AppendJSON(nil), again.AppendJSON(nil))
		}
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	g := sample()
	for range 349 {
		g.Moves = append(g.Moves, "d1xc3@e5")
		g.Timing.MoveMS = append(g.Timing.MoveMS, 0.006)
	}
	g.Scores, g.Depths, g.Nodes = nil, nil, nil
	var buf []byte
	for b.Loop() {
		buf = g.AppendJSON(buf[:0])
	}
	b.SetBytes(int64(len(buf)))
}

func TestFirstTurn(t *testing.T) {
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
		{"x", []string{"2@a6"}, 1, rules.South},
		{kang + "s 111/000 0-1 n", []string{"a1-a2"}, 0, rules.South},
		{kang + "n 111/000 0-1 n", []string{"a1-a2"}, 0, rules.North},
		{kang + "n 111/000 1-0 s", []string{"a1-a2"}, 0, rules.North},
		{kang + "s 111/000 1-0 sn", []string{"a1-a2"}, 0, rules.South},
	} {
		index, side, err := (&Game{Opening: c.opening, Moves: c.moves, Plies: len(c.moves) - c.index}).FirstTurn()
		require.NoError(t, err, c.opening)
		require.Equal(t, []any{c.index, c.side}, []any{index, side}, c.opening)
	}
	for _, opening := range []string{"", "x", kang, kang + "w"} {
		_, _, err := (&Game{Opening: opening}).FirstTurn()
		require.Error(t, err, opening)
	}
}
