package ugi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/lists"
)

// serve answers a whole input and returns the lines, clocks taken out.
func serve(tb testing.TB, spec, input string) []string {
	tb.Helper()
	parsed, err := agents.ParseSpec(spec)
	require.NoError(tb, err)
	var out strings.Builder
	require.NoError(tb, Serve(context.Background(), strings.NewReader(input), &out, testServer(parsed)))
	text := regexp.MustCompile(`nps \d+ time [0-9.]+`).ReplaceAllString(out.String(), "CLOCK")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// session is a server that is talked to line by line.
type session struct {
	tb   testing.TB
	in   *io.PipeWriter
	out  chan string
	done chan error
}

func newSession(tb testing.TB, agent agents.Kind) *session {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &session{tb: tb, in: inW, out: make(chan string, 1000), done: make(chan error, 1)}
	config := testServer(agents.Spec{Kind: agent.Name})
	config.Registry = agents.NewRegistry(agent)
	go func() {
		err := Serve(context.Background(), inR, outW, config)
		_ = outW.Close()
		s.done <- err
	}()
	go func() {
		defer close(s.out)
		for lines := bufio.NewScanner(outR); lines.Scan(); {
			s.out <- lines.Text()
		}
	}()
	tb.Cleanup(func() {
		_ = inW.Close()
		if err := <-s.done; err != nil {
			tb.Error(err)
		}
	})
	return s
}

func (s *session) send(lines ...string) {
	s.tb.Helper()
	for _, l := range lines {
		_, err := io.WriteString(s.in, l+"\n")
		require.NoError(s.tb, err)
	}
}

// until returns the lines up to one with the prefix.
func (s *session) until(prefix string) []string {
	s.tb.Helper()
	var lines []string
	for line := range s.out {
		lines = append(lines, line)
		if strings.HasPrefix(line, prefix) {
			return lines
		}
	}
	s.tb.Fatalf("no line %q after %q", prefix, lines)
	return nil
}

func TestServerIntroducesItself(t *testing.T) {
	t.Parallel()
	config := testServer(agents.Spec{Kind: "random"})
	config.Rules = rules.MustParse("kang:kang_entry=optional")
	var out strings.Builder
	require.NoError(t, Serve(t.Context(), strings.NewReader("ugi\nisready\n\n"), &out, config))
	lines := strings.Split(out.String(), "\n")
	require.Equal(t, []string{"id name gyges test", "id author nobody",
		"option maxPly type int default 0 min 0 max 1000"}, lines[:3])
	require.Contains(t, lines, "option rules type text default kang:kang_entry=optional", "those that it was started with")
	require.Equal(t, []string{"ugiok", "readyok", ""}, lines[len(lines)-3:])
	for _, l := range lines[2 : len(lines)-3] {
		require.Regexp(t, `^option [a-zA-Z]+ type (int|real|text) default \w+`, l)
	}
}

func TestServerSearches(t *testing.T) {
	t.Parallel()
	rows := "setpos data 213132/000000/000000/000000/000000/112233\n"
	lines := serve(t, "alphabeta:hash=1", rows+"go depth 2\n")
	require.Len(t, lines, 3)
	for i, l := range lines[:2] {
		require.Regexp(t,
			fmt.Sprintf(`^info ply %d bestmove (\d+\|\d+(?:\|\d+)?) score -?\d+ nodes \d+ CLOCK pv \d+\|\d+(\|\d+)?`, i+1), l)
	}
	best := strings.Fields(lines[1])[4]
	require.Equal(t, "bestmove "+best, lines[2])
	// Limits by option, and however the rows are separated.
	for _, other := range []string{
		strings.ReplaceAll(rows, "/", ""), strings.ReplaceAll(rows, "/", ","), strings.ReplaceAll(rows, "/",
			" "), strings.ReplaceAll(rows, "\n", "   \r\n"),
		strings.ReplaceAll(rows, "/", " / "),
	} {
		require.Equal(t, lines, serve(t, "alphabeta:hash=1", other+"setoption maxPly 2\ngo\n"), other)
	}
	require.Equal(t, lines, serve(t, "alphabeta:hash=1", rows+"setoption name MAXPLY value 2\ngo\n"))
	// A win at once.
	require.Equal(t, "bestmove 23|36", last(serve(t, "alphabeta:hash=1",
		"setpos data 000000/000000/000000/200003/123330/121210\ngo depth 1\n")))
}

// probe answers an input that a command go ends, and returns the lines before its answer, and the position and
// limits of that search.
func probe(t *testing.T, input string) (lines []string, position string, limits agents.Limits) {
	t.Helper()
	stub := stubAgent{choose: func(g *rules.Game, lim agents.Limits) (agents.Decision, error) {
		position, limits = g.Rules().FormatPosition(g.Position()), lim
		return agents.Decision{Move: g.Legal().At(0)}, nil
	}}
	config := testServer(agents.Spec{Kind: "stub"})
	config.Registry = agents.NewRegistry(stub.kind())
	var out strings.Builder
	require.NoError(t, Serve(t.Context(), strings.NewReader(input), &out, config))
	lines = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.True(t, strings.HasPrefix(last(lines), "bestmove "), lines)
	return lines[:len(lines)-1], position, limits
}

func last(lines []string) string { return lines[len(lines)-1] }

func TestServerPositions(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"":                                   "pos 321123/000000/000000/000000/000000/321123 s",
		"setpos start":                       "pos 321123/000000/000000/000000/000000/321123 s",
		"setpos start moves 0|3":             "info string setpos: move 1: a1-d1 is not legal: no course leads to d1",
		"setpos start moves 0|3|20 35|32|12": "info string setpos: move 1: a1xd1@c4 is not legal: no course leads to d1",
		"setpos start moves 0|18 n":          `info string setpos: move 2: "n", column 1: expected the start square, a1 to f6, found 'n'`,
		"setpos start moves 0|18 a6-a4":      `info string setpos: move 2: a6-a4 is not legal: no course leads to a4`,
		"setpos start moves a1-a4 35|23":     `info string setpos: move 2: f6-f4 is not legal: no course leads to f4`,
		"setpos start moves a1-a4 35|17":     "pos 021123/000000/000003/300000/000000/321120 s",
		"setpos data 321123/000000":          "info string setpos: expected a board of 36 digits from 0 to 3, found 12",
		"setpos data 321123/000000/000000/000000/000000/321124":  `info string setpos: expected a board of 36 digits from 0 to 3, found "4"`,
		"setpos data 321123/000000/000000/000000/000000/321122":  `info string setpos: "321123/000000/000000/000000/000000/321122 s", column 44: expected 4 pieces of height 2 in all, found 5`,
		"setpos pos 321123/000000/000000/000000/000000/321123 n": "pos 321123/000000/000000/000000/000000/321123 n",
		"setpos here":                        `info string setpos: expected start, data ROWS or pos POSITION, found "here"`,
		"setpos start now":                   "info string setpos: expected nothing but moves after start",
		"setoption rules kang\nsetpos start": "pos 000000/000000/000000/000000/000000/000000 s 222/222 0-0 -",
		"setoption rules kang\nsetpos start moves +1|0 +3-c4": "pos 100000/000000/000000/003000/000000/000000 s 122/221 0-0 -",
		"setoption rules kang\nsetpos data " +
			startRows: "info string setpos: expected pos and a position text: data lacks what Kang needs",
		"setoption rules kang\nsetpos pos " + startRows +
			" s": `column 44: expected a space and the reserves`,
		"setpos pos 000000/000000/000000/000000/000000/000000 s 222/222 moves @3|0 1@b1": "pos 310000/000000/000000/000000/000000/000000 s 121/222",
	} {
		lines, position, _ := probe(t, input+"\ngo\n")
		require.Contains(t, append(lines, "pos "+position)[0], want, input)
	}
}

