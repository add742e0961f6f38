package configs

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	tableRow = regexp.MustCompile("(?m)^\\| ((?:`[^`]+`(?:, )?)+) \\|")
	codeSpan = regexp.MustCompile("`([^`]+)`")
	expected = regexp.MustCompile(`(?m)unknown key "0" in [^,]*, expected one of: (.*)$`)
)

// The tables of keys in the manual of training have the keys of each kind of file, and no others.
func TestKeysOfTraining(t *testing.T) {
	manual, err := os.ReadFile("../tournament/training/README.md")
	require.NoError(t, err)
	const spsaParameters = "agent: alphabeta:depth=1\nparameters: {weight.near: {0: 0, c: 1}}"
	for _, c := range []struct {
		heading string
		groups  map[string]string // a file with an unknown key in a mapping, by the path of that
		load    func(path string) error
	}{
		{
			"Self-play files",
			map[string]string{
				"": "0: 0", "openings.": "openings: {0: 0}", "limits.": "limits: {0: 0}", "explore.": "explore: {0: 0}",
				"split.": "split: {0: 0}",
			},
			func(path string) error { _, err := LoadSelfPlay(path, exploring()); return err },
		},
		{
			"Texel files",
			map[string]string{"": "0: 0", "network.": "network: {0: 0}", "policy.": "policy: {0: 0}"},
			func(path string) error { _, err := LoadTexel(path); return err },
		},
		{
			"SPSA files",
			map[string]string{
				"": "0: 0", "openings.": "openings: {0: 0}", "limits.": "limits: {0: 0}",
				"verification.": "verification: {0: 0}", "parameters.NAME.": spsaParameters,
			},
			func(path string) error { _, err := LoadSPSA(path, exploring()); return err },
		},
		{
			"Training files",
			map[string]string{
				"": "0: 0", "selfplay.": "selfplay: {0: 0}", "selfplay.explore.": "selfplay: {explore: {0: 0}}",
				"selfplay.split.": "selfplay: {split: {0: 0}}", "selfplay.openings.": "selfplay: {openings: {0: 0}}",
				"selfplay.limits.": "selfplay: {limits: {0: 0}}", "selfplay.stages.": "selfplay: {stages: [{0: 0}]}",
				"rating.": "rating: {0: 0}", "tune.": "tune: {0: 0}",
				"tune.network.": "tune: {network: {0: 0}}", "tune.policy.": "tune: {policy: {0: 0}}", "match.": "match: {0: 0}",
				"match.openings.": "match: {openings: {0: 0}}", "match.limits.": "match: {limits: {0: 0}}",
			},
			func(path string) error { _, err := LoadGenerations(path, exploring()); return err },
		},
	} {
		want := map[string]bool{}
		for prefix, text := range c.groups {
			found := expected.FindStringSubmatch(c.load(write(t, text)).Error())
			require.NotNil(t, found, text)
			for key := range strings.SplitSeq(found[1], ", ") {
				want[prefix+key] = true
			}
		}
		for prefix := range c.groups { // the key of a mapping may be shown by those in it alone
			delete(want, strings.TrimSuffix(strings.TrimSuffix(prefix, "."), ".NAME"))
		}
		_, section, ok := strings.Cut(string(manual), "\n### "+c.heading+"\n")
		require.True(t, ok, c.heading)
		section, _, _ = strings.Cut(section, "\n##")
		shown := map[string]bool{}
		for _, row := range tableRow.FindAllStringSubmatch(section, -1) {
			for _, key := range codeSpan.FindAllStringSubmatch(row[1], -1) {
				shown[key[1]] = true
			}
		}
		for _, mapping := range []string{"network", "policy", "tune.network", "tune.policy", "parameters", "selfplay.stages"} {
			delete(shown, mapping)
		}
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(shown)), c.heading)
	}
}
