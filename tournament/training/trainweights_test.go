package training

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/agents/eval/inputs"
	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/rules/base/files"
	"gyges/tournament"
)

// A network is fitted, played with and learned further in the next generation. An
// agent's own weights don't stand in the way.
func TestGenerationsWithNetwork(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Agent = c.Agent.With("weight.mobility", "-50")
	c.Settings.Network = &texel.Network{Epochs: 3, Rate: 0.001, Seed: 1}
	c.Choice = texel.Choice{Leaves: true}
	c.Rating.Pairs, c.SelfPlay.Pairs = 0, 180
	s := train(t, &c)
	require.True(t, s.Generations[0].Adopted)
	first, err := files.Load(c.path(1, WeightsFile), eval.Read)
	require.NoError(t, err)
	require.NotNil(t, first.Network)
	second, err := files.Load(c.path(2, WeightsFile), eval.Read)
	require.NoError(t, err)
	require.False(t, first.Equal(&second))
	same := 0 // an input that no position of the second generation has stays
	for i := range first.Network.W1 {
		if first.Network.W1[i] == second.Network.W1[i] && first.Network.W1[i] != [eval.HiddenUnits]int16{} {
			same++
		}
	}
	require.Less(t, same, inputs.Num/4)
	require.NotContains(t, weighted(c.Agent, 1, "name").String(), "mobility")

	c.Settings.Network.Epochs = 4
	var log strings.Builder
	env := testEnv(Observer{})
	env.Log = slog.New(slog.NewTextHandler(&log, nil))
	again, err := c.Run(t.Context(), env)
	require.NoError(t, err, "it is for generations to come")
	require.Equal(t, s.Generations, again.Generations)
	require.Contains(t, log.String(), "what is to come has other settings: it holds a run of another configuration; tune.network.epochs was")
}

// Training from nothing: weights of zero, no matches, another agent from the second
// generation on, and a rating of every second generation and a reference.
func TestGenerationsFromNothing(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Weights = eval.Weights{Rules: eval.Simplified, Provenance: eval.Provenance{Method: "zero"}}
	c.Settings.Network = &texel.Network{Epochs: 3, Rate: 0.001, Seed: 1}
	c.Match.Pairs, c.Match.SPRT, c.Count = 0, sprt.Test{}, 3
	c.SelfPlay.Stages = []Stage{{From: 2, Agent: c.Agent.With("depth", "2"), Pairs: 40}, {From: 3, Pairs: 50}}
	c.Rating = Rating{Pairs: 5, Every: 2, Reference: eval.DefaultName}
	require.NoError(t, c.Validate(registry()))
	s := train(t, &c)
	require.Len(t, s.Generations, 3)
	require.Equal(t, 3, s.Best)
	for i, g := range s.Generations {
		require.True(t, g.Adopted)
		require.Equal(t, i, g.Parent)
		require.Positive(t, g.Timing.SelfPlay)
		require.Positive(t, g.Timing.Tune)
		require.NoDirExists(t, c.path(g.Number, "match"))
		pairs := [...]int64{90, 40, 50}[i]
		m, err := tournament.ReadManifest(os.DirFS(c.path(g.Number, "selfplay")))
		require.NoError(t, err)
		require.Equal(t, 2*pairs, m.Games.Played)
		depth := "depth=2"
		if i == 0 {
			depth = "depth=1"
		}
		require.Contains(t, m.Config.Agents[0].String(), depth)
	}

	// What weights of zero score says nothing, but for what is proven.
	scored := 0
	for p, err := range dataset.Read(filepath.Join(c.path(1, "selfplay"), PositionsDir), dataset.Train, nil) {
		require.NoError(t, err)
		if _, proven := p.Score.Proven(); p.Scored {
			require.True(t, proven)
			scored++
		}
	}
	require.Positive(t, scored)

	r := manifestOf(t, c.Out).Result
	require.Zero(t, r.Timing)
	var players []string
	for _, p := range r.Rating {
		if players = append(players, p.Player); p.Player == ReferenceName {
			require.Zero(t, p.Elo)
		}
	}
	require.ElementsMatch(t, []string{"gen-000", "gen-002", "gen-003", ReferenceName}, players)
	require.FileExists(t, filepath.Join(c.Out, "rating-003", tournament.GamesFile))
}

// Training positions of other runs are learned from too, and weights that a fit leaves as they are need no match.
func TestGenerationsWithData(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Count = 1
	c.Settings.Features = []string{} // none is tuned
	alone := train(t, &c)
	first := alone.Generations[0]
	require.Equal(t, []any{false, int64(0), 0}, []any{first.Adopted, first.Pairs.N(), alone.Best})

	other := c
	other.Data = []string{filepath.Join(c.path(1, "selfplay"), PositionsDir)}
	other.Out, other.Seed = filepath.Join(t.TempDir(), "run"), 2
	both := train(t, &other)
	require.Greater(t, both.Generations[0].Positions, first.Positions*3/2)

	other.Data = append(other.Data, t.TempDir())
	require.ErrorContains(t, other.Validate(registry()), "tune.data[1]: ")
}
