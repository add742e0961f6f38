package live

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
	"gyges/tournament/report"
	"gyges/tournament/training"
)

// state is how far a run has come, as its page shows it.
type state struct {
	Text     string         // games and, while it is running, how many a second and the time left
	Done, Of int64          // games, for a bar; Of 0: there is none
	Machines string         // that play
	Gauge    *report.Figure // of its test
	Games    string         // the run whose games a stage of a training plays; "": none
}

// state returns the state of the run, whose workers are w if it has some.
func (r *run) state(w *status.Run, now time.Time) state {
	m := r.about.Manifest
	if r.about.Tuning != nil && r.running {
		return r.stage()
	}
	if m == nil || m.Games.Scheduled <= 0 {
		return state{Gauge: r.gauge}
	}
	s := state{Done: r.collector.Records(), Of: m.Games.Scheduled, Machines: machines(m, w, now), Gauge: r.gauge}
	of := " of "
	if !math.IsInf(r.expected, 1) {
		of = " of at most "
	}
	s.Text = number(s.Done) + of + number(s.Of) + " games"
	if r.faults > 0 {
		s.Text += ", " + textfmt.Plural(int(r.faults), "fault")
	}
	if m.Status == tournament.Finished {
		s.Of = max(s.Done, 1)
	}
	if speed := r.speed(w, now); speed > 0 {
		left := min(float64(s.Of-s.Done), r.expected) // NaN if that is
		s.Text += fmt.Sprintf(" · %s games/s · %s left", textfmt.Digits(speed), timeText(left/speed))
	}
	return s
}

// stage returns the stage of a training in progress; nothing of one that doesn't say it.
func (r *run) stage() state {
	p, err := training.ReadProgress(r.folder)
	if err != nil {
		return state{}
	}
	s := state{Text: textfmt.Visible(textfmt.Cut(p.String(), 400)), Done: min(p.Done, p.All), Of: p.All}
	games := path.Join(r.folder.id, training.GenerationName(p.Generation), p.Stage)
	if _, ok := r.pages.catalog.find(games); ok {
		s.Games = games
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

// gamesLeft returns how many more games the run's test, or the error at which it ends, is expected to take: NaN if that
// isn't known, infinitely many if it has neither.
func (r *run) gamesLeft(ctx context.Context) float64 {
	m := r.about.Manifest
	if m == nil || m.Config.SPRT == "" && m.Config.UntilError <= 0 {
		return math.Inf(1)
	}
	if test, err := sprt.Parse(m.Config.SPRT); err == nil && m.Config.SPRT != "" {
		if pairs, known := test.PairsLeft(r.collector.Runs[0].Pairs); known {
			return 2 * pairs
		}
		return math.NaN()
	}
	if growth := r.collector.Precision(ctx).Growth(m.Config.UntilError); !math.IsInf(growth, 1) {
		return (growth - 1) * float64(r.collector.Games())
	}
	return math.NaN()
}

// perSecond returns how many games ended a second, of those after a time; 0: unknown. The longer no game has ended, the
// fewer they are: records are up to delay old before they can be read.
func perSecond(ends []time.Time, after, now time.Time) float64 {
	const delay = 5 * time.Second
	ends = slices.DeleteFunc(slices.Clone(ends), func(t time.Time) bool { return t.Before(after) || t.After(now) })
	if len(ends) < 2 {
		return 0
	}
	first, last := slices.MinFunc(ends, time.Time.Compare), slices.MaxFunc(ends, time.Time.Compare)
	return float64(len(ends)-1) / max(last.Sub(first), now.Add(-delay).Sub(first), time.Millisecond).Seconds()
}

// speed returns how many games of a run in progress end a second; 0: unknown, or nobody plays it.
func (r *run) speed(w *status.Run, now time.Time) float64 {
	sessions := r.about.Manifest.Played()
	switch {
	case !r.running || len(sessions) == 0:
		return 0
	case isFresh(w, now):
		return w.GamesPerSecond // the clocks of workers may differ
	}
	return perSecond(r.ends, sessions[len(sessions)-1].Start, now)
}

// endOf returns when a game ended; zero if that isn't known.
func endOf(g *record.Game) time.Time {
	const most = 1e6 // seconds: files may have anything
	if g.Timing.Start.IsZero() {
		return time.Time{}
	}
	return g.Timing.Start.Add(time.Duration(max(0, min(g.Timing.Seconds, most)) * float64(time.Second)))
}

// machines says where a run is played; "" if that isn't known.
func machines(m *tournament.Manifest, w *status.Run, now time.Time) string {
	on, games, names := m.Host.String(), m.Config.Workers, []string{}
	if w != nil {
		on, games = "", 0
	}
	if isFresh(w, now) {
		for _, x := range w.Workers {
			if x.State == status.Plays {
				names, games = append(names, x.Name), games+int(x.Workers)
			}
		}
		const most = 8
		if on = textfmt.List(names, most); on == "" {
			return "waiting for workers"
		}
	}
	if on == "" || games <= 0 {
		return ""
	}
	return textfmt.Visible(textfmt.Cut("on "+on+", "+textfmt.Plural(games, "game")+" at a time", 400))
}

// event is what happened in a run.
type event struct {
	at   time.Time
	text string
}

// events returns the log of the run: sessions, workers and faults.
func (r *run) events(w *status.Run) report.Section {
	var list []event
	add := func(at time.Time, format string, args ...any) {
		if !at.IsZero() {
			list = append(list, event{at, textfmt.Visible(textfmt.Cut(fmt.Sprintf(format, args...), 500))})
		}
	}
	if m := r.about.Manifest; m != nil {
		began, cut := "began", ""
		for _, s := range m.Played() {
			add(s.Start, "%s with %s games%s", began, number(s.Games), cut)
			add(s.End, "%s", s.Status)
			if began, cut = "resumed", ""; s.End.IsZero() {
				cut = ", after a stop without an end"
			}
		}
		if n := len(list) - 1; n > 0 && m.Error != "" {
			list[n].text += ": " + textfmt.Escape(textfmt.Cut(m.Error, 300))
		}
	}
	if w != nil {
		for _, x := range w.Workers {
			add(x.Joined, "worker %s joined: %s at a time", textfmt.Cut(x.Name, 100), textfmt.Plural(int(x.Workers), "game"))
			add(x.Left, "worker %s left", textfmt.Cut(x.Name, 100))
		}
	}
	for _, g := range r.faulty {
		loser := [2]string{g.South.Agent, g.North.Agent}[g.Fault.Loser()]
		text := fmt.Sprintf("game %d: %s lost as %s by %s: %s: %s", g.Game, r.label(loser), g.Fault.Side, g.Fault,
			g.Fault.Detail, g.Timing.HostDetail)
		add(endOf(g), "%s", strings.TrimRight(text, ": "))
	}
	slices.SortStableFunc(list, func(a, b event) int { return b.at.Compare(a.at) })
	const most = 100
	t := &report.Table{Caption: "The latest first, times in UTC", Header: []report.Head{
		{Text: "Time", Left: true}, {Text: "Event", Left: true},
	}}
	if n := len(r.faulty); int(r.faults) > n {
		t.Caption += fmt.Sprintf("; of %s faults the last %d", number(r.faults), n)
	}
	for _, e := range list[:min(len(list), most)] {
		t.Rows = append(t.Rows, []report.Cell{{Text: e.at.UTC().Format(time.DateTime), Row: true}, {Text: e.text}})
	}
	return report.Section{ID: "events", Title: "Events", Blocks: []report.Block{{Table: t}}}
}
