package training

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/eval"
	"gyges/agents/explore"
	"gyges/agents/files"
	"gyges/agents/problems"
	"gyges/agents/tuning/history"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// registry has the kinds that self-play needs.
func registry() *agents.Registry { return builtin.Registry(explore.Kind(builtin.Registry())) }

// testConfig trains for a second from weights that know nothing but mobility,
// and that with the wrong sign, so that what is learned wins.
func testConfig(t *testing.T) Config {
	t.Helper()
	c := DefaultConfig()
	c.Rules = rules.MustParse("simplified")
	c.Agent = agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "depth", Value: "1"}, {Name: "hash", Value: "1"}}}
	c.Weights = eval.Weights{Rules: eval.Simplified, Provenance: eval.Provenance{Method: "hand-set"}}
	for j, name := range eval.Names() {
		if name == "mobility" {
			c.Weights.Values[j] = -50
		}
	}
	c.Generations, c.Rating, c.Settings.Scale = 2, 10, 0.005
	c.SelfPlay.Tournament.Pairs = 90
	c.SelfPlay.Split.Validation, c.SelfPlay.Split.Test = 20, 20
	c.Match.Pairs = 100
	c.Match.SPRT = sprt.Test{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic}
	c.Out = filepath.Join(t.TempDir(), "run")
	return c
}

// contents are a run's files without clock readings and folders, by their names.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) == tournament.ManifestFile {
			return err
		}
		text, err := os.ReadFile(path)
		var b strings.Builder
		for line := range strings.Lines(string(text)) {
			same, _, _ := strings.Cut(line, `,"timing":`)
			b.WriteString(same + "\n")
		}
		name, _ := filepath.Rel(dir, path)
		all[name] = strings.ReplaceAll(b.String(), dir, "DIR")
		return err
	}))
	return all
}

func TestTraining(t *testing.T) {
	c := testConfig(t)
	var stages []string
	games, done := 0, 0
	s, err := Run(t.Context(), c, registry(), "v1", Watcher{
		Stage: func(k int, stage string, _ int64) { stages = append(stages, stage) },
		Game:  func(*record.Game) { games++ },
		Done:  func(g Generation) { done++; require.Equal(t, done, g.Number) },
	})
	require.NoError(t, err)
	require.Equal(t, []string{"selfplay", "tune", "match", "selfplay", "tune", "match", "rating"}, stages)
	require.Positive(t, games)
	require.Len(t, s.Generations, 2)
	first := s.Generations[0]
	require.True(t, first.Adopted)
	require.Positive(t, first.Test.Positions)
	require.Positive(t, first.Test.Gain)
	require.Positive(t, *first.Elo)
	require.Equal(t, 1, s.Generations[1].Parent)

	// The best weights are those of the last generation adopted.
	best, err := os.ReadFile(s.Weights)
	require.NoError(t, err)
	candidate, err := os.ReadFile(filepath.Join(c.Out, Generation{Number: s.Best}.Name(), WeightsFile))
	require.NoError(t, err)
	require.Equal(t, string(candidate), string(best))
	w, err := loadWeights(s.Weights)
	require.NoError(t, err)
	require.Equal(t, "Elo", w.Provenance.Gain.Measure)
	require.Equal(t, "v1", w.Provenance.Version)
	require.NotEqual(t, c.Weights.Values, w.Values)

	// The manifest says the same.
	text, err := os.ReadFile(filepath.Join(c.Out, ManifestFile))
	require.NoError(t, err)
	var m struct{ Result result }
	require.NoError(t, json.Unmarshal(text, &m))
	require.Equal(t, tournament.Finished, m.Result.Status)
	require.Equal(t, s.Generations, m.Result.Generations)
	require.Equal(t, s.Best, m.Result.Best)
}

// A training that was stopped again and again, at every stage, by another number
// of workers, ends with the same files as one that wasn't.
func TestTrainingGoesOn(t *testing.T) {
	c := testConfig(t)
	c.Workers = 1
	_, err := Run(t.Context(), c, registry(), "v1", Watcher{})
	require.NoError(t, err)
	want := contents(t, c.Out)

	c.Out = filepath.Join(t.TempDir(), "run")
	stops := 0
	for n := 1; ; n += 37 {
		c.Workers = 1 + stops%3
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		_, err := Run(ctx, c, registry(), "v1", Watcher{
			Stage: func(int, string, int64) {
				if stops%4 == 3 { // as a stage begins
					cancel()
				}
			},
			Game: func(*record.Game) {
				if seen++; seen == n {
					cancel()
				}
			},
		})
		cancel()
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		stops++
	}
	require.Greater(t, stops, 5)
	require.Equal(t, want, contents(t, c.Out))

	// With more generations it goes on further, but for the rating, which has more players.
	c.Seed = 2
	_, err = Run(t.Context(), c, registry(), "v1", Watcher{})
	require.ErrorContains(t, err, `holds a run of another configuration; seed was "1", now "2"`)
}

