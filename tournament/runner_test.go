package tournament

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// stubborn agents ignore their context until release is closed.
func stubborn(release <-chan struct{}, calls *atomic.Int64) agents.Kind {
	return agents.Kind{Name: "stubborn", New: func(agents.Config) (agents.Agent, error) {
		return &faulty{After: 2, Wrong: func(context.Context, *rules.Game) (agents.Decision, error) {
			calls.Add(1)
			<-release
			return agents.Decision{}, errTest
		}}, nil
	}}
}

// withKind returns the registry of tests with a kind more, or in the place of the one of its name.
func withKind(k agents.Kind) *agents.Registry {
	others := slices.DeleteFunc(testRegistry(nil).Kinds(), func(other agents.Kind) bool {
		return other.Name == k.Name
	})
	return agents.NewRegistry(append(others, k)...)
}

// An agent that ignores its context loses by time, and the worker plays on with another one.
func TestStubbornAgentLoses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, calls := make(chan struct{}), new(atomic.Int64)
		defer close(release)
		c := testConfig(t, "random", "stubborn")
		c.Rules = []*rules.Rules{rules.MustParse("standard:max_plies=20")}
		c.StallTimeout = 4 * time.Minute
		w := NewRunner(&c, withKind(stubborn(release, calls)).New)
		for i := range int64(2) {
			games, err := w.Play(t.Context(), newPlan(&c).job(i), 1)
			require.NoError(t, err)
			require.Len(t, games, 2)
			for _, g := range games {
				requireSound(t, g)
				require.Equal(t, record.FaultTimeout, g.Fault.Kind)
				require.Equal(t, "no answer within 4m0s", g.Fault.Detail)
				require.GreaterOrEqual(t, len(g.Moves), 4)
			}
			require.Equal(t, []string{"north", "south"}, []string{games[0].Fault.Side, games[1].Fault.Side})
		}
		require.EqualValues(t, 4, calls.Load())
		require.NoError(t, w.Close())
	})
}

// An agent that hangs but heeds its context is closed, and nothing is left.
func TestHangingAgentLoses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testConfig(t, "random", "block")
		c.StallTimeout = 5 * time.Minute
		c.Limits.MoveTime = 30 * time.Second
		w := NewRunner(&c, testRegistry(nil).New)
		games, err := w.Play(t.Context(), newPlan(&c).job(0), 1)
		require.NoError(t, err)
		require.Len(t, games, 2)
		for _, g := range games {
			requireSound(t, g)
			require.Equal(t, record.FaultTimeout, g.Fault.Kind)
			require.Equal(t, "no answer within 5m30.5s", g.Fault.Detail, "with the margin of a move time")
		}
		require.NoError(t, w.Close())
	})
}

// A run that is cancelled ends even if an agent ignores it.
func TestCancelledDespiteStubbornAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, calls := make(chan struct{}), new(atomic.Int64)
		defer close(release)
		c := testConfig(t, "random", "stubborn")
		c.Rules = []*rules.Rules{rules.MustParse("standard:max_plies=20")}
		c.StallTimeout = 0
		w := NewRunner(&c, withKind(stubborn(release, calls)).New)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := w.Play(ctx, newPlan(&c).job(0), 1)
			done <- err
		}()
		synctest.Wait()
		require.EqualValues(t, 1, calls.Load())
		start := time.Now()
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		require.Equal(t, 5*time.Second, time.Since(start))
		require.NoError(t, w.Close())
	})
}
