package training

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/record"
)

// stopAt runs a training until a number of games have been reported.
func stopAt(t *testing.T, c *Generations, games int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := c.Run(ctx, testEnv(Observer{Game: func(*record.Record) {
		if games--; games == 0 {
			cancel()
		}
	}}))
	require.ErrorIs(t, err, context.Canceled)
}

// What a run stopped with, a fit that fails or too few pairs, may change when it goes on, for what is to come.
func TestSettingsMayChange(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.SelfPlay.Split.Validation = 0 // a fit without which is refused
	_, err := c.Run(t.Context(), testEnv(Observer{}))
	require.ErrorContains(t, err, "expected validation positions, found none")
	c.Settings.Patience, c.Window = 7, 1
	c.SelfPlay.Split.Validation, c.SelfPlay.Pairs = 30, 95
	stopAt(t, &c, 190+2)
	pairs := 50
	if _, err := os.Stat(c.path(2, "selfplay")); err == nil { // the match was over before the stop took hold
		pairs = 95 // which what has begun keeps
	}
	c.Match.Pairs, c.SelfPlay.Pairs = 20, 40 // the match keeps its pairs, and the self-play
	c.Match.SPRT.Elo1 = 50
	c.SelfPlay.Stages = []Stage{{From: 2, Pairs: 50}}
	c.Settings.Iterations = 100
	s := train(t, &c)
	require.Len(t, s.Generations, 2)
	m, err := tournament.ReadManifest(os.DirFS(c.path(1, "selfplay")))
	require.NoError(t, err)
	require.Equal(t, 95, m.Config.Pairs)
	m, err = tournament.ReadManifest(os.DirFS(c.path(2, "selfplay")))
	require.NoError(t, err)
	require.Equal(t, pairs, m.Config.Pairs)
	c.Agent = c.Agent.With("depth", "2")
	_, err = c.Run(t.Context(), testEnv(Observer{}))
	require.ErrorContains(t, err, "holds a run of another configuration; agent was")
}

// What can't work is refused before anything is played, and nothing else.
func TestTrainingsThatCanWork(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Match.Pairs = 23
	require.NoError(t, c.Validate(registry()))
	c.Data = []string{writeSplits(t, c.Rules, [3]string{"a", "b", ""})}
	c.SelfPlay.Split.Validation = 0
	require.NoError(t, c.Validate(registry()), "others validate")
	shards, err := filepath.Glob(filepath.Join(c.Data[0], "test-*"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(shards[0], 100))
	require.ErrorContains(t, c.Validate(registry()), "tune.data[0]: "+shards[0]+": expected a file with the checksum")
}
