package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/ratings/table"
	"gyges/tournament"
	"gyges/tournament/record"
)

// followFlags say what is told of a run while it goes on.
type observerFlags struct {
	Events         string `enum:",jsonl" default:"" placeholder:"jsonl" help:"Print what happens as it does, one JSON object a line, in place of the tables."`
	RatingInterval int64  `name:"rating-interval" default:"0" placeholder:"N" help:"Tell the ratings after every N games too, on stderr or among the events."`
	DryRun         bool   `name:"dry-run" help:"Play a short sample only, and say how long the run would take and how much it would write."`
}

func (f observerFlags) check() error {
	if f.RatingInterval < 0 {
		return fmt.Errorf("--rating-interval: expected 0 (never) or more games, found %d", f.RatingInterval)
	}
	return nil
}

// follower is told the games of a run as they are recorded, and tells what is to
// be told while the run goes on.
type observer struct {
	e          *env
	flags      observerFlags
	config     *tournament.Config
	standings  *standings
	faults     *faults
	stats      *playerStats
	progress   *progress
	pairs      sprt.Pairs // of a match, as its first player saw them
	half       int
	match      bool // two players, of whom the first is looked at
	start      time.Time
	reportedAt int64 // games when the ratings were told last
	err        error // the first
}

func newObserver(e *env, flags observerFlags, config *tournament.Config, match bool) *observer {
	f := &observer{
		e: e, flags: flags, config: config, match: match, start: time.Now(),
		standings: newStandings(), faults: newFaults(), stats: newPlayerStats(), progress: newProgress(e.err, config.Games()),
	}
	f.event(startEvent(config, f.start))
	return f
}

// game takes the next game.
func (f *observer) game(g *record.Game) {
	f.standings.add(g)
	f.faults.add(g)
	f.stats.add(g)
	f.addToPair(g)
	f.progress.step(g.Fault != nil && !g.NotPlayed())
	if f.flags.Events != "" {
		f.event(newGameEvent(g, f.progress.done, f.progress.total))
	}
	if n := f.flags.RatingInterval; n > 0 && f.progress.done%n == 0 && f.progress.done < f.progress.total {
		f.note(f.interim())
	}
}

// addToPair counts a match's pairs, whose games follow one another.
func (f *observer) addToPair(g *record.Game) {
	if !f.match || g.NotPlayed() {
		return
	}
	if g.Game%2 == 0 {
		f.half = 0
	}
	f.half += 2 - resultFor(g, f.config.Agents[0].String())
	if g.Game%2 == 1 {
		f.pairs.Add(f.half)
	}
}

// interim tells how things stand.
func (f *observer) interim() error {
	f.reportedAt = f.progress.done
	if f.flags.Events != "" {
		return f.ratings(context.Background(), f.pairs)
	}
	f.progress.hide()
	if f.match {
		f.e.err.printf("%s", matchText(f.config.SPRT, f.pairs))
		return nil
	}
	// It takes milliseconds, so nobody needs to be able to stop it.
	rated, err := f.standings.tables(context.Background(), ratings.Options{}, false, false)
	if err != nil {
		return err
	}
	return table.Write(f.e.err, table.Text, table.View{}, rated)
}

// ratings tells the ratings as an event.
func (f *observer) ratings(ctx context.Context, pairs sprt.Pairs) error {
	if f.match {
		f.event(newMatchEvent(f.config.SPRT, pairs))
		return nil
	}
	rated, err := f.standings.tables(ctx, ratings.Options{}, false, true)
	if err != nil {
		return err
	}
	var text, line bytes.Buffer
	if err := errors.Join(table.Write(&text, table.JSON, table.View{}, rated), json.Compact(&line, text.Bytes())); err != nil {
		return err
	}
	f.event(ratingEvent{"rating", f.progress.done, line.Bytes()})
	return nil
}

// end tells the rest and returns the first error in telling.
func (f *observer) end(ctx context.Context, s tournament.Summary, err error) error {
	f.progress.end()
	if f.flags.Events != "" {
		if s.Played > 0 && f.reportedAt != f.progress.done {
			f.note(f.ratings(ctx, s.Pairs))
		}
		f.event(newEndEvent(s, err))
	}
	return f.err
}

func (f *observer) event(e any) {
	if f.flags.Events != "" {
		f.note(writeJSONLine(f.e.out, e))
	}
}

func (f *observer) note(err error) {
	if f.err == nil && err != nil {
		f.err = failure{err}
	}
}
