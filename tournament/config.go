package tournament

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/problems"
)

// Bounds of a Config.
const (
	maxAgents       = 1000
	maxRules        = 64
	maxPairs        = 1_000_000
	maxWorkers      = 1024
	maxSuspend      = 1_000_000
	maxName         = 64
	maxDepth        = 1000
	maxNodes        = int64(1_000_000_000_000)
	maxMoveTime     = 24 * time.Hour
	maxStallTimeout = 24 * time.Hour
)

// Config says which tournament is played. Start from [DefaultConfig]; the zero
// value lacks rules and agents.
type Config struct {
	Name     string         // of the run, also of its folder: letters, digits, '-', '_', '.'
	Rules    []*rules.Rules // rule sets; every pairing plays under each
	Agents   []agents.Spec  // the players
	Format   Format         // who meets whom; empty: RoundRobin
	Rounds   int            // of a Swiss tournament; 0: as many as halve the agents down to one
	Pairs    int            // game pairs each pairing plays under each rule set, 1 to 1,000,000
	Openings Openings       // how games begin
	Limits   agents.Limits  // bounds of each decision, beside the agents' own; zero: none
	Seed     uint64         // what all chance in the run comes from
	Workers  int            // games at a time; 0: as many as the machine has cores for the program
	Out      string         // folder for the records; a run that was stopped there goes on

	// SPRT, between the first two agents, stops the run after the pair that
	// decides it; the zero value: none. Pairs is then the most that are played.
	SPRT sprt.Test

	Clock Clock // time for a whole game; zero: none. An agent's own goes before it.

	// TimeMargin is by how much a clock or a move time may be exceeded without loss.
	TimeMargin time.Duration

	// Adjudication ends games early; zero: none.
	Adjudication Adjudication

	// Extend lets a run that was stopped, or has ended, go on with more pairs.
	Extend bool

	// OnRepetition is what becomes of a move that only repetition or null-move
	// rules forbid; empty: it is forfeited like any illegal move.
	OnRepetition agents.OnRepetition

	// Executor plays the pairs; nil: this process, with Workers games at a time.
	Executor Executor

	// OnBegin is called before the first game is played, with the number of games that
	// the folder has and that were passed on. nil: it isn't.
	OnBegin func(kept int64) `json:"-"`

	// Log receives warnings: an agent is suspended, another version of the program
	// began the run. nil: none are logged.
	Log *slog.Logger

	// Suspend is how many games in a row an agent loses by faults until it plays
	// no more; 0: it plays on. With fewer than two agents left the run ends.
	Suspend int

	// StallTimeout is how long beyond the move time the program waits for an agent
	// that doesn't answer, before it loses the game; 0: without end.
	StallTimeout time.Duration
}

// warn logs a warning.
func (c *Config) warn(message string, args ...any) {
	if c.Log != nil {
		c.Log.Warn(message, args...)
	}
}

// DefaultConfig returns a config that lacks only the agents and, for Run, the
// folder.
func DefaultConfig() Config {
	return Config{
		Name:     "tournament",
		Rules:    []*rules.Rules{rules.MustParse("standard")},
		Pairs:    10,
		Openings: Openings{Policy: RandomOpenings},
		Seed:     1,

		OnRepetition: agents.Forfeit,
		StallTimeout: 10 * time.Minute,
		TimeMargin:   DefaultTimeMargin,
		Suspend:      10,
	}
}

// DefaultOut returns the name of a folder under results, which doesn't exist yet, for a
// run that starts at a time: two runs may begin within one second.
func DefaultOut(name string, start time.Time) string {
	base := "results/" + name + "-" + start.UTC().Format("20060102-150405")
	path := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); err != nil {
			return path
		}
		path = base + "-" + strconv.Itoa(n)
	}
}

// Games returns how many games the config schedules.
func (c *Config) Games() int64 {
	pairings := int64(0)
	for _, n := range c.stageSizes() {
		pairings += int64(n)
	}
	return pairings * int64(len(c.Rules)) * int64(c.Pairs) * 2
}

