package tournament

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament/game"
	"gyges/tournament/schedule"
)

// Bounds of a Config that its tags don't hold.
const (
	maxAgents  = 1000
	maxRules   = 64
	maxWorkers = 1024 // as the tag of Workers
)

// Config says which tournament is played: its settings, which files, flags, manifests and workers
// have by the same names, with what they mean in their tags (see package settings), and what the
// program adds. Start from [DefaultConfig]; the zero value lacks rules and agents.
type Config struct {
	Name       string         `yaml:"name" form:"a name, in quotes if it is a number" help:"Name of the run, and of its folder under results. Default: the file's."`
	Rules      []*rules.Rules `yaml:"rules" form:"a rule set, like standard or standard:null_move=allow" name:"rules" sep:"," help:"Rule sets; every pairing plays under each."`
	Agents     []agents.Spec  `yaml:"agents" form:"an agent spec, like random or alphabeta:depth=2" name:"agent" placeholder:"AGENT" help:"A player, as an agent spec; may be repeated. See gyges agents."`
	Schedule   schedule.Name  `yaml:"schedule" zero:"round-robin" name:"schedule" placeholder:"FORMAT" help:"Who meets whom:"`
	Rounds     int            `yaml:"rounds" name:"rounds" placeholder:"N" help:"Rounds of a schedule that has them, such as swiss. Default: as many as halve the players to one."`
	Pairs      int            `yaml:"pairs" check:"1..1000000" name:"pairs" placeholder:"N" help:"Game pairs for every two players and rule set: one opening, played twice with sides swapped. With sprt or until_error the most; 100000 if not given."`
	SPRT       sprt.Test      `yaml:"sprt" form:"a test, like elo0=0,elo1=10" name:"sprt" placeholder:"TEST" help:"Stop when elo0 or elo1 is accepted: elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized (or logistic); omitted values are as here."`
	UntilError float64        `yaml:"until_error" check:"0..1000" zero:"never" name:"until-error" placeholder:"ELO" help:"Stop when every 95 % interval is within ± ELO: that of the difference of two players, those of all ratings of several, under each rule set. Not with sprt, and schedules whose length is fixed."`

	game.Settings `yaml:",inline"`

	Suspend int    `yaml:"suspend" check:"0..1000000" zero:"never" name:"suspend" placeholder:"N" help:"Games in a row a player loses by faults until it is suspended; 0: never."`
	Seed    uint64 `yaml:"seed" name:"seed" placeholder:"N" help:"Seed of all random choices."`
	Workers int    `yaml:"workers" check:"0..1024" zero:"all cores" name:"workers" placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Out     string `yaml:"out" form:"a folder, in quotes if it is a number" json:"-" name:"out" placeholder:"DIR" help:"Folder for the records; a run that was stopped there resumes. Default: a new one, results/NAME-TIME."`

	// Unknown joins a [problems.FieldError] for each value read from JSON that this program doesn't
	// know.
	Unknown error

	// Files has the paths of files that Agents name otherwise, as in a folder that may be moved.
	Files map[string]string

	// Read has the files that Agents name, which [Run] reads once.
	Read []agents.File

	// Engines are the external programs that Agents must be, by their labels; nil: any.
	// [Runner.Start] sets it to those that it finds.
	Engines map[string]*agents.Program

	// Extend lets a run that was stopped, or has ended, go on with more pairs, further agents or a
	// smaller UntilError.
	Extend bool

	// Again has the indices of agents whose games of the run in the folder are played anew, see
	// [Config.SetAgain].
	Again []int

	// Executor plays the pairs; nil: this process, with Workers games at a time.
	Executor Executor

	// OnBegin, if not nil, is called before the first game, with the number of games that were in
	// the folder, and what tells them from others. Those before a gap have been passed on by then.
	OnBegin func(kept int64, has func(game int64) bool) `json:"-"`

	// OnFinished, if not nil, is called with the number of games that the folder has, those from
	// before included, when a game has been played to its end. One that waits for an earlier game
	// is passed to onGame of [Run] later.
	OnFinished func(games int64) `json:"-"`

	// Log receives warnings; nil: none are logged.
	Log *slog.Logger
}

func (c *Config) warn(message string, args ...any) {
	if c.Log != nil {
		c.Log.Warn(message, args...)
	}
}

// DefaultConfig returns a config that lacks only the agents and, for Run, the folder.
func DefaultConfig() Config {
	c := Config{
		Name:     "tournament",
		Rules:    []*rules.Rules{rules.MustParse("standard")},
		Pairs:    10,
		Settings: game.DefaultSettings(),
		Seed:     1,
		Suspend:  10,
	}
	c.Openings.Policy = schedule.RandomOpenings
	return c
}

// MatchName is the name of the runs of gyges match.
const MatchName = "match"

// DefaultMatch returns the DefaultConfig of matches of two agents, without openings, see
// [schedule.Openings.ForMatch].
func DefaultMatch() Config {
	c := DefaultConfig()
	c.Openings.Policy = ""
	return c
}

// UnsetPairs are Pairs that [Config.SetPairs] replaces.
const UnsetPairs = math.MinInt

// SetPairs sets Pairs that are UnsetPairs: to those of [DefaultConfig], or to 100,000 if something
// else ends the run.
func (c *Config) SetPairs() {
	switch {
	case c.Pairs != UnsetPairs:
	case c.sequential():
		c.Pairs = 100_000
	default:
		c.Pairs = DefaultConfig().Pairs
	}
}

// sequential reports whether the results decide when the run ends.
func (c *Config) sequential() bool { return c.SPRT != (sprt.Test{}) || c.UntilError > 0 }

// DefaultOut returns the path of a folder of a run that starts at a time. None is there, even in
// the same second.
func DefaultOut(results, name string, start time.Time) string {
	base := results + "/" + name + "-" + start.UTC().Format("20060102-150405")
	if _, err := os.Lstat(base); err != nil {
		return base
	}
	return freePath(base+"-", 2, "")
}

// freePath returns the first path that is free of those with a number, from the first one on,
// between two texts.
func freePath(before string, first int, after string) string {
	for n := first; ; n++ {
		path := before + strconv.Itoa(n) + after
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}

// Size is what the schedule has of the config.
func (c *Config) Size() schedule.Size {
	return schedule.Size{
		Players: len(c.Agents), Rounds: c.Rounds, Pairs: c.Pairs, RuleSets: len(c.Rules),
	}
}

// Games returns how many games the config schedules.
func (c *Config) Games() int64 { return c.Size().Games(c.Schedule.Format()) }

// Validate checks everything but Out, and makes each agent once, to find bad parameters and missing
// files. The error joins a *[problems.FieldError] for each thing that is wrong.
func (c *Config) Validate(registry *agents.Registry) error {
	var p problems.List
	CheckName(&p, c.Name)
	c.checkRules(&p)
	c.checkAgents(&p, registry)
	c.checkPlan(&p)
	c.Check(&p, "", c.Rules, c.Seed)
	return p.Err()
}

// checkPlan checks each setting by itself, and those that say who meets whom in how many games:
// what can be checked of a config without making its agents.
func (c *Config) checkPlan(p *problems.List) {
	p.Expect(problems.Within(len(c.Rules), 1, maxRules), "rules",
		"expected 1 to %d rule sets, found %d", maxRules, len(c.Rules))
	fewest := 2
	if c.Schedule.Format().About().Alone {
		fewest = 1
	}
	p.Expect(problems.Within(len(c.Agents), fewest, maxAgents), "agents",
		"expected %d to %d agents, found %d", fewest, maxAgents, len(c.Agents))
	settings.Check(p, c, "")
	c.checkSchedule(p)
	if len(*p) > 0 {
		return
	}
	p.Expect(c.Games() > 0, "schedule", "expected games for %d agents, found none in %s",
		len(c.Agents), c.Schedule)
	if c.sequential() {
		p.Expect(c.stages() == 1, "schedule",
			"expected one stage with sprt or until_error, found %s, which has %d",
			c.Schedule, c.stages())
	}
}

func (c *Config) stages() int { return len(c.Schedule.Format().Stages(len(c.Agents), c.Rounds)) }

// Recorded returns the schedule of a run whose records say who met. The error says why the config,
// which may come from anywhere, has none that this program knows.
func (c *Config) Recorded() (*schedule.Schedule, error) {
	var p problems.List
	c.checkPlan(&p)
	for _, err := range p {
		if isIn(err, "schedule", "agents", "rules", "rounds", "pairs") {
			return nil, err
		}
	}
	for _, err := range problems.Split(c.Unknown) {
		if isIn(err, "schedule", "rules", "rounds", "pairs") { // unknown agents are there as texts
			return nil, err
		}
	}
	return schedule.Recorded(c.Schedule.Format(), c.Size()), nil
}

// isIn reports whether an error is in one of some fields.
func isIn(err error, fields ...string) bool {
	field, ok := errors.AsType[*problems.FieldError](err)
	return ok && slices.Contains(fields, field.Field)
}

func (c *Config) checkRules(p *problems.List) {
	names := map[string]bool{}
	for i, r := range c.Rules[:min(len(c.Rules), maxRules)] {
		field := fmt.Sprintf("rules[%d]", i)
		if r == nil {
			p.Add(field, errors.New("expected a rule set, found none"))
			continue
		}
		again, err := rules.Parse(r.String())
		p.Expect(err == nil && again.Options() == r.Options(), field,
			"expected a rule set that its name %.60q describes in full, "+
				"like standard:null_move=allow", r)
		p.Expect(!names[r.String()], field, "rule set %s is listed twice", r)
		names[r.String()] = true
	}
}

func (c *Config) checkAgents(p *problems.List, registry *agents.Registry) {
	specs := map[string]bool{}
	labels := map[string]bool{}
	for i, spec := range c.Agents[:min(len(c.Agents), maxAgents)] {
		field := fmt.Sprintf("agents[%d]", i)
		text := spec.String()
		if specs[text] {
			named := spec.With("name", "b")
			p.Expect(false, field, "agent %.60q is listed twice; give one a name, like %s",
				text, named)
			continue
		}
		p.Expect(!labels[spec.Label()], field, "the name %.60q is given twice", spec.Label())
		specs[text] = true
		labels[spec.Label()] = true
		CheckAgent(p, field, registry, spec, c.Rules...)
	}
}

// CheckAgent adds what is wrong with an agent, also with playing by the rules listed; field is the
// key of its spec.
func CheckAgent(
	p *problems.List, field string, registry *agents.Registry, spec agents.Spec,
	list ...*rules.Rules,
) {
	if clock := spec.Get("clock"); clock != "" {
		if _, err := game.ParseClock(clock); err != nil {
			p.Add(field, fmt.Errorf("agent %.60q: parameter clock: %w", spec, err))
		}
	}
	for _, err := range problems.Split(tryAgent(registry, spec, list)) {
		p.Add(field, err)
	}
}

// tryAgent makes the agent of a spec and throws it away. The error joins everything that is wrong.
func tryAgent(registry *agents.Registry, spec agents.Spec, list []*rules.Rules) error {
	if _, err := agents.ParseSpec(spec.String()); err != nil {
		return err
	}
	if kind, _ := registry.Kind(spec); kind.Interactive { // registry.New has the error
		return fmt.Errorf("agent %.60q needs a person at the terminal; "+
			"expected agents that play by themselves", spec)
	}
	list = slices.Clone(list[:min(len(list), maxRules)])
	list = slices.DeleteFunc(list, func(r *rules.Rules) bool { return r == nil })
	agent, err := registry.New(spec, list...)
	if err != nil {
		return err
	}
	return agent.Close()
}

// checkSchedule checks what depends on the format, and on how the run ends.
func (c *Config) checkSchedule(p *problems.List) {
	format := c.Schedule.Format().About()
	if format.MostRounds == nil {
		p.Expect(c.Rounds == 0, "rounds", "expected none with the schedule %s", format.Name)
	} else {
		most := format.MostRounds(max(len(c.Agents), 2))
		p.Expect(problems.Within(c.Rounds, 0, most), "rounds",
			"expected a number from 1 to %d with %s, found %d",
			most, textfmt.Plural(len(c.Agents), "agent"), c.Rounds)
	}
	hasTest := c.SPRT != sprt.Test{}
	if c.UntilError > 0 {
		p.Expect(!format.Adaptive && !format.Alone, "until_error",
			"expected none with the schedule %s, whose length is fixed", format.Name)
		p.Expect(!hasTest, "until_error", "expected none beside sprt: one of the two ends the run")
	}
	if hasTest {
		p.Expect(len(c.Agents) == 2, "sprt", "expected two agents, found %d", len(c.Agents))
		p.Expect(!format.Alone, "sprt", "expected none in %s, where there is nothing to decide",
			format.Name)
		err := c.SPRT.Check()
		p.Expect(err == nil, "sprt", "%w", err)
	}
}

var runName = regexp.MustCompile(`^[a-zA-Z0-9][-a-zA-Z0-9_.]{0,63}$`)

// CheckName adds what is wrong with a run's name, which must do in a path on any system.
func CheckName(p *problems.List, name string) {
	p.Expect(runName.MatchString(name), "name",
		"expected 1 to 64 letters, digits, '-', '_' or '.', the first a letter or a digit, "+
			"found %.60q", name)
}
