package alphabeta

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

func TestScoresGoThroughTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ply := rapid.IntRange(0, maxDepth).Draw(t, "ply")
		score := agents.Score(rapid.IntRange(-int(agents.MaxEval), int(agents.MaxEval)).Draw(t, "score"))
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 1:
			score = agents.WinIn(ply + rapid.IntRange(1, 100).Draw(t, "plies"))
		case 2:
			score = -agents.WinIn(ply + rapid.IntRange(0, 100).Draw(t, "plies"))
		}
		require.Equal(t, score, fromTable(toTable(score, ply), ply))
	})
}

func TestTableKeepsWhatIsWorthMost(t *testing.T) {
	var tab table
	tab.reset(1)
	require.Len(t, tab.buckets, 1<<20/64)
	// Keys below 2^48 all lie in the first bucket.
	for depth := range uint8(6) {
		tab.store(entry{key: uint64(depth) + 1, depth: depth}, exactScore)
	}
	kept := func() (keys []int) {
		for key := range 20 {
			if _, ok := tab.find(uint64(key)); ok {
				keys = append(keys, key)
			}
		}
		return keys
	}
	require.Equal(t, []int{4, 5, 6}, kept()[1:], "the deepest stay")
	tab.newSearch()
	tab.store(entry{key: 10, depth: 0}, lowerBound)
	tab.store(entry{key: 11, depth: 0}, lowerBound)
	tab.store(entry{key: 12, depth: 0}, lowerBound)
	require.Equal(t, []int{6, 10, 11, 12}, kept(), "those of an earlier search go first")
	tab.store(entry{key: 11, depth: 3}, upperBound)
	e, _ := tab.find(11)
	require.Equal(t, uint8(3), e.depth)
	require.Equal(t, upperBound, e.bound())
	require.Len(t, kept(), 4)
	tab.reset(1)
	require.Empty(t, kept())
}

// BenchmarkEvaluate measures the static evaluation of positions that searches visit.
func BenchmarkEvaluate(b *testing.B) {
	for _, name := range []string{"standard", "simplified", "kang"} {
		b.Run(name, func(b *testing.B) {
			r := rules.MustParse(name)
			rng := rand.New(rand.NewPCG(1, 2))
			var s *search
			var positions []rules.Position
			for len(positions) < 2000 {
				g := agenttest.RandomGame(r, rng, rng.IntN(20))
				a := agenttest.New(b, Kind(), "alphabeta:depth=4", g)
				d := agenttest.Ask(b, a, g, agents.Request{Sample: 100})
				positions = append(positions, d.Sample...)
				s = &a.(*player).searches[0]
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p := positions[i%len(positions)]
				key := p.Hash()
				s.evals.entry(key).Store(0)
				s.evaluate(p, key)
			}
		})
	}
}
