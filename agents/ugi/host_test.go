package ugi

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/greedy"
	"gyges/agents/mcts"
	"gyges/agents/random"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
	"gyges/rules/base/lists"
)

// TestMain makes the process our server if its arguments are server and a spec, or forgets for one that is told no
// history of its games.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && (os.Args[1] == "server" || os.Args[1] == "forgets") {
		in := io.Reader(os.Stdin)
		if os.Args[1] == "forgets" {
			in = forgetful(in)
		}
		parsed, err := agents.ParseSpec(os.Args[2])
		if err == nil {
			err = Serve(context.Background(), in, os.Stdout, testServer(parsed))
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	// With the race detector a program would take a second to end, by which it is killed.
	if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	ugitest.Main()
	flag.Parse()
	if p := flag.Lookup("test.parallel"); p.Value.String() == p.DefValue {
		_ = p.Value.Set("8") // most tests wait for processes
	}
	goleak.VerifyTestMain(m)
}

func testRegistry() *agents.Registry {
	return agents.NewRegistry(Kind(nil), alphabeta.Kind(), greedy.Kind(), mcts.Kind(), random.Kind())
}

func testServer(spec agents.Spec) ServerConfig {
	return ServerConfig{Name: "gyges test", Author: "nobody", Spec: spec, Registry: testRegistry(),
		Rules: rules.MustParse("standard")}
}

func newAgent(tb testing.TB, text string) agents.Agent {
	tb.Helper()
	spec, err := agents.ParseSpec(text)
	require.NoError(tb, err)
	a, err := testRegistry().New(spec)
	require.NoError(tb, err)
	return a
}

func newTestHost(tb testing.TB, habit, more string) *host {
	tb.Helper()
	h := newAgent(tb, ugitest.Spec(tb, habit, more)).(*host)
	tb.Cleanup(func() { _ = h.Close() })
	return h
}

// newServerHost returns the host of a process that is our server of an agent.
func newServerHost(tb testing.TB, spec string) *host {
	tb.Helper()
	exe, err := os.Executable()
	require.NoError(tb, err)
	h := newAgent(tb, `ugi:cmd='"`+exe+`" server `+spec+`'`).(*host)
	tb.Cleanup(func() { require.NoError(tb, h.Close()) })
	return h
}

// opening is a set-up in which nobody wins soon.
func opening(r *rules.Rules) rules.Position {
	p, err := r.ParsePosition("213132/000000/000000/000000/000000/112233 s")
	if err != nil {
		return r.Start()
	}
	return p
}

// play lets two agents play, at most the given number of plies. It returns the game and the
// error of the agent that failed.
func play(tb testing.TB, r *rules.Rules, start rules.Position, seed uint64, plies int,
	players ...agents.Agent) (*rules.Game, error) {
	tb.Helper()
	ctx := context.Background()
	g := rules.NewGame(r, start)
	for side, a := range players {
		if err := a.NewGame(ctx, agents.Setup{Rules: r, Side: rules.Side(side), Seed: seed}); err != nil {
			return g, err
		}
	}
	for range plies {
		if o, _ := g.Outcome(); o != rules.Undecided {
			break
		}
		d, err := players[g.Position().Side()].Choose(ctx, g, agents.Request{})
		if err != nil {
			return g, err
		}
		if err := g.Play(d.Move); err != nil {
			return g, &agents.Failure{Kind: agents.BadMove, Err: err}
		}
	}
	return g, nil
}

// An engine that behaves plays both sides: what North sees is turned.
func TestHostPlaysBothSides(t *testing.T) {
	t.Parallel()
	for _, habit := range []string{"good", "public"} {
		for _, side := range []rules.Side{rules.South, rules.North} {
			h := newTestHost(t, habit, ",opt.maxPly=3")
			players := []agents.Agent{newAgent(t, "random"), newAgent(t, "random")}
			players[side] = h
			r := rules.MustParse("italian:null_move=allow")
			wins := 0
			for seed := range uint64(3) {
				g, err := play(t, r, opening(r), seed, 60, players...)
				require.NoError(t, err)
				if o, _ := g.Outcome(); o == rules.WinFor(side) {
					wins++
				}
			}
			require.Positive(t, wins, "the engine takes a win on sight")
		}
	}
}

