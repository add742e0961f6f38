package report

import (
	"strconv"

	"gyges/ratings/source"
	"gyges/rules"
	"gyges/tournament/record"
)

// DefaultGames is how many whole games a page holds unless more are asked for;
// pliesPerGame bounds their length together: so many times the games. With both
// a page stays at a few megabytes.
const (
	DefaultGames = 500
	pliesPerGame = 120
)

// Options say what a collector keeps.
type Options struct {
	Games int    // most games to keep whole; 0: none
	Seed  uint64 // which ones, where not all are kept
}

// Collector counts games and keeps some of them. Its size depends on the players
// that met, not on the number of games. It belongs to one goroutine.
type Collector struct {
	options Options
	games   int64
	rules   []*ruleStats // as they were first met
	known   map[string]*ruleStats
	runs    []*run
	current *run // whose pairs the matcher holds
	pairs   source.Matcher
	sample  sample
}

// run is what a collector knows of one run.
type run struct {
	about  Run
	games  int64
	whole  int64 // of those, the ones that could be read whole
	path   *llrPath
	number int // from 0
}

// NewCollector returns an empty collector.
func NewCollector(o Options) *Collector {
	c := &Collector{options: o, known: map[string]*ruleStats{}, sample: newSample(o)}
	c.pairs.Single = func(source.Result) {}
	c.pairs.Pair = c.addPair
	return c
}

// AddRun adds a run. The games that follow belong to it.
func (c *Collector) AddRun(about Run) {
	c.pairs.Flush()
	c.current = &run{about: about, number: len(c.runs)}
	if m := about.Manifest; m != nil && len(m.Config.Agents) == 2 {
		c.current.path = newLLRPath(m.Config.SPRT, m.Config.Agents[0])
	}
	c.runs = append(c.runs, c.current)
}

// SetRun replaces what is known of the run added last, but for its test.
func (c *Collector) SetRun(about Run) { c.current.about = about }

// Add counts a game of the run added last.
func (c *Collector) Add(g *record.Game) {
	c.games++
	c.current.games++
	c.current.whole++
	c.of(g.Rules).add(g)
	c.pair(source.Result{South: g.South.Agent, North: g.North.Agent, Rules: g.Rules, Result: record.RatingResult(g.Result)}, g.Pair)
	c.sample.add(c.current.number, g)
}

// AddOutcome counts a game of which no more than the result can be read.
func (c *Collector) AddOutcome(o *record.GameResult) {
	c.games++
	c.current.games++
	c.of(string(o.Rules)).results[record.HalfPoints(string(o.Result), rules.North)]++
	c.pair(source.Result{South: string(o.South), North: string(o.North), Rules: string(o.Rules), Result: record.RatingResult(string(o.Result))}, o.Pair)
}

// pair takes a game for one of its pair.
func (c *Collector) pair(g source.Result, number int64) {
	c.pairs.Add(g, strconv.AppendInt(nil, number, 10))
}

// of is the counts of a rule set.
func (c *Collector) of(rules string) *ruleStats {
	s, ok := c.known[rules]
	if !ok {
		s = newRuleStats(rules)
		c.known[rules] = s
		c.rules = append(c.rules, s)
	}
	return s
}

// addPair counts two games of one opening.
func (c *Collector) addPair(first, second source.Result) {
	c.of(first.Rules).openings.add(first.Result, second.Result)
	if path := c.current.path; path != nil {
		path.add(&first, &second)
	}
}
