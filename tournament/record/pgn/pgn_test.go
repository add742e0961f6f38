package pgn

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// sample is a whole game by hand: North answers, South wins.
func sample() *record.Record {
	return &record.Record{
		Game: 17, Pair: 8, Rules: "standard",
		Opening: "000000/000000/000000/321000/021321/033210 s", Policy: "random",
		South:  record.Player{Agent: `ugi:cmd='a "b\c"'`, Seed: 1<<64 - 1},
		North:  record.Player{Agent: "random", Seed: 1},
		Limits: record.Limits{Depth: 3, Nodes: 1000, MoveTime: "100ms", Clock: "1m0s+1s"},
		Moves:  []string{"a4-goal"},
		Scores: []record.Score{29999}, Depths: []int{1}, Nodes: []int64{12},
		Result: "1-0", Reason: "goal", Plies: 1,
		Timing: record.Timing{Start: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), MoveMS: []float64{1.234}},
	}
}

const sampleText = `[Event "a run"]
[Site "?"]
[Date "2026.01.02"]
[Round "8.17"]
[White "ugi:cmd='a \"b\\c\"'"]
[Black "random"]
[Result "1-0"]
[UTCDate "2026.01.02"]
[UTCTime "03:04:05"]
[GameId "17"]
[Pair "8"]
[Rules "standard"]
[Opening "000000/000000/000000/321000/021321/033210 s"]
[OpeningPolicy "random"]
[WhiteSeed "18446744073709551615"]
[BlackSeed "1"]
[LimitDepth "3"]
[LimitNodes "1000"]
[LimitMoveTime "100ms"]
[TimeControl "60+1"]
[PlyCount "1"]
[Reason "goal"]
[Termination "normal"]

1. a4-goal {+M1/1 0.001234s n=12} 1-0

`

func TestAppend(t *testing.T) {
	text, err := Append(nil, sample(), "a run", agents.LabelOf)
	require.NoError(t, err)
	require.Equal(t, sampleText, string(text))
}

func TestNumbersOfTurns(t *testing.T) {
	const kang = "303030/111222/000000/000000/000000/000000 "
	g := &record.Record{Opening: kang + "n 111/000 0-1 n", Moves: []string{"a1", "b1", "c1"}, Result: "1-0"}
	require.Equal(t, "1... a1 2. b1 2... c1 1-0", movesText(g))
	g.Opening = kang + "s 111/000 0-1 n"
	require.Equal(t, "1. a1 1... b1 2. c1 1-0", movesText(g))
}

func TestScores(t *testing.T) {
	for text, score := range map[string]record.Score{
		"+0.00": 0, "-0.05": -5, "+1.23": 123, "+M1": 29999, "-M1": -29999, "+M0": 30000, "+M1000": 29000, "+289.99": 28999, "+300.01": 30001,
		"+21474836.47": 1<<31 - 1,
	} {
		require.Equal(t, text, scoreText(score))
	}
}

// What a game lacks or says otherwise changes its text.
func TestAppendOthers(t *testing.T) {
	for want, c := range map[string]struct {
		lacks  string
		change func(g *record.Record)
	}{
		// Programs expect a score in front of a slash.
		"{0.001234s n=12 d=1}": {"/1", func(g *record.Record) { g.Scores[0] = record.NoScore }},
		// Another program says the result, and the moves don't tell how the game ended.
		`[Reason "imported"]`: {"Termination", func(g *record.Record) { g.Reason = record.Imported }},
		// A clock is in seconds; a player's own takes the place of the run's.
		"[TimeControl \"40/60+1\"]\n[PlyCount": {"LimitClock", func(g *record.Record) { g.Limits.Clock = "40/1m0s+1s" }},
		"[WhiteTimeControl \"40/90\"]\n[BlackTimeControl \"0.5+0.01\"]": {"[TimeControl", func(g *record.Record) {
			g.South.Agent, g.North.Agent = "random:clock=40/1m30s", "random:clock=500ms+10ms"
		}},
		"[LimitMoveTime \"100ms\"]\n[WhiteTimeControl \"86400\"]\n[PlyCount": {"BlackTime", func(g *record.Record) {
			g.South.Agent, g.Limits.Clock = "random:clock=24h", "no clock"
		}},
		// A player's name is its label; a tag has its spec.
		`[BlackAgent "random:name=Max \"the wall\",x='a,b'"]`: {"[Black \"random", func(g *record.Record) {
			g.North.Agent = `random:name=Max "the wall",x='a,b'`
		}},
	} {
		g := sample()
		c.change(g)
		text, err := Append(nil, g, "x", agents.LabelOf)
		require.NoError(t, err)
		require.Contains(t, string(text), want)
		require.NotContains(t, string(text), c.lacks)
		games, _, _ := read(t, string(text))
		require.Equal(t, g.North.Agent, games[0].North.Agent)
	}
}

