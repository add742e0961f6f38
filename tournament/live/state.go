package live

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
	"gyges/tournament/report"
)

// state is how far a run has come, as its page shows it.
type state struct {
	Text     string         // games and, while it is running, how many a second and the time left
	Done, Of int64          // games, for a bar; Of 0: there is none
	Machines string         // that play
	Gauge    *report.Figure // of its test
}

// state returns the state of the run, whose workers are w if it has some. A run that nobody plays has no speed.
func (r *run) state(w *status.Run, now time.Time) state {
	m := r.about.Manifest
	if m == nil || m.Games.Scheduled <= 0 {
		return state{Gauge: r.gauge}
	}
	s := state{Done: r.collector.Records(), Of: m.Games.Scheduled, Machines: r.machines(w, now), Gauge: r.gauge}
	of := " of "
	if r.endsEarly() {
		of = " of at most "
	}
	s.Text = textfmt.Thousands(s.Done) + of + textfmt.Thousands(s.Of) + " games"
	if r.faults > 0 {
		s.Text += ", " + textfmt.Plural(int(r.faults), "fault")
	}
	if m.Status == tournament.Finished {
		s.Of = max(s.Done, 1)
	}
	if !r.running {
		return s
	}
	if speed := r.speed(w, now); speed > 0 {
		left := float64(s.Of - s.Done)
		if r.endsEarly() {
			left = min(left, r.expected) // NaN if that is
		}
		s.Text += fmt.Sprintf(" · %s games/s · %s left", textfmt.Digits(speed), timeText(left/speed))
	}
	return s
}

// timeText formats an estimated number of seconds; NaN is unknown.
func timeText(seconds float64) string {
	if math.IsNaN(seconds) {
		return "unknown time"
	}
	const most = 1e9
	d, unit := time.Duration(max(0, min(seconds, most))*float64(time.Second)), time.Second
	if d > 10*time.Minute {
		unit = time.Minute
	}
	return textfmt.Duration(d.Round(unit))
}

// endsEarly reports whether a test, or the error of the ratings, may end the run before all games are played.
func (r *run) endsEarly() bool {
	c := &r.about.Manifest.Config
	return c.SPRT != "" || c.UntilError > 0
}

// gamesLeft returns how many more games the run is expected to take until its test or the error of its ratings ends it;
// NaN if that isn't known.
func (r *run) gamesLeft(ctx context.Context) float64 {
	if r.about.Manifest == nil || !r.endsEarly() {
		return math.NaN()
	}
	c := &r.about.Manifest.Config
	games := math.NaN()
	if test, err := sprt.Parse(c.SPRT); c.SPRT != "" && err == nil {
		if pairs, known := test.PairsLeft(r.collector.Runs[0].Pairs); known {
			games = 2 * pairs
		}
	} else if c.UntilError > 0 {
		games = (r.collector.Precision(ctx).Growth(c.UntilError) - 1) * float64(r.collector.Games())
	}
	if games > math.MaxInt32 {
		return math.NaN()
	}
	return games
}

// pace is when the latest games ended, at most 2*paceGames.
type pace []time.Time

const paceGames = 256

func (p *pace) add(end time.Time) {
	if len(*p) == 2*paceGames {
		*p = append((*p)[:0], (*p)[paceGames:]...)
	}
	*p = append(*p, end)
}

// perSecond returns how many of the latest games ended a second, of those after a time; 0: unknown. The longer no game
// has ended, the fewer they are: records are up to delay old before they can be read.
func (p pace) perSecond(after, now time.Time) float64 {
	const delay = 5 * time.Second
	first, last, n := now, now.Add(-delay), 0
	for _, end := range p {
		if !end.Before(after) && !end.After(now) {
			n++
			if end.Before(first) {
				first = end
			}
			if end.After(last) {
				last = end
			}
		}
	}
	if n < 2 || !last.After(first) {
		return 0
	}
	return float64(n-1) / last.Sub(first).Seconds()
}

// speed returns how many games of a run in progress end a second; 0: unknown.
func (r *run) speed(w *status.Run, now time.Time) float64 {
	if isFresh(w, now) {
		return w.GamesPerSecond // the clocks of workers may differ
	}
	sessions := r.about.Manifest.Played()
	if len(sessions) == 0 {
		return 0
	}
	return r.pace.perSecond(sessions[len(sessions)-1].Start, now)
}

