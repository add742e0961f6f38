package record

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

func TestReplay(t *testing.T) {
	g := sample()
	game, err := Replay(&g)
	require.NoError(t, err)
	o, reason := game.Outcome()
	require.Equal(t, rules.SouthWins, o)
	require.Equal(t, rules.ByGoal, reason)
	g = withMoves(g)
	g.Plies, g.Fault, g.Result, g.Reason = 0, &Fault{"south", FaultIllegal, "a1-a1"}, "0-1", "illegal"
	_, err = Replay(&g)
	require.NoError(t, err, "lost by a fault")
}

// The best move is known where another one was played.
func TestBestMove(t *testing.T) {
	g := sample()
	g.Best = []string{"c4-c3"}
	line, err := Lines(&g)
	require.NoError(t, err)
	read, err := NewReader(bytes.NewReader(line), "test").Read()
	require.NoError(t, err)
	game, err := Replay(read)
	require.NoError(t, err)
	turn := g.Turns(game)[0]
	require.Equal(t, []string{"a4-goal", "c4-c3"}, []string{turn.Move.String(), turn.Best.String()})
	require.Equal(t, []rules.Move{turn.Best}, turn.Line())
}

// A list without a text for people isn't shown; one with a text can't drive a terminal.
func TestListsForPeople(t *testing.T) {
	before := Lists
	t.Cleanup(func() { Lists = before })
	silent, spoken := *before[0], *before[0]
	silent.Each, silent.Text = "silent", ""
	spoken.Each, spoken.Text = "spoken", "said %s"
	Lists = append(slices.Clone(before), &silent, &spoken)
	g := sample()
	game, err := Replay(&g)
	require.NoError(t, err)
	g.Best = []string{"100 % {$&}\x1b[2J\n"}
	require.Equal(t, []string{`said 100 % {$&}\x1b[2J\n`}, g.Turns(game)[0].More)
}

// Moves are legal when they are seen.
func TestReplayEach(t *testing.T) {
	g := sample()
	g = withMoves(g, "c4-c3", "b5-goal")
	var seen []string
	_, err := ReplayEach(&g, func(game *rules.Game, m rules.Move) {
		require.True(t, game.Legal().Contains(m))
		seen = append(seen, m.String())
	})
	require.ErrorContains(t, err, "move 2: b5-goal is not legal")
	require.Equal(t, []string{"c4-c3"}, seen)
}

// withMoves replaces the moves, and drops what stands beside them.
func withMoves(g Record, moves ...string) Record {
	g.Moves = append([]string{}, moves...)
	g.Scores, g.Depths, g.Nodes, g.Timing.MoveMS = nil, nil, nil, nil
	return g
}

func TestReplayRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Record)
		want   string
	}{
		"rules":        {func(g *Record) { g.Rules = "chess" }, `game 17: unknown rules "chess"`},
		"opening":      {func(g *Record) { g.Opening = "x" }, "game 17: opening: "},
		"illegal move": {func(g *Record) { g.Moves[0] = "b4-b5" }, "game 17: move 1: b4-b5 is not legal: "},
		"no move":      {func(g *Record) { g.Moves[0] = "?" }, "game 17: move 1: "},
		"long notation": {func(g *Record) { g.Moves[0] = "a4-(a5-a6)-goal" },
			"game 17: move 1: expected the short notation a4-goal"},
		"after the end": {func(g *Record) { *g = withMoves(*g, "a4-goal", "b5-goal") }, "game 17: move 2: the game is over"},
		"unfinished": {func(g *Record) { g.Moves[0] = "c4-c3" },
			"expected a finished game, found 1-0 by goal while it goes on"},
		"plies":  {func(g *Record) { g.Plies = 0 }, "expected plies 1, found 0"},
		"result": {func(g *Record) { g.Result = "0-1" }, "expected 1-0 by goal, found 0-1 by goal"},
		"reason": {func(g *Record) { g.Reason = "passes" }, "expected 1-0 by goal, found 1-0 by passes"},
		"late fault": {func(g *Record) { g.Fault, g.Reason = &Fault{"north", FaultError, ""}, "error" },
			"expected 1-0 by goal, found a fault after the end"},
		"best move":  {func(g *Record) { g.Best = []string{"b4-b5"} }, "game 17: move 1: best: b4-b5 is not legal: "},
		"bests":      {func(g *Record) { g.Best = make([]string, 2) }, "expected as many best as"},
		"bad record": {func(g *Record) { g.Scores = make([]Score, 2) }, "expected as many scores"},
	} {
		t.Run(name, func(t *testing.T) {
			g := sample()
			c.change(&g)
			_, err := Replay(&g)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// A game under way has legal moves and no end; one that is over is verified as a record.
func TestVerifyPlaying(t *testing.T) {
	over := sample()
	require.NoError(t, VerifyPlaying(&over))
	begun := withMoves(over, "c4-c3")
	begun.Plies, begun.Result, begun.Reason = 1, "", ""
	require.NoError(t, VerifyPlaying(&begun))
	require.Empty(t, begun.Result)
	for want, change := range map[string]func(*Record){
		"no piece on a1":       func(g *Record) { g.Moves[0] = "a1-a1" },
		"expected plies 1":     func(g *Record) { g.Plies = 0 },
		"as many scores as":    func(g *Record) { g.Scores = make([]Score, 2) },
		"expected a result":    func(g *Record) { g.Reason = "goal" },
		"expected a reason":    func(g *Record) { g.Result = "1-0" },
		"the fault's kind":     func(g *Record) { g.Fault = &Fault{Side: "south", Kind: FaultPanic} },
		"expected 1-0 by goal": func(g *Record) { *g = sample(); g.Result, g.Reason = "", "" },
		"found 1-0 by length":  func(g *Record) { g.Result, g.Reason = "1-0", "length" },
	} {
		g := begun
		g.Moves = append([]string{}, g.Moves...)
		change(&g)
		require.ErrorContains(t, VerifyPlaying(&g), want)
	}
}