// A date in UTC has a time in UTC, one of the place a time there. What can't be read is said.
func TestDates(t *testing.T) {
	for tags, want := range map[string]string{
		`[UTCDate "2024.05.31"][UTCTime "23:30:00"][Date "2024.06.01"][Time "01:30:00"]`: "2024-05-31T23:30:00Z",
		`[Date "2024.06.01"][UTCDate "2024.05.31"][UTCTime "23:30:00"]`:                  "2024-05-31T23:30:00Z",
		`[Date "2024.06.01"][UTCTime "23:30:00"]`:                                        "2024-06-01T00:00:00Z",
		`[Date "2024.06.01"][Time "01:30:00"]`:                                           "2024-06-01T01:30:00Z",
		`[Date "2024.06.01"][StartTime "1:30:00"]`:                                       "2024-06-01T01:30:00Z",
		`[Date "2024.06.01"][UTCDate "????.??.??"][UTCTime "??:??:??"]`:                  "2024-06-01T00:00:00Z",
		`[Date "2024.06.01"][Time "??:??:??"]`:                                           "2024-06-01T00:00:00Z",
		`[UTCDate "2024.05.31"]`:                                                         "2024-05-31T00:00:00Z",
		`[Date "2024/06/01"]`:                                                            "2024-06-01T00:00:00Z",
		`[Date "2024-6-1"]`:                                                              "2024-06-01T00:00:00Z",
		`[Date "????.??.??"]`:                                                            "0001-01-01T00:00:00Z",
		`[Date "?"]`:                                                                     "0001-01-01T00:00:00Z",
		`[Date ""]`:                                                                      "0001-01-01T00:00:00Z",
		`[Date "2024.??.??"]`:                                                            `found "2024.??.??"`,
		`[Date "2024.05.??"]`:                                                            `found "2024.05.??"`,
		`[Date "2024.13.01"]`:                                                            `found "2024.13.01"`,
		`[Date "01.06.2024"]`:                                                            `found "01.06.2024"`,
		`[Date "0000.01.01"]`:                                                            `found "0000.01.01"`,
		`[Date "June 2024"]`:                                                             `found "June 2024"`,
		`[Date "2024.06.01"][Time "noon"]`:                                               `found "2024.06.01 noon"`,
		`[UTCTime "23:30:00"]`:                                                           `found "23:30:00"`,
		`[Date "2024.06.01"][Time "25:00:0"]`:                                            `found "2024.06.01 25:00:0"`,
	} {
		var c Converter
		games, _, bad := readUnder(t, source.PGN, "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n"+tags+"\n", &c)
		require.Empty(t, bad)
		if c.Date != nil {
			require.ErrorContains(t, c.Date, "expected a date like 2024.05.31 and a time like 14:05:00, "+want, tags)
			require.Zero(t, games[0].Timing.Start, tags)
			continue
		}
		require.Equal(t, want, games[0].Timing.Start.Format(time.RFC3339), tags)
	}
}