// endOf returns when a game ended; zero if that isn't known.
func endOf(g *record.Game) time.Time {
	const most = 1e6 // seconds: files may have anything
	if g.Timing.Start.IsZero() {
		return time.Time{}
	}
	return g.Timing.Start.Add(time.Duration(max(0, min(g.Timing.Seconds, most)) * float64(time.Second)))
}

// machines says where the run is played.
func (r *run) machines(w *status.Run, now time.Time) string {
	h := r.about.Manifest.Host
	switch {
	case isFresh(w, now):
		var names []string
		games := int64(0)
		for _, x := range w.Workers {
			if x.State == status.Plays {
				names, games = append(names, shorten(x.Name, 100)), games+x.Workers
			}
		}
		if len(names) == 0 {
			return "waiting for workers"
		}
		const most = 8
		return fmt.Sprintf("on %s, %s at a time: %s", textfmt.Plural(len(names), "worker"),
			textfmt.Plural(int(games), "game"), textfmt.List(names, most))
	case w != nil || h.OS == "":
		return ""
	}
	return textfmt.Visible(shorten(fmt.Sprintf("on %s/%s, %s, %s at a time", h.OS, h.Arch, textfmt.Plural(h.CPUs, "core"),
		textfmt.Plural(r.about.Manifest.Config.Workers, "game")), 200))
}

// event is what happened in a run.
type event struct {
	at   time.Time
	text string
}

// latestEvents bounds the events of a page.
const latestEvents = 100

// events returns what happened, the last one first: sessions, workers and faults.
func (r *run) events(w *status.Run) (list []event) {
	add := func(at time.Time, format string, args ...any) {
		list = append(list, event{at, textfmt.Visible(shorten(fmt.Sprintf(format, args...), 400))})
	}
	if m := r.about.Manifest; m != nil {
		sessions := m.Played()
		for i, s := range sessions {
			switch {
			case i == 0:
				add(s.Start, "began")
			case sessions[i-1].End.IsZero():
				add(s.Start, "resumed with %s games, after a stop without an end", number(s.Games))
			default:
				add(s.Start, "resumed with %s games", number(s.Games))
			}
			if failed := m.Error != "" && i == len(sessions)-1; failed && !s.End.IsZero() {
				add(s.End, "%s: %s", s.Status, m.Error)
			} else if !s.End.IsZero() {
				add(s.End, "%s", s.Status)
			}
		}
	}
	if w != nil {
		for _, x := range w.Workers {
			if !x.Joined.IsZero() {
				add(x.Joined, "worker %s joined: %s at a time", x.Name, textfmt.Plural(int(x.Workers), "game"))
			}
			if !x.Left.IsZero() {
				add(x.Left, "worker %s left", x.Name)
			}
		}
	}
	for _, g := range r.faulty {
		loser := g.Fault.Loser()
		text := fmt.Sprintf("game %d: %s, %s, lost by %s", g.Game, r.label([2]string{g.South.Agent, g.North.Agent}[loser]),
			[2]string{"South", "North"}[loser], g.Fault)
		for _, more := range []string{g.Fault.Detail, g.Timing.HostDetail} {
			if more != "" {
				text += ": " + textfmt.Escape(shorten(more, 300))
			}
		}
		list = append(list, event{endOf(g), text})
	}
	slices.SortStableFunc(list, func(a, b event) int { return b.at.Compare(a.at) })
	return list[:min(len(list), latestEvents)]
}

// eventsSection is the log of a run.
func (r *run) eventsSection(list []event) report.Section {
	t := &report.Table{Caption: "The latest first, times in UTC", Header: []report.Head{
		{Text: "Time", Left: true}, {Text: "Event", Left: true},
	}}
	if n := len(r.faulty); int(r.faults) > n {
		t.Caption += fmt.Sprintf("; of %s faults the last %d", number(r.faults), n)
	}
	for _, e := range list {
		at := "unknown"
		if !e.at.IsZero() {
			at = e.at.UTC().Format("2006-01-02 15:04:05")
		}
		t.Rows = append(t.Rows, []report.Cell{{Text: at, Row: true}, {Text: e.text}})
	}
	return report.Section{ID: eventsID, Title: "Events", Blocks: []report.Block{{Table: t}}}
}

const eventsID = "events"