// Malformed input is answered and changes nothing.
func TestServerRefuses(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"setoption":                "setoption: expected a name and a value",
		"setoption maxPly":         "setoption: expected a name and a value",
		"setoption maxPly 3 4":     "setoption: expected a name and a value",
		"setoption maxPly x":       `setoption: maxPly: expected a whole number, found "x"`,
		"setoption maxTime -1":     `setoption: maxTime: expected a number from 0 to 86400, found -1`,
		"setoption maxTime NaN":    `setoption: maxTime: expected a number`,
		"setoption maxTime 1e99":   `setoption: maxTime: expected a number`,
		"setoption threads 0":      `setoption: threads: expected 1, since the agent stub searches with one thread`,
		"setoption seed -1":        `setoption: seed: expected a whole number from 0 to 2^64-1`,
		"setoption rules chess":    `setoption: rules: unknown rules "chess"`,
		"setoption hash 3":         `setoption: unknown option "hash"; expected one of: maxPly, maxTime`,
		"go\x1b[2J\x00":            `unknown command "go\x1b[2J\x00"`,
		"GO":                       `unknown command "GO"`,
		strings.Repeat("x", 2<<20): "expected a line of at most 1048576 bytes",
	} {
		lines, position, limits := probe(t, "setoption maxPly 2\n"+input+"\ngo\n")
		require.Len(t, lines, 1, input)
		require.True(t, strings.HasPrefix(lines[0], "info string "+want), "%q: %q", input[:min(len(input), 50)], lines[0])
		require.LessOrEqual(t, len(lines[0]), 3*maxInfo)
		require.Equal(t, startRows+" s", position)
		require.Equal(t, agents.Limits{Depth: 2}, limits)
	}
}