func TestHostTellsWhatItHeard(t *testing.T) {
	t.Parallel()
	h := newTestHost(t, "good", ",opt.max ply=3,opt.maxNodes=70,opt.maxTime=x")
	r := rules.MustParse("standard")
	require.NoError(t, h.NewGame(t.Context(), agents.Setup{Rules: r}))
	d, err := h.Choose(t.Context(), rules.NewGame(r, opening(r)),
		agents.Request{Limits: agents.Limits{Depth: 4, Nodes: 50, MoveTime: time.Second}})
	require.NoError(t, err)
	require.Equal(t, agents.Decision{Move: d.Move, Scored: true, Score: 12, Depth: 1, Nodes: 34, Answered: d.Answered}, d)
	require.WithinDuration(t, time.Now(), d.Answered, time.Minute)
	trace := h.Trace()
	require.Contains(t, trace, "> setpos data 213132/000000/000000/000000/000000/112233")
	require.Equal(t, []string{"> setoption maxNodes 50", "> setoption maxPly 3", "> setoption maxTime 1"},
		trace[len(trace)-9:len(trace)-6], "the tighter limits")

	// A limit that changes is set again; one that is gone can't be unset: the program is started anew.
	old := h.proc
	_, err = h.Choose(t.Context(), rules.NewGame(r, opening(r)),
		agents.Request{Limits: agents.Limits{Depth: 4, Nodes: 60, MoveTime: time.Second}})
	require.NoError(t, err)
	require.Same(t, old, h.proc)
	require.Contains(t, h.Trace(), "> setoption maxNodes 60")
	_, err = h.Choose(t.Context(), rules.NewGame(r, opening(r)), agents.Request{})
	require.NoError(t, err)
	require.NotSame(t, old, h.proc)
}

// A program that divides its time by itself gets the clock, another one a time for the move.
func TestClockForPrograms(t *testing.T) {
	g := rules.NewGame(rules.MustParse("kang"), rules.MustParse("kang").Start())
	lim := agents.Limits{Depth: 9, Clock: agents.Clock{Left: 15 * time.Second, Increment: 30 * time.Millisecond}}
	share := lim.Clock.MoveTime(g).Milliseconds()
	for _, c := range []struct {
		extended bool
		offered  []string
		want     string
	}{
		{true, []string{"rules", "moveOverhead"}, " depth 9 wtime 15000 winc 30"},
		{true, []string{"rules"}, fmt.Sprintf(" depth 9 movetime %d", share)},
		{false, []string{"moveOverhead"}, fmt.Sprintf(" depth 9 movetime %d", share)},
	} {
		said := introduction{extended: c.extended, offered: lists.Map(c.offered, parseOption)}
		h := &host{client: &client{introduction: said}}
		require.Equal(t, c.want, string(appendLimits(nil, h.withoutClock(g, lim), rules.South)))
	}
	require.Equal(t, " btime 15000 binc 30", string(appendLimits(nil, agents.Limits{Clock: lim.Clock}, rules.North)))

	// Until a time control it is told the moves, or gets its share of them.
	lim.Clock.MovesToGo = 40
	require.Equal(t, " depth 9 btime 15000 binc 30 movestogo 40", string(appendLimits(nil, lim, rules.North)))
	h := &host{client: &client{introduction: introduction{extended: true}}}
	require.Equal(t, " depth 9 movetime 404", string(appendLimits(nil, h.withoutClock(g, lim), rules.South)))
}

