package tournament

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/rules/base/problems"
)

func TestValidateReportsEverything(t *testing.T) {
	c := testConfig(t, "random", "random", "nobody", "random:size=1,id=x", "human", "broken")
	c.Name = "a/b"
	custom, err := rules.New("mine", rules.MustParse("kang").Options())
	require.NoError(t, err)
	c.Rules = []*rules.Rules{rules.MustParse("kang"), nil, custom, rules.MustParse("kang")}
	c.Pairs, c.Workers = 0, -1
	c.Openings = Openings{Policy: "list", Plies: 41}
	c.Limits.Depth, c.Limits.Nodes, c.Limits.MoveTime = -1, -1, -time.Second
	want := []string{
		`name: expected 1 to 64 letters, digits, '-', '_' or '.', the first a letter or a digit, found "a/b"`,
		`rules[1]: expected a rule set, found none`,
		`rules[2]: expected a rule set that its name "mine" describes in full, like standard:null_move=allow`,
		`rules[3]: rule set kang is listed twice`,
		`agents[1]: agent "random" is listed twice; give one a name, like random:name=b`,
		`agents[2]: agent "nobody": unknown kind "nobody"; expected one of: `,
		`agents[3]: agent "random:size=1,id=x": unknown parameter "size"; random takes id`,
		`agents[3]: agent "random:size=1,id=x": parameter id: expected a whole number from 0 to 1000, found "x"`,
		`agents[4]: agent "human" needs a person at the terminal; expected agents that play by themselves`,
		`agents[5]: agent "broken": out of ideas`,
		`pairs: expected a number from 1 to 1000000, found 0`,
		`openings.policy: expected random, agents, setups or file, found "list"`,
		`openings.plies: expected a number from 0 to 40, found 41`,
		`limits.depth: expected a number from 0 (no limit) to 1000, found -1`,
		`limits.nodes: expected a number from 0 (no limit) to 1000000000000, found -1`,
		`limits.movetime: expected a time from 0s (no limit) to 24h, found -1s`,
		`workers: expected a number from 0 (all cores) to 1024, found -1`,
	}
	got := strings.Split(c.Validate(testRegistry(nil)).Error(), "\n")
	require.Len(t, got, len(want))
	for i := range want {
		require.Contains(t, got[i], want[i])
	}
}

func TestValidateOne(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"fine":      {func(*Config) {}, ""},
		"no agents": {func(c *Config) { c.Agents = nil }, "agents: expected 2 to 1000 agents, found 0"},
		"one agent": {func(c *Config) { c.Agents = c.Agents[:1] }, "agents: expected 2 to 1000 agents, found 1"},
		"no rules":  {func(c *Config) { c.Rules = nil }, "rules: expected 1 to 64 rule sets, found 0"},
		"plies": {func(c *Config) { c.Openings = Openings{Policy: AgentOpenings, Plies: 1} },
			"openings.plies: expected none with policy agents, found 1"},
		"short games": {func(c *Config) {
			c.Rules = []*rules.Rules{rules.MustParse("standard:max_plies=3")}
			c.Openings.Plies = 4
		}, "openings: rules standard:max_plies=3: none of 10000 random openings of 4 plies passed the screen; expected fewer plies"},
		"no name":        {func(c *Config) { c.Name = "" }, "name: "},
		"hidden name":    {func(c *Config) { c.Name = ".." }, "name: "},
		"out is for Run": {func(c *Config) { c.Out = "" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			config := testConfig(t, "random", "scored")
			c.change(&config)
			err := config.Validate(testRegistry(nil))
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			var fe *problems.FieldError
			require.ErrorAs(t, err, &fe)
		})
	}
}

func TestDefaultOut(t *testing.T) {
	t.Chdir(t.TempDir())
	at := time.Date(2026, 2, 3, 1, 4, 5, 0, time.FixedZone("", 3600))
	for _, want := range []string{"results/quick-20260203-000405", "results/quick-20260203-000405-2",
		"results/quick-20260203-000405-3"} {
		require.Equal(t, want, DefaultOut("results", "quick", at))
		require.NoError(t, os.MkdirAll(want, 0o700))
	}
}
