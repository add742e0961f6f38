package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"gyges/rules/base/textfmt"
)

// lineEvery is the time between two lines of progress where no bar can be drawn, and
// drawEvery that between two bars.
const (
	lineEvery = 10 * time.Second
	drawEvery = 100 * time.Millisecond
)

// meter reports how far a run has come: by a bar with lines below it on a terminal, by
// lines elsewhere.
type meter struct {
	w     *output
	bar   bool
	total int64 // 0: unknown
	first int64 // what was done before this run
	start time.Time
	last  time.Time // of the last report
	now   func() time.Time
}

func newMeter(w *output, total int64) *meter {
	m := &meter{w: w, total: total, bar: w.terminal() != nil && os.Getenv("TERM") != "dumb", now: time.Now}
	m.restart(0)
	return m
}

// restart begins to measure the time, after what has been done already.
func (m *meter) restart(done int64) {
	m.first, m.start = done, m.now()
	m.last = m.start
}

// due reports whether it is time for a report.
func (m *meter) due() bool {
	every := lineEvery
	if m.bar {
		every = drawEvery
	}
	return m.now().Sub(m.last) >= every
}

// left returns the time that the rest takes, as text.
func (m *meter) left(done, more int64) string {
	took := m.now().Sub(m.start)
	left := time.Duration(float64(took) / float64(max(done-m.first, 1)) * float64(more))
	return left.Round(time.Second).String() + " left"
}

// report shows lines, and on a terminal how much is done of all, 0 if that is unknown.
func (m *meter) report(done, all int64, lines ...string) {
	m.last = m.now()
	width := tableWidth(m.w) - 1 // some terminals wrap a line that fills them
	var wrapped []string
	whole := strings.NewReplacer(", ", ", ", "; ", "; ", " ", textfmt.NoBreak)
	for _, line := range lines {
		wrapped = append(wrapped, textfmt.Wrap(whole.Replace(line), width)...)
	}
	if !m.bar {
		m.w.printf("%s\n", strings.Join(wrapped, "\n"))
		return
	}
	if all > 0 {
		wrapped = append([]string{barLine(done, all, width)}, wrapped...)
	}
	m.w.draw(wrapped...)
}

// barLine returns a bar of the given number of columns, at most 80. The terminal is left to [output.draw], as there
// are lines below the bar.
func barLine(done, all int64, width int) string {
	bar := progressbar.NewOptions64(all, progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetWidth(min(width, 80)-len(" 100% ||")))
	// What fails is writing, to the one writer that doesn't, and more than all.
	_ = bar.RenderBlank()
	_ = bar.Set64(min(done, all))
	return strings.TrimRight(strings.TrimLeft(bar.String(), "\r"), " ")
}

// end removes the bar.
func (m *meter) end() {
	if m.bar {
		m.w.draw()
	}
}

// progress counts the games of a run.
type progress struct {
	*meter
	done    int64
	faults  int  // games that a fault decided
	reading bool // what an earlier run in the folder has played is read

	// state, if not nil, returns a line on the run's results, and of a run that a test
	// ends how many games are expected besides.
	state func() (line string, expected *forecast)
}

// forecast is how many more games a test is expected to take.
type forecast struct {
	games int64
	known bool
}

func newProgress(w *output, total int64) *progress { return &progress{meter: newMeter(w, total)} }

// resume says how many games were played before.
func (p *progress) resume(games int64) {
	if games > 0 {
		p.w.printf("resuming: %s of %s games done\n", textfmt.Thousands(games), textfmt.Thousands(p.total))
	}
	p.reading = false
	p.restart(games)
}

// step adds a game, which a fault may have decided.
func (p *progress) step(fault bool) {
	p.done++
	if fault {
		p.faults++
	}
	switch {
	case !p.due():
	case p.reading:
		p.report(p.done, p.total, fmt.Sprintf("reading the records: %d games", p.done))
	default:
		p.show()
	}
}

// show reports the games, and the state if there is one.
func (p *progress) show() {
	line, expected := "", (*forecast)(nil)
	if p.state != nil {
		line, expected = p.state()
	}
	left, all := p.left(p.done, p.total-p.done), p.total
	done := textfmt.Thousands(p.done)
	games := fmt.Sprintf("%s of %s games", done, textfmt.Thousands(p.total))
	switch {
	case expected == nil:
	case expected.known:
		more := min(expected.games, p.total-p.done)
		all, games = p.done+more, done+" games"
		left = fmt.Sprintf("about %s games, %s", textfmt.Thousands(twoDigits(more)), p.left(p.done, more))
	default:
		all, games, left = 0, done+" games", "games left: unknown"
	}
	if p.faults > 0 {
		games += ", " + textfmt.Plural(p.faults, "fault")
	}
	rate := float64(p.done-p.first) / p.now().Sub(p.start).Seconds()
	lines := []string{fmt.Sprintf("%s, %.3g games/s, %s", games, rate, left)}
	if line != "" {
		lines = append(lines, line)
	}
	p.report(p.done, all, lines...)
}

// twoDigits rounds a number of games to what a forecast is worth.
func twoDigits(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// steps counts the steps of a tuning run.
type steps struct{ *meter }

// newSteps returns the steps of a run; total is 0 if their number is unknown.
func newSteps(w *output, total int) *steps {
	m := newMeter(w, int64(total))
	m.first = -1
	return &steps{m}
}

// step reports that step k is done, and its result.
func (s *steps) step(k int, text string) {
	if s.first < 0 {
		s.first = int64(k) - 1
	}
	if !s.due() {
		return
	}
	line := fmt.Sprintf("step %d, %s", k, text)
	if s.total > 0 {
		line = fmt.Sprintf("step %d of %d, %s, %s", k, s.total, text, s.left(int64(k), s.total-int64(k)))
	}
	s.report(int64(k), s.total, line)
}
