package tournament

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

// The schedule, against three plain loops.
func TestSchedule(t *testing.T) {
	c := testConfig(t, "random", "random:id=1", "random:id=2", "scored")
	s := newPlan(&c)
	require.EqualValues(t, 2*3*6, s.Len())
	require.EqualValues(t, 2*s.Len(), c.Games())
	seeds := map[uint64]bool{}
	i := int64(0)
	for round := range int64(2) {
		for _, r := range c.Rules {
			for a := range c.Agents {
				for b := a + 1; b < len(c.Agents); b++ {
					p := s.job(i)
					require.Equal(t, i, p.Pair)
					require.Equal(t, round, p.Round)
					require.Equal(t, r, c.Rules[p.Rules])
					require.Equal(t, [2]int{a, b}, p.Agents)
					for game := range 2 {
						seated := p.seated(game)
						require.Equal(t, [2]int{a, b}[game], seated[rules.South])
						require.Equal(t, a+b, seated[rules.South]+seated[rules.North])
						seeds[s.config.seed(p, game, rules.South)] = true
						seeds[s.config.seed(p, game, rules.North)] = true
					}
					i++
				}
			}
		}
	}
	require.Equal(t, s.Len(), i)
	require.Len(t, seeds, int(4*s.Len()), "no two agents share a seed")
}

// A pairing's games don't depend on what else is played.
func TestSeedsBelongToThePairing(t *testing.T) {
	small, large := testConfig(t, "scored", "random"), testConfig(t, "random:id=1", "scored", "random")
	large.Rules, large.Pairs = large.Rules[1:], 9
	s, l := newPlan(&small), newPlan(&large)
	ps, pl := s.job(1), l.job(2)
	require.Equal(t, small.Rules[ps.Rules].String(), large.Rules[pl.Rules].String())
	for game := range 2 {
		require.Equal(t, s.config.seed(ps, game, rules.North), l.config.seed(pl, game, rules.North))
	}
}
