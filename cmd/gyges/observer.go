package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/runs"
	"gyges/tournament/standings"
)

// The kinds of runs, by what is reported of them while they go on.
type runKind int

const (
	ratedRun    runKind = iota // who leads
	matchRun                   // the score of the first of two players
	selfPlayRun                // nothing
)

// observer receives the games of a run as they are recorded, and reports progress and interim ratings.
type observer struct {
	*meter
	e         *env
	interval  int64 // games between two reports of ratings; 0: none
	config    *tournament.Config
	standings *standings.Standings
	counted   *standings.Run
	kind      runKind
	err       error // the first in writing

	precision  ratings.Precision // of a run that ends at an error,
	measuredAt int64             // when it had that many games
}

func newObserver(e *env, interval int64, config *tournament.Config, kind runKind) *observer {
	f := &observer{
		meter: newMeter(e.err, config.Games()), e: e, interval: interval, config: config, standings: standings.New(),
		kind: kind,
	}
	f.reading, f.state, config.OnBegin = true, f.results, f.resume
	f.counted = f.standings.Begin(&tournament.Manifest{Config: config.Completed()})
	return f
}

// game adds the next game.
func (f *observer) game(g *record.Record) {
	f.standings.Add(g)
	f.meter.game(g)
	if n := f.interval; n > 0 && f.done%n == 0 && f.done < f.total {
		f.err = cmp.Or(f.err, asFailure(f.interim()))
	}
}

// results says how the run stands, and how many games a test or the error at which it ends will take. The intervals
// are measured again when the games have grown by a twentieth.
func (f *observer) results() (line string, more float64) {
	more = asScheduled
	switch f.kind {
	case ratedRun:
		line = f.leader()
	case matchRun:
		line, more = f.matchState()
	}
	goal := f.config.UntilError
	if goal == 0 {
		return line, more
	}
	if f.done > f.measuredAt+f.measuredAt/20 {
		f.precision, f.measuredAt = f.standings.Precision(context.Background()), f.done
	}
	more = f.precision.Growth(goal)*float64(f.measuredAt) - float64(f.done)
	return line + "; " + f.precision.Text(goal, false), max(more, 0)
}

// leader says who has the highest share of the points so far, or what the challenger of a gauntlet has.
func (f *observer) leader() string {
	var leaders []string
	var first ratings.Count
	if f.config.Schedule.Format().About().Challenger {
		c := f.standings.Count(f.config.Agents[0].String())
		return fmt.Sprintf("%s has %v of %s, %s", textfmt.Visible(f.config.Agents[0].Label()), c.Points(),
			textfmt.Plural(c.Games(), "point"), textfmt.Percent(c.Score()))
	}
	for _, a := range f.config.Agents {
		c := f.standings.Count(a.String())
		if c.Games() == 0 || c.Score() < first.Score() {
			continue
		}
		if len(leaders) == 0 || c.Score() > first.Score() {
			leaders, first = nil, c
		}
		leaders = append(leaders, a.Label())
	}
	switch {
	case len(leaders) == 0:
		return ""
	case len(leaders) > 1:
		return fmt.Sprintf("%s lead with %s of the points", textfmt.List(leaders, 3), textfmt.Percent(first.Score()))
	}
	return fmt.Sprintf("%s leads with %v of %s", textfmt.Visible(leaders[0]), first.Points(),
		textfmt.Plural(first.Games(), "point"))
}

// matchState is what is known of a match so far, and how many more games its test is expected to take.
func (f *observer) matchState() (line string, more float64) {
	test := f.config.SPRT
	line = fmt.Sprintf("Elo %s, pairs %v", test.Estimate(f.counted.Pairs).EloText(), f.counted.Pairs)
	if test == (sprt.Test{}) {
		return line, asScheduled
	}
	lower, upper := test.Bounds()
	more = math.Inf(1)
	if left, known := test.PairsLeft(f.counted.Pairs); known {
		more = 2 * math.Ceil(left)
	}
	llr := math.Round(100*test.LLR(f.counted.Pairs))/100 + 0 // no -0
	return fmt.Sprintf("LLR %.2f (%.2f to %.2f), %s", llr, lower, upper, line), more
}

// writePrecision prints whether the run has ended at an error.
func (f *observer) writePrecision(w *output, s tournament.Summary) {
	if goal := f.config.UntilError; goal > 0 {
		p := f.standings.Precision(context.Background())
		text := p.Text(goal, s.Decided || s.Status == tournament.Finished && p.Error <= goal)
		w.printf("%s%s\n", strings.ToUpper(text[:1]), text[1:])
	}
}

// writeFaults prints a line for each player and kind of fault, and how losses on time may be avoided.
func (f *observer) writeFaults(w *output) {
	timeouts := false
	slices.SortFunc(f.faults, func(a, b fault) int {
		return cmp.Or(b.games-a.games, cmp.Compare(a.agent, b.agent), cmp.Compare(a.kind, b.kind))
	})
	for _, one := range f.faults {
		name, first := textfmt.Escape(agents.LabelOf(one.agent)), textfmt.Escape(one.first)
		games := textfmt.Plural(one.games, "game")
		if one.kind == record.FaultSuspended {
			w.printf("%s was suspended and did not play %s, first %s\n", name, games, first)
			continue
		}
		w.printf("%s %s (%s), first in %s\n", name, styled(w, yellow, "lost "+games+" by a fault"), one.kind, first)
		timeouts = timeouts || one.kind == record.FaultTimeout
	}
	if cores := runtime.NumCPU(); timeouts && f.config.Executor == nil && f.config.Workers > cores {
		w.printf("Games were lost on time, with %d at a time on %s: --workers %d avoids losses that the machine causes.\n",
			f.config.Workers, textfmt.Plural(cores, "core"), cores)
	}
}

// interim reports the ratings or the state of the match.
func (f *observer) interim() error {
	if f.kind == matchRun {
		f.e.err.printf("%s", matchText(f.config.SPRT, f.counted.Pairs))
		return nil
	}
	// It takes milliseconds, so it needs no cancellation.
	rated, err := f.standings.Fit(context.Background(), ratings.Options{}, false)
	if err != nil {
		return err
	}
	rated.Layout = layout(f.e.err)
	return table.Write(f.e.err, grid.Text, nil, rated)
}

// end ends the reports. If not all games could be recorded, the results are those of the records.
func (f *observer) end(ctx context.Context, s tournament.Summary) {
	f.meter.end()
	f.counted.SetManifest(&tournament.Manifest{Config: f.config.Completed(), Status: s.Status})
	if s.Status == tournament.Failed && s.Played < f.done {
		f.standings, f.done, f.faults = standings.New(), 0, nil
		f.counted = f.standings.Begin(&tournament.Manifest{Config: f.config.Completed()})
		in, path := &runs.Reader{Strict: true, Torn: true}, filepath.Join(s.Out, tournament.GamesFile)
		err := each(ctx, f.e, in, []string{path}, func(_ int, g *record.Record) error {
			f.standings.Add(g)
			if f.done++; g.Fault != nil {
				f.fault(g)
			}
			return nil
		})
		f.err = cmp.Or(f.err, asFailure(err))
	}
}
