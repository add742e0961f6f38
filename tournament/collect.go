package tournament

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"gyges/ratings/source"
	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

const (
	checkEvery      = time.Second // between looks at whether the file of records is still there
	maxCame         = 64          // games that are received before they are written
	maxDeadLettered = 100         // pairs until the run stops
	maxRepeated     = 50          // rounds without a new pair until the run stops
)

// collector writes the games: to games.jsonl those whose turn it is, to aheadFile the others until it is.
type collector struct {
	// It counts Kept behind a gap, Pairs, Faults and, at the end, DeadLettered. Nothing is written once it is Decided.
	Summary

	plan      *plan
	store     *store
	writer    *record.Writer
	onGame    func(*record.Record)
	next      atomic.Int64     // the game to be written next; changed by the collector alone
	advanced  chan struct{}    // has an element if next has changed
	finished  atomic.Int64     // games in the two files
	came      []*record.Record // that nothing was done with yet, while others wait to be received
	written   []func()         // to be called when what is written is flushed
	suspend   *suspensions
	repeats   source.Repeats
	repeated  int64           // pairs in a row that tell nothing new
	first     *record.Record  // of the pair under way
	dead      map[int64]error // why pairs can't be played
	precision *precision      // nil unless the run ends at an error
	gap       bool            // what is written no longer follows what was written before
	err       error           // the first error in writing; nothing is written after it
}

// collect receives results until there are no more. Each game is written as it comes, and passed to the system as soon
// as no other one is waiting. What waits for earlier games when the run stops is written in order, with gaps. An error
// in writing cancels the run.
func (c *collector) collect(results <-chan Result, slots <-chan struct{}, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	always := make(chan struct{})
	close(always)
	for {
		if len(results) == 0 || len(c.came) >= maxCame {
			c.place()
		}
		var more <-chan struct{}
		if c.writeNext() {
			more = always
		} else if len(results) == 0 {
			c.flush()
		}
		select {
		case o, ok := <-results:
			if !ok {
				c.writeRest()
				return
			}
			c.take(&o)
			if !o.More {
				<-slots
			}
		case <-tick.C:
			c.check()
		case <-more:
		}
		switch {
		case c.err != nil || c.stuck():
			cancel(c.err)
		case c.Decided:
			cancel(ErrDecided)
		}
	}
}

// take takes the games of a result, or notes those that can't be played.
func (c *collector) take(o *Result) {
	if o.Err != nil {
		c.dead[o.Pair] = fmt.Errorf("pair %d: %w", o.Pair, o.Err)
		for _, game := range o.games() {
			c.store.ahead.games[game] = waitingGame{missing: true}
		}
	}
	c.came = append(c.came, o.Games...)
	if o.Written != nil {
		c.written = append(c.written, o.Written)
	}
}

// place writes the games that have come since the last time: in order, so that few have to wait in aheadFile.
func (c *collector) place() {
	slices.SortFunc(c.came, func(a, b *record.Record) int { return cmp.Compare(a.Game, b.Game) })
	for _, g := range c.came {
		if c.err != nil || c.Decided {
			break
		}
		c.finished.Add(1)
		if g.Game == c.next.Load() {
			c.write(g, nil)
			c.advance()
		} else {
			c.noteAhead(c.store.ahead.write(c.suspend.replaceIfSuspended(g, c.plan.seated(g.Game))))
		}
		if c.plan.config.OnFinished != nil {
			c.plan.config.OnFinished(c.finished.Load())
		}
	}
	clear(c.came) // so that their memory is freed
	c.came = c.came[:0]
}

// writeNext writes the next game if it waits, and reports whether it does.
func (c *collector) writeNext() bool {
	game := c.next.Load()
	w, ok := c.store.ahead.games[game]
	if !ok || c.err != nil || c.Decided {
		return false
	}
	if !w.missing {
		c.moveFromAhead(game)
	}
	c.store.ahead.forget(game)
	c.advance()
	return true
}

// moveFromAhead writes a game that waits.
func (c *collector) moveFromAhead(game int64) {
	g, line, err := c.store.ahead.read(game)
	if _, before := c.store.before[game]; err == nil && before {
		err = c.plan.verify(g)
	}
	c.note(err)
	if err == nil {
		c.write(g, line)
	}
}

func (c *collector) advance() {
	c.next.Add(1)
	select {
	case c.advanced <- struct{}{}:
	default: // it has an element
	}
}

// stuck reports whether other pairs depend on a dead-lettered one, or too many are dead-lettered.
func (c *collector) stuck() bool {
	return len(c.dead) >= maxDeadLettered ||
		len(c.dead) > 0 && (len(c.plan.Stages) > 1 || c.plan.config.sequential())
}

// flush passes what is written to the system: first the games in order, since aheadFile may lose those then.
func (c *collector) flush() {
	c.note(c.writer.Flush())
	if c.err == nil {
		c.noteAhead(c.store.ahead.flush())
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

// check makes sure that what is written is in the file that others see.
func (c *collector) check() {
	c.place()
	c.flush()
	if c.err == nil {
		c.note(c.store.stillThere())
	}
}

// writeRest writes the games that still wait for one that will never come, those that were there before included. Games
// that nobody played are made again when the run goes on.
func (c *collector) writeRest() {
	c.place()
	for c.writeNext() {
	}
	waits := c.store.ahead.games
	for _, game := range slices.Sorted(maps.Keys(waits)) {
		c.gap = true
		if c.err != nil || c.Decided {
			break
		}
		if w := waits[game]; !w.missing && !w.blank {
			c.moveFromAhead(game)
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(c.dead)) {
		c.DeadLettered = append(c.DeadLettered, c.dead[pair])
	}
	c.check()
}

// write writes a game to games.jsonl, as the line that aheadFile has of it or nil, and counts it.
func (c *collector) write(g *record.Record, line []byte) {
	if c.store.has(g.Game) {
		c.Kept++
	}
	recorded := c.suspend.replaceIfSuspended(g, c.plan.seated(g.Game))
	if line != nil && recorded == g {
		c.note(c.writer.WriteLine(line))
	} else {
		c.note(c.writer.Write(recorded))
	}
	if c.err != nil {
		return
	}
	if !c.gap && len(c.dead) == 0 {
		c.note(c.plan.add(recorded))
	}
	c.count(recorded)
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
	if g.Game%2 == 0 {
		c.first = g
		return
	}
	whole := c.first != nil && c.first.Pair == g.Pair
	counted := len(c.plan.config.Agents) == 2 || c.precision != nil
	if whole && counted && !c.gap {
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
			c.precision.results[a.Rules].AddPairs(a.South, a.North, a.Result, b.Result, 1)
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
		c.note(&TooFewError{out, c.plan.config.Suspend})
	}
}

// TooFewError is the error of a run in which no two agents that meet are left.
type TooFewError struct {
	Suspended []string // their names
	faults    int      // games in a row that each has lost
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("too few agents are left: %s lost %d games in a row by faults", textfmt.List(e.Suspended, 8),
		e.faults)
}

// noteAhead notes an error in writing aheadFile. If the folder is gone, that is noted as the cause, and the games in
// order are written to its place again.
func (c *collector) noteAhead(err error) {
	if err != nil {
		c.note(c.writer.Flush())
		c.note(c.store.stillThere())
	}
	c.note(err)
}

func (c *collector) note(err error) {
	if c.err == nil {
		c.err = err
	}
}
