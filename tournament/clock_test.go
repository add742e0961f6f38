package tournament

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

func TestClock(t *testing.T) {
	c := Clock{Base: 30 * time.Second, Increment: time.Second, Margin: 100 * time.Millisecond}
	require.Equal(t, "30s+1s", c.String())
	left := c.Base
	require.Equal(t, 1800*time.Millisecond, c.share(left))
	require.Zero(t, c.spend(&left, 10*time.Second))
	require.Equal(t, 21*time.Second, left)
	require.Zero(t, c.spend(&left, 21*time.Second+90*time.Millisecond), "within the margin")
	require.Equal(t, time.Second, left)
	require.Equal(t, 200*time.Millisecond, c.spend(&left, 1200*time.Millisecond))
	require.Equal(t, 9*time.Millisecond, Clock{Base: 1, Increment: time.Hour}.share(10*time.Millisecond), "never more than there is")
	require.Positive(t, c.share(0))
	require.Zero(t, Clock{}.share(0))
	require.Zero(t, Clock{}.spend(&left, time.Hour))
	for _, bad := range []Clock{{Base: 1}, {Base: -time.Second}, {Increment: 1}, {Base: time.Second, Margin: -1}, {Base: 25 * time.Hour}} {
		require.False(t, bad.valid(), "%v", bad)
	}
}

// dawdler takes its time, and notes how much it was given.
type dawdler struct {
	picker
	given time.Duration
}

func (a *dawdler) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	a.given = lim.MoveTime
	time.Sleep(30 * time.Millisecond)
	return a.picker.Choose(ctx, g, lim)
}

// Who overruns his clock loses on time, and the record says by how much.
func TestLossOnTime(t *testing.T) {
	slow := &dawdler{}
	r := rules.MustParse("standard")
	opening, err := Openings{Policy: RandomOpenings}.Opening(r, 1, 0)
	require.NoError(t, err)
	m := Match{Rules: r, Opening: opening, Policy: "random", Clock: Clock{Base: 100 * time.Millisecond, Margin: time.Millisecond},
		Seats: [2]Seat{{Name: "quick", Agent: &picker{}}, {Name: "slow", Agent: slow}}}
	g, err := PlayGame(t.Context(), &m)
	require.NoError(t, err)
	require.NotNil(t, g.Fault)
	require.Equal(t, record.Fault{Side: "north", Kind: record.FaultTimeout, Detail: "overran its clock"}, *g.Fault)
	require.Equal(t, "1-0", g.Result)
	require.Equal(t, "100ms+0s", g.Limits.Clock)
	require.Greater(t, g.Timing.OverrunMS, 1.0)
	require.Positive(t, slow.given)
	require.LessOrEqual(t, slow.given, 90*time.Millisecond)
	_, err = record.Replay(g)
	require.NoError(t, err)
}
