package game

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/internal/agenttest"
	"gyges/tournament/record"
)

// requireSound checks that a record can be written, read and replayed.
func requireSound(t require.TestingT, g *record.Record) {
	text, err := json.Marshal(g)
	require.NoError(t, err)
	var back record.Record
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, *g, back)
	require.NoError(t, Verify(g))
}

func TestPlayGameUnderAllRules(t *testing.T) {
	for _, name := range presetNames() {
		for seed := range uint64(5) {
			r := rules.MustParse(name)
			m := newTestGame(t, r, seed, &picker{}, &picker{Scored: true})
			m.Limits = agents.Limits{Depth: 3, Nodes: 7}
			looked := 0
			m.OnMove = func(g *rules.Game, d agents.Decision) {
				looked++
				require.Equal(t, looked, len(g.Moves()))
				require.Equal(t, d.Move, g.Moves()[looked-1])
			}
			g, err := Play(t.Context(), m)
			require.NoError(t, err)
			requireSound(t, g)
			require.Equal(t, looked, len(g.Moves))
			require.Equal(t, record.Limits{Depth: 3, Nodes: 7}, g.Limits)
			require.Len(t, g.Timing.MoveMS, len(g.Moves))
			require.Len(t, g.Scores, len(g.Moves))
			northFirst := int(m.Opening.Side())
			for i := range g.Scores {
				byNorth := (i+northFirst)%2 == 1
				n := i/2 + 1 // the scored agent's count of its decisions
				if byNorth && n%3 == 0 {
					require.EqualValues(t, n, g.Scores[i])
				} else {
					require.Equal(t, record.NoScore, g.Scores[i])
				}
				require.Equal(t, byNorth, g.Depths[i] == 3)
				require.Equal(t, byNorth, g.Nodes[i] > 0)
			}
		}
	}
}

func TestLengthDraw(t *testing.T) {
	g, err := Play(t.Context(), newTestGame(t, rules.MustParse("standard:max_plies=2"), 1, &picker{}, &picker{}))
	require.NoError(t, err)
	requireSound(t, g)
	require.Equal(t, []any{"1/2-1/2", "length", 2}, []any{g.Result, g.Reason, g.Plies})
	require.Nil(t, g.Scores, "nothing is known")
	require.Nil(t, g.Depths)
	require.Nil(t, g.Nodes)
	require.Zero(t, g.Limits)
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		kind   record.FaultKind
		detail string
	}{
		"nomove":  {record.FaultIllegal, "none is not legal: there is no such move"},
		"illegal": {record.FaultIllegal, "pass is not legal: there is a move to make"},
		"error":   {record.FaultError, "out of ideas"},
		"panic": {record.FaultPanic,
			"runtime error: index out of range [4] with length 0 in gyges/tournament/internal/agenttest.init.func4 (agenttest.go:"},
		"panicvalue": {record.FaultPanic, "out of ideas in gyges/tournament/internal/agenttest.init.func5 (agenttest.go:"},
		"change":     {record.FaultError, "the agent changed the game it was given"},
	} {
		for _, side := range []rules.Side{rules.South, rules.North} {
			t.Run(fmt.Sprint(name, side), func(t *testing.T) {
				m := newTestGame(t, rules.MustParse("standard"), 1, &picker{}, &picker{})
				m.Seats[side].Agent = &faulty{After: 2, Wrong: agenttest.Wrongs[name]}
				g, err := Play(t.Context(), m)
				require.NoError(t, err)
				requireSound(t, g)
				require.Equal(t, strings.ToLower(side.String()), g.Fault.Side)
				require.Equal(t, c.kind, g.Fault.Kind)
				detail := c.detail
				if side == rules.North {
					detail = strings.Replace(detail, "[4]", "[5]", 1)
				}
				require.Contains(t, g.Fault.Detail, detail)
				require.Equal(t, string(c.kind), g.Reason)
				require.Equal(t, rules.WinFor(side.Other()).String(), g.Result)
				require.Equal(t, 4+int(side), g.Plies)
			})
		}
	}
}

// A resignation loses the game and is no fault.
func TestResignation(t *testing.T) {
	for _, side := range []rules.Side{rules.South, rules.North} {
		m := newTestGame(t, rules.MustParse("standard"), 1, &picker{}, &picker{})
		m.Seats[side].Agent = &faulty{After: 2, Wrong: func(context.Context, *rules.Game) (agents.Decision, error) {
			return agents.Decision{}, fmt.Errorf("hopeless: %w", agents.ErrResigned)
		}}
		g, err := Play(t.Context(), m)
		require.NoError(t, err)
		requireSound(t, g)
		require.Nil(t, g.Fault)
		require.Equal(t, []any{rules.WinFor(side.Other()).String(), record.Resignation, 4 + int(side)},
			[]any{g.Result, g.Reason, g.Plies})
		g.Result = "1/2-1/2"
		_, err = record.Replay(g)
		require.ErrorContains(t, err, "expected a winner after a resignation, found 1/2-1/2")
	}
}

