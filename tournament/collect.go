package tournament

import (
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
	checkEvery      = time.Second // between two checks of the folder, see [collector.check]
	maxCame         = 64          // games that are received before they are written
	maxDeadLettered = 100         // pairs until the run stops
	maxRepeated     = 50          // rounds without a new pair until the run stops
)

// collector hands out the pairs of a run and writes the games that come back: to games.jsonl those
// whose turn it is, to aheadFile the others until it is. Each game is counted when it is written to
// games.jsonl, in schedule order, so that what it counts is the same however many games are played
// at a time.
type collector struct {
	// Summary is what was counted so far, but that Kept lacks the games before the first one
	// missing, which the store counts.
	Summary

	plan     *plan
	manifest *Manifest
	store    *store
	writer   *record.Writer // to games.jsonl
	onGame   func(*record.Record)
	gap      bool  // games are missing before the next one that is written
	err      error // the first error in writing; nothing is written after it

	next     atomic.Int64     // the game to be written next; changed by the collector alone
	advanced chan struct{}    // has an element if next has changed
	came     []*record.Record // games that were received and aren't written yet
	finished int64            // games in the two files
	written  []func()         // to be called when what is written is flushed
	dead     map[int64]error  // why pairs can't be played

	suspend   *suspensions
	precision *precision     // nil unless the run ends at an error
	first     *record.Record // the first game of the pair that was counted last
	repeats   source.Repeats // pairs that were counted
	repeated  int64          // how many of the last pairs tell nothing new
}

func newCollector(p *plan, onGame func(*record.Record)) *collector {
	config := p.config
	return &collector{
		Summary: Summary{
			Status: Running, Out: config.Out, Scheduled: config.Games(), Start: time.Now().UTC(),
		},
		plan:      p,
		onGame:    onGame,
		advanced:  make(chan struct{}, 1),
		dead:      map[int64]error{},
		suspend:   newSuspensions(config.Suspend, len(config.Agents)),
		precision: newPrecision(p),
	}
}

