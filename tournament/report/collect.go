package report

import (
	"strconv"

	"gyges/ratings/source"
	"gyges/rules"
	"gyges/tournament/record"
)

// DefaultGames is how many whole games a page holds by default; pliesPerGame
// bounds their total length: so many times the games. With both a page stays at a
// few megabytes.
const (
	DefaultGames = 500
	pliesPerGame = 120
)

// Options are the settings of a collector.
type Options struct {
	Games int    // most games to keep whole; 0: none
	Seed  uint64 // of the choice of games, where not all are kept
}

// Collector counts games and keeps some of them. Its size depends on the pairings
// played, not on the number of games. It belongs to one goroutine.
type Collector struct {
	counts
	options Options
	known   map[string]*ruleStats // those of counts, by name
	runs    []*run
	current *run // the one added last
	pairs   source.Matcher
	sample  sample
}

// counts are the games of all runs.
type counts struct {
	Games int64
	Rules []*ruleStats // in the order of their first games
}

// run is what has been counted of one run.
type run struct {
	about  Run
	number int // from 0
	runCounts
}

// runCounts are the games of one run.
type runCounts struct {
	Games int64
	Whole int64    // of those, the ones that could be read whole
	LLR   *llrPath // nil without a sequential test
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
		c.current.LLR = newLLRPath(m.Config.SPRT, m.Config.Agents[0])
	}
	c.runs = append(c.runs, c.current)
}

// SetRun replaces the description of the run added last, but for its test.
func (c *Collector) SetRun(about Run) { c.current.about = about }

// Add counts a game of the run added last.
func (c *Collector) Add(g *record.Game) {
	c.ruleSet(g.Rules).add(g)
	c.current.Whole++
	c.result(g.Pair, g.Rules, g.South.Agent, g.North.Agent, g.Result)
	c.sample.add(c.current.number, g)
}

// AddResult counts a game of which no more than the result can be read.
func (c *Collector) AddResult(o *record.GameResult) {
	c.ruleSet(string(o.Rules)).Results[record.HalfPoints(string(o.Result), rules.North)]++
	c.result(o.Pair, string(o.Rules), string(o.South), string(o.North), string(o.Result))
}

// result counts a game as one of its pair.
func (c *Collector) result(pair int64, rules, south, north, result string) {
	c.Games++
	c.current.Games++
	g := source.Result{South: south, North: north, Rules: rules, Result: record.RatingResult(result)}
	c.pairs.Add(g, strconv.AppendInt(nil, pair, 10))
}

// ruleSet returns the counts of a rule set.
func (c *Collector) ruleSet(rules string) *ruleStats {
	s, ok := c.known[rules]
	if !ok {
		s = newRuleStats(rules)
		c.known[rules] = s
		c.Rules = append(c.Rules, s)
	}
	return s
}

// addPair counts two games of one opening.
func (c *Collector) addPair(first, second source.Result) {
	c.ruleSet(first.Rules).Pairs.add(first.Result, second.Result)
	if c.current.LLR != nil {
		c.current.LLR.addPair(&first, &second)
	}
}
