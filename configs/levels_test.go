package configs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
	"gyges/rules"
	"gyges/tournament"
)

var measured = []string{"standard", "simplified", "kang"}

// Every level can be made and begin a game of every family; they are in order.
func TestLevels(t *testing.T) {
	levels, err := Levels(builtin.Registry(explore.Kind(builtin.Registry())))
	require.NoError(t, err)
	require.Equal(t, "beginner", levels[0].Name)
	require.Equal(t, "master", levels[len(levels)-1].Name)
	registry := builtin.Registry(levels...)
	for i, k := range levels {
		require.Contains(t, k.Doc, fmt.Sprintf("level %d, ", i+1))
		a, err := registry.New(agents.Spec{Kind: k.Name})
		require.NoError(t, err)
		require.Equal(t, i < len(levels)-2, registry.Light(agents.Spec{Kind: k.Name}), "the strongest takes half a second")
		for _, name := range measured {
			require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: rules.MustParse(name)}))
		}
	}
}

// The page of the levels has the ratings and the steps of the file that ships, and no step is above 250 Elo.
func TestLevelElo(t *testing.T) {
	text, err := os.ReadFile("../results/reference/levels.md")
	require.NoError(t, err)
	list, err := ListLevels()
	require.NoError(t, err)
	for i, l := range list {
		elo := "| " + l.Name + " |"
		for _, preset := range measured {
			require.Contains(t, l.Elo, preset)
			elo += fmt.Sprintf(" %d |", l.Elo[preset])
			s := l.Step[preset]
			require.LessOrEqual(t, s.Elo, 250.0, "%s under %s", l.Name, preset)
			if i > 0 {
				require.Positive(t, s.Error)
				elo += fmt.Sprintf(" %.0f ± %.0f |", s.Elo, s.Error)
			} else {
				elo += " |"
			}
		}
		require.Contains(t, strings.ReplaceAll(string(text), "−", "-"), "\n"+elo+"\n")
	}
}

// The tournament of the levels is their ladder, as long as the ratings claim.
func TestLevelsTournament(t *testing.T) {
	levels, err := Levels(builtin.Registry(explore.Kind(builtin.Registry())))
	require.NoError(t, err)
	c, err := LoadTournament("tournaments/levels.yaml", builtin.Registry(levels...))
	require.NoError(t, err)
	require.Equal(t, tournament.Ladder, c.Schedule)
	require.GreaterOrEqual(t, c.Pairs, 150)
	for i, k := range levels {
		require.Equal(t, k.Name, c.Agents[i].String())
	}
	require.Len(t, c.Agents, len(levels))
}

// An agent is a level by its name or by what plays, under any name in tables.
func TestLevelOf(t *testing.T) {
	list, err := ListLevels()
	require.NoError(t, err)
	for text, want := range map[string]string{
		"intermediate": "intermediate", "greedy:name=mine": "intermediate", "random": "beginner",
		"alphabeta:nodes=3000,hash=1": "advanced", "alphabeta:nodes=3000,name=advanced": "", "intermediate:depth=1": "",
	} {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		l, ok := LevelOf(list, spec)
		require.Equal(t, want, l.Name, text)
		require.Equal(t, want != "", ok)
	}
}