// dispatch sends the pairs from the first one on to the executor in order, each when it is known
// and there is room for it. Pairs that needn't be played are left out, and pairs of suspended
// agents have a result at once.
func (c *collector) dispatch(
	ctx context.Context, first int64, jobs chan<- Job, slots chan<- struct{}, results chan<- Result,
) error {
	config := c.plan.config
	opener := schedule.NewOpener(config.Openings, config.Seed)
	warned := make([]bool, len(config.Rules))
	for i := first; i < c.plan.Len(); i++ {
		select {
		case <-c.plan.Known(i):
		case <-ctx.Done():
			return nil
		}
		job := c.plan.job(i)
		for n := range job.Wanted {
			job.Wanted[n] = !c.store.has(2*i + int64(n))
		}
		if len(job.games()) == 0 {
			continue
		}
		for i >= c.next.Load()/2+maxAhead {
			select {
			case <-c.advanced:
			case <-ctx.Done():
				return nil
			}
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		position, again, err := opener.Opening(config.Rules[job.Rules], job.Round)
		if err != nil {
			return err
		}
		if again > 0 && !warned[job.Rules] {
			warned[job.Rules] = true
			rounds := textfmt.Plural(int(again), "round")
			config.warn(fmt.Sprintf("openings for %s only: they begin again", rounds),
				"rules", config.Rules[job.Rules])
		}
		if !c.suspend.leaves(job.Agents) {
			blank := Result{Job: job}
			for _, number := range job.games() {
				task := config.task(job, int(number%2), position)
				g := c.suspend.replaceIfSuspended(task.Blank(), c.plan.seated(number))
				blank.Games = append(blank.Games, g)
			}
			results <- blank
			continue
		}
		select {
		case jobs <- job:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// collect receives results until there are no more. Each game is written as it comes, and passed to
// the system as soon as no other one is waiting. What waits for earlier games when the run stops is
// written in order, with gaps. An error in writing cancels the run.
func (c *collector) collect(
	results <-chan Result, slots <-chan struct{}, cancel context.CancelCauseFunc,
) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		idle := len(results) == 0
		if idle || len(c.came) >= maxCame {
			c.place()
		}
		wrote := c.writeNext()
		if idle && !wrote {
			c.flush()
		}
		switch {
		case c.err != nil || c.stuck():
			cancel(c.err)
		case c.Decided:
			cancel(ErrDecided)
		}
		if idle && wrote {
			continue // perhaps the game after it waits, too
		}
		select {
		case r, ok := <-results:
			if !ok {
				c.writeRest()
				return
			}
			c.take(&r)
			if !r.More {
				<-slots
			}
		case <-tick.C:
			c.check()
		}
	}
}

// isOver reports whether nothing more is written.
func (c *collector) isOver() bool { return c.err != nil || c.Decided }

// stuck reports whether other pairs depend on one that can't be played, or too many can't be.
func (c *collector) stuck() bool {
	switch {
	case len(c.dead) == 0:
		return false
	case len(c.plan.Stages) > 1, c.plan.config.sequential():
		return true
	}
	return len(c.dead) >= maxDeadLettered
}

// take takes the games of a result, or notes those that can't be played.
func (c *collector) take(r *Result) {
	if r.Err != nil {
		c.dead[r.Pair] = fmt.Errorf("pair %d: %w", r.Pair, r.Err)
		for _, game := range r.games() {
			c.store.ahead.games[game] = waitingGame{missing: true}
		}
	}
	c.came = append(c.came, r.Games...)
	if r.Written != nil {
		c.written = append(c.written, r.Written)
	}
}

// place writes the games that have come since the last time: in order, so that few have to wait in
// aheadFile.
func (c *collector) place() {
	slices.SortFunc(c.came, byNumber)
	for _, g := range c.came {
		if c.isOver() {
			break
		}
		c.finished++
		if g.Game == c.next.Load() {
			c.write(linedGame{Record: g})
			c.advance()
		} else {
			c.noteAhead(c.store.ahead.write(g))
		}
		if c.plan.config.OnFinished != nil {
			c.plan.config.OnFinished(c.finished)
		}
	}
	clear(c.came) // so that their memory is freed
	c.came = c.came[:0]
}

// writeNext writes the next game if it waits, and reports whether it does.
func (c *collector) writeNext() bool {
	game := c.next.Load()
	waiting, ok := c.store.ahead.games[game]
	if !ok || c.isOver() {
		return false
	}
	if !waiting.missing {
		c.writeWaiting(game)
	}
	c.store.ahead.forget(game)
	c.advance()
	return true
}

// writeWaiting writes a game that waits. One that was there when the folder was opened is verified
// first.
func (c *collector) writeWaiting(game int64) {
	g, err := c.store.ahead.read(game)
	if err == nil && c.store.has(game) {
		err = c.plan.verify(g.Record)
	}
	c.note(err)
	if err == nil {
		c.write(g)
	}
}

// advance notes that the next game is written, or will never be.
func (c *collector) advance() {
	c.next.Add(1)
	select {
	case c.advanced <- struct{}{}:
	default: // it has an element
	}
}

// flush passes what is written to the system: first the games in order, since aheadFile may lose
// those then.
func (c *collector) flush() {
	c.note(c.writer.Flush())
	if c.err == nil {
		c.noteAhead(c.store.ahead.flush())
	}
	if c.err != nil {
		return
	}
	for _, call := range c.written {
		call()
	}
	clear(c.written) // so that their memory is freed
	c.written = c.written[:0]
}

// check makes sure that what is written is in the file that others see, and tells them in the
// manifest how many games there are.
func (c *collector) check() {
	c.place()
	c.flush()
	if c.err != nil {
		return
	}
	c.note(c.store.stillThere())
	if c.finished != c.manifest.Games.Played {
		c.manifest.Games.Played = c.finished
		// Whatever is wrong with the folder is found where games are written.
		_ = c.manifest.save(c.Out)
	}
}

// writeRest writes the games that still wait for one that will never come, those that were there
// before included. Games that nobody played are made again when the run goes on.
func (c *collector) writeRest() {
	c.place()
	for c.writeNext() {
	}
	waits := c.store.ahead.games
	for _, game := range slices.Sorted(maps.Keys(waits)) {
		c.gap = true
		if c.isOver() {
			break
		}
		if w := waits[game]; !w.missing && !w.blank {
			c.writeWaiting(game)
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(c.dead)) {
		c.DeadLettered = append(c.DeadLettered, c.dead[pair])
	}
	c.check()
}

// write writes a game to games.jsonl and counts it. If a player is suspended, another game is
// recorded in its place; but behind a gap it stays as it was played, since whether the player is
// suspended there is known when the gap is closed.
func (c *collector) write(game linedGame) {
	g := game.Record
	if c.store.has(g.Game) {
		c.Kept++
	}
	if !c.gap {
		g = c.suspend.replaceIfSuspended(g, c.plan.seated(g.Game))
	}
	if game.line != nil && g == game.Record {
		c.note(c.writer.WriteLine(game.line))
	} else {
		c.note(c.writer.Write(g))
	}
	if c.err != nil {
		return
	}
	if !c.gap && len(c.dead) == 0 {
		c.note(c.plan.add(g))
	}
	c.count(g)
}

// count counts a game in games.jsonl, whether it was written now or was there before.
func (c *collector) count(g *record.Record) {
	if g.Fault != nil && !g.NotPlayed() {
		c.Faults++
	}
	if c.onGame != nil {
		c.onGame(g)
	}
	if c.gap {
		return
	}
	if c.suspend.note(c.plan.seated(g.Game), g.Fault) {
		c.checkOpponents()
	}
	if g.Game%2 == 0 {
		c.first = g
		return
	}
	if c.first == nil || c.first.Pair != g.Pair {
		return
	}
	if len(c.plan.config.Agents) == 2 || c.precision != nil {
		c.countPair(c.first, g)
	}
}

// countPair counts a pair, and whether it decides that the run ends. One that repeats an earlier
// pair tells nothing.
func (c *collector) countPair(first, second *record.Record) {
	config := c.plan.config
	a, b := first.Short(), second.Short()
	repeated, _ := c.repeats.Pair(0, &a.Outcome, &b.Outcome, 1)
	switch {
	case repeated, a.NotPlayed, b.NotPlayed:
		c.repeated++
	default:
		c.repeated = 0
		if c.precision != nil {
			c.precision.results[a.Rules].AddPairs(a.South, a.North, a.Result, b.Result, 1)
		}
		if len(config.Agents) == 2 && a.South != a.North {
			player := source.Name(config.Agents[0].String())
			c.AddPair(player, &a.Outcome, &b.Outcome)
		}
	}
	hasTest := config.SPRT != sprt.Test{}
	if hasTest && config.SPRT.Verdict(c.Pairs) != sprt.Undecided {
		c.Decided = true
	}
	pairs := first.Pair + 1
	if c.precision != nil && c.precision.look(pairs, c.suspend) {
		c.Decided = true
	}
	if c.Decided || !config.sequential() {
		return
	}
	// No new pair came in the second half of all, and in maxRepeated rounds.
	round := len(c.plan.Stages[0].Matches) * len(config.Rules)
	if c.repeated >= max(int64(maxRepeated*round), pairs/2) {
		c.Exhausted = true
		c.Decided = true
	}
}

// checkOpponents stops the run if no two agents are left that meet.
func (c *collector) checkOpponents() {
	config := c.plan.config
	var out []string
	for i, spec := range config.Agents {
		if c.suspend.has(i) {
			out = append(out, spec.Label())
		}
	}
	left := len(out) <= len(config.Agents)-2
	if len(c.plan.Stages) == 1 {
		left = slices.ContainsFunc(c.plan.Stages[0].Matches, func(m schedule.Match) bool {
			return c.suspend.leaves(m.Players)
		})
	}
	if !left {
		c.note(&TooFewError{out, config.Suspend})
	}
}

// TooFewError is the error of a run in which no two agents that meet are left.
type TooFewError struct {
	Suspended []string // their names
	faults    int      // games in a row that each has lost
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("too few agents are left: %s lost %d games in a row by faults",
		textfmt.List(e.Suspended, 8), e.faults)
}

// noteAhead notes an error in writing aheadFile. If the folder is gone, that is noted as the cause,
// and the games in order are written to its place again.
func (c *collector) noteAhead(err error) {
	if err != nil {
		c.note(c.writer.Flush())
		c.note(c.store.stillThere())
	}
	c.note(err)
}

// note keeps the first error in writing.
func (c *collector) note(err error) {
	if c.err == nil {
		c.err = err
	}
}
