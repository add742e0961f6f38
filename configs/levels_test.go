package configs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/rules"
)

// Every level can be made and begin a game of every family, and was measured against the one
// before.
func TestLevels(t *testing.T) {
	list, kinds := ListLevels(), Levels(builtin.Registry())
	require.Len(t, kinds, len(list))
	registry := builtin.Registry(kinds...)
	for i, l := range list {
		require.Equal(t, l.Name, kinds[i].Name)
		spec := agents.Spec{Kind: l.Name}
		a, err := registry.New(spec)
		require.NoError(t, err)
		require.Equal(t, i < len(list)-1, registry.Light(spec), l.Name)
		require.NotEmpty(t, l.Doc)
		for _, other := range list {
			require.NotContains(t, l.Doc, other.Name, "it is to be understood without the other levels")
		}
		for _, name := range RatedRules() {
			require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: rules.MustParse(name)}))
			if i > 0 {
				require.Positive(t, l.Step[name].Error, "%s under %s", l.Name, name)
				require.Equal(t, list[i-1].Elo[name].Elo+l.Step[name].Elo, l.Elo[name].Elo)
			}
		}
	}
}

// The tournament of the levels is their ladder.
func TestLevelsTournament(t *testing.T) {
	kinds := Levels(builtin.Registry())
	c, err := LoadTournament("tournaments/levels.yaml", builtin.Registry(kinds...))
	require.NoError(t, err)
	require.EqualValues(t, "ladder", c.Schedule)
	require.Len(t, c.Agents, len(kinds))
	for i, k := range kinds {
		require.Equal(t, k.Name, c.Agents[i].String())
	}
}
