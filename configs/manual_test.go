package configs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"gyges/agents/builtin"
	"gyges/agents/tuning/spsa"
	"gyges/rules"
	"gyges/tournament/schedule"
	"gyges/tournament/training"

	"github.com/stretchr/testify/require"
)

// Every file that ships can be used as it is, from the repository's root.
func TestShippedFiles(t *testing.T) {
	t.Chdir("..")
	registry := builtin.Registry(Levels(exploring())...)
	paths, err := filepath.Glob("configs/*/*.yaml")
	require.NoError(t, err)
	games := map[string]int64{}
	for _, path := range paths {
		folder, name, small := filepath.Base(filepath.Dir(path)), nameOf(path), nameOf(path) == "small"
		switch {
		case folder == "tournaments":
			c, err := LoadTournament(path, registry)
			require.NoError(t, err)
			games[c.Name] = c.Games()
		case folder == "selfplay":
			c, err := LoadSelfPlay(path, registry)
			require.NoError(t, err)
			want := training.DefaultSelfPlay()
			want.Tournament.Name, want.Tournament.Agents = name, c.Tournament.Agents
			require.Len(t, c.Tournament.Agents, 1)
			if !small { // the others are the defaults, each for its rule set
				want.Tournament.Rules = []*rules.Rules{rules.MustParse(name)}
				require.Equal(t, want, c)
			}
		case folder == "training":
			c, err := LoadGenerations(path, nil, registry)
			require.NoError(t, err)
			require.True(t, small || c.Rules.String() == name)
			require.Equal(t, schedule.RandomOpenings, c.Match.Openings.Policy)
		case strings.HasSuffix(name, "spsa"):
			c, err := LoadSPSA(t.Context(), path, nil, registry)
			require.NoError(t, err)
			require.NotEmpty(t, c.Agent.Kind)
			if name == "spsa" {
				require.Equal(t, spsa.Param{Name: "rfp_margin", Start: 30, Min: 20, Max: 400, C: 20, Whole: true},
					c.Method.Params[0])
			}
		default:
			require.Equal(t, "tuning", folder)
			c, err := LoadTexel(path, nil)
			require.NoError(t, err)
			require.Equal(t, c.Rules.String(), c.Parent.Rules)
		}
	}
	require.Equal(t, map[string]int64{"quick": 360, "ci": 36, "nodes": 300, "levels": 5400}, games)
}

// The manual lists every file that ships.
func TestManual(t *testing.T) {
	manual, err := Manuals.ReadFile("README.md")
	require.NoError(t, err)
	count := 0
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".yaml" {
			count++
			require.Contains(t, string(manual), "\n| ["+name+"]("+name+") | ")
		}
		return err
	}))
	require.NotZero(t, count)
}
