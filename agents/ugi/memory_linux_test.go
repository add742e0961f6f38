// The race detector takes more memory for itself than the engines here may have.

//go:build !race

package ugi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
)

// An engine that wants more memory than it may have ends, which is its own fault;
// one that doesn't plays as always.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("italian")
	p, err := r.ParsePosition("321123/000000/000000/000000/000000/321123 s")
	require.NoError(t, err)
	for habit, ends := range map[string]bool{"hoards": true, "good": false} {
		a := newAgent(t, ugitest.Spec(t, habit, ",memory=400"))
		require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: r}))
		_, err := a.Choose(t.Context(), rules.NewGame(r, p), agents.Limits{})
		require.NoError(t, err)
		_, err = a.Choose(t.Context(), rules.NewGame(r, p), agents.Limits{})
		if ends {
			var f *agents.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, agents.Crashed, f.Kind)
		} else {
			require.NoError(t, err)
		}
		require.NoError(t, a.(*host).Close())
	}
}
