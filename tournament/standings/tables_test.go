package standings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

// Records that contradict the manifest give no table but a note.
func TestMisfit(t *testing.T) {
	t.Parallel()
	for third, tables := range map[string]int{"alphabeta:depth=2": 1, "mcts": 0} {
		s := New()
		s.Begin(&tournament.Manifest{Inputs: tournament.Inputs{Config: runtest.Config(fmt.Sprintf(`{"name": "event", "schedule": "round-robin",
			"pairs": 10, "rules": ["standard"], "agents": ["greedy:name=g", "random", %q]}`, third))}})
		require.NoError(t, s.read(t, new(runs.Stream), games(0, 6), "a"))
		require.Len(t, s.tables(nil), tables)
		require.Equal(t, tables == 0, slices.Contains(s.Notes(),
			"the records of event don't fit its manifest: no round-robin table"))
	}
}

// A manifest whose schedule this program can't have gives no table but a note that says why. Games
// from elsewhere have no schedule, and no note.
func TestUnknownSchedule(t *testing.T) {
	t.Parallel()
	const players = `"agents": ["greedy:name=g", "random", "alphabeta:depth=2"]`
	for config, note := range map[string]string{
		players + `, "schedule": "swiss", "rounds": 4`: "rounds: expected a number from 1 to 3 with 3 agents, found 4",
		players + `, "schedule": "danish"`:             "schedule: expected round-robin, ",
		`"agents": []`:                                 "",
	} {
		s := New()
		c := runtest.Config(`{"name": "event", "pairs": 10, "rules": ["standard"], ` + config + `}`)
		s.Begin(&tournament.Manifest{Inputs: tournament.Inputs{Config: c}})
		require.NoError(t, s.read(t, new(runs.Stream), games(0, 6), "a"))
		require.Empty(t, s.tables(nil))
		if note == "" {
			require.Empty(t, s.Notes())
			continue
		}
		require.Len(t, s.Notes(), 1)
		require.Contains(t, s.Notes()[0], "the manifest of event has another schedule than this program's, so that its "+
			"standings are left out: "+note)
	}
}

// The tables are those of one run, also from its records read in parts; a gauntlet has its
// first player's table, unless games of something else are read as well.
func TestStandingsInTables(t *testing.T) {
	t.Parallel()
	one := New()
	one.Begin(&tournament.Manifest{ID: "x", Inputs: tournament.Inputs{Config: runtest.Config(`{"name": "g", "schedule": "gauntlet", "pairs": 5,
		"rules": ["standard"], "agents": ["greedy:name=g", "random", "alphabeta:depth=2"]}`)}})
	r := new(runs.Stream)
	require.NoError(t, one.read(t, r, games(0, 30), "a"))
	fitted, err := one.Fit(t.Context(), ratings.Options{}, false)
	require.NoError(t, err)
	require.Equal(t, "g", fitted.All.Challenger)
	require.Len(t, fitted.All.Gauntlet().Rows, 2)
	data := one.Data().Renamed(map[string]string{"random": "others", "alphabeta:depth=2": "others"})
	merged, err := ratings.Fit(t.Context(), data, ratings.Options{})
	require.NoError(t, err)
	against, ok := merged.Difference("g", "others")
	require.True(t, ok)
	require.Equal(t, against, *fitted.All.Field)
	require.NotZero(t, against.Error)
	var text strings.Builder
	require.NoError(t, table.WriteStandings(&text, grid.CSV, fitted))
	require.Equal(t, 3, strings.Count(text.String(), "\n"))

	one.Begin(nil)
	require.Equal(t, "g", one.challenger(one.Names()), "the second run has no games yet")
	require.NoError(t, one.read(t, r, games(30, 60), "b"))
	require.Empty(t, one.challenger(one.Names()))
}

// The table of players has what each did on either side, how it used its time, and faults where
// there were some.
func TestPlayerTable(t *testing.T) {
	t.Parallel()
	s := New()
	g := record.Record{
		Rules: "standard", Opening: "123123/000000/000000/000000/000000/123123 s",
		South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"},
		Moves: []string{"m", "m"}, Plies: 2, Nodes: []int64{100, 300}, Depths: []int{2, 4},
		Result: "1-0", Reason: "crash", Fault: &record.Fault{Side: "north", Kind: record.FaultCrash},
	}
	s.Add(&g)
	table := func(f grid.Format) string {
		var b strings.Builder
		require.NoError(t, s.PlayerTable().Write(&b, f, grid.Options{Width: 200}))
		return b.String()
	}
	require.Equal(t, strings.TrimPrefix(`
 Player  As South  As North  Plies a game  Depth  Nodes a move  Time a move  Longest  Faults
---------------------------------------------------------------------------------------------
 a            1-0       0-0           2.0    2.0           100            -        -       0
 b            0-0       0-1           2.0    4.0           300            -        -       1
`, "\n"), table(grid.Text))

	// Under a clock, the second game is lost on time in the third move.
	g.Limits.Clock = "10s+1s"
	g.Timing.MoveMS = []float64{1000, 4400}
	s.Add(&g)
	g.Fault = &record.Fault{Side: "south", Kind: record.FaultTimeout}
	g.Result = "0-1"
	g.Timing = record.Timing{MoveMS: []float64{7600, 0}, OverrunMS: 5}
	s.Add(&g)
	require.Equal(t, strings.TrimPrefix(`
 Player  As South  As North  Plies a game  Depth  Nodes a move  Time a move   Longest  Clock used  Least left  Overruns  Faults
--------------------------------------------------------------------------------------------------------------------------------
 a            2-1       0-0           2.0    2.0           100   4300.000ms  7600.0ms      39.1 %      2400ms         1       1
 b            0-0       1-2           2.0    4.0           300   2200.000ms  4400.0ms      40.0 %      5600ms         0       2
`, "\n"), table(grid.Text))
	require.Contains(t, table(grid.JSON), `"player": "b",
    "plies": 2,
    "depth": 4,
    "nodes": 300,
    "time_ms": 2200,
    "longest_ms": 4400,
    "clock_percent": 40,
    "left_ms": 5600,
    "overruns": 0,
    "faults": 2
`)
}