// Every engine that misbehaves ends the game with the right reason, and leaves no process and no goroutine.
func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	for habit, c := range map[string]struct {
		kind agents.FailureKind
		says string
	}{
		"stillborn": {agents.Crashed, `^the engine ended \(exit status 7\): no weights found\\x1b\[2J$`},
		"mute":      {agents.TimedOut, `^the engine did not send ugiok within 2s; usual causes: it doesn.t flush its output, or it speaks UCI \(uciok\), not UGI$`},
		"exit":      {agents.Crashed, `^the engine ended \(exit status 3\): out of \\amemory$`},
		"orphans":   {agents.Crashed, `^the engine ended \(exit status 4\): bystander \d+$`},
		"hang":      {agents.TimedOut, `^the engine gave no move within 1.5s, its grace included$`},
		"halfhang":  {agents.TimedOut, `^the engine gave no move within`},
		"infos":     {agents.TimedOut, `^the engine gave no move within`},
		"drips":     {agents.TimedOut, `^the engine gave no move within`},
		"capitals":  {agents.TimedOut, `^the engine gave no move within`},
		"stalls":    {agents.TimedOut, `^the engine did not send readyok within 2s$`},
		"signal":    {agents.Crashed, `^the engine ended \(signal: killed\)$`},
		"thrice":    {agents.BrokeProtocol, `^the engine answered twice: `},
		"flood":     {agents.BrokeProtocol, `^the engine floods its output: more than 20000 lines`},
		"endless":   {agents.BrokeProtocol, `^expected lines of at most 65536 bytes, found a longer one$`},
		"garbage":   {agents.BadMove, `^the engine answered "\\x00\\xff\\x1b\[31m\|": expected a move start\|end`},
		"nothing":   {agents.BrokeProtocol, `^expected a move after bestmove, found none$`},
		"half":      {agents.Crashed, `^the engine ended \(exit status 0\) in the middle of a line$`},
		"closes":    {agents.Crashed, `^the engine closed its output and runs on$`},
		"twice":     {agents.BrokeProtocol, `^the engine answered twice: "bestmove .*" came before the next go$`},
		"illegal":   {agents.BadMove, `is not legal: |there is no piece on`},
		"nopiece":   {agents.BadMove, `^the engine answered "20\|21": 20\|21 is .*there is no piece on c4$`},
		"null":      {agents.BadMove, `^pass is not legal: there is a move to make$`},
	} {
		t.Run(habit, func(t *testing.T) {
			t.Parallel()
			patience := "" // only the clock's faults hang on the clock
			switch {
			case habit == "mute":
				patience = ",start=2s"
			case habit == "stalls":
				patience = ",ready=2s,move=20s"
			case c.kind == agents.TimedOut:
				patience = ",move=1s,grace=500ms"
			}
			h := newTestHost(t, habit, patience)
			began := time.Now()
			r := rules.MustParse("italian:null_move=allow")
			for range 2 { // each game fails by itself
				_, err := play(t, r, opening(r), 1, 60, h, newAgent(t, "random"))
				var f *agents.Failure
				require.ErrorAs(t, err, &f)
				require.Equal(t, c.kind, f.Kind, "%v", err)
				require.Regexp(t, c.says, f.Error())
				if c.kind == agents.TimedOut {
					break
				}
			}
			require.Less(t, time.Since(began), 30*time.Second)
			trace := h.Trace()
			require.NotEmpty(t, trace)
			for _, line := range trace {
				require.LessOrEqual(t, len(line), 5*traceLength)
				require.NotContains(t, line, "\x1b")
			}
			if habit == "orphans" {
				requireGone(t, trace)
			}
		})
	}
}

// An engine that is late with readyok is so with its move: the time of the move has begun.
func TestReadyCountsAsMove(t *testing.T) {
	t.Parallel()
	h := newTestHost(t, "stalls", ",movetime=100ms,grace=200ms")
	r := rules.MustParse("italian:null_move=allow")
	_, err := play(t, r, opening(r), 1, 60, h, newAgent(t, "random"))
	var f *agents.Failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, agents.TimedOut, f.Kind)
	require.EqualError(t, err, "the engine did not send readyok within 300ms, its grace included: "+
		"the time of a move begins with isready")
}

