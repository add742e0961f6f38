package main

import (
	"os"
	"time"

	"gyges/ratings/textfmt"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// lineEvery is how often progress is told where a bar can't be drawn.
const lineEvery = 10 * time.Second

// progress tells how far a run is: a bar on a terminal, a line now and then
// elsewhere.
type progress struct {
	w     *output
	bar   *progressbar.ProgressBar // nil: lines
	total int64
	done  int64
	bad   int64 // games that a fault decided
	start time.Time
	last  time.Time // when the last line was printed
	now   func() time.Time
}

func newProgress(w *output, total int64) *progress {
	p := &progress{w: w, total: total, now: time.Now}
	p.start = p.now()
	p.last = p.start
	if f, ok := w.w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(f),
			progressbar.OptionSetDescription("games"),
			progressbar.OptionSetItsString("games"),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish(),
		)
		_ = p.bar.RenderBlank() // a terminal that is gone stops no run
	}
	return p
}

// step notes that one more game is done, and whether a fault decided it.
func (p *progress) step(fault bool) {
	p.done++
	if fault {
		p.bad++
	}
	if p.bar != nil {
		if fault {
			p.bar.Describe("games," + p.faults())
		}
		_ = p.bar.Add(1)
		return
	}
	now := p.now()
	if now.Sub(p.last) < lineEvery {
		return
	}
	p.last = now
	elapsed := now.Sub(p.start)
	left := time.Duration(float64(elapsed) / float64(p.done) * float64(p.total-p.done))
	p.w.printf("%d of %d games,%s %.3g games/s, %v left\n",
		p.done, p.total, p.faults(), float64(p.done)/elapsed.Seconds(), left.Round(time.Second))
}

// faults is what is said of them: nothing if there are none.
func (p *progress) faults() string {
	if p.bad == 0 {
		return ""
	}
	return " " + textfmt.Plural(int(p.bad), "fault") + ","
}

// hide makes room for other lines; the next step draws the bar again.
func (p *progress) hide() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// end takes the bar off the screen.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
		_ = p.bar.Clear()
	}
}