func TestAppendRefuses(t *testing.T) {
	for want, change := range map[string]func(*record.Record){
		"game 17: South: expected printable text":     func(g *record.Record) { g.South.Agent = "a\nb" },
		"North: expected printable text":              func(g *record.Record) { g.North.Agent = "a\xff" },
		"rules: expected printable text":              func(g *record.Record) { g.Rules = "\x1b" },
		`expected a player's name of 1 to 1000 bytes`: func(g *record.Record) { g.North.Agent = "?" },
		`1 to 1000 bytes other than ?, found "xxx`: func(g *record.Record) {
			g.North.Agent = strings.Repeat("x",
				1001)
		},
		`move 1: expected a move in short notation, found ""`: func(g *record.Record) { g.Moves[0] = "" },
		`found "a1 1-0"`: func(g *record.Record) { g.Moves[0] = "a1 1-0" },
		"expected a game that was played, found one of a suspended agent": func(g *record.Record) {
			g.Fault = &record.Fault{Side: "north", Kind: record.FaultSuspended}
		},
		`found "a1}"`: func(g *record.Record) { g.Moves[0] = "a1}" },
	} {
		g := sample()
		change(g)
		text, err := Append([]byte("before"), g, "x", agents.LabelOf)
		require.ErrorContains(t, err, want)
		require.Equal(t, "before", string(text))
	}
	_, err := Append(nil, sample(), "two\nlines", agents.LabelOf)
	require.ErrorContains(t, err, "event: expected printable text")
}

// read reads a text and returns its games, why they have no moves, and what was bad.
func read(t require.TestingT, text string) ([]*record.Record, []error, []string) {
	return readUnder(t, source.PGN, text, &Converter{})
}

func readUnder(
	t require.TestingT, f source.Format, text string, c *Converter,
) (games []*record.Record, moves []error, bad []string) {
	for in := source.NewResults(f, strings.NewReader(text), "x"); ; {
		var o source.Result
		err := in.ReadResult(&o)
		if errors.Is(err, io.EOF) {
			return games, moves, bad
		}
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		g, err := c.Record(in, &o)
		games, moves = append(games, g), append(moves, err)
	}
}

// importOf returns what is kept of a game that is exported and imported.
func importOf(g *record.Record, number int64) *record.Record {
	r := &record.Record{
		Game: number, Pair: number, Rules: g.Rules, Opening: g.Opening,
		South: record.Player{Agent: g.South.Agent}, North: record.Player{Agent: g.North.Agent},
		Moves: g.Moves, Result: g.Result, Reason: g.Reason, Plies: g.Plies,
	}
	r.Timing.Start = g.Timing.Start
	if g.Fault != nil || strings.HasPrefix(g.Reason, "adjudicated-") {
		r.Reason = record.Imported
	}
	if len(g.Moves) == 0 {
		r.Opening = ""
	}
	return r
}

func TestOpenComment(t *testing.T) {
	games, moves, bad := read(t, strings.Replace(sampleText, "n=12}", "n=12", 1))
	require.Empty(t, bad)
	require.Empty(t, games[0].Moves)
	require.EqualError(t, moves[0], "x:25: expected } at the end of a comment, found the end of the file")
}

const chess = `[Event "Wien"]
[White "M` + "\xfc" + `ller"]
[Black "Ada"]
[Result "1-0"]
[Date "1899.05.??"]
[Round "1"]
[FEN "x"]

1. e4 e5 {[%eval 0.3] [a comment} 2. Qh5?! (2. Nf3 Nc6 $1) Ke7 3. Qxe5# 1-0

[White "Ada"]
[Black "M` + "\xfc" + `ller"]
[Result "1/2-1/2"]
[Round "1"]
[FEN "x"]

1. e4 1/2-1/2

[White "Ada"]
[Black "Bob"]
[Result "0-1"]
[GameId "abc"]
[Variant "Chess960"]
[White "Ada"]
[Black "Bob"]
[Result "*"]
[White "Ada"]
[Black "Bob"]
[Result "0-1"]
[GameId "abc"]
`