// Validate checks everything that can be checked before a game is played, Out
// aside. Each agent is made once, so that a bad parameter or a missing file is
// found now. The error joins one *problems.FieldError for each thing that is wrong.
func (c *Config) Validate(registry *agents.Registry) error {
	var v validation
	v.Expect(IsName(c.Name), "name", "expected 1 to %d letters, digits, '-', '_' or '.', the first a letter or a "+
		"digit, found %.60q", maxName, c.Name)
	v.rules(c.Rules)
	v.agents(c, registry)
	problems.InRange(&v.List, "pairs", "a number from 1", c.Pairs, 1, maxPairs)
	v.format(c)
	v.openings(c.Openings)
	if len(v.List) == 0 { // otherwise there may be nothing to begin with
		v.firstOpenings(c)
	}
	v.limits(c.Limits)
	v.Expect(c.Clock.valid(), "clock", "expected a time from 1ms to %v and an increment up to as much, found %v",
		maxMoveTime, c.Clock)
	v.Expect(c.TimeMargin == DefaultTimeMargin || 0 <= c.TimeMargin && c.TimeMargin <= maxMoveTime, "time_margin",
		"expected a time from 0s to %v, found %v", maxMoveTime, c.TimeMargin)
	v.Expect(c.OnRepetition.Valid(), "on_repetition", "expected %s, %s or %s, found %.60q", agents.Forfeit,
		agents.AskNext, agents.Allow, c.OnRepetition)
	problems.InRange(&v.List, "stall_timeout", "a time from 0s (no timeout)", c.StallTimeout, 0, maxStallTimeout)
	problems.InRange(&v.List, "suspend", "a number from 0 (never)", c.Suspend, 0, maxSuspend)
	problems.InRange(&v.List, "workers", "a number from 0 (all cores)", c.Workers, 0, maxWorkers)
	return v.Err()
}

// validation gathers what is wrong.
type validation struct{ problems.List }

func (v *validation) rules(list []*rules.Rules) {
	v.Expect(0 < len(list) && len(list) <= maxRules, "rules", "expected 1 to %d rule sets, found %d", maxRules, len(list))
	seen := map[string]bool{}
	for i, r := range list[:min(len(list), maxRules)] {
		field := fmt.Sprintf("rules[%d]", i)
		if r == nil {
			v.Add(field, errors.New("expected a rule set, found none"))
			continue
		}
		again, err := rules.Parse(r.String())
		v.Expect(err == nil && again.Options() == r.Options(), field,
			"expected a rule set that its name %.60q describes in full, like standard:null_move=allow", r)
		v.Expect(!seen[r.String()], field, "rule set %s is listed twice", r)
		seen[r.String()] = true
	}
}

func (v *validation) agents(c *Config, registry *agents.Registry) {
	list, fewest := c.Agents, 2
	if c.Format == SelfPlay {
		fewest = 1
	}
	v.Expect(fewest <= len(list) && len(list) <= maxAgents, "agents", "expected %d to %d agents, found %d", fewest,
		maxAgents, len(list))
	seen, labels := map[string]bool{}, map[string]bool{}
	for i, spec := range list[:min(len(list), maxAgents)] {
		field, text := fmt.Sprintf("agents[%d]", i), spec.String()
		if seen[text] {
			v.Add(field, fmt.Errorf("agent %.60q is listed twice; players are told apart by their specs", text))
			continue
		}
		v.Expect(!labels[spec.Label()], field, "the name %.60q is given twice", spec.Label())
		seen[text], labels[spec.Label()] = true, true
		if clock := spec.Get("clock"); clock != "" {
			if _, err := ParseClock(clock); err != nil {
				v.Add(field, fmt.Errorf("agent %.60q: parameter clock: %w", text, err))
			}
		}
		for _, err := range tryAgent(registry, spec, c.Rules) {
			v.Add(field, err)
		}
	}
}