// A network is fitted, played with and learned further in the next generation. An
// agent's own weights don't stand in the way.
func TestTrainingNetwork(t *testing.T) {
	c := testConfig(t)
	c.Agent = with(c.Agent, "weight.mobility", "-50")
	c.Settings.Network = &texel.Network{Epochs: 3, Seed: 1}
	c.Choice = texel.Choice{Leaves: true}
	c.Rating = 0
	s, err := Run(t.Context(), c, registry(), "v1", Watcher{})
	require.NoError(t, err)
	require.True(t, s.Generations[0].Adopted)
	first, err := loadWeights(c.folder(1, WeightsFile))
	require.NoError(t, err)
	require.NotNil(t, first.Network)
	second, err := loadWeights(c.folder(2, WeightsFile))
	require.NoError(t, err)
	require.False(t, first.Equal(second))
	same := 0 // an input that no position of the second generation has stays
	for i := range first.Network.W1 {
		if first.Network.W1[i] == second.Network.W1[i] && first.Network.W1[i] != [eval.HiddenUnits]int16{} {
			same++
		}
	}
	require.Less(t, same, eval.NumInputs/4)
	require.NotContains(t, c.weighted(c.Agent, 1).String(), "mobility")

	c.Settings.Network.Epochs = 4
	_, err = Run(t.Context(), c, registry(), "v1", Watcher{})
	require.ErrorContains(t, err, "holds a run of another configuration; fit_network was")
}

// Weights that a fit leaves as they are need no match.
func TestNothingLearned(t *testing.T) {
	c := testConfig(t)
	c.Generations = 1
	c.Settings.Frozen = make([]bool, eval.NumFeatures)
	for j := range c.Settings.Frozen {
		c.Settings.Frozen[j] = true
	}
	s, err := Run(t.Context(), c, registry(), "v1", Watcher{})
	require.NoError(t, err)
	require.False(t, s.Generations[0].Adopted)
	require.Zero(t, s.Generations[0].Pairs.N())
	require.Zero(t, s.Best)
}

func TestRefused(t *testing.T) {
	for message, change := range map[string]func(*Config){
		"generations: expected a number from 1":       func(c *Config) { c.Generations = 0 },
		"agent: agent \"random\" has no weights":      func(c *Config) { c.Agent = agents.Spec{Kind: "random"} },
		"selfplay.pairs: expected":                    func(c *Config) { c.SelfPlay.Tournament.Pairs = 0 },
		"selfplay.explore.temperature: expected":      func(c *Config) { c.SelfPlay.Explore.Temperature = -1 },
		"selfplay.split.validation: expected":         func(c *Config) { c.SelfPlay.Split.Validation = 99 },
		"match.pairs: expected":                       func(c *Config) { c.Match.Pairs = 0 },
		"match.sprt: expected a test":                 func(c *Config) { c.Match.SPRT = sprt.Test{} },
		"tune.lambda: expected":                       func(c *Config) { c.Settings.Lambda = 0 },
		"workers: expected":                           func(c *Config) { c.Workers = -1 },
		"agent: expected an agent spec":               func(c *Config) { c.Agent = agents.Spec{} },
		"selfplay.agent: agent \"greedier\": unknown": func(c *Config) { c.SelfPlayAgent = agents.Spec{Kind: "greedier"} },
	} {
		c := testConfig(t)
		change(&c)
		err := c.Validate(registry())
		require.ErrorContains(t, err, message)
		require.Len(t, problems.Split(err), 1, message)
	}
	c := testConfig(t)
	require.NoError(t, os.MkdirAll(c.Out, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(c.Out, "mine"), nil, 0o600))
	_, err := Run(t.Context(), c, registry(), "v1", Watcher{})
	require.ErrorContains(t, err, "expected a new folder, or one of a tuning run, found one that holds mine")
}

// A training that was killed before there was anything to go on with begins anew.
func TestEmptyStartIsAStart(t *testing.T) {
	c := testConfig(t)
	left := filepath.Join(c.Out, ManifestFile+".tmp-1234567890")
	require.NoError(t, os.MkdirAll(filepath.Join(c.Out, queueFolder), 0o755))
	require.NoError(t, os.WriteFile(left, []byte("{"), 0o600))
	require.NoError(t, os.WriteFile(c.path(HistoryFile), nil, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, c, registry(), "v1", Watcher{Stage: func(int, string, int64) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	require.FileExists(t, c.path(ManifestFile))
	require.NoFileExists(t, left)

	// Two at the same time are not begun.
	h, _, err := history.Append(c.path(HistoryFile))
	require.NoError(t, err)
	_, err = Run(t.Context(), c, registry(), "v1", Watcher{})
	require.ErrorIs(t, err, files.ErrInUse)
	require.NoError(t, h.Close())
}

// Samples of other runs are learned from too.
func TestTrainingData(t *testing.T) {
	c := testConfig(t)
	c.Generations, c.Rating = 1, 0
	_, err := Run(t.Context(), c, registry(), "v1", Watcher{})
	require.NoError(t, err)
	alone, err := c.readGeneration(1)
	require.NoError(t, err)

	other := c
	other.Data = []string{filepath.Join(c.folder(1, "selfplay"), "samples")}
	other.Out, other.Seed = filepath.Join(t.TempDir(), "run"), 2
	_, err = Run(t.Context(), other, registry(), "v1", Watcher{})
	require.NoError(t, err)
	both, err := other.readGeneration(1)
	require.NoError(t, err)
	require.Greater(t, both.Samples, alone.Samples*3/2)

	other.Data = append(other.Data, t.TempDir())
	require.ErrorContains(t, other.Validate(registry()), "tune.data[1]: ")
}
