package live

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"time"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/progress"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
	"gyges/tournament/training"
	"gyges/tournament/web/report"
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
	m := r.Manifest
	// A training in progress tells its stage.
	if r.Tuning != nil && r.running {
		return r.stage()
	}
	if m == nil || m.Games.Scheduled <= 0 {
		return state{Gauge: r.rated.Gauge}
	}
	s := state{
		Done:     r.reader.Found(),
		Of:       m.Games.Scheduled,
		Machines: machines(m, w, now),
		Gauge:    r.rated.Gauge,
	}
	if !r.isFinal() { // some may wait for an earlier game
		s.Done = max(s.Done, m.Games.Played)
	}
	s.Text = number(s.Done) + " of "
	if !math.IsInf(r.rated.expected, 1) {
		s.Text += "at most "
	}
	s.Text += number(s.Of) + " games"
	if r.faults > 0 {
		s.Text += ", " + textfmt.Plural(int(r.faults), "fault")
	}
	if m.Status == tournament.Finished {
		s.Of = max(s.Done, 1)
	}
	// The test, or the precision, may end the run before its last game.
	if speed := r.speed(w, now); speed > 0 {
		left := min(float64(s.Of-s.Done), r.rated.expected) // NaN if the latter is
		s.Text += " · " + textfmt.Digits(speed) + " games/s"
		s.Text += " · " + timeText(left/speed) + " left"
	}
	return s
}

// stage returns the stage of a training in progress; nothing of one that doesn't say it.
func (r *run) stage() state {
	p, err := training.ReadProgress(r.folder)
	if err != nil {
		return state{}
	}
	text := textfmt.Visible(textfmt.Cut(p.String(), 400))
	s := state{Text: text, Done: min(p.Done, p.All), Of: p.All}
	games := path.Join(r.folder.id, training.GenerationName(p.Generation), p.Stage)
	if _, err := r.pages.catalog.find(games); err == nil {
		s.Games = games
	}
	return s
}

// timeText formats an estimated number of seconds; NaN is unknown.
func timeText(seconds float64) string {
	if math.IsNaN(seconds) {
		return "unknown time"
	}
	// A [time.Duration] must hold it.
	const longest = 1e9 // seconds
	seconds = max(0, min(seconds, longest))
	d := time.Duration(seconds * float64(time.Second))
	unit := time.Second
	if d > 10*time.Minute {
		unit = time.Minute
	}
	return settings.DurationText(d.Round(unit))
}

// gamesLeft returns how many more games the run is expected to take, see [progress.GamesLeft].
func (r *run) gamesLeft(ctx context.Context) float64 {
	if r.Manifest == nil {
		return math.Inf(1)
	}
	config := &r.Manifest.Config
	var precision ratings.Precision // of no use to a test
	if config.UntilError > 0 {
		precision = r.collector.Precision(ctx)
	}
	pairs := r.collector.Runs[0].Pairs
	return progress.GamesLeft(config, pairs, precision, r.collector.Games())
}

// perSecond returns how many games ended a second, of those after a time; 0: unknown. The longer no
// game has ended, the fewer they are: records are up to delay old before they can be read.
func perSecond(ends []time.Time, after, now time.Time) float64 {
	const delay = 5 * time.Second
	ends = slices.DeleteFunc(slices.Clone(ends), func(t time.Time) bool {
		return t.Before(after) || t.After(now)
	})
	if len(ends) < 2 {
		return 0
	}
	slices.SortFunc(ends, time.Time.Compare)
	last := len(ends) - 1
	// The time until now counts, but for the delay.
	waited := now.Sub(ends[0]) - delay
	took := max(ends[last].Sub(ends[0]), waited, time.Millisecond)
	return float64(last) / took.Seconds()
}

// speed returns how many games of a run with a manifest end a second; 0: unknown, or nobody plays
// it.
func (r *run) speed(w *status.Run, now time.Time) float64 {
	if !r.running {
		return 0
	}
	if isFresh(w, now) {
		return w.GamesPerSecond // the clocks of workers may differ
	}
	began := r.Manifest.Start
	if resumed := r.Manifest.Resumed; !resumed.IsZero() {
		began = resumed
	}
	return perSecond(r.ends, began, now)
}

