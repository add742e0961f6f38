package standings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/runs"
	"gyges/tournament/schedule"
)

// Agents without randomness play three openings over and over: what is counted while they play,
// after they went on, and what the records give are the pairs of three openings.
func TestRepeatedOpenings(t *testing.T) {
	t.Parallel()
	config := tournament.DefaultConfig()
	for _, text := range []string{"alphabeta:nodes=100", "alphabeta:nodes=130"} {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		config.Agents = append(config.Agents, spec)
	}
	config.Pairs, config.Workers, config.Out = 4, 1, filepath.Join(t.TempDir(), "run")
	config.Openings = schedule.Openings{Policy: schedule.FileOpenings, File: "x", Positions: []string{
		"123123/000000/000000/000000/000000/123123 s", "112233/000000/000000/000000/000000/123123 s",
		"332211/000000/000000/000000/000000/123321 s",
	}}
	live := New()
	var run *Run
	play := func() sprt.Pairs {
		live = New()
		run = live.Begin(&tournament.Manifest{Inputs: tournament.Inputs{Config: config.Completed()}})
		s, err := tournament.Run(t.Context(), config, builtin.Registry(), live.Add)
		require.NoError(t, err)
		return s.Pairs
	}
	first := play()
	require.EqualValues(t, 3, first.N())
	config.Pairs, config.Extend = 7, true
	require.Equal(t, first, play())
	require.Equal(t, first, run.Pairs)
	require.Len(t, run.Course, 3)
	require.Equal(t, 4, run.Identical.Pairs)
	require.EqualValues(t, 14, run.Games)

	text, err := os.ReadFile(filepath.Join(config.Out, tournament.GamesFile))
	require.NoError(t, err)
	read, in := New(), &runs.Stream{Strict: true}
	read.Begin(in.Manifest(filepath.Join(config.Out, tournament.GamesFile)))
	require.NoError(t, read.read(t, in, string(text), "games"))
	for _, s := range []*Standings{live, read} {
		d := s.Data()
		require.Equal(t, 3, d.Pairs())
		require.Equal(t, ratings.Identical{OneGame: run.Identical.OneGame, Pairs: 4}, d.Identical)
		require.EqualValues(t, 3, s.RuleSets[0].Pairs.Pairs())
	}
	require.Equal(t, run.Pairs, read.Runs[0].Pairs)
}

// A run that another one repeats has its own pairs; ratings of both have them once. Games of no
// pair are left out likewise, and those of one opening without moves or with a fault never.
func TestRepeatsOfOtherRuns(t *testing.T) {
	t.Parallel()
	s := New()
	add := func(run int, pair bool, south, north string, g record.Record) {
		g.Game = int64(run)
		if !pair { // each with a number of its own
			g.Pair = int64(100 + run)
		}
		g.Rules, g.Opening, g.South.Agent, g.North.Agent = "standard", "o", south, north
		s.Add(&g)
	}
	won := record.Record{Moves: []string{"a1-a2", "b6-b5"}, Result: "1-0", Plies: 2}
	fault := won
	fault.Fault = &record.Fault{Side: "north", Kind: record.FaultCrash}
	for range 2 {
		run := s.Begin(&tournament.Manifest{Inputs: tournament.Inputs{Config: tournament.Config{Agents: []agents.Spec{{Kind: "x"}, {Kind: "y"}}}}})
		add(0, true, "x", "y", won)
		add(1, true, "y", "x", won)
		require.Equal(t, sprt.Pairs{2: 1}, run.Pairs)
		require.Equal(t, ratings.Identical{OneGame: 1}, run.Identical)
		for i, g := range []record.Record{won, fault, {Moves: []string{}, Result: "1-0"}} {
			add(i, false, "x", "z", g)
		}
	}
	s.Begin(nil)
	d := s.Data()
	require.Equal(t, ratings.Identical{OneGame: 1, Pairs: 1, Games: 1}, d.Identical)
	require.Equal(t, 2+1+2*2, d.Games())
}
