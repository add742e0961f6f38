package tournament

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/tournament/schedule"
)

func TestValidateReportsEverything(t *testing.T) {
	c := testConfig(t, "random", "random", "nobody", "random:size=1,id=x", "human", "broken")
	c.Name = "a/b"
	custom, err := rules.New("mine", rules.MustParse("kang").Options())
	require.NoError(t, err)
	c.Rules = []*rules.Rules{rules.MustParse("kang"), nil, custom, rules.MustParse("kang")}
	c.Pairs, c.Workers = 0, -1
	c.Openings = schedule.Openings{Policy: "list", Plies: 41}
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

func TestDefaultOut(t *testing.T) {
	t.Chdir(t.TempDir())
	at := time.Date(2026, 2, 3, 1, 4, 5, 0, time.FixedZone("", 3600))
	for _, want := range []string{"results/quick-20260203-000405", "results/quick-20260203-000405-2",
		"results/quick-20260203-000405-3"} {
		require.Equal(t, want, DefaultOut("results", "quick", at))
		require.NoError(t, os.MkdirAll(want, 0o700))
	}
}

func TestValidateOne(t *testing.T) {
	for message, change := range map[string]func(*Config){
		"agents: expected 2 to 1000 agents, found 0": func(c *Config) { c.Agents = nil },
		"agents: expected 2 to 1000 agents, found 1": func(c *Config) { c.Agents = c.Agents[:1] },
		"rules: expected 1 to 64 rule sets, found 0": func(c *Config) { c.Rules = nil },
		"openings.plies: expected none with policy agents, found 1": func(c *Config) {
			c.Openings = schedule.Openings{Policy: schedule.AgentOpenings, Plies: 1}
		},
		"openings: rules standard:max_plies=3: none of 10000 random openings of 4 plies passed the screen; " +
			"expected fewer plies": func(c *Config) {
			c.Rules, c.Openings.Plies = []*rules.Rules{rules.MustParse("standard:max_plies=3")}, 4
		},
		`name: expected 1 to 64 letters, digits, '-', '_' or '.', the first a letter or a digit, found ""`: func(c *Config) {
			c.Name = ""
		},
		`the first a letter or a digit, found ".."`:                    func(c *Config) { c.Name = ".." },
		"schedule: expected round-robin, ":                             func(c *Config) { c.Schedule = "x" },
		"rounds: expected none with the schedule round-robin":          func(c *Config) { c.Rounds = 2 },
		"rounds: expected a number from 1 to 3 with 3 agents, found 4": func(c *Config) { c.Schedule, c.Rounds = "swiss", 4 },
		"rounds: expected a number from 1 to 1 with 2 agents, found 2": func(c *Config) {
			c.Schedule, c.Rounds, c.Agents = "swiss", 2, c.Agents[:2]
		},
		"sprt: expected two agents, found 3":                 func(c *Config) { c.SPRT = sprt.Default() },
		"sprt: expected none in self-play":                   func(c *Config) { c.SPRT, c.Schedule = sprt.Default(), schedule.SelfPlay },
		"sprt: expected elo0 below elo1":                     func(c *Config) { c.SPRT = sprt.Default(); c.SPRT.Elo1 = -1 },
		"until_error: expected none with the schedule swiss": func(c *Config) { c.Schedule, c.UntilError = "swiss", 20 },
		"until_error: expected none beside sprt": func(c *Config) {
			c.Agents, c.SPRT, c.UntilError = c.Agents[:2], sprt.Default(), 20
		},
		"until_error: expected a number from 0 (never) to 1000, found -1": func(c *Config) { c.UntilError = -1 },
	} {
		c := testConfig(t, "random", "scored", "random:id=1")
		c.Out = "" // which is for Run
		require.NoError(t, c.Validate(testRegistry(nil)))
		change(&c)
		err := c.Validate(testRegistry(nil))
		require.ErrorContains(t, err, message)
		require.ErrorAs(t, err, new(*problems.FieldError))
	}
}

// A config that comes from anywhere has a schedule or a reason for having none, by the same bounds
// as one that is played.
func TestRecordedSchedule(t *testing.T) {
	for text, want := range map[string]string{
		`"schedule": "swiss", "rounds": 3, "pairs": 1`: "",
		`"schedule": "swiss", "pairs": 1`:              "",
		`"schedule": "swiss", "rounds": 4, "pairs": 1`: "rounds: expected a number from 1 to 3 with 3 agents, found 4",
		`"schedule": "swiss", "rounds": 1000000000000, "pairs": 1`: "rounds: expected a number from 1 to 3 with 3 agents, found " +
			"1000000000000",
		`"schedule": "swiss", "rounds": -1, "pairs": 1`:      "rounds: expected a number from 1 to 3 with 3 agents, found -1",
		`"schedule": "swiss", "rounds": "many", "pairs": 1`:  `rounds: expected a whole number, found "many"`,
		`"schedule": "gauntlet", "rounds": 1, "pairs": 1`:    "rounds: expected none with the schedule gauntlet",
		`"schedule": "danish", "pairs": 1`:                   `schedule: expected round-robin, gauntlet,`,
		`"schedule": "knockout", "pairs": 1000001`:           "pairs: expected a number from 1 to 1000000, found 1000001",
		`"schedule": "knockout"`:                             "pairs: expected a number from 1 to 1000000, found 0",
		`"schedule": "knockout", "pairs": 1, "rules": []`:    "rules: expected 1 to 64 rule sets, found 0",
		`"schedule": "knockout", "pairs": 1, "agents": []`:   "agents: expected 2 to 1000 agents, found 0",
		`"schedule": "knockout", "pairs": 1, "suspend": -10`: "", // which has no say in the schedule
	} {
		var c Config
		list := `{"rules": ["standard"], "agents": ["random", "new-kind:x=1", "random:name=c"], ` + text + `}`
		require.NoError(t, json.Unmarshal([]byte(list), &c), text)
		s, err := c.Recorded()
		if want == "" {
			require.NoError(t, err, text)
			require.NotZero(t, s.Len())
			continue
		}
		require.ErrorContains(t, err, want, text)
		require.Nil(t, s)
	}
}
