package configs

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/rules"
)

// loadKind reads a file as the command that a template is for does.
func loadKind(kind, path string) (err error) {
	switch kind {
	case "train":
		_, err = LoadGenerations(path, nil, exploring())
	case "spsa":
		_, err = LoadSPSA(context.Background(), path, nil, exploring())
	case "texel":
		_, err = LoadTexel(path, nil)
	default:
		_, err = LoadTournament(path, exploring())
	}
	return err
}

// Every template is accepted as it is, and with all keys that have a default: they are what they
// say. Its lines are at most 80 columns wide, and every key has a comment.
func TestTemplates(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"tournament", "match", "train", "spsa", "texel"} {
		for _, preset := range []string{"standard", "simplified", "kang", "standard:null_move=allow"} {
			text := Template(kind, rules.MustParse(preset))
			path := filepath.Join(t.TempDir(), "run.yaml")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			require.NoError(t, loadKind(kind, path), "%s %s", kind, preset)
			require.Contains(t, text, preset)
			require.NotRegexp(t, `(?m)^[ #]*# ?$`, text)
			for line := range strings.Lines(text) {
				require.LessOrEqual(t, len([]rune(line)), 81, line)
			}
			whole := uncommented(strings.Replace(text, "#weights: zero\n", "", 1)) // the key is given twice
			require.NoError(t, os.WriteFile(path, []byte(whole), 0o644))
			require.NoError(t, loadKind(kind, path), "%s %s\n%s", kind, preset, whole)
		}
	}
}

// The template of a training has one line that begins it from nothing.
func TestTemplateFromNothing(t *testing.T) {
	t.Parallel()
	for _, preset := range []string{"standard", "simplified", "kang"} {
		text := Template("train", rules.MustParse(preset))
		require.Equal(t, 1, strings.Count(text, "\n# From nothing, by the results of games alone:\n#weights: zero\n"))
		c, err := LoadGenerations(write(t, strings.Replace(text, "\n#weights: zero\n", "\nweights: zero\n", 1)), nil, exploring())
		require.NoError(t, err)
		require.Equal(t, eval.Vector{}, c.Weights.Values)
		require.Equal(t, preset, c.Weights.Rules)
		require.Positive(t, c.Settings.Scale)
	}
}

// uncommented removes the # before keys that have a value, and before their groups.
func uncommented(text string) string {
	var list []string
	lines := strings.Split(text, "\n")
	key := regexp.MustCompile(`^( *)#((?:  )*)([a-z0-9_]+:(?: .*)?)$`)
	for i, line := range lines {
		m := key.FindStringSubmatch(line)
		isGroup := m != nil && strings.HasSuffix(line, ":") && strings.HasPrefix(lines[i+1], m[1]+"#"+m[2]+"  ")
		if m != nil && (isGroup || !strings.HasSuffix(line, ":")) {
			line = m[1] + m[2] + m[3]
		}
		list = append(list, line)
	}
	return strings.Join(list, "\n")
}