// endOf returns when a game ended; zero if that isn't known.
func endOf(g *record.Record) time.Time {
	if g.Timing.Start.IsZero() {
		return time.Time{}
	}
	const longest = 1e6 // files may have anything
	seconds := max(0, min(g.Timing.Seconds, longest))
	return g.Timing.Start.Add(time.Duration(seconds * float64(time.Second)))
}

// machines says where a run is played; "" if that isn't known.
func machines(m *tournament.Manifest, w *status.Run, now time.Time) string {
	on, games := m.Host.String(), m.Config.Workers
	if w != nil {
		if !isFresh(w, now) {
			return ""
		}
		var names []string
		games = 0
		for _, x := range w.Workers {
			if x.State == status.Plays {
				names = append(names, x.Name)
				games += int(x.Workers)
			}
		}
		if names == nil {
			return "waiting for workers"
		}
		const most = 8
		on = textfmt.List(names, most)
	}
	if on == "" || games <= 0 {
		return ""
	}
	text := "on " + on + ", " + textfmt.Plural(games, "game") + " at a time"
	return textfmt.Visible(textfmt.Cut(text, 400))
}

// isFresh reports whether the workers' status is that of a coordinator at work.
func isFresh(w *status.Run, now time.Time) bool {
	const workersFresh = 15 * time.Second // the coordinator writes it every second
	if w == nil || w.Ended {
		return false
	}
	age := now.Sub(w.Time).Abs()
	return age <= workersFresh
}

// workersSection says who works on the run and what is queued.
func workersSection(w *status.Run, now time.Time) report.Section {
	s := report.Section{ID: "workers", Title: "Workers"}
	written := timeOf(w.Time)
	switch {
	case w.Ended:
		s.Parts = []report.Part{{Text: "The last state of the run, " + written + "."}}
	case !isFresh(w, now):
		text := "Out of date: the run's coordinator last wrote this at " + written + "."
		s.Parts = []report.Part{{Text: text}}
	}
	// The queue is known while its server answers.
	var facts []report.Fact
	add := func(name, value string) {
		facts = append(facts, report.Fact{Name: name, Value: value})
	}
	if q := w.Queue; q != nil {
		add("pairs waiting", number(q.Waiting))
		add("pairs on workers", number(q.Playing))
		add("of these redelivered", number(q.Redelivered))
	} else if !w.Ended {
		add("queue", "the server doesn't answer")
	}
	add("games done", number(w.Games))
	add("recent games/s", textfmt.Digits(max(w.GamesPerSecond, 0)))
	title := "Workers: " + number(w.Count)
	if n := int64(len(w.Workers)); n < w.Count {
		title += fmt.Sprintf(", the first %d listed", n)
	}
	table := workersTable(title, w.Workers)
	s.Parts = append(s.Parts, report.Part{Facts: facts}, report.Part{Table: table})
	return s
}

// timeOf returns a time to the second.
func timeOf(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// number is a number of a file, in which anything may stand.
func number(n int64) string { return textfmt.Thousands(max(n, 0)) }

// workersTable is the table of workers, whose texts come over the network.
func workersTable(title string, workers []status.Worker) *grid.Table {
	t := grid.New(title, 2, "Machine", "State", "Cores", "Games at a time", "Playing",
		"Pairs played", "Positions/s", "Version", "Other build of")
	t.Columns[7].Left = true // words, too
	t.Columns[8].Left = true
	for _, x := range workers {
		row := []any{bounded(x.Name), bounded(string(x.State))}
		for _, n := range []int64{x.Cores, x.Workers, x.Playing, x.Pairs} {
			row = append(row, number(n))
		}
		speed := "unknown"
		if x.Speed > 0 {
			speed = textfmt.Digits(x.Speed)
		}
		t.Add(append(row, speed, bounded(x.Version), bounded(x.OtherBuild))...)
	}
	return t
}

// bounded is a text of a file, of any length there.
func bounded(text string) grid.Name { return grid.Name(textfmt.Cut(text, 100)) }