// tryAgent makes the agent of a spec and throws it away. It returns everything
// that is wrong, also with playing by the rules listed.
func tryAgent(registry *agents.Registry, spec agents.Spec, list []*rules.Rules) []error {
	if _, err := agents.ParseSpec(spec.String()); err != nil {
		return []error{err}
	}
	if _, err := registry.Values(spec); err != nil {
		return problems.Split(err)
	}
	if kind, err := registry.Kind(spec); err != nil || kind.Interactive {
		return []error{fmt.Errorf("agent %.60q needs a person at the terminal; expected agents that play by themselves",
			spec)}
	}
	agent, err := registry.New(spec)
	if err != nil {
		return []error{err}
	}
	var errs []error
	for _, r := range list[:min(len(list), maxRules)] {
		if r == nil {
			continue
		}
		if err := agents.Suits(agent, r); err != nil {
			errs = append(errs, fmt.Errorf("agent %.60q: %w", spec, err))
		}
	}
	if err := agents.Close(agent); err != nil {
		errs = append(errs, err)
	}
	return errs
}

func (v *validation) format(c *Config) {
	known := []Format{"", RoundRobin, Gauntlet, Ladder, Swiss, Knockout, SelfPlay}
	v.Expect(slices.Contains(known, c.Format), "schedule", "expected %s, %s, %s, %s, %s or %s, found %.60q", RoundRobin,
		Gauntlet, Ladder, Swiss, Knockout, SelfPlay, c.Format)
	v.Expect(c.Rounds == 0 || c.Format == Swiss, "rounds", "expected none but in a %s tournament, found %d", Swiss,
		c.Rounds)
	v.Expect(0 <= c.Rounds && c.Rounds < max(len(c.Agents), 2), "rounds",
		"expected 1 or more and fewer than the %d agents, found %d", len(c.Agents), c.Rounds)
	if c.SPRT == (sprt.Test{}) {
		return
	}
	v.Expect(len(c.Agents) == 2, "sprt", "expected two agents, found %d", len(c.Agents))
	v.Expect(c.Format != SelfPlay, "sprt", "expected none in %s, where there is nothing to decide", SelfPlay)
	if err := c.SPRT.Check(); err != nil {
		v.Add("sprt", err)
	}
}

func (v *validation) openings(o Openings) {
	v.Expect(slices.Contains([]Policy{RandomOpenings, AgentOpenings, SetupOpenings, FileOpenings}, o.Policy),
		"openings.policy",
		"expected %s, %s, %s or %s, found %.60q", RandomOpenings, AgentOpenings, SetupOpenings, FileOpenings, o.Policy)
	v.Expect((o.Policy == FileOpenings) == (len(o.Positions) > 0), "openings.file",
		"expected a list of positions exactly with policy %s", FileOpenings)
	problems.InRange(&v.List, "openings.plies", "a number from 0", o.Plies, 0, maxOpeningPlies)
	without := []Policy{AgentOpenings, SetupOpenings, FileOpenings}
	v.Expect(!slices.Contains(without, o.Policy) || o.Plies == 0, "openings.plies",
		"expected none with policy %s, found %d", o.Policy, o.Plies)
}

// firstOpenings looks for one opening under each rule set.
func (v *validation) firstOpenings(c *Config) {
	for _, r := range c.Rules {
		for k := range c.Openings.Positions {
			if _, err := c.Openings.parse(r, int64(k)); err != nil {
				v.Add("openings.file", err)
				break // one of each rule set says enough
			}
		}
		if c.Openings.Policy == FileOpenings {
			continue
		}
		if _, err := newOpener(c.Openings, c.Seed).opening(r, hashText(r.String()), 0); err != nil {
			v.Add("openings", err)
		}
	}
}

func (v *validation) limits(l agents.Limits) {
	problems.InRange(&v.List, "limits.depth", "a number from 0 (no limit)", l.Depth, 0, maxDepth)
	problems.InRange(&v.List, "limits.nodes", "a number from 0 (no limit)", l.Nodes, 0, maxNodes)
	problems.InRange(&v.List, "limits.movetime", "a time from 0s (no limit)", l.MoveTime, 0, maxMoveTime)
}

// runName matches the names of runs; they have at most maxName letters.
var runName = regexp.MustCompile(`^[a-zA-Z0-9][-a-zA-Z0-9_.]*$`)

// IsName reports whether a run's name can stand in a path on any system.
func IsName(s string) bool { return len(s) <= maxName && runName.MatchString(s) }
