package tournament

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gyges/ratings/source"
	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

const (
	flushEvery      = time.Second // bounds how long a recorded game may stay in memory
	maxDeadLettered = 100         // pairs until the run stops
	maxRepeated     = 50          // rounds without a new pair until the run stops
)

// collector writes the games in schedule order.
type collector struct {
	Summary // of which it counts Kept behind a gap, Pairs, Faults and DeadLettered; nothing is written once Decided

	plan      *plan
	store     *store
	writer    *record.Writer
	onGame    func(*record.Record)
	next      int64            // the pair to be written next
	waiting   map[int64]Result // finished pairs after it
	written   []func()         // to be called when what is written is flushed
	suspend   *suspensions
	repeats   source.Repeats
	repeated  int64          // pairs in a row that tell nothing new
	first     *record.Record // of the pair under way
	precision *precision     // nil unless the run ends at an error
	gap       bool           // what is written no longer follows what was written before
	err       error          // the first error in writing; nothing is written after it
}

// collect receives results until there are no more. Pairs are written, and their slots given back, as soon as all
// before them are; what is left when the run stops is written in order, with gaps. An error in writing cancels the run.
func (c *collector) collect(results <-chan Result, slots <-chan struct{}, cancel context.CancelCauseFunc) {
	c.waiting = map[int64]Result{}
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case o, ok := <-results:
			if !ok {
				c.writeRest()
				return
			}
			c.waiting[o.Pair] = o
			c.writeReady(slots)
		case <-tick.C:
			c.flush()
		}
		if c.err != nil || c.Decided || c.stuck() {
			cancel(c.err)
		}
	}
}

func (c *collector) writeReady(slots <-chan struct{}) {
	for {
		o, ok := c.waiting[c.next]
		if ok && o.Err == nil {
			c.note(c.complete(&o, false))
		}
		if !ok || o.Err == nil && (len(o.Games) == 0 || o.Games[len(o.Games)-1].Game != 2*c.next+1) {
			return // not there, or cut short since the run stops
		}
		delete(c.waiting, c.next)
		c.next++
		if o.Err != nil {
			c.DeadLettered = append(c.DeadLettered, fmt.Errorf("pair %d: %w", o.Pair, o.Err))
		} else {
			c.write(o.Games)
		}
		if o.Written != nil {
			c.written = append(c.written, o.Written)
		}
		<-slots
	}
}

// stuck reports whether other pairs depend on a dead-lettered one, or too many are dead-lettered.
func (c *collector) stuck() bool {
	return len(c.DeadLettered) >= maxDeadLettered ||
		len(c.DeadLettered) > 0 && (len(c.plan.Stages) > 1 || c.plan.config.sequential())
}

func (c *collector) flush() {
	c.note(c.writer.Flush())
	if c.err == nil {
		c.note(c.store.stillThere())
	}
	if c.err != nil {
		return
	}
	for _, f := range c.written {
		f()
	}
	clear(c.written) // so that their memory is freed
	c.written = c.written[:0]
}

// writeRest writes the pairs that still wait for one that will never come, those that were there before included.
func (c *collector) writeRest() {
	for game := range c.store.offsets {
		if _, ok := c.waiting[game/2]; !ok && game/2 >= c.next && !c.Decided {
			c.waiting[game/2] = Result{Job: Job{Pair: game / 2}}
		}
	}
	for _, i := range slices.Sorted(maps.Keys(c.waiting)) {
		c.gap = true // or the pair itself isn't whole
		o := c.waiting[i]
		c.note(c.complete(&o, true))
		c.write(o.Games)
	}
	c.waiting = nil
	c.flush()
}

func (c *collector) write(games []*record.Record) {
	for _, g := range games {
		if c.err != nil || c.Decided {
			return
		}
		if c.store.has(g.Game) {
			c.Kept++
		}
		g = c.suspend.replaceIfSuspended(g, c.plan.seated(g.Game))
		c.note(c.writer.Write(g))
		if c.err != nil {
			return
		}
		if !c.gap && len(c.DeadLettered) == 0 {
			c.note(c.plan.add(g))
		}
		c.count(g)
	}
}

func (c *collector) count(g *record.Record) {
	if g.Fault != nil && !g.NotPlayed() {
		c.Faults++
	}
	if !c.gap && c.suspend.note(c.plan.seated(g.Game), g.Fault) {
		c.tooFew()
	}
	if c.onGame != nil {
		c.onGame(g)
	}
	switch {
	case g.Game%2 == 0:
		c.first = g
	case !c.gap && (len(c.plan.config.Agents) == 2 || c.precision != nil):
		c.countPair(c.first, g)
	}
}

// countPair counts a pair, and whether it decides that the run ends. One that repeats an earlier pair tells nothing.
func (c *collector) countPair(first, second *record.Record) {
	a, b := first.Short(), second.Short()
	repeated, _ := c.repeats.Pair(0, &a.Outcome, &b.Outcome, 1)
	repeated = repeated || a.NotPlayed || b.NotPlayed
	if c.repeated++; !repeated {
		c.repeated = 0
	}
	config := c.plan.config
	if agents := config.Agents; len(agents) == 2 && a.South != a.North && !repeated {
		name := agents[0].String()
		c.Pairs[first.HalfPoints(name)+second.HalfPoints(name)]++
		c.Decided = config.SPRT != (sprt.Test{}) && config.SPRT.Verdict(c.Pairs) != sprt.Undecided
	}
	if c.precision != nil {
		if !repeated {
			c.precision.results[a.Rules].AddPair(a.South, a.North, a.Result, b.Result)
		}
		c.Decided = c.precision.look(first.Pair+1, c.suspend) || c.Decided
	}
	// No new pair came in the second half of all, and in maxRepeated rounds.
	rounds := int64(maxRepeated * len(c.plan.Stages[0].Matches) * len(config.Rules))
	c.Exhausted = !c.Decided && config.sequential() && c.repeated >= max(rounds, (first.Pair+1)/2)
	c.Decided = c.Decided || c.Exhausted
}

// tooFew stops the run if the agents that are left don't meet.
func (c *collector) tooFew() {
	meet := func(m schedule.Match) bool { return !c.suspend.has(m.Players[0]) && !c.suspend.has(m.Players[1]) }
	var out []string
	for i, spec := range c.plan.config.Agents {
		if c.suspend.has(i) {
			out = append(out, spec.Label())
		}
	}
	left := len(out) <= len(c.plan.config.Agents)-2
	if len(c.plan.Stages) == 1 {
		left = slices.ContainsFunc(c.plan.Stages[0].Matches, meet)
	}
	if !left {
		c.note(fmt.Errorf("too few agents are left: %s lost %d games in a row by faults", textfmt.List(out, 8),
			c.plan.config.Suspend))
	}
}

func (c *collector) note(err error) {
	if c.err == nil {
		c.err = err
	}
}
