package game

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/internal/agenttest"
	"gyges/tournament/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The agents of tests.
type (
	picker      = agenttest.Picker
	faulty      = agenttest.Faulty
	brokenStart = agenttest.BrokenStart
)

func decideBy(choose func(g *rules.Game) rules.Move) func(context.Context, *rules.Game) (agents.Decision, error) {
	return func(_ context.Context, g *rules.Game) (agents.Decision, error) {
		return agents.Decision{Move: choose(g)}, nil
	}
}

// newTestGame returns a game of two agents from a random set-up, or four random plies of Kang,
// after which it goes on.
func newTestGame(t require.TestingT, r *rules.Rules, seed uint64, south, north agents.Agent) *Task {
	rng, g := rand.New(rand.NewPCG(seed, 0)), rules.NewGame(r, r.Start())
	for r.SettingUp(g.Position()) || r.Options().Kang && g.Ply() < 4 {
		moves := g.Legal()
		require.NoError(t, g.Play(moves.At(rng.IntN(moves.Len()))))
	}
	return &Task{
		Number: 3, Pair: 1, Rules: r, Opening: g.Position(),
		Settings: Settings{Openings: schedule.Openings{Policy: "random"}},
		Seats:    [2]Seat{{Name: "s", Seed: seed, Agent: south}, {Name: "n", Seed: seed + 1, Agent: north}},
	}
}

func presetNames() []string {
	var names []string
	for _, p := range rules.Presets() {
		names = append(names, p.Name)
	}
	return names
}
