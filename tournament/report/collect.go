package report

import (
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// DefaultGames is how many whole games a page holds by default; pliesPerGame bounds their total length, per game. With
// both a page stays at a few megabytes.
const (
	DefaultGames = 500
	pliesPerGame = 120
)

// Options are the settings of a collector.
type Options struct {
	Games int    // most games to keep whole; 0: none
	Seed  uint64 // of the choice of games, where not all are kept
}

// Collector adds up games and keeps some; its size depends on the pairings alone. It belongs to one goroutine.
type Collector struct {
	*standings.Standings
	runs   []*run
	sample sample
}

type run struct {
	*standings.Run
	about RunInfo
}

// NewCollector returns an empty collector.
func NewCollector(o Options) *Collector {
	return &Collector{Standings: standings.New(), sample: sample{Options: o}}
}

// AddRun adds a run. The games that follow belong to it.
func (c *Collector) AddRun(about RunInfo) {
	c.runs = append(c.runs, &run{c.Begin(about.Manifest), about})
}

// SetRun replaces the description of the run added last. Its schedule is that of the manifest that it was added with.
func (c *Collector) SetRun(about RunInfo) {
	r := c.runs[len(c.runs)-1]
	r.about = about
	r.SetManifest(about.Manifest)
}

// Add counts a game of the run added last.
func (c *Collector) Add(g *record.Record) {
	c.Standings.Add(g)
	c.Sample(g)
}

// Sample may keep a game of the run added last, which is counted already, to be replayed on the page.
func (c *Collector) Sample(g *record.Record) { c.sample.add(len(c.runs)-1, g) }
