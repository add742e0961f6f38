package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// steps reports the progress of a tuning run: a bar on a terminal, a line now and then
// elsewhere.
type steps struct {
	w     *output
	bar   *progressbar.ProgressBar // nil: lines
	total int                      // 0: not known
	first int                      // the step before the first of this run
	start time.Time
	last  time.Time // when the last line was printed
	now   func() time.Time
}

func newSteps(w *output, total int) *steps {
	s := &steps{w: w, total: total, first: -1, now: time.Now}
	s.start = s.now()
	s.last = s.start
	if f, ok := w.w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		bar := total
		if bar == 0 {
			bar = -1
		}
		s.bar = progressbar.NewOptions(bar,
			progressbar.OptionSetWriter(f),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish(),
		)
	}
	return s
}

// step says that a step is done and what it has come to.
func (s *steps) step(k int, text string) {
	if s.first < 0 {
		s.first = k - 1
	}
	if s.bar != nil {
		s.bar.Describe(text)
		_ = s.bar.Set(k) // a terminal that is gone stops no run
		return
	}
	now := s.now()
	if now.Sub(s.last) < lineEvery {
		return
	}
	s.last = now
	if s.total == 0 {
		s.w.printf("step %d, %s\n", k, text)
		return
	}
	left := time.Duration(float64(now.Sub(s.start)) / float64(k-s.first) * float64(s.total-k))
	s.w.printf("step %d of %d, %s, %v left\n", k, s.total, text, left.Round(time.Second))
}

// end takes the bar off the screen.
func (s *steps) end() {
	if s.bar != nil {
		_ = s.bar.Finish()
		_ = s.bar.Clear()
	}
}