func TestReadOthers(t *testing.T) {
	var c Converter
	games, moves, bad := readUnder(t, source.PGN, chess, &c)
	require.Equal(t, []string{source.ErrUnfinished.Error()}, bad)
	require.Equal(t, "Wien", c.Event)
	for i, err := range moves {
		require.Equal(t, i < 2, err != nil)
	}
	require.EqualError(t, moves[0], "expected a tag Rules or --rules, found neither")
	imported := func(game, pair int64, rules, south, north, result string) *record.Record {
		return &record.Record{Game: game, Pair: pair, Rules: rules, South: record.Player{Agent: south},
			North: record.Player{Agent: north}, Moves: []string{}, Result: result, Reason: "imported"}
	}
	want := []*record.Record{
		imported(0, 0, "", "Müller", "Ada", "1-0"), imported(1, 0, "", "Ada", "Müller", "1/2-1/2"), imported(2, 1,
			"Chess960", "Ada", "Bob", "0-1"), imported(3, 2, "", "Ada", "Bob", "0-1"),
	}
	require.Equal(t, want, games)
}

// Games of one round and opening that have other players are no pair, and one key may have several pairs.
func TestPairsHaveTheirPlayers(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, players := range []string{"ab", "cd", "ba", "dc", "ab", "ab", "ba", "ba", "ab"} {
		fmt.Fprintf(&text, "[Round \"1\"]\n[FEN \"x\"]\n[White \"%c\"]\n[Black \"%c\"]\n[Result \"1-0\"]\n\n1-0\n\n",
			players[0], players[1])
	}
	games, _, _ := read(t, text.String())
	var pairs []int64
	for _, g := range games {
		pairs = append(pairs, g.Pair)
	}
	require.Equal(t, []int64{0, 1, 0, 1, 2, 3, 2, 3, 4}, pairs)
}