// stubAgent chooses the next move of a list at each ply, which shows which game it has been given, or as choose does.
type stubAgent struct {
	agents.Base
	newGame func(agents.Setup)
	choose  func(*rules.Game, agents.Limits) (agents.Decision, error)
}

func (a stubAgent) NewGame(_ context.Context, s agents.Setup) error {
	if a.newGame != nil {
		a.newGame(s)
	}
	return nil
}

func (a stubAgent) Choose(_ context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	if a.choose != nil {
		return a.choose(g, q.Limits)
	}
	return agents.Decision{Move: g.Legal().At(len(g.Moves()))}, nil
}

// kind returns a kind that makes the agent.
func (a stubAgent) kind() agents.Kind {
	return agents.Kind{Name: "stub", New: func(agents.Config) (agents.Agent, error) { return a, nil }}
}

// Each side has its clock, and the bounds of the move are for both.
func TestClocks(t *testing.T) {
	r := rules.MustParse("standard")
	c := parseGo("wtime 60000 btime 0 binc 400 movestogo 1 movetime 1000 depth 3", t.Errorf)
	want := agents.Limits{Depth: 3, MoveTime: time.Second}
	for turn, clock := range map[string]agents.Clock{
		" s": {Left: time.Minute, MovesToGo: 1, Overhead: 5},
		" n": {Left: time.Millisecond, Increment: 400 * time.Millisecond, MovesToGo: 1, Overhead: 5},
	} {
		p, err := r.ParsePosition(startRows + turn)
		require.NoError(t, err)
		want.Clock = clock
		require.Equal(t, want, c.limitsFor(rules.NewGame(r, p), 5))
	}
}

