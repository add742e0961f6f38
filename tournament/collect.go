package tournament

import (
	"context"
	"maps"
	"slices"
	"time"

	"gyges/tournament/record"
)

// flushEvery bounds how long a recorded game may stay in memory.
const flushEvery = time.Second

// collector writes the games in schedule order.
type collector struct {
	writer  *record.Writer
	onGame  func(*record.Game)
	next    int64                    // the pair to be written next
	waiting map[int64][]*record.Game // finished pairs after it
	faults  int64
	err     error // the first error in writing; nothing is written after it
}

// collect takes outcomes until there are no more. Pairs are written as soon as
// all before them are, and their slots given back then; what remains when the
// run was stopped is written in order, with gaps. An error in writing cancels
// the run.
func (c *collector) collect(outcomes <-chan outcome, slots <-chan struct{}, cancel context.CancelCauseFunc) {
	c.waiting = map[int64][]*record.Game{}
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case o, ok := <-outcomes:
			if !ok {
				c.writeRest()
				return
			}
			c.waiting[o.pair] = o.games
			c.writeReady(slots)
		case <-tick.C:
			c.note(c.writer.Flush())
		}
		if c.err != nil {
			cancel(c.err)
		}
	}
}

// writeReady writes the pairs that are next.
func (c *collector) writeReady(slots <-chan struct{}) {
	for {
		games, ok := c.waiting[c.next]
		if !ok {
			return
		}
		delete(c.waiting, c.next)
		c.next++
		c.write(games)
		<-slots
	}
}

// writeRest writes the pairs that still wait for one that will never come.
func (c *collector) writeRest() {
	for _, i := range slices.Sorted(maps.Keys(c.waiting)) {
		c.write(c.waiting[i])
	}
	c.waiting = nil
	c.note(c.writer.Flush())
}

func (c *collector) write(games []*record.Game) {
	for _, g := range games {
		if c.err != nil {
			return
		}
		c.note(c.writer.Write(g))
		if c.err != nil {
			return
		}
		if g.Fault != nil {
			c.faults++
		}
		if c.onGame != nil {
			c.onGame(g)
		}
	}
}

func (c *collector) note(err error) {
	if c.err == nil {
		c.err = err
	}
}