// requireGone checks that the process an engine left behind has been ended.
func requireGone(t *testing.T, trace []string) {
	t.Helper()
	for _, line := range trace {
		if text, ok := strings.CutPrefix(line, "! bystander "); ok {
			pid, err := strconv.Atoi(text)
			require.NoError(t, err)
			require.Eventually(t, func() bool { return !alive(pid) }, time.Minute, 10*time.Millisecond)
			return
		}
	}
	t.Fatal("the engine has left nobody")
}

// alive reports whether a process runs. One that has ended and waits to be reaped, by whoever adopted it, doesn't.
func alive(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		_, after, _ := bytes.Cut(stat, []byte(") "))
		return !bytes.HasPrefix(after, []byte("Z"))
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// What an engine does that is odd but no failure.
func TestOddButGood(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("italian:null_move=allow")
	for _, habit := range []string{"noise", "complains", "longinfo", "crlf", "indented"} {
		h := newTestHost(t, habit, ",move=5s")
		_, err := play(t, r, opening(r), 1, 12, h, newAgent(t, "random"))
		require.NoError(t, err, habit)
	}
	// One that thinks until it is told to stop, and one that answers stop again after its answer.
	for _, habit := range []string{"waits", "public"} {
		h := newTestHost(t, habit, ",move=10ms,grace=5s")
		_, err := play(t, r, opening(r), 1, 16, h, newAgent(t, "random"))
		require.NoError(t, err, habit)
		require.Contains(t, h.Trace(), "> stop", habit)
	}
}

// An engine that ignores quit and spins at the end of its input is killed.
func TestDeafEngineIsKilled(t *testing.T) {
	t.Parallel()
	h := newTestHost(t, "deaf", "")
	r := rules.MustParse("standard")
	require.NoError(t, h.NewGame(t.Context(), agents.Setup{Rules: r}))
	pid := h.proc.cmd.Process.Pid
	require.True(t, alive(pid))
	require.NoError(t, h.Close())
	require.False(t, alive(pid))
	trace := h.Trace()
	require.Equal(t, "= did not quit and was killed", trace[len(trace)-1])
}

// Cancelling ends a search at once; the engine is used again, and its late answer is not taken for the next one.
func TestCancelledSearch(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("italian:null_move=allow")
	h := newTestHost(t, "waits", ",grace=4s")
	_, err := play(t, r, opening(r), 1, 2, h, newAgent(t, "random"))
	require.NoError(t, err)
	pid := h.proc.cmd.Process.Pid
	g := rules.NewGame(r, opening(r))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = h.Choose(ctx, g, agents.Request{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(began), 5*time.Second)
	require.NoError(t, h.NewGame(t.Context(), agents.Setup{Rules: r}))
	g.PlayLegal(g.Legal().At(5))
	d, err := h.Choose(t.Context(), g, agents.Request{Limits: agents.Limits{MoveTime: 10 * time.Millisecond}})
	require.NoError(t, err)
	require.NoError(t, g.Check(d.Move))
	require.Equal(t, pid, h.proc.cmd.Process.Pid)

	for _, habit := range []string{"mute", "good"} {
		h = newTestHost(t, habit, "")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		for err = nil; err == nil; { // at any moment
			err = h.NewGame(ctx, agents.Setup{Rules: r})
		}
		require.ErrorIs(t, err, context.Canceled)
	}
	require.NoError(t, h.NewGame(t.Context(), agents.Setup{Rules: r}))
}

// Rules a plain engine can't be told are refused, clearly.
func TestPlainEngineKnowsOneGame(t *testing.T) {
	t.Parallel()
	h := newTestHost(t, "good", "")
	for name, want := range map[string]bool{"standard": true, "leather": true, "cosmoludo": true, "simplified": false,
		"kang": false} {
		h.rules = []*rules.Rules{rules.MustParse(name)}
		for _, err := range []error{h.Start(t.Context()), h.NewGame(t.Context(), agents.Setup{Rules: h.rules[0]})} {
			if want {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, "the engine can't play "+name+": it lacks the option rules")
			}
		}
	}
}

// An engine is started before its games, once, and says what it can't play.
func TestStart(t *testing.T) {
	t.Parallel()
	kang, standard := rules.MustParse("kang"), rules.MustParse("standard")
	for _, more := range []string{"", ",restart=game"} {
		h := newTestHost(t, "good", more)
		require.NoError(t, h.Start(t.Context()))
		started := h.proc
		require.NoError(t, h.Start(t.Context()))
		require.NoError(t, h.NewGame(t.Context(), agents.Setup{Rules: standard}))
		require.Same(t, started, h.proc, "the first game needs no other process")
		require.NoError(t, h.NewGame(t.Context(), agents.Setup{Rules: standard}))
		require.Equal(t, more == "", started == h.proc)
	}
	both := newServerHost(t, "random")
	both.rules = []*rules.Rules{standard, kang}
	require.NoError(t, both.Start(t.Context()))
	for habit, want := range map[string]string{
		"stillborn": "the engine ended (exit status 7): no weights found",
		"mute":      "the engine did not send ugiok within 100ms",
		"notready":  "the engine did not send readyok within 100ms",
	} {
		h := newTestHost(t, habit, map[string]string{"mute": ",start=100ms", "notready": ",ready=100ms"}[habit])
		require.ErrorContains(t, h.Start(t.Context()), want)
		require.Nil(t, h.proc)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newTestHost(t, "mute", "").Start(ctx), context.Canceled)
	exe, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, CheckCommand(t.Context(), `"`+exe+`" good`))
	require.ErrorContains(t, CheckCommand(t.Context(), `"`+exe+`" stillborn`), "no weights found")
}

