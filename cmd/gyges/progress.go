package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"gyges/ratings/textfmt"
)

// lineEvery is the time between two lines of progress where no bar can be drawn.
const lineEvery = 10 * time.Second

// meter reports how far a run has come: by a bar on a terminal, by lines
// elsewhere.
type meter struct {
	w     *output
	bar   *progressbar.ProgressBar // nil: lines
	total int64                    // 0: unknown
	first int64                    // what was done before this run
	start time.Time
	last  time.Time // when the last line was printed
	now   func() time.Time
}

func newMeter(w *output, total int64, options ...progressbar.Option) *meter {
	m := &meter{w: w, total: total, start: time.Now(), now: time.Now}
	m.last = m.start
	if f := w.terminal(); f != nil {
		if total == 0 {
			total = -1 // as the bar has it
		}
		m.bar = progressbar.NewOptions64(total, append(options,
			progressbar.OptionSetWriter(f),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish(),
		)...)
		_ = m.bar.RenderBlank() // a terminal that is gone stops no run
	}
	return m
}

// report shows what is done: by the bar with a label, or by a line and the time
// left.
func (m *meter) report(done int64, label, line string) {
	if m.bar != nil {
		m.bar.Describe(label)
		_ = m.bar.Set64(done)
		return
	}
	now := m.now()
	if now.Sub(m.last) < lineEvery {
		return
	}
	m.last = now
	if m.total > 0 {
		left := time.Duration(float64(now.Sub(m.start)) / float64(done-m.first) * float64(m.total-done))
		line += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	m.w.printf("%s\n", line)
}

// hide makes room for other lines; the next report draws the bar again.
func (m *meter) hide() {
	if m.bar != nil {
		_ = m.bar.Clear()
	}
}

// end removes the bar.
func (m *meter) end() {
	if m.bar != nil {
		_ = m.bar.Finish()
		_ = m.bar.Clear()
	}
}

// progress counts the games of a run.
type progress struct {
	*meter
	done   int64
	faults int // games that a fault decided
}

func newProgress(w *output, total int64) *progress {
	return &progress{meter: newMeter(w, total, progressbar.OptionSetDescription("games"),
		progressbar.OptionSetItsString("games"), progressbar.OptionShowIts())}
}

// step adds a game, which a fault may have decided.
func (p *progress) step(fault bool) {
	p.done++
	label := "games"
	if fault {
		p.faults++
	}
	if p.faults > 0 {
		label += ", " + textfmt.Plural(p.faults, "fault")
	}
	rate := float64(p.done) / p.now().Sub(p.start).Seconds()
	p.report(p.done, label, fmt.Sprintf("%d of %d %s, %.3g games/s", p.done, p.total, label, rate))
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
	line := fmt.Sprintf("step %d, %s", k, text)
	if s.total > 0 {
		line = fmt.Sprintf("step %d of %d, %s", k, s.total, text)
	}
	s.report(int64(k), text, line)
}
