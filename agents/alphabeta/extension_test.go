package alphabeta

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

// A leaf whose side must stop a win is searched one ply deeper, unless the node before it was; no
// other leaf is.
func TestThreatExtension(t *testing.T) {
	g, s := startedSearch(t)
	root := g.Position()
	f := &s.stack[0]
	s.generate(root, f)
	s.line.Push(root)
	nodes := func(p rules.Position, parentExtended bool) int64 {
		f.extended = parentExtended
		before := s.nodeCount
		s.alphaBeta(p, -infinity, infinity, 0, false)
		return s.nodeCount - before
	}
	extended, others := 0, 0
	for m := range f.moves.All() {
		next := g.Rules().Apply(root, m)
		static := s.evaluate(next, next.Hash())
		if static.has(evalWins) {
			continue
		}
		require.Equal(t, int64(1), nodes(next, true))
		switch {
		case !static.has(evalAttacked):
			require.Equal(t, int64(1), nodes(next, false))
			others++
		case nodes(next, false) > 1: // else nothing stops the win
			extended++
		}
	}
	require.Positive(t, extended)
	require.Positive(t, others)

	s.Selective = 0
	for m := range f.moves.All() {
		require.Equal(t, int64(1), nodes(g.Rules().Apply(root, m), false))
	}
}