// Set-ups are not the engine's affair, and neither is a pass.
func TestHostPlacesByItself(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	g, err := play(t, r, r.Start(), 3, 14, newTestHost(t, "good", ""), newTestHost(t, "good", ""))
	require.NoError(t, err)
	require.Equal(t, 2, g.Ply())
}

func TestAskNext(t *testing.T) {
	r := rules.MustParse("standard")
	h := newTestHost(t, "good", "")
	g := rules.NewGame(r, opening(r))
	require.NoError(t, h.NewGame(t.Context(), agents.Setup{Rules: r, OnRepetition: agents.AskNext}))
	// A null move, then moves that are legal, of lesser depths.
	loose := rules.MustParse("standard:null_move=allow")
	var nulls []rules.Move
	free := rules.NewGame(loose, opening(r))
	for m := range free.Legal().All() {
		if g.OnlyRepeats(m) {
			nulls = append(nulls, m)
		}
	}
	require.NotEmpty(t, nulls)
	shallow, deep := g.Legal().At(0), g.Legal().At(7)
	h.results = []result{{move: formatMove(shallow), depth: 1}, {move: formatMove(deep), depth: 3},
		{move: formatMove(nulls[0]), depth: 5}}
	h.answer = h.results[2]
	d, err := h.decide(g)
	require.NoError(t, err)
	require.Equal(t, agents.Decision{Move: deep, Depth: 3}, d)
	h.setup.OnRepetition = agents.Forfeit
	d, err = h.decide(g)
	require.NoError(t, err)
	require.Equal(t, nulls[0], d.Move)
}

