package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"gyges/rules/base/textfmt"
	"gyges/tournament/progress"
	"gyges/tournament/record"
)

// The time between two reports of progress.
const (
	lineEvery = 10 * time.Second       // by lines
	drawEvery = 100 * time.Millisecond // by a bar
)

// meter reports how far work has come: by a bar with lines below it on a terminal, by lines
// elsewhere. Steps of any work are told to [meter.step], games to [meter.game]; it is up to the
// meter whether it is time for a report.
//
// A run that goes on in its folder begins by reading what it has: its games are counted, but they
// say nothing of the speed, and their faults were reported before. [meter.resume] ends the reading.
type meter struct {
	w     *output
	bar   bool
	total int64 // 0: unknown
	first int64 // what was done before this run
	few   int64 // games from which on the speed is known
	start time.Time
	last  time.Time // of the last report
	now   func() time.Time

	done    int64                 // games
	told    bool                  // done is what [meter.finished] was told
	faults  *progress.Faults      // of the games
	kept    func(game int64) bool // whether a game is of an earlier run in the folder; nil: none
	reading bool                  // what an earlier run in the folder has played is read
	// state, if not nil, returns a line on the results of the games, and how many there will be
	// in all; 0: unknown.
	state func(done int64) (line string, all int64)
}

// newMeter returns a meter that begins now; total is how much there is to do, 0 if that is unknown.
func newMeter(e *env, total int64) *meter {
	m := &meter{
		w: e.err, bar: e.err.drawable(), total: total, now: time.Now, faults: new(progress.Faults),
	}
	m.restart(0)
	return m
}

// restart begins to measure the time, after what has been done already.
func (m *meter) restart(done int64) {
	m.first = done
	m.start = m.now()
	m.last = m.start
}

// due reports whether the last report is old enough for another one.
func (m *meter) due() bool {
	every := lineEvery
	if m.bar {
		every = drawEvery
	}
	return m.now().Sub(m.last) >= every
}

// left returns the time that the rest takes at the speed so far, as text.
func (m *meter) left(done, more int64) string {
	took := m.now().Sub(m.start)
	fresh := done - m.first
	if took < time.Second || fresh < max(m.few, 1) { // which says nothing of the speed
		return "time left: unknown"
	}
	left := time.Duration(float64(took) / float64(fresh) * float64(more))
	return left.Round(time.Second).String() + " left"
}

// step reports, when it is due, how much is done of all, which is 0 if that is unknown; what are
// the things counted.
func (m *meter) step(done, all int64, before, what string) {
	if !m.due() {
		return
	}
	line := fmt.Sprintf("%s%d %s", before, done, what)
	if done < all {
		line = fmt.Sprintf("%s%d of %d %s, %s", before, done, all, what, m.left(done, all-done))
	}
	m.report(done, all, line)
}

// report shows lines, and on a terminal how much is done of all, 0 if that is unknown.
func (m *meter) report(done, all int64, lines ...string) {
	m.last = m.now()
	width := tableWidth(m.w) - 1 // some terminals wrap a line that fills them
	// Lines are broken only between the facts, which commas and semicolons part.
	whole := strings.NewReplacer(", ", ", ", "; ", "; ", " ", textfmt.NoBreak)
	var wrapped []string
	for _, line := range lines {
		wrapped = append(wrapped, textfmt.Wrap(whole.Replace(line), width)...)
	}
	if !m.bar {
		m.w.print(strings.Join(wrapped, "\n") + "\n")
		return
	}
	// The bar is above the lines.
	if all > 0 {
		wrapped = append([]string{barLine(done, all, width)}, wrapped...)
	}
	m.w.draw(wrapped...)
}

// barLine returns a bar of the given number of columns, at most 80, for [output.draw].
func barLine(done, all int64, width int) string {
	bar := progressbar.NewOptions64(all,
		progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetWidth(min(width, 80)-len(" 100% ||")),
	)
	// They fail where the writer does, or with more than all.
	_ = bar.RenderBlank()
	_ = bar.Set64(min(done, all))
	text := strings.TrimLeft(bar.String(), "\r")
	return strings.TrimRight(text, " ")
}

// end removes the bar; nil has none.
func (m *meter) end() {
	if m != nil && m.bar {
		m.w.draw()
	}
}

// resume begins with the games that an earlier run in the folder has played.
func (m *meter) resume(games int64, kept func(game int64) bool) {
	if games > 0 {
		done, total := textfmt.Thousands(games), textfmt.Thousands(m.total)
		m.w.printf("resuming: %s of %s games done\n", done, total)
	}
	m.reading = false
	m.kept = kept
	m.done = games
	m.restart(games)
}

// isOld reports whether a game is of an earlier run in the folder, and was counted by resume.
func (m *meter) isOld(g *record.Record) bool { return m.kept != nil && m.kept(g.Game) }

// game adds a game; nil is one that is not played but read.
func (m *meter) game(g *record.Record) {
	if g != nil {
		notice, old := m.faults.Add(g), m.isOld(g)
		if notice != "" && !old && !m.reading {
			m.w.printf("%s\n", notice)
		}
		if old {
			return
		}
	}
	// Otherwise it was counted when it was played to its end.
	if !m.told {
		m.done++
	}
	if !m.due() {
		return
	}
	if m.reading {
		m.report(m.done, m.total, fmt.Sprintf("reading the records: %d games", m.done))
		return
	}
	m.show()
}

// finished takes the number of games that have been played to their end, also of those that wait
// for earlier ones.
func (m *meter) finished(games int64) {
	m.done = games
	m.told = true
	if m.due() {
		m.show()
	}
}

// show reports games, faults, speed and the time left, and below them how the run stands.
func (m *meter) show() {
	state, all := "", m.total
	if m.state != nil {
		state, all = m.state(m.done)
	}
	// The first line has numbers: games done and left, faults, speed.
	games := textfmt.Thousands(m.done)
	left := m.left(m.done, all-m.done)
	switch all {
	case m.total:
		games += " of " + textfmt.Thousands(all)
	case 0:
		left = "games left: unknown"
	default: // an estimate, in tens
		tens := (all - m.done + 9) / 10
		left = fmt.Sprintf("about %s games, %s", textfmt.Thousands(10*tens), left)
	}
	games += " games"
	if m.faults.Lost > 0 {
		games += ", " + textfmt.Plural(m.faults.Lost, "fault")
	}
	took := m.now().Sub(m.start)
	speed := perSecond(m.done-m.first, took.Seconds())
	lines := []string{fmt.Sprintf("%s, %s games/s, %s", games, speed, left)}
	if state != "" {
		lines = append(lines, state)
	}
	m.report(m.done, all, lines...)
}

// perSecond returns a speed as text.
func perSecond(n int64, seconds float64) string {
	return textfmt.Digits(float64(n) / max(seconds, 1e-9))
}
