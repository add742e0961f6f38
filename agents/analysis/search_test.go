package analysis

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/internal/agenttest"
	"gyges/agents/mcts"
	"gyges/rules"
)

// middle is a position in the middle of a game.
const middle = "202110/000330/000000/000200/000100/030123 s"

// panicking is an agent that panics.
type panicking struct{ agents.Base }

func (panicking) NewGame(context.Context, agents.Setup) error { return nil }

func (panicking) Choose(context.Context, *rules.Game, agents.Request) (agents.Decision, error) {
	panic("boom")
}

// A panic of the agent is an error.
func TestSearchPanics(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	err := Search(t.Context(), panicking{}, Request{Game: rules.NewGame(r, r.Start()), Multi: 1}, func(Line, []Line) {})
	require.ErrorContains(t, err, "panic: boom")
}

// A search of several moves ends at its depth, its nodes or its time, and has the best moves in order.
func TestSearchLimits(t *testing.T) {
	t.Parallel()
	g := agenttest.Game(t, rules.MustParse("standard"), middle)
	for _, limits := range []agents.Limits{{Depth: 2}, {Nodes: 3000}, {MoveTime: 200 * time.Millisecond}} {
		a := agenttest.New(t, alphabeta.Kind(), "alphabeta:hash=1", g)
		var lines []Line
		q := Request{Game: g, Limits: limits, Multi: 3}
		require.NoError(t, Search(t.Context(), a, q, func(_ Line, all []Line) { lines = all }))
		require.Len(t, lines, 3)
		for i := 1; i < len(lines); i++ {
			if lines[i-1].Depth == lines[i].Depth { // others follow those of a higher depth
				require.GreaterOrEqual(t, *lines[i-1].Score, *lines[i].Score)
			}
			require.NotEqual(t, lines[0].Moves[0], lines[i].Moves[0])
		}
		if limits.Depth > 0 {
			require.Equal(t, limits.Depth, lines[2].Depth)
		}
		if limits.Nodes > 0 {
			require.LessOrEqual(t, lines[2].Nodes, limits.Nodes+600) // the moves of one node are counted together
		}
	}
	a := agenttest.New(t, mcts.Kind(), "mcts:hash=1", g)
	require.ErrorIs(t, Search(t.Context(), a, Request{Game: g, Multi: 2}, nil), ErrMulti)
}

// A result replaces those of lower depths for its rank and its move; the others stay behind it.
func TestLinesMerge(t *testing.T) {
	t.Parallel()
	g := agenttest.Game(t, rules.MustParse("standard"), middle)
	var lines []Line
	s := &search{Request: Request{Game: g, Multi: 3}, report: func(_ Line, all []Line) { lines = all }}
	show := func() (text string) {
		for i, l := range lines {
			require.Equal(t, i+1, l.Rank)
			for n, name := range "abcd" {
				if l.Moves[0] == LongLine(g, []rules.Move{g.Legal().At(n)})[0] {
					text += string(name) + string(rune('0'+l.Depth)) + " "
				}
			}
		}
		return text
	}
	for _, step := range []struct {
		rank, move, depth int
		want              string
	}{
		{1, 0, 1, "a1 "}, {2, 1, 1, "a1 b1 "}, {3, 2, 1, "a1 b1 c1 "},
		{1, 1, 2, "b2 a1 c1 "}, {2, 0, 2, "b2 a2 c1 "}, {3, 2, 2, "b2 a2 c2 "},
		{1, 3, 3, "d3 b2 a2 "}, {2, 2, 3, "d3 c3 b2 "},
	} {
		s.add(step.rank, agents.Decision{Move: g.Legal().At(step.move), Depth: step.depth})
		require.Equal(t, step.want, show())
	}
}

// The results of one depth are in the order of their scores, whatever order they were found in.
func TestLinesByScore(t *testing.T) {
	t.Parallel()
	g := agenttest.Game(t, rules.MustParse("standard"), middle)
	var scores []agents.Score
	s := &search{Request: Request{Game: g, Multi: 4}, report: func(_ Line, all []Line) {
		scores = nil
		for i, l := range all {
			require.Equal(t, i+1, l.Rank)
			scores = append(scores, *l.Score)
		}
	}}
	for i, score := range []agents.Score{40, -13, -10} {
		s.add(i+1, agents.Decision{Move: g.Legal().At(i), Depth: 2, Scored: true, Score: score})
	}
	require.Equal(t, []agents.Score{40, -10, -13}, scores)
	s.add(1, agents.Decision{Move: g.Legal().At(3), Depth: 3, Scored: true, Score: 30}) // those of less depth follow
	require.Equal(t, []agents.Score{30, 40, -10, -13}, scores)
}
