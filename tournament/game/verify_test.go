package game

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
)

// wonBySouth returns the record of a game that South wins at the goal, and its task.
func wonBySouth(t *testing.T, change func(*Task)) (*Task, *record.Record) {
	for seed := range uint64(100) {
		m := newTestGame(t, rules.MustParse("simplified"), seed, &picker{}, &picker{Scored: true})
		if change != nil {
			change(m)
		}
		g, err := Play(t.Context(), m)
		require.NoError(t, err)
		require.NoError(t, m.Verify(g))
		if g.Result == "1-0" && g.Reason == "goal" && g.Plies > 6 {
			return m, g
		}
	}
	t.Fatal("expected a game that South wins")
	return nil, nil
}

// cut ends a game after a number of plies by a fault of the side to move.
func cut(g *record.Record, plies int, kind record.FaultKind) {
	dropLists(g)
	g.Moves, g.Plies = g.Moves[:plies], plies
	g.Reason, g.Result, g.Fault = string(kind), "0-1", &record.Fault{Side: "south", Kind: kind}
	if plies%2 == 1 {
		g.Result, g.Fault.Side = "1-0", "north"
	}
}

// dropLists empties the lists that have an element for each move.
func dropLists(g *record.Record) {
	for _, l := range record.Lists {
		l.Drop(g)
	}
}

// A record is refused whose result, reason or times neither its moves nor the settings of its game
// show.
func TestVerifyRefuses(t *testing.T) {
	m, good := wonBySouth(t, nil)
	for want, change := range map[string]func(*record.Record){
		"expected 1-0 by goal, found 0-1 by goal":                             func(g *record.Record) { g.Result = "0-1" },
		"expected 1-0 by goal, found 1/2-1/2 by goal":                         func(g *record.Record) { g.Result = "1/2-1/2" },
		"expected 1-0 by goal, found 1-0 by sabotage":                         func(g *record.Record) { g.Reason = "sabotage" },
		"expected 1-0 by goal, found 0-1 by resignation":                      func(g *record.Record) { g.Reason, g.Result = "resignation", "0-1" },
		"expected 1-0 by goal, found 1-0 by imported":                         func(g *record.Record) { g.Reason = "imported" },
		"opening: expected ":                                                  func(g *record.Record) { g.Opening = strings.ToUpper(g.Opening) },
		"south: expected s, found n":                                          func(g *record.Record) { g.South, g.North = g.North, g.South },
		"north: expected n, found alphabeta:depth=9":                          func(g *record.Record) { g.North.Agent = "alphabeta:depth=9" },
		"seed of south: expected ":                                            func(g *record.Record) { g.South.Seed++ },
		"rules: expected simplified, found standard":                          func(g *record.Record) { g.Rules = "standard" },
		"pair: expected 1, found 2":                                           func(g *record.Record) { g.Pair = 2 },
		"number: expected 3, found 4":                                         func(g *record.Record) { g.Game = 4 },
		"policy: expected random, found agents":                               func(g *record.Record) { g.Policy = "agents" },
		"limits: expected {Depth:0 ":                                          func(g *record.Record) { g.Limits.Nodes = 1e9 },
		"on_repetition: expected , found allow":                               func(g *record.Record) { g.OnRepetition = "allow" },
		"adjudication: expected , found plies=4":                              func(g *record.Record) { g.Adjudication = "plies=4" },
		"expected plies from 0 to the ":                                       func(g *record.Record) { g.Plies = 1e9 },
		"move 1: ":                                                            func(g *record.Record) { g.Moves[0] = g.Moves[1] },
		"expected a finished game, found 1-0 by goal":                         func(g *record.Record) { cut(g, 4, "goal"); g.Result, g.Fault = "1-0", nil },
		"expected a finished game, found 1-0 by luck":                         func(g *record.Record) { cut(g, 4, "luck"); g.Result, g.Fault = "1-0", nil },
		"expected north, whose turn it is, to lose, found 0-1 by panic":       func(g *record.Record) { cut(g, 3, "panic"); g.Result, g.Fault.Side = "0-1", "south" },
		"expected a reason like goal, found \"sabotage\"":                     func(g *record.Record) { cut(g, 3, "sabotage") },
		"expected north, whose turn it is, to lose, found 0-1 by resignation": func(g *record.Record) { cut(g, 3, "resignation"); g.Result, g.Fault = "0-1", nil },
		"another reason than crash, as \"n\" is no prog":                      func(g *record.Record) { cut(g, 3, "crash") },
		"another reason than protocol, as \"n\" is no":                        func(g *record.Record) { cut(g, 3, "protocol") },
		"than timeout, as nothing limits the time of nor":                     func(g *record.Record) { cut(g, 3, "timeout") },
		"expected no moves of a game that was not played":                     func(g *record.Record) { cut(g, 3, "suspended") },
		"expected an ending of the run's own":                                 func(g *record.Record) { cut(g, 3, "imported"); g.Fault = nil },
		"found -1 s, moves of":                                                func(g *record.Record) { g.Timing.Seconds = -1 },
		"found 1e+300 s, moves of":                                            func(g *record.Record) { g.Timing.Seconds = 1e300 },
		"overrun -5 ms":                                                       func(g *record.Record) { g.Timing.OverrunMS = -5 },
		"moves of 10000":                                                      func(g *record.Record) { g.Timing.MoveMS[1] = 1e6 },
		"s, moves of +Inf ms":                                                 func(g *record.Record) { g.Timing.MoveMS[1], g.Timing.MoveMS[2] = math.MaxFloat64, math.MaxFloat64 },
		"s, moves of ":                                                        func(g *record.Record) { g.Timing.MoveMS[0] = -0.001 },
	} {
		g := *good
		g.Moves, g.Timing.MoveMS = slices.Clone(g.Moves), slices.Clone(g.Timing.MoveMS)
		change(&g)
		require.ErrorContains(t, m.Verify(&g), want)
	}
	for _, kind := range []record.FaultKind{"illegal", "error", "panic"} { // which nothing shows
		g := *good
		cut(&g, 3, kind)
		require.NoError(t, m.Verify(&g), kind)
	}
}