func TestFaultBeforeTheFirstMove(t *testing.T) {
	g, err := Play(t.Context(), newTestGame(t, rules.MustParse("standard"), 1, &picker{}, &brokenStart{}))
	require.NoError(t, err)
	requireSound(t, g)
	require.Equal(t, &record.Fault{Side: "north", Kind: record.FaultError, Detail: "preparing the game: no engine"},
		g.Fault)
	require.Empty(t, g.Moves)
	require.Equal(t, "1-0", g.Result)
}

func TestFaultDetailIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("é", record.MaxDetail), strings.Repeat("\xff", 3*record.MaxDetail)} {
		f := newFault(rules.South, record.FaultError, text)
		require.LessOrEqual(t, len(f.Detail), record.MaxDetail)
		require.Greater(t, len(f.Detail), 0)
		require.Equal(t, f.Detail, strings.ToValidUTF8(f.Detail, ""))
	}
	require.Equal(t, "short", bounded("short", record.MaxDetail))
}

// Any number may come back as a move: it is legal or a fault, never a crash.
func TestAnyNumberAsAMove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rules.MustParse(rapid.SampledFrom(presetNames()).Draw(t, "rules"))
		m := newTestGame(t, r, rapid.Uint64().Draw(t, "seed"), &picker{}, nil)
		if rapid.Bool().Draw(t, "set-up") {
			m.Opening = r.Start()
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "moves"), 0))
		junk := rapid.Uint32().Draw(t, "junk")
		m.Seats[rules.North].Agent = &faulty{Wrong: func(_ context.Context, g *rules.Game) (agents.Decision, error) {
			var ms rules.MoveSet
			g.LegalMoves(&ms)
			move := uint32(ms.At(rng.IntN(ms.Len())))
			switch rng.IntN(10) {
			case 0:
				move = rng.Uint32()
			case 1, 2:
				move |= junk &^ 0x023f3f3f // bits that no move has, which change nothing
			case 3:
				move ^= 1 << rng.IntN(32)
			}
			return agents.Decision{Move: rules.Move(move)}, nil
		}}
		g, err := Play(context.Background(), m)
		require.NoError(t, err)
		requireSound(t, g)
		if g.Fault != nil {
			require.Equal(t, record.FaultIllegal, g.Fault.Kind)
		}
	})
}

func TestNoRecordOnceCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := newTestGame(t, rules.MustParse("standard"), 1, &picker{}, &faulty{After: 1, Wrong: agenttest.Wrongs["block"]})
	m.OnMove = func(g *rules.Game, _ agents.Decision) {
		if len(g.Moves()) == 3 {
			cancel()
		}
	}
	g, err := Play(ctx, m)
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, g)

	m.Seats[rules.North].Agent = &picker{} // one that takes no notice
	_, err = Play(ctx, m)
	require.ErrorIs(t, err, context.Canceled)
}

func TestNoGameBeginsAtItsEnd(t *testing.T) {
	m := newTestGame(t, rules.MustParse("standard"), 1, &picker{}, &picker{})
	p, err := m.Rules.ParsePosition("000000/000000/000000/321000/021321/032100 n 1-0")
	require.NoError(t, err)
	m.Opening = p
	_, err = Play(t.Context(), m)
	require.EqualError(t, err,
		`no game can begin in "000000/000000/000000/321000/021321/032100 n 1-0": it ends there, 1-0 by goal`)
}

// A panic that is not an agent's is not an agent's fault.
func TestOurOwnPanicIsNotHidden(t *testing.T) {
	m := newTestGame(t, rules.MustParse("standard"), 1, &picker{}, &picker{})
	m.OnMove = func(*rules.Game, agents.Decision) { panic("ours") }
	require.PanicsWithValue(t, "ours", func() { _, _ = newPlay(m, time.Now()).toEnd(t.Context()) })
}

// repeater shuffles a piece to and fro: it makes moves that only repeat as soon as it can.
type repeater struct{ picker }

func (a *repeater) again(g *rules.Game) rules.Move {
	free := rules.MustParse("standard:null_move=allow,repetition=none")
	for m := range rules.NewGame(free, g.Position()).Legal().All() {
		if g.OnlyRepeats(m) {
			return m
		}
	}
	return g.Legal().At(0)
}

func TestOnRepetition(t *testing.T) {
	play := func(policy agents.OnRepetition) *record.Record {
		a := &repeater{}
		m := newTestGame(t, rules.MustParse("standard:max_plies=20"), 1, &faulty{Wrong: decideBy(a.again)}, &picker{})
		m.OnRepetition = policy
		g, err := Play(t.Context(), m)
		require.NoError(t, err)
		requireSound(t, g)
		return g
	}
	for _, policy := range []agents.OnRepetition{"", agents.Forfeit} {
		g := play(policy)
		require.Equal(t, "illegal", g.Reason)
		require.Empty(t, g.OnRepetition)
	}
	require.Equal(t, "illegal", play(agents.AskNext).Reason, "an agent that has no other choice")
	g := play(agents.Allow)
	require.Nil(t, g.Fault)
	require.Equal(t, "allow", g.OnRepetition)
	g.OnRepetition = "ask-next" // the record says what it takes to replay it
	_, err := record.Replay(g)
	require.ErrorContains(t, err, "is not legal: it would")
	g.OnRepetition = "never"
	_, err = record.Replay(g)
	require.ErrorContains(t, err, `expected on_repetition to be ask-next or allow, found "never"`)
}