// genGame plays a game of random moves and says random things of them.
func genGame(t *rapid.T, number int64) *record.Record {
	text := rapid.OneOf(rapid.StringMatching(`[ -~]{0,20}`), rapid.SampledFrom([]string{`\`, `"`, `\"`, `\\"x`,
		"a\nb\x00", "é\u200b\ufffd", `[x "y"]`, "{", "%"}))
	name := rapid.OneOf(rapid.StringMatching(`[!-~é]([ -~ü]{0,12}[!-~])?`),
		rapid.StringMatching("mcts:iterations=[1-9],name=[a-z\"]{1,5}")).Filter(func(s string) bool { return s != "?" })
	preset := rapid.SampledFrom([]string{"standard", "simplified", "kang", "turkish-basic", "cosmoludo"}).Draw(t, "rules")
	r := rules.MustParse(fmt.Sprintf("%s:max_plies=%d", preset, rapid.IntRange(1, 30).Draw(t, "length")))
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	start := r.Start()
	if rapid.Bool().Draw(t, "placed") && !r.Options().Kang {
		start = r.RandomSetup(rng)
	}
	game := rules.NewGame(r, start)
	g := &record.Record{
		Game: number, Pair: number / 2, Rules: r.String(), Opening: r.FormatPosition(start), Policy: text.Draw(t, "policy"),
		South: record.Player{Agent: name.Draw(t, "south"), Seed: rng.Uint64()}, Moves: []string{},
		North: record.Player{Agent: name.Draw(t, "north")}, Limits: record.Limits{Depth: 3, MoveTime: text.Draw(t, "time")},
		Adjudication: "x" + text.Draw(t, "adjudication"),
	}
	g.Timing.Start = time.Unix(rapid.Int64Range(0, 1<<34).Draw(t, "start"), 0).UTC()
	said := rapid.Bool().Draw(t, "said")
	o, reason := game.Outcome()
	for most := rapid.IntRange(0, 60).Draw(t, "most"); o == rules.Undecided && len(g.Moves) < most; o, reason = game.Outcome() {
		m := game.Legal().At(rng.IntN(game.Legal().Len()))
		game.PlayLegal(m)
		g.Moves = append(g.Moves, m.String())
		if said {
			g.Scores = append(g.Scores, []record.Score{record.NoScore, record.Score(rng.IntN(60001) - 30000)}[rng.IntN(2)])
			g.Depths, g.Nodes = append(g.Depths, 1+rng.IntN(2)*rng.IntN(40)), append(g.Nodes, 1+rng.Int64N(1<<62))
			g.Timing.MoveMS = append(g.Timing.MoveMS, float64(rng.Int64N(1<<(1+rng.IntN(40))))/1000)
		}
	}
	g.Plies, g.Result, g.Reason = game.Ply(), o.String(), string(reason)
	if o == rules.Undecided && rapid.Bool().Draw(t, "adjudicated") {
		g.Result, g.Reason = "1/2-1/2", record.Adjudicated+"draw"
	} else if o == rules.Undecided {
		g.Fault = &record.Fault{Side: "north", Kind: record.FaultKind("k" + text.Draw(t, "kind")), Detail: text.Draw(t, "detail")}
		g.Result, g.Reason = "1-0", string(g.Fault.Kind)
	}
	return g
}

// Players, rules, opening, start, result and moves of an exported game are imported.
func TestExportAndImport(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		var want []*record.Record
		var last *record.Record
		pairs := int64(0)
		for i := range rapid.IntRange(1, 4).Draw(t, "games") {
			g := genGame(t, int64(i))
			isPair := i%2 == 1 && rapid.Bool().Draw(t, "pair")
			if isPair {
				other := *last
				other.Game, other.South.Agent, other.North.Agent = int64(i), last.North.Agent, last.South.Agent
				g = &other
			}
			last = g
			var err error
			text, err = Append(text, g, "x", agents.LabelOf)
			require.NoError(t, err)
			back := importOf(g, int64(i))
			if !isPair {
				pairs++
			}
			back.Pair = pairs - 1
			want = append(want, back)
			seen[g.Reason]++
		}
		for line := range bytes.Lines(text) {
			require.True(t, len(line) <= lineWidth+1 || line[0] == '[', "%q", line)
		}
		got, _, bad := read(t, string(text))
		require.Empty(t, bad)
		require.Equal(t, want, got)
	})
	for _, reason := range []string{"goal", "length", record.Adjudicated + "draw"} {
		require.NotZero(t, seen[reason], reason)
	}
}

// withNotes lets games be exported with a text for each move, which stands in their list of best moves.
func withNotes(t *testing.T) {
	before := record.Lists
	t.Cleanup(func() { record.Lists = before })
	note := *before[slices.IndexFunc(before, func(l *record.List) bool { return l.Each == "best" })]
	note.Each, note.PGN = "note", "note=%s"
	record.Lists = append(slices.Clone(before), &note)
}

// Whatever a list says of a move, the game that is read is the one that was written, and each line is one of moves.
func TestTextInComments(t *testing.T) {
	withNotes(t)
	rapid.Check(t, func(t *rapid.T) {
		note := rapid.OneOf(rapid.String(), rapid.StringMatching(`[{}%;\[\]()$ "a\n\r\x00\\]{0,200}`), rapid.SampledFrom([]string{
			"}", "{", "a } 0-1 {", "x\n\n[White \"c\"]\n[Black \"d\"]\n[Result \"0-1\"]\n", strings.Repeat("[White \"c\"]\n", 40),
			strings.Repeat("[White", 60), strings.Repeat("%", 300), "\n% x", "; x\n", "(1. b1", "$3", "1-0", "*", "\xff}", "\u2028", "",
			strings.Repeat("word [White \"c\"] %", 30)})).Draw(t, "note")
		g := sample()
		g.Best = []string{note}
		text, err := Append(nil, g, "x", agents.LabelOf)
		require.NoError(t, err)
		_, moves, _ := strings.Cut(string(text), "\n\n")
		for line := range strings.Lines(moves) {
			require.NotRegexp(t, `^[%[]`, line)
			require.Equal(t, strings.TrimSuffix(line, "\n"), textfmt.Escape(strings.TrimSuffix(line, "\n")))
		}
		require.Equal(t, 1, strings.Count(moves, "}"))
		require.Equal(t, 1, strings.Count(moves, "{"))
		next := *g
		next.Pair++
		text, err = Append(text, &next, "x", agents.LabelOf)
		require.NoError(t, err)
		games, errs, bad := read(t, string(text))
		require.Empty(t, bad)
		require.Equal(t, []error{nil, nil}, errs)
		require.Equal(t, []*record.Record{importOf(g, 0), importOf(g, 1)}, games)
	})
}

