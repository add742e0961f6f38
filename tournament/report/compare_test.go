package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/grid"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

// comparedRun is the folder of a run of two agents in memory.
func comparedRun(seed int, agents string, games ...*record.Game) fstest.MapFS {
	manifest := fmt.Sprintf(`{"id":"%d","status":"finished","config":{"rules":["standard"],"agents":%s,"seed":"%d",`+
		`"limits":{"nodes":1000000000000}},"program":{"version":"v1"}}`, seed, agents, seed)
	return fstest.MapFS{
		tournament.ManifestFile: {Data: []byte(manifest)},
		tournament.GamesFile:    {Data: []byte(runtest.Lines(games...))},
	}
}

// compared returns the rows of a comparison by part and name.
func compared(t *testing.T, a, b fstest.MapFS) (*Comparison, map[string]map[string]ComparedRow) {
	t.Helper()
	c, err := Compare(t.Context(), a, b, math.MaxInt64)
	require.NoError(t, err)
	rows := map[string]map[string]ComparedRow{}
	for _, part := range c.Parts {
		require.NotEmpty(t, part)
		rows[part[0].Part] = map[string]ComparedRow{}
		for _, r := range part {
			rows[part[0].Part][r.Name] = r
		}
	}
	var page bytes.Buffer
	require.NoError(t, WriteFragment(&page, c.Section()))
	require.NotContains(t, page.String(), "<script")
	return c, rows
}

// Settings that differ are listed, the first game that differs is found, and ratings have the difference of the
// differences, with the intervals of both.
func TestCompare(t *testing.T) {
	t.Parallel()
	games := append(runtest.DrawPair(0), runtest.DrawPair(1)...)
	a := comparedRun(1, `["a","b"]`, games...)
	c, rows := compared(t, a, a)
	require.Nil(t, c.Game)
	require.NotContains(t, rows, "Settings that differ")
	require.Equal(t, []string{"the first 4 games of both are the same"}, c.Notes)
	for _, r := range rows["Elo under standard, from that of "+reference(rows)] {
		require.Zero(t, r.Less.(grid.Cell).Value)
		require.InDelta(t, math.Sqrt2, r.Error.(float64)/margin(t, r.A), 0.01)
	}

	changed := *games[2]
	changed.Moves = append([]string{}, changed.Moves...)
	changed.Moves[3] = "pass"
	changed.Result, changed.Reason = "0-1", "goal"
	games[2] = &changed
	c, rows = compared(t, a, comparedRun(2, `["a","c"]`, games...))
	require.Equal(t, &ComparedGame{Game: 2, Ply: 4, At: 4}, c.Game)
	require.Equal(t, map[string]ComparedRow{
		"config.seed":      {Part: "Settings that differ", Name: "config.seed", A: "1", B: "2"},
		"config.agents[1]": {Part: "Settings that differ", Name: "config.agents[1]", A: "b", B: "c"},
	}, rows["Settings that differ"])
	require.Equal(t, ComparedRow{Part: "First game that differs", Name: "game 2, ply 4",
		A: runtest.DrawPair(1)[0].Moves[3], B: "pass"}, rows["First game that differs"]["game 2, ply 4"])

	// Long settings differ at their ends.
	long := strings.Repeat("x", 2000)
	_, rows = compared(t, comparedRun(1, `["`+long+`a"]`), comparedRun(1, `["`+long+`b"]`))
	require.Contains(t, rows["Settings that differ"], "config.agents[0]")

	// A game that ends earlier, and runs of other schedules.
	short := *runtest.DrawPair(0)[0]
	short.Moves, short.Result, short.Reason = short.Moves[:2], "1-0", "<script>"
	short.Plies = 2
	c, rows = compared(t, a, comparedRun(1, `["a","b"]`, &short))
	require.Equal(t, 3, c.Game.Ply)
	require.Equal(t, "1-0 by <script>", rows["First game that differs"]["game 0, ply 3"].B)
	c, _ = compared(t, comparedRun(1, `["a","b"]`, &short), a)
	require.Equal(t, 2, c.Game.Ply, "which the game of A has")
	c, _ = compared(t, a, comparedRun(1, `["a","b"]`, runtest.DrawPair(1)...))
	require.Nil(t, c.Game)
	require.Empty(t, c.Notes)

	// What reads as the end of a game where another one is over is no difference, and no panic.
	odd, over := *runtest.DrawPair(0)[0], *runtest.DrawPair(0)[0]
	odd.Moves, odd.Plies = []string{"1-0 by x", "y"}, 2
	over.Moves, over.Plies, over.Result, over.Reason = []string{}, 0, "1-0", "x"
	c, _ = compared(t, comparedRun(1, `["a","b"]`, &odd), comparedRun(1, `["a","b"]`, &over))
	require.Nil(t, c.Game)
}

// reference is the player from which the ratings are told.
func reference(rows map[string]map[string]ComparedRow) string {
	for _, name := range []string{"a", "b"} {
		if _, ok := rows["Elo under standard, from that of "+name]; ok {
			return name
		}
	}
	return ""
}

// margin reads half the interval of a rating.
func margin(t *testing.T, rating any) (half float64) {
	t.Helper()
	var elo float64
	_, err := fmt.Sscanf(rating.(grid.Cell).Text, "%f ± %f", &elo, &half)
	require.NoError(t, err)
	return half
}

// Of two trainings the curves of both are in one chart: the losses, and the ratings by minutes and by positions.
func TestCompareTrainings(t *testing.T) {
	t.Parallel()
	train := func(seed, positions int) fstest.MapFS {
		return fstest.MapFS{
			training.ManifestFile: {Data: []byte(fmt.Sprintf(`{"method":"train","config":{"seed":"%d","rules":"standard"},`+
				`"result":{"generations":[{"generation":1,"positions":%d},{"generation":2,"positions":30}],`+
				`"rating":[{"player":"gen-001","elo":%[1]d},{"player":"gen-002","elo":5}]}}`, seed, positions))},
			training.HistoryFile: {Data: []byte(`{"step":1,"validation_loss":0.66,"parameters":{"tempo":1}}` + "\n")},
		}
	}
	c, rows := compared(t, train(1, 10), train(2, 20))
	require.Equal(t, map[string]ComparedRow{
		"config.seed": {Part: "Settings that differ", Name: "config.seed", A: "1", B: "2"},
	}, rows["Settings that differ"])
	points := map[string][][2]float64{}
	for _, chart := range c.Charts {
		for _, curve := range chart.Curves {
			for _, p := range curve.Points {
				name := chart.XName + ", " + curve.Name
				points[name] = append(points[name], [2]float64{p.X, p.Y})
			}
		}
	}
	require.Equal(t, map[string][][2]float64{
		"generation, A: validation": {{1, 0.66}}, "generation, B: validation": {{1, 0.66}},
		"minutes, A: rating": {{0, 1}, {0, 5}}, "minutes, B: rating": {{0, 2}, {0, 5}},
		"positions, A: rating": {{10, 1}, {40, 5}}, "positions, B: rating": {{20, 2}, {50, 5}},
	}, points)
}