// Whatever follows go a legal move comes back. What is out of bounds is clamped, what can't be read is the lowest
// value, unknown words are left out, and an info string says so.
func TestGoAlwaysMoves(t *testing.T) {
	t.Parallel()
	const ms, second = time.Millisecond, time.Second
	clock := func(left, increment time.Duration, moves int) agents.Limits {
		return agents.Limits{Clock: agents.Clock{Left: left, Increment: increment, MovesToGo: moves, Overhead: 10 * ms}}
	}
	for text, want := range map[string]struct {
		limits agents.Limits // of South
		note   string
	}{
		"wtime 1000 btime -2 winc 20 binc 20": {clock(second, 20*ms, 0), "btime: expected a whole number from 0"},
		"wtime -1000 btime 2000":              {clock(ms, 0, 0), `found "-1000"; 0 is taken`},
		"wtime 0 btime 0 winc -5":             {clock(ms, 0, 0), "winc"},
		"wtime 99999999999999999999999":       {clock(24*time.Hour, 0, 0), "86400000 is taken"},
		"wtime 1e400":                         {clock(24*time.Hour, 0, 0), "86400000 is taken"},
		"wtime 1500.7":                        {clock(1500*ms, 0, 0), "1500 is taken"},
		"wtime NaN":                           {clock(ms, 0, 0), "0 is taken"},
		"wtime abc btime 1000":                {clock(ms, 0, 0), `found "abc"; 0 is taken`},
		"wtime btime 1000":                    {clock(ms, 0, 0), `wtime: expected a whole number from 0 to 86400000, found ""`},
		"btime 700":                           {agents.Limits{MoveTime: second}, ""},
		"winc 50 binc 50":                     {agents.Limits{MoveTime: second}, ""},
		"wtime 1000 movestogo 0":              {clock(second, 0, 0), ""},
		"wtime 1000 movestogo -3":             {clock(second, 0, 0), "movestogo"},
		"depth":                               {agents.Limits{Depth: 1}, `depth: expected a whole number from 1 to 1000, found ""; 1 is taken`},
		"depth 0":                             {agents.Limits{Depth: 1}, "1 is taken"},
		"depth 5000":                          {agents.Limits{Depth: 1000}, "1000 is taken"},
		"depth two nodes 3":                   {agents.Limits{Depth: 1, Nodes: 3}, `found "two"`},
		"nodes -1":                            {agents.Limits{Nodes: 1}, "1 is taken"},
		"movetime 0":                          {agents.Limits{MoveTime: ms}, "1 is taken"},
		"movetime 1.5":                        {agents.Limits{MoveTime: ms}, "1 is taken"},
		"movetime 50 ponder":                  {agents.Limits{MoveTime: 50 * ms}, `"ponder" is passed over; expected binc, btime`},
		"searchmoves a1-a4 0|99 depth 3":      {agents.Limits{Depth: 3}, `"searchmoves a1-a4 0|99" is passed over`},
		"ponder":                              {agents.Limits{MoveTime: second}, `"ponder" is passed over`},
		"winc 0 movestogo 0":                  {agents.Limits{MoveTime: second}, ""},
		"mate 3":                              {agents.Limits{MoveTime: second}, `"mate 3" is passed over`},
		"infinite ponder":                     {agents.Limits{MoveTime: endless}, `"ponder" is passed over`},
		"depth infinite":                      {agents.Limits{Depth: 1}, "depth"},
		"\twtime\t1000":                       {clock(second, 0, 0), ""},
		"wtime 1 " + strings.Repeat("\x1b[2J ", 100): {clock(ms, 0, 0), `"\x1b[2J`},
	} {
		lines, _, limits := probe(t, "go "+text+"\n")
		require.Equal(t, want.limits, limits, text)
		if want.note == "" {
			require.Empty(t, lines, text)
			continue
		}
		require.Len(t, lines, 1, text)
		require.Contains(t, lines[0], "info string go: ", text)
		require.Contains(t, lines[0], strings.ReplaceAll(want.note, "\x1b", `\x1b`), text)
	}
	lines, _, _ := probe(t, "go wtime -1 btime x depth 0 nodes -1 foo bar\n")
	require.Len(t, lines, 5, "one for each")
}