func TestBadHostSpecs(t *testing.T) {
	for text, want := range map[string]string{
		"ugi":                           "expected cmd=PROGRAM, found none",
		"ugi:cmd=   ":                   "expected cmd=PROGRAM, found none",
		"ugi:cmd=no-such-engine":        "executable file not found",
		"ugi:cmd=./no-such-engine":      "no such file",
		"ugi:cmd=./x,dir=/":             "no such file",
		"ugi:cmd=sh,opt.a='b\nquit'":    "expected one line",
		"ugi:cmd=sh,restart=never":      "expected crash, game",
		"ugi:cmd=sh,option.a=b":         `unknown parameter "option.a"`,
		"ugi:cmd=sh,grace=0s":           "expected a time with its unit from 1ms to",
		"ugi:cmd=sh,name=x,opt.=1":      `unknown parameter "opt.", did you mean "opt.NAME"?`,
		"ugi:cmd='sh,dir=x,opt.maxPly=": "closing single quote",
	} {
		spec, err := agents.ParseSpec(text)
		if err == nil {
			_, err = testRegistry().New(spec)
		}
		require.ErrorContains(t, err, want, text)
	}
}

// Our host plays our engine, both ways, as the agent plays without either, in all rule sets.
func TestOwnEngineBothWays(t *testing.T) {
	t.Parallel()
	sets := []string{"kang:kang_entry=optional,max_plies=20",
		"standard:door_rule=directed,max_plies=7"}
	for _, p := range rules.Presets() {
		sets = append(sets, p.Name+":max_plies=6")
	}
	for n, spec := range []string{"alphabeta:depth=2,hash=1", "mcts:iterations=8,hash=1", "random"} {
		server, second := newServerHost(t, spec), newServerHost(t, spec)
		for i, name := range sets[:len(sets)>>n] { // one agent in all of them, others in some
			r := rules.MustParse(name)
			for _, start := range []rules.Position{r.Start(), opening(r)} {
				seed := uint64(i) + 1<<63
				want, err := play(t, r, start, seed, 1000, newAgent(t, spec), newAgent(t, spec))
				require.NoError(t, err)
				seats := [][]agents.Agent{{server, newAgent(t, spec)}, {newAgent(t, spec), server}, {server, second}}
				if i > 0 {
					seats = seats[:2]
				}
				for _, seats := range seats {
					got, err := play(t, r, start, seed, 1000, seats...)
					require.NoError(t, err, "%s, %s: %v", spec, name, server.Trace())
					require.Equal(t, want.Moves(), got.Moves(), "%s, %s", spec, name)
				}
			}
		}
		require.True(t, server.extended)
	}
}

// Decisions come through with their scores, depths and nodes.
func TestOwnEngineTellsItsDecisions(t *testing.T) {
	t.Parallel()
	const spec = "alphabeta:hash=1"
	server, inside := newServerHost(t, spec), newAgent(t, spec)
	r := rules.MustParse("simplified")
	g := rules.NewGame(r, opening(r))
	for _, a := range []agents.Agent{server, inside} {
		require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: r, Seed: 5}))
	}
	for depth := 1; ; depth = depth%4 + 1 {
		if o, _ := g.Outcome(); o != rules.Undecided {
			break
		}
		want, err := inside.Choose(t.Context(), g, agents.Request{Limits: agents.Limits{Depth: depth, Nodes: 3000}})
		require.NoError(t, err)
		got, err := server.Choose(t.Context(), g, agents.Request{Limits: agents.Limits{Depth: depth, Nodes: 3000}})
		require.NoError(t, err)
		want.PV, want.Answered = nil, got.Answered
		require.Equal(t, want, got)
		g.PlayLegal(got.Move)
	}
	require.Greater(t, g.Ply(), 4)
}

func TestTraceKeepsTheLastLines(t *testing.T) {
	var tr trace
	tr.drain(strings.NewReader(strings.Repeat("a\n", 100) + strings.Repeat("b", 1000) + "\nc\x00\nd"))
	lines := tr.last()
	require.Len(t, lines, traceLines)
	require.Equal(t, []string{"! a", "! " + strings.Repeat("b", traceLength-3) + "…", `! c\x00`, "! d"},
		lines[traceLines-4:])
	require.Equal(t, "d", tr.lastError())
}
