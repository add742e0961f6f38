package configs

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
	"gyges/rules"
)

// Every level can be made and begin a game of every family; they are in order.
func TestLevels(t *testing.T) {
	levels, err := Levels(builtin.Registry(explore.Kind(builtin.Registry())))
	require.NoError(t, err)
	require.Len(t, levels, 10)
	require.Equal(t, "beginner", levels[0].Name)
	require.Equal(t, "master", levels[len(levels)-1].Name)
	registry := builtin.Registry(levels...)
	for i, k := range levels {
		require.Contains(t, k.Doc, fmt.Sprintf("level %d, ", i+1))
		a, err := registry.New(agents.Spec{Kind: k.Name})
		require.NoError(t, err)
		require.Equal(t, k.Name != "master", registry.Light(agents.Spec{Kind: k.Name}), "the strongest takes half a second")
		for _, name := range []string{"standard", "simplified", "kang"} {
			require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: rules.MustParse(name)}))
		}
	}
}

// The Elo of the levels is that of the table, above the weakest level.
func TestLevelElo(t *testing.T) {
	text, err := os.ReadFile("../results/reference/levels.md")
	require.NoError(t, err)
	want := map[string]map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \| (\S+) ± \d+ \| (\S+) ± \d+ \| (\S+) ± \d+ \|$`).
		FindAllStringSubmatch(string(text), -1) {
		want[row[1]] = map[string]int{}
		for i, preset := range []string{"standard", "simplified", "kang"} {
			n, err := strconv.Atoi(strings.Replace(row[2+i], "−", "-", 1))
			require.NoError(t, err)
			want[row[1]][preset] = n
		}
	}
	weakest := maps.Clone(want["beginner"])
	for _, elo := range want {
		for preset := range elo {
			elo[preset] -= weakest[preset]
		}
	}
	list, err := ListLevels()
	require.NoError(t, err)
	got := map[string]map[string]int{}
	for _, l := range list {
		got[l.Name] = l.Elo
	}
	require.Equal(t, want, got)
}

// The tournament of the levels has them all.
func TestLevelsTournament(t *testing.T) {
	levels, err := Levels(builtin.Registry(explore.Kind(builtin.Registry())))
	require.NoError(t, err)
	c, err := LoadTournament("tournaments/levels.yaml", builtin.Registry(levels...))
	require.NoError(t, err)
	require.Len(t, c.Agents, len(levels))
}