// One answer to each go, whatever comes in between; stop answers at once.
func TestServerStops(t *testing.T) {
	t.Parallel()
	for _, kind := range testRegistry().Kinds() {
		if kind.Name != "alphabeta" && kind.Name != "mcts" {
			continue
		}
		s := newSession(t, kind)
		for range 3 {
			s.send("go", "isready")
			s.until("readyok")
			s.send("setoption maxPly 1")
			require.Equal(t, "info string setoption: a search is under way; stop it first", last(s.until("info string")))
			s.send("go infinite", "isready")
			lines := s.until("readyok") // among them may be the first ones of the new search
			answered := func(line string) bool { return strings.HasPrefix(line, "bestmove ") }
			require.True(t, slices.ContainsFunc(lines, answered), "another go ends the search")
			s.send("setpos start moves a1-a4", "isready")
			lines = s.until("readyok")
			require.Regexp(t, `^bestmove \d+\|\d+`, lines[len(lines)-2], "and so does a position")
			s.send("go", "stop", "isready")
			lines = s.until("readyok")
			require.Regexp(t, `^bestmove \d+\|\d+`, lines[len(lines)-2])
			s.send("stop", "stop", "isready")
			require.Equal(t, []string{"readyok"}, s.until("readyok"))
		}
		s.send("go", "quit")
		require.NoError(t, <-s.done)
		s.done <- nil
	}
}

// An infinite search answers when it is stopped, not when the agent has chosen.
func TestInfiniteSearchWaits(t *testing.T) {
	t.Parallel()
	chosen := make(chan bool, 1)
	s := newSession(t, stubAgent{choose: func(g *rules.Game, _ agents.Limits) (agents.Decision, error) {
		defer func() { chosen <- true }()
		return agents.Decision{Move: g.Legal().At(0)}, nil
	}}.kind())
	for _, end := range []string{"stop", "setpos start", "go movetime 10"} {
		s.send("go infinite")
		<-chosen
		s.send("isready")
		require.Equal(t, []string{"readyok"}, s.until("readyok"))
		s.send(end)
		require.Regexp(t, `^bestmove 0\|`, last(s.until("bestmove")))
	}
	s.until("bestmove")
	<-chosen
	for _, input := range []string{"go infinite", "go", "go movetime 20\r\n"} {
		require.Regexp(t, `^bestmove \d+\|`, last(serve(t, "random", input)), "at the end of the input")
	}
	over := "setpos pos 023112/000000/000000/000000/000000/321123 n 1-0\n"
	require.Equal(t, []string{"bestmove null"}, serve(t, "random", over+"go\n"))
}

// The agent is prepared once for a game: at isready if a position has been set,
// else by the first search; with the side that is to move, and a seed of its own.
func TestServerPreparesTheAgentOnce(t *testing.T) {
	var setups []agents.Setup
	s := newSession(t, stubAgent{newGame: func(s agents.Setup) { setups = append(setups, s) }}.kind())
	north := "setpos pos " + startRows + " n"
	s.send("setoption seed 7", "isready") // nothing is known yet of the game
	s.until("readyok")
	require.Empty(t, setups)
	s.send(north, "isready")
	s.until("readyok")
	require.Len(t, setups, 1)
	s.send("go")
	s.until("bestmove")
	s.send(north+" moves a6-a3", "isready", "go")
	s.until("bestmove")
	s.send("setpos start", "go")
	s.until("bestmove")
	s.send("quit")
	require.NoError(t, <-s.done)
	s.done <- nil
	require.Len(t, setups, 2)
	require.Equal(t, []any{rules.North, uint64(7)}, []any{setups[0].Side, setups[0].Seed})
	require.Equal(t, []any{rules.South, uint64(8)}, []any{setups[1].Side, setups[1].Seed})
}

