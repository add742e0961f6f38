package review

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/tactics"
	"gyges/rules"
)

// A mistake where one move was clearly best is a puzzle, with all moves that solve it; others are none.
func TestPuzzles(t *testing.T) {
	t.Parallel()
	r, err := New(2000)
	require.NoError(t, err)
	puzzles := func(opening, move string, sides ...string) []tactics.Puzzle {
		rec := played(t, "standard", opening, move)
		g, err := r.Game(t.Context(), rec, nil)
		require.NoError(t, err)
		list, err := r.Puzzles(t.Context(), rec, g, sides)
		require.NoError(t, err)
		return list
	}
	const goal, only = "230002/200201/000030/003000/000010/130010 s", "013230/201000/100000/020000/000020/300013 s"
	require.Equal(t, []tactics.Puzzle{{
		Rules: "standard", Class: tactics.WinIn1, Position: goal, Moves: []string{"b1-goal"}, Played: "b1-a3",
		From: "game 0, ply 1",
	}}, puzzles(goal, "b1-a3", "south", "north"))
	require.Empty(t, puzzles(goal, "b1-a3", "north"), "South's mistakes are not asked for")
	require.Empty(t, puzzles(goal, "b1-goal", "south"), "no mistake")
	require.Empty(t, puzzles("010310/021300/000000/033000/022000/012000 s", "e1xd1@a1", "south"), "it wins, too")
	list := puzzles(only, "e1-f3", "south")
	require.Len(t, list, 1)
	require.Equal(t, []any{tactics.OnlyMove, []string{"b1-a1"}}, []any{list[0].Class, list[0].Moves})
}

// A move is judged as in a review of a game that goes on with it, and the game is left as it was.
func TestJudge(t *testing.T) {
	t.Parallel()
	r, err := New(2000)
	require.NoError(t, err)
	set := rules.MustParse("standard")
	p, err := set.ParsePosition("013230/201000/100000/020000/000020/300013 s")
	require.NoError(t, err)
	g := rules.NewGame(set, p)
	m, err := set.ParseMove(p, "e1-f3")
	require.NoError(t, err)
	judged, reply, err := r.Judge(t.Context(), g, m)
	require.NoError(t, err)
	require.Equal(t, only(t, played(t, "standard", set.FormatPosition(p), "e1-f3")).Kind, judged.Kind)
	require.NotEmpty(t, reply)
	require.Equal(t, p, g.Position())
	require.Empty(t, g.Moves())
}
