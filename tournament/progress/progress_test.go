package progress

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// configOf returns the config of a tournament of some agents.
func configOf(t *testing.T, players ...string) *tournament.Config {
	config := tournament.DefaultConfig()
	for _, text := range players {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		config.Agents = append(config.Agents, spec)
	}
	return &config
}

// game returns a game that South won, in a pair of its own.
func gameOf(id int64, south, north string) *record.Record {
	return &record.Record{
		Game: 2 * id, Pair: id, Rules: "standard", Result: "1-0", Reason: "goal",
		South: record.Player{Agent: south}, North: record.Player{Agent: north},
		Opening: "123123/000000/000000/000000/000000/123123 s",
		Moves:   []string{"a1-a2", "a6-a5", "b1-b2"}, Plies: 3,
	}
}

func TestState(t *testing.T) {
	test := sprt.Default()
	for name, c := range map[string]struct {
		kind  Kind
		test  sprt.Test
		pairs sprt.Pairs
		line  string
		all   int64
	}{
		"nobody leads": {Rated, sprt.Test{}, sprt.Pairs{}, "", 20},
		"a match": {Match, sprt.Test{}, sprt.Pairs{5, 5, 5, 5, 5},
			"Elo 0.0 ± 96.3 (95 %), pairs 5, 5, 5, 5, 5", 20},
		"a test whose end isn't known": {Match, test, sprt.Pairs{5, 5, 5, 5, 5},
			"LLR -0.01 (-2.94 to 2.94), Elo 0.0 ± 96.3 (95 %), pairs 5, 5, 5, 5, 5", 0},
		"self-play": {SelfPlay, sprt.Test{}, sprt.Pairs{}, "", 20},
	} {
		config := configOf(t, "random:name=a", "random:name=b")
		config.SPRT = c.test
		o := New(config, c.kind)
		o.Run.Pairs = c.pairs
		line, all := o.State(0)
		require.Equal(t, c.line, line, name)
		require.Equal(t, c.all, all, name)
	}
}

func TestLeader(t *testing.T) {
	config := configOf(t, "random", "greedy", "random:name=third\x1b")
	o := New(config, Rated)
	o.Add(gameOf(0, "greedy", "random"))
	line, _ := o.State(1)
	require.Equal(t, "greedy leads with 1 of 1 point", line)
	config.Schedule = "gauntlet"
	line, _ = o.State(1)
	require.Equal(t, "random has 0 of 1 point", line)
}

func TestGamesLeft(t *testing.T) {
	config := configOf(t, "random", "greedy")
	left := func(p ratings.Precision) float64 { return GamesLeft(config, sprt.Pairs{}, p, 100) }
	require.Equal(t, math.Inf(1), left(ratings.Precision{}))
	config.UntilError = 20
	require.True(t, math.IsNaN(left(ratings.Precision{Error: math.Inf(1), Pairs: 50})))
	require.Equal(t, 300., left(ratings.Precision{Error: 40, Pairs: 50}))
}

// Who takes more than its move time, within the margin, is mentioned once at the end.
func TestOverrunMoveTimes(t *testing.T) {
	config := configOf(t, "random:name=own,movetime=50ms", "random:name=late", "random:name=fine")
	config.Limits.MoveTime = 100 * time.Millisecond
	o := New(config, Rated)
	for i, south := range config.Players() {
		g := gameOf(int64(i), south, config.Agents[2].String())
		g.Limits.MoveTime = config.Limits.MoveTime.String()
		g.Timing.MoveMS = []float64{75, 105, []float64{64.6, 412, 104}[i]}
		o.Add(g)
	}
	faults := o.Faults.Sorted()
	require.Len(t, faults, 2)
	require.Equal(t, "overran its move time in 2 moves and lost no game by it, "+
		"first in game 0: 75ms for 50ms", faults[0].Text())
	require.Equal(t, "overran its move time in 1 move and lost no game by it, "+
		"first in game 2: 412ms for 100ms", faults[1].Text())
}

// The first faults of a kind are told at once; all are counted, and what they say is escaped.
func TestFaults(t *testing.T) {
	const odd record.FaultKind = "50 %d\x1b" // as from another machine
	var faults Faults
	lost := func(id int64, kind record.FaultKind) string {
		g := gameOf(id, "ugi:cmd=x,name=A\x1b", "random")
		g.Fault = &record.Fault{Side: "south", Kind: kind, Detail: "%s\n"}
		return faults.Add(g)
	}
	require.Empty(t, faults.Add(gameOf(0, "random", "random")))
	require.Equal(t, `A\x1b lost game 2 by a fault (50 %d\x1b): %s\n`, lost(1, odd))
	for id := range int64(8) {
		require.NotContains(t, lost(2+id, odd), "further")
	}
	require.Contains(t, lost(10, odd), "; further ones are counted at the end")
	require.Empty(t, lost(11, odd))
	require.Equal(t, `A\x1b was suspended %s\n and plays no more, from game 24 on`,
		lost(12, record.FaultSuspended))
	require.Empty(t, lost(13, record.FaultSuspended))
	require.Equal(t, 11, faults.Lost)
	sorted := faults.Sorted()
	require.Equal(t, `lost 11 games by a fault (50 %d\x1b), first in game 2: %s\n`, sorted[0].Text())
	require.Equal(t, `was suspended and did not play 2 games, first game 24: %s\n`, sorted[1].Text())
}

// After a failure the games in the folder count, not those that were played.
func TestFailedRun(t *testing.T) {
	config := configOf(t, "random", "greedy")
	o := New(config, Match)
	o.Add(gameOf(0, "greedy", "random"))
	summary := tournament.Summary{Status: tournament.Failed, Out: t.TempDir()}
	require.ErrorIs(t, o.End(t.Context(), summary), os.ErrNotExist)
	lines, err := record.Lines(gameOf(1, "random", "greedy"), gameOf(2, "random", "greedy"))
	require.NoError(t, err)
	path := filepath.Join(summary.Out, tournament.GamesFile)
	require.NoError(t, os.WriteFile(path, lines, 0o600))
	require.NoError(t, o.End(t.Context(), summary))
	require.Equal(t, 2, o.Standings.Count("random").Wins)
	require.Zero(t, o.Standings.Count("greedy").Wins)
}

func TestPrecision(t *testing.T) {
	config := configOf(t, "random", "greedy")
	o := New(config, Match)
	require.Empty(t, o.Precision(tournament.Summary{}))
	config.UntilError = 20
	text := o.Precision(tournament.Summary{Status: tournament.Interrupted})
	require.Equal(t, "Not within ± 20 Elo: the widest 95 % interval is without bounds", text)
}