// An agent that fails is no end of the service.
func TestServerWithFailingAgents(t *testing.T) {
	for want, choose := range map[string]func(*rules.Game, agents.Limits) (agents.Decision, error){
		"panic: ouch": func(*rules.Game, agents.Limits) (agents.Decision, error) { panic("ouch") },
		"ouch":        func(*rules.Game, agents.Limits) (d agents.Decision, err error) { return d, errors.New("ouch") },
		"pass is not legal": func(*rules.Game, agents.Limits) (agents.Decision, error) {
			return agents.Decision{Move: rules.Pass}, nil
		},
	} {
		s := newSession(t, stubAgent{choose: choose}.kind())
		for range 2 {
			s.send("go")
			lines := s.until("bestmove")
			require.Len(t, lines, 2)
			require.True(t, strings.HasPrefix(lines[0], "info string the agent failed: "+want), lines[0])
			require.Equal(t, "bestmove null", lines[1])
		}
	}
}

func TestServerOutputThatFails(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	err := Serve(t.Context(), strings.NewReader(strings.Repeat("isready\n", 10)), w,
		testServer(agents.Spec{Kind: "random"}))
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

// The time that a host takes for itself is taken off each move's, whichever way the option is written.
func TestMoveOverhead(t *testing.T) {
	for line, want := range map[string]time.Duration{
		"":                                     10 * time.Millisecond,
		"setoption moveOverhead 0":             0,
		"setoption Move Overhead 250":          250 * time.Millisecond,
		"setoption name Move Overhead value 7": 7 * time.Millisecond,
		"setoption moveoverhead 5001":          10 * time.Millisecond,
	} {
		_, _, limits := probe(t, line+"\ngo wtime 60000 btime 60000\n")
		require.Equal(t, want, limits.Clock.Overhead, line)
	}
}

// setoption threads changes the number of threads of an agent that has several, and is refused by one that has not.
func TestThreadsOption(t *testing.T) {
	var made []int
	kind := agents.Kind{
		Name: "threaded",
		Params: agents.ParamsOf(&struct {
			Threads int `param:"threads" default:"2" check:"1..8"`
		}{}),
		New: func(c agents.Config) (agents.Agent, error) {
			made = append(made, c.Int("threads"))
			return stubAgent{}, nil
		},
	}
	s := newSession(t, kind)
	s.send("ugi")
	require.Contains(t, s.until("ugiok"), "option threads type int default 2 min 1 max 8")
	s.send("setoption threads 4", "setoption name Threads value 4", "go")
	s.until("bestmove")
	s.send("setoption threads 9")
	require.Equal(t, []string{"info string setoption: threads: expected a number from 1 to 8, found 9"},
		s.until("info string"))
	s.send("ugi")
	require.Contains(t, s.until("ugiok"), "option threads type int default 4 min 1 max 8")
	require.Equal(t, []int{2, 4}, made)

	lines := serve(t, "random", "ugi\nsetoption threads 1\nsetoption threads 2\n")
	require.Contains(t, lines, "option threads type int default 1 min 1 max 1")
	require.Equal(t,
		`info string setoption: threads: expected 1, since the agent random searches with one thread, found "2"`, last(lines))
}

// Every legal move survives the way out and back, seen from either side.
func TestMovesRoundTrip(t *testing.T) {
	t.Parallel()
	for _, preset := range rules.Presets() {
		r := rules.MustParse(preset.Name)
		g := rules.NewGame(r, r.Start())
		for i := range 60 {
			if o, _ := g.Outcome(); o != rules.Undecided {
				break
			}
			p := g.Position()
			for m := range g.Legal().All() {
				back, err := parseMove(r, p, formatMove(m))
				require.NoError(t, err)
				require.Equal(t, m, back)
				if r.SettingUp(p) || m == rules.Pass {
					continue
				}
				turned, err := parseMove(r, p.Rotate(), formatMove(m.Rotate()))
				require.NoError(t, err)
				require.Equal(t, m, turned.Rotate())
			}
			g.PlayLegal(g.Legal().At(i * 37 % g.Legal().Len()))
		}
	}
}

func TestBadMoves(t *testing.T) {
	r := rules.MustParse("kang")
	p := r.Start()
	for _, text := range []string{
		"", "|", "1|", "|1", "1|2|", "1|2|3|4", "36|1", "1|38", "1|2|36", "1|36|2", "-1|2", "+1|2|-3", "+4|1", "+|1", "@1|36", "@1|2|3", "0x1|2",
		"1 |2", "١|2", strings.Repeat("1|", 10000), "999999999999999999999|1", "a1", "+1-a9", "++1|2", "+01|2", "@0|1",
	} {
		_, err := parseMove(r, p, text)
		require.Error(t, err, text)
		require.Less(t, len(err.Error()), 5*maxInfo)
	}
}

func TestSplitCommand(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          nil,
		"  \t":                      nil,
		"./engine":                  {"./engine"},
		"python3  x.py --n=1 ":      {"python3", "x.py", "--n=1"},
		`"my engine" a"b c"d "" "x`: {"my engine", "ab cd", "", "x"},
	} {
		require.Equal(t, want, splitCommand(text), text)
	}
}