// What the moves don't show is accepted where the settings allow it.
func TestVerifyAllows(t *testing.T) {
	ends := func(change func(*Task), kind record.FaultKind, seconds float64, allowed bool) {
		t.Helper()
		m, good := wonBySouth(t, change)
		g := *good
		cut(&g, 3, kind)
		g.Timing.Seconds = seconds
		require.Equal(t, allowed, m.Verify(&g) == nil, "%v", m.Verify(&g))
	}
	program := func(m *Task) { m.Seats[rules.North].Name = "explore:agent=[ugi:cmd=x]" }
	ends(program, record.FaultCrash, 1, true)
	ends(program, record.FaultProtocol, 1, true)
	ends(program, record.FaultTimeout, 1, true)
	ends(func(m *Task) { m.Seats[rules.South].Name = "ugi:cmd=x" }, record.FaultCrash, 1, false) // the other side
	ends(func(m *Task) { m.Limits.MoveTime = time.Second }, record.FaultTimeout, 1, true)
	ends(func(m *Task) { m.Seats[rules.North].Clock = Clock{Base: time.Minute} }, record.FaultTimeout, 1, true)
	ends(func(m *Task) { m.Seats[rules.South].Clock = Clock{Base: time.Minute} }, record.FaultTimeout, 1, false)
	ends(func(m *Task) { m.StallTimeout = time.Minute }, record.FaultTimeout, 61, true)
	ends(func(m *Task) { m.StallTimeout = time.Minute }, record.FaultTimeout, 1, false)

	lastsAt := func(move int, change func(*Task), ms float64, allowed bool) {
		t.Helper()
		m, good := wonBySouth(t, change)
		g := *good
		g.Timing.MoveMS = slices.Clone(g.Timing.MoveMS)
		g.Timing.MoveMS[move], g.Timing.Seconds = ms, 1e6
		require.Equal(t, allowed, m.Verify(&g) == nil, "%v", m.Verify(&g))
	}
	lasts := func(change func(*Task), ms float64, allowed bool) {
		t.Helper()
		lastsAt(0, change, ms, allowed)
	}
	lasts(nil, 1e8, true)
	moveTime := func(m *Task) { m.Limits.MoveTime = time.Second }
	lasts(moveTime, 16_499, true) // on a slow worker
	lasts(moveTime, 16_501, false)
	clocks := func(m *Task) { m.Clock = Clock{Base: 10 * time.Second, Increment: time.Millisecond} }
	lasts(clocks, 16*10_000, true)
	lasts(clocks, 16*10_001, false)
	periods := func(m *Task) { m.Clock = Clock{Moves: 2, Base: 10 * time.Second} }
	own := func(m *Task) { m.Seats[rules.North].Clock = Clock{Moves: 2, Base: 10 * time.Second} }
	for side, change := range []func(*Task){periods, own} {
		lastsAt(2+side, change, 16*9_990, true) // the second move of the side, the last of a period
		lastsAt(2+side, change, 16*10_001, false)
		lastsAt(4+side, change, 16*19_990, true) // the third, for which there is the time of two periods
		lastsAt(4+side, change, 16*20_001, false)
	}
}

// An adjudication must be the run's, and what the scores or the solver give.
func TestVerifyAdjudication(t *testing.T) {
	m, good := wonBySouth(t, nil)
	set := func(text string) {
		require.NoError(t, m.Adjudication.UnmarshalText([]byte(text)))
		good.Adjudication = m.Adjudication.String()
	}
	set("resign=5:1,draw=0.2:1,plies=90")
	adjudicated := func(reason, result string, scores ...record.Score) error {
		g := *good
		cut(&g, len(scores), "")
		g.Fault, g.Reason, g.Result, g.Scores = nil, "adjudicated-"+reason, result, scores
		return m.Verify(&g)
	}
	require.NoError(t, adjudicated("resign", "1-0", 0, 0, 600, -700))
	require.NoError(t, adjudicated("resign", "0-1", -600, 700))
	require.NoError(t, adjudicated("draw", "1/2-1/2", -10, 20))
	for _, err := range []error{
		adjudicated("resign", "0-1", 0, 0, 600, -700), adjudicated("resign", "1-0", 0, 0, 600, -400),
		adjudicated("resign", "1-0", 600, -600, 600, record.NoScore), adjudicated("draw", "1-0", -10, 20),
		adjudicated("draw", "1/2-1/2", 600, -700), adjudicated("length", "1/2-1/2", 600, -400),
		adjudicated("proven", "1-0", 600, -400), adjudicated("mercy", "1-0", 600, -400), adjudicated("resign", "1-0"),
	} {
		require.ErrorContains(t, err, "expected a ")
	}
	set("proven")
	require.ErrorContains(t, adjudicated("proven", "0-1", 0, 0), "expected a game that proven=3 ends")
	set("")
	require.ErrorContains(t, adjudicated("resign", "1-0", 0, 0, 600, -700), "expected a finished game")
}