func FuzzRead(f *testing.F) {
	f.Add(sampleText)
	f.Add(chess)
	f.Add("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 0-1 {x} 1-0\n")
	f.Add("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[Reason \"goal\"]\n\n{;}%\n(")
	f.Fuzz(func(t *testing.T, text string) {
		games, _, _ := read(t, text)
		for _, g := range games {
			out, err := Append(nil, g, "x", agents.LabelOf)
			if err != nil {
				continue // a name that another program wrote
			}
			back, _, bad := read(t, string(out))
			require.Empty(t, bad)
			require.Equal(t, []*record.Record{importOf(g, 0)}, back)
		}
	})
}

// Another program's moves are kept if they can be played, in whatever of PGN's
// forms they stand; otherwise it is counted that they are not.
func TestReadForeignMoves(t *testing.T) {
	const opening = "000000/000000/000000/321000/021321/033210 "
	game := func(tags, result, moves string) string {
		return "[White \"a\"]\n[Black \"b\"]\n[Result \"" + result + "\"]\n" + tags + "\n\n" + moves + "\n"
	}
	fen := "[FEN \"" + opening + "s\"]"
	for name, c := range map[string]struct {
		text, rules string
		moves       []string
		reason, why string
	}{
		"won": {game(fen, "1-0", "1. a4-goal 1-0"), "standard", []string{"a4-goal"}, "goal", ""},
		"tag": {game(fen+"[Rules \"standard\"]", "1-0", "a4-goal 1-0"), "simplified", []string{"a4-goal"},
			"goal", ""},
		"not over": {game(fen, "1/2-1/2", "1. c4-c3 1/2-1/2"), "standard", []string{"c4-c3"}, "imported", ""},
		"long, decorated": {game(fen, "1-0", "1.a4-(a5-a6)-goal!? $5 {mate} (1. c4-(c5)-c6 (x) {)}) 1-0 ; so\n"),
			"standard", []string{"a4-goal"}, "goal", ""},
		"glued":             {game(fen, "1-0", "1.a4-goal!?$2$139{mate}1-0"), "standard", []string{"a4-goal"}, "goal", ""},
		"glued numbers":     {game(fen, "1/2-1/2", "1.c4-c3$2 1...b6-b5?! 1/2-1/2"), "standard", nil, "imported", "move 2: "},
		"a result glued on": {game(fen, "1/2-1/2", "1.c4-c31/2-1/2"), "standard", []string{"c4-c3"}, "imported", ""},
		"all glued":         {game(fen, "1-0", "1.a4-goal!$11-0"), "standard", []string{"a4-goal"}, "goal", ""},
		"halves":            {game(fen, "0.5-0.5", "1. c4-c3! 0.5-0.5"), "standard", []string{"c4-c3"}, "imported", ""},
		"halves as signs":   {game(fen, "½-½", "1. c4-c3½–½"), "standard", []string{"c4-c3"}, "imported", ""},
		"a colon":           {game(fen, "1:0", "1. a4-goal 1:0"), "standard", []string{"a4-goal"}, "goal", ""},
		"decimals":          {game(fen, "1.0-0.0", "1. a4-goal 1.0-0.0"), "standard", []string{"a4-goal"}, "goal", ""},
		"half a point":      {game(fen, "1/2", "1. c4-c3 1/2"), "standard", []string{"c4-c3"}, "imported", ""},
		"North begins":      {game("[FEN \""+opening+"n\"]", "1/2-1/2", "1... a6-a5"), "standard", nil, "imported", "move 1: "},
		"placements":        {game("", "1/2-1/2", "1. 3@a1 2. 2@b1"), "standard", []string{"3@a1", "2@b1"}, "imported", ""},
		"no moves":          {game(fen, "1-0", "{nothing} 1-0"), "standard", nil, "imported", ""},
		"no rules":          {game(fen, "1-0", "1. a4-goal 1-0"), "", nil, "imported", "expected a tag Rules or --rules"},
		"other rules":       {game("[Rules \"chess\"]", "1-0", "1. e4 e5"), "standard", nil, "imported", "unknown rules"},
		"illegal":           {game(fen, "1-0", "1. c4-c3 b4-goal"), "standard", nil, "imported", "move 2: "},
		"contradiction": {game(fen, "0-1", "1. a4-goal"), "standard", nil, "imported",
			"the moves lead to 1-0 by goal, the result is 0-1"},
		"chess's FEN":          {game("[FEN \"8/8/8/8/8/8/8/8 w\"]", "1-0", "1. e4"), "standard", nil, "imported", "FEN: "},
		"a number apart":       {game(fen, "1/2-1/2", "1 c4-c3 1/2-1/2"), "standard", []string{"c4-c3"}, "imported", ""},
		"a period apart":       {game(fen, "1/2-1/2", "1 . c4-c3 1/2-1/2"), "standard", []string{"c4-c3"}, "imported", ""},
		"a period at the move": {game(fen, "1/2-1/2", "1 .c4-c3 1/2-1/2"), "standard", []string{"c4-c3"}, "imported", ""},
		"a number on its line": {game(fen, "1/2-1/2", "1.\nc4-c3 1/2-1/2"), "standard", []string{"c4-c3"}, "imported", ""},
		"an ellipsis":          {game(fen, "1/2-1/2", "1…c4-c3 1/2-1/2"), "standard", []string{"c4-c3"}, "imported", ""},
		"placements, numbers apart": {game("", "1/2-1/2", "1 3@a1 1 ... 2@b1 2 . 1@c1 2... 1@d1 3 .. 2@e1 12.3@f1"), "standard",
			[]string{"3@a1", "2@b1", "1@c1", "1@d1", "2@e1", "3@f1"}, "imported", ""},
		"a variant in capitals": {game(fen+"[Variant \"STANDARD\"]", "1-0", "1. a4-goal 1-0"), "simplified",
			[]string{"a4-goal"}, "goal", ""},
		"a variant by a rulebook's language": {game(fen+"[Variant \"French\"]", "1-0", "1. a4-goal 1-0"), "simplified",
			[]string{"a4-goal"}, "goal", ""},
		"no variant": {game(fen+"[Variant \"From Position\"]", "1-0", "1. a4-goal 1-0"), "simplified", []string{"a4-goal"}, "goal", ""},
		"variation":  {game(fen, "1-0", "1. a4-goal (1. c4"), "standard", nil, "imported", "expected ) at the end"},
	} {
		t.Run(name, func(t *testing.T) {
			games, moves, bad := readUnder(t, source.PGN, c.text+"\n"+c.text, &Converter{Rules: c.rules})
			require.Empty(t, bad)
			require.Len(t, games, 2)
			require.Equal(t, append([]string{}, c.moves...), games[1].Moves)
			require.Equal(t, c.reason, games[1].Reason)
			for _, err := range moves {
				if c.why == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.why)
				}
			}
			if len(c.moves) > 0 {
				_, err := record.Replay(games[1])
				require.NoError(t, err)
				text, err := Append(nil, games[1], "x", agents.LabelOf)
				require.NoError(t, err)
				again, _, bad := read(t, string(text))
				require.Empty(t, bad)
				require.Equal(t, []*record.Record{importOf(games[1], 0)}, again)
			}
		})
	}
}