func TestResults(t *testing.T) {
	for text, want := range map[string]result{
		"":      {},
		"ply":   {},
		"ply x": {},
		"ply 3 bestmove 0|1|9 score 1061 nodes 225 nps 234619 abf 225 time 0.000959 pv 0|1|9 ply 9": {move: "0|1|9",
			depth: 3, score: 1061, scored: true, nodes: 225},
		"depth 4 score -1.5e3 nodes -5":     {depth: 4, score: -1500, scored: true},
		"score NaN nodes 1e3 ply -1":        {},
		"score Inf ply 1001 string score 3": {},
		"seldepth ply 5":                    {depth: 5},
	} {
		var f result
		f.read(text)
		require.Equal(t, want, f, text)
	}
	f := result{score: 1e12, scored: true}
	require.Equal(t, agents.MaxEval, f.agentScore(false))
	require.Equal(t, agents.WinTop, f.agentScore(true))
	f.score = -29998
	require.Equal(t, -agents.MaxEval, f.agentScore(false))
	require.Equal(t, -agents.WinIn(2), f.agentScore(true))
}

func TestOptionNames(t *testing.T) {
	var c client
	for _, text := range []string{"", "maxPly", "maxTime default 3", "name Hash type spin", "name"} {
		c.addOption(text)
	}
	names := lists.Map(c.offered, func(o option) string { return o.name })
	require.Equal(t, []string{"maxPly", "maxTime", "Hash", "name"}, names)
}

// A position command that goes on from the one before gives what it gives by itself, and changes nothing if a move in
// it is wrong.
func TestPositionGoesOn(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		s := &server{options: options{Rules: r}}
		s.setRules(r)
		g := rules.NewGame(r, r.Start())
		text := "pos " + r.FormatPosition(g.Start()) + " moves"
		for o, _ := g.Outcome(); o == rules.Undecided; o, _ = g.Outcome() {
			switch rng.IntN(8) {
			case 0:
				require.ErrorContains(t, s.setPosition(text+" a1-a9"), fmt.Sprintf("move %d:", len(g.Moves())+1))
			case 1:
				require.Error(t, s.setPosition(text+"x"))
			case 2: // a move is taken back
				if cut := strings.LastIndexByte(text, ' '); g.Undo() {
					text = text[:cut]
				}
			case 3:
				require.NoError(t, s.setPosition("start"))
			default:
				m := g.Legal().At(rng.IntN(g.Legal().Len()))
				text += " " + m.String()
				g.PlayLegal(m)
			}
			require.NoError(t, s.setPosition(text))
			require.True(t, slices.Equal(g.Moves(), s.game.Moves()))
			require.Equal(t, g.Position(), s.game.Position())
		}
	}
}
