package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

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

// The time between two reports of progress.
const (
	lineEvery = 10 * time.Second       // by lines
	drawEvery = 100 * time.Millisecond // by a bar
)

// meter reports how far work has come: by a bar with lines below it on a terminal, by lines elsewhere.
type meter struct {
	w     *output
	bar   bool
	total int64 // 0: unknown
	first int64 // what was done before this run
	few   int64 // games from which on the speed is known
	start time.Time
	last  time.Time // of the last report
	now   func() time.Time

	done    int64 // games, see [meter.game]
	told    bool  // done is what [meter.finished] was told
	faults  []fault
	lost    int                   // games, by faults
	kept    func(game int64) bool // whether a game is of an earlier run in the folder; nil: none
	reading bool                  // what an earlier run in the folder has played is read
	// state, if not nil, returns a line on the results of the games, and how many there will be in all; 0: unknown.
	state func() (line string, all int64)
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

func (m *meter) due() bool {
	every := lineEvery
	if m.bar {
		every = drawEvery
	}
	return m.now().Sub(m.last) >= every
}

// left returns the time that the rest takes at the speed so far, as text; the first second doesn't tell.
func (m *meter) left(done, more int64) string {
	took := m.now().Sub(m.start)
	if took < time.Second || done-m.first < max(m.few, 1) {
		return "time left: unknown"
	}
	left := time.Duration(float64(took) / float64(done-m.first) * float64(more))
	return left.Round(time.Second).String() + " left"
}

// step reports, when it is due, how much is done of all, which is 0 if that is unknown; what are the things counted.
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

// barLine returns a bar of the given number of columns, at most 80, for [output.draw].
func barLine(done, all int64, width int) string {
	bar := progressbar.NewOptions64(all, progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetWidth(min(width, 80)-len(" 100% ||")))
	// What fails is writing, to the one writer that doesn't, and more than all.
	_ = bar.RenderBlank()
	_ = bar.Set64(min(done, all))
	return strings.TrimRight(strings.TrimLeft(bar.String(), "\r"), " ")
}

// end removes the bar; nil has none.
func (m *meter) end() {
	if m != nil && m.bar {
		m.w.draw()
	}
}

func (m *meter) resume(games int64, kept func(game int64) bool) {
	if games > 0 {
		m.w.printf("resuming: %s of %s games done\n", textfmt.Thousands(games), textfmt.Thousands(m.total))
	}
	m.reading, m.kept, m.done = false, kept, games
	m.restart(games)
}

// isOld reports whether a game is of an earlier run in the folder, and counted already.
func (m *meter) isOld(g *record.Record) bool { return m.kept != nil && m.kept(g.Game) }

// game adds a game; nil is one that is not played but read.
func (m *meter) game(g *record.Record) {
	if g != nil && g.Fault != nil {
		m.fault(g)
	}
	if g != nil && m.isOld(g) {
		return
	}
	if !m.told {
		m.done++
	}
	switch {
	case !m.due():
	case m.reading:
		m.report(m.done, m.total, fmt.Sprintf("reading the records: %d games", m.done))
	default:
		m.show()
	}
}

// finished takes the number of games that have been played to their end, also of those that wait for earlier ones.
func (m *meter) finished(games int64) {
	m.done, m.told = games, true
	if m.due() {
		m.show()
	}
}

func (m *meter) show() {
	line, all := "", m.total
	if m.state != nil {
		line, all = m.state()
	}
	games, left := textfmt.Thousands(m.done)+" games", m.left(m.done, all-m.done)
	switch all {
	case m.total:
		games = fmt.Sprintf("%s of %s games", textfmt.Thousands(m.done), textfmt.Thousands(all))
	case 0:
		left = "games left: unknown"
	default:
		left = fmt.Sprintf("about %s games, %s", textfmt.Thousands((all-m.done+9)/10*10), left)
	}
	if m.lost > 0 {
		games += ", " + textfmt.Plural(m.lost, "fault")
	}
	rate := float64(m.done-m.first) / max(m.now().Sub(m.start).Seconds(), 1e-9)
	lines := []string{fmt.Sprintf("%s, %s games/s, %s", games, textfmt.Digits(rate), left)}
	if line != "" {
		lines = append(lines, line)
	}
	m.report(m.done, all, lines...)
}

// fault is a way in which a player lost games outside the rules of the game.
type fault struct {
	agent string
	kind  record.FaultKind
	games int
	first string // what happened in the first one
}

// fault adds a game that was lost by a fault, and prints a line if it is a new one and not yet one of many.
func (m *meter) fault(g *record.Record) {
	loser, kind := [2]string{g.South.Agent, g.North.Agent}[g.Fault.Loser()], g.Fault.Kind
	n, most := m.count(loser, kind, fmt.Sprintf("game %d: %s", g.Game, g.Fault.Detail)), 10
	name, detail := textfmt.Escape(agents.LabelOf(loser)), textfmt.Escape(g.Fault.Detail)
	line := fmt.Sprintf("%s lost game %d by a fault (%s): %s", name, g.Game, kind, detail)
	if kind == record.FaultSuspended {
		line, most = fmt.Sprintf("%s was suspended %s and plays no more, from game %d on", name, detail, g.Game), 1
	} else if m.lost++; n == most {
		line += "; further ones are counted at the end"
	}
	if n <= most && !m.reading && !m.isOld(g) {
		m.w.printf("%s\n", line)
	}
}

// overran is what no game is lost by: a move time that is exceeded within the margin.
const overran record.FaultKind = "overran"

func (m *meter) count(player string, kind record.FaultKind, what string) int {
	i := slices.IndexFunc(m.faults, func(f fault) bool { return f.agent == player && f.kind == kind })
	if i < 0 {
		i = len(m.faults)
		m.faults = append(m.faults, fault{player, kind, 0, what})
	}
	m.faults[i].games++
	return m.faults[i].games
}

// timeText says how many games a run has played and how long it took; those that were there before are not of it.
func timeText(s tournament.Summary) string {
	text := fmt.Sprintf("%s in %v", textfmt.Plural(int(max(s.Played-s.Kept, 0)), "game"),
		s.End.Sub(s.Start).Round(100*time.Millisecond))
	if s.Kept > 0 {
		text += fmt.Sprintf(", %d played before", s.Kept)
	}
	return text
}

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
	recorded  int64                    // games, in schedule order
	err       error                    // the first in writing
	moveTimes map[string]time.Duration // by player

	precision  ratings.Precision // of a run that ends at an error,
	measuredAt int64             // when it had that many games
}

func newObserver(e *env, interval int64, config *tournament.Config, kind runKind) *observer {
	f := &observer{
		meter: newMeter(e.err, config.Games()), e: e, interval: interval, config: config, standings: standings.New(),
		kind: kind,
	}
	f.reading, f.state, config.OnBegin, config.OnFinished = true, f.results, f.resume, f.finished
	f.few, f.moveTimes = int64(2*cmp.Or(config.Workers, runtime.NumCPU())), map[string]time.Duration{}
	for _, spec := range config.Agents {
		own, _ := time.ParseDuration(spec.Get("movetime")) // it has been checked
		limit := config.Limits.Tighter(agents.Limits{MoveTime: own}).MoveTime
		if limit > 0 && config.Executor == nil { // workers elsewhere may play in another time
			f.moveTimes[spec.String()] = limit
		}
	}
	f.counted = f.standings.Begin(&tournament.Manifest{Inputs: tournament.Inputs{Config: config.Completed()}})
	return f
}

func (f *observer) game(g *record.Record) {
	f.standings.Add(g)
	f.recorded++
	if len(f.moveTimes) > 0 {
		f.countOverruns(g)
	}
	f.meter.game(g)
	due := f.interval > 0 && f.recorded%f.interval == 0 && f.recorded < f.total
	if due && !f.reading && !f.isOld(g) {
		f.err = cmp.Or(f.err, asFailure(f.interim()))
	}
}

func (f *observer) countOverruns(g *record.Record) {
	const machine = 10 * time.Millisecond // that it may take beside the player
	for i, side := range g.Movers() {
		player := [2]string{g.South.Agent, g.North.Agent}[side]
		limit, known := f.moveTimes[player]
		if known && i < len(g.Timing.MoveMS) && g.Timing.MoveMS[i] >= float64((limit+machine).Milliseconds()) {
			f.count(player, overran, fmt.Sprintf("game %d: %.0fms for %v", g.Game, g.Timing.MoveMS[i], limit))
		}
	}
}

// results says how the run stands, and how many games a test or the error at which it ends will take. The intervals
// are measured again when the games have grown by a twentieth.
func (f *observer) results() (line string, all int64) {
	games := float64(f.total)
	switch f.kind {
	case ratedRun:
		line = f.leader()
	case matchRun:
		line, games = f.matchState()
	}
	if goal := f.config.UntilError; goal > 0 {
		if f.recorded > f.measuredAt+f.measuredAt/20 {
			f.precision, f.measuredAt = f.standings.Precision(context.Background()), f.recorded
		}
		line += "; " + f.precision.Text(goal, false)
		games = f.precision.Growth(goal) * float64(f.measuredAt)
	}
	if math.IsInf(games, 1) {
		return line, 0
	}
	return line, int64(min(max(games, float64(f.done)), float64(f.total)))
}

// leader says who has the highest share of the points so far, or what the challenger of a gauntlet has.
func (f *observer) leader() string {
	players, verb := f.config.Agents, "leads with"
	if f.config.Schedule.Format().About().Challenger {
		players, verb = players[:1], "has"
	}
	var first agents.Spec
	var most ratings.Count
	for _, a := range players {
		if c := f.standings.Count(a.String()); c.Games() > 0 && (most.Games() == 0 || c.Score() > most.Score()) {
			first, most = a, c
		}
	}
	if most.Games() == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s %v of %s", textfmt.Visible(first.Label()), verb, most.Points(),
		textfmt.Plural(most.Games(), "point"))
}

// matchState is what is known of a match so far, and how many games its test is expected to take in all.
func (f *observer) matchState() (line string, games float64) {
	test := f.config.SPRT
	line = fmt.Sprintf("Elo %s, pairs %v", test.Estimate(f.counted.Pairs).EloText(), f.counted.Pairs)
	if test == (sprt.Test{}) {
		return line, float64(f.total)
	}
	lower, upper := test.Bounds()
	games = math.Inf(1)
	if left, known := test.PairsLeft(f.counted.Pairs); known {
		games = float64(f.done) + 2*math.Ceil(left)
	}
	llr := math.Round(100*test.LLR(f.counted.Pairs))/100 + 0 // no -0
	return fmt.Sprintf("LLR %.2f (%.2f to %.2f), %s", llr, lower, upper, line), games
}

// writePrecision prints whether the run has ended at an error, or since no new game came.
func (f *observer) writePrecision(w *output, s tournament.Summary) {
	if s.Exhausted {
		w.printf("Stopped without a decision: no new game comes, as the last pairs all repeat earlier ones move for move\n")
	}
	if goal := f.config.UntilError; goal > 0 {
		p := f.standings.Precision(context.Background())
		text := p.Text(goal, s.Decided && !s.Exhausted || s.Status == tournament.Finished && p.Error <= goal)
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
		kind := textfmt.Escape(string(one.kind))
		text := fmt.Sprintf("lost %s by a fault (%s), first in %s", games, kind, first)
		hint := ""
		switch one.kind {
		case record.FaultSuspended:
			text = fmt.Sprintf("was suspended and did not play %s, first %s", games, first)
			if !f.config.Schedule.Format().About().Adaptive {
				player := textfmt.Escape(textfmt.ShellWord(agents.LabelOf(one.agent)))
				hint = "; --again " + player + " plays its games anew"
			}
		case overran:
			text = fmt.Sprintf("overran its move time in %s and lost no game by it, first in %s",
				textfmt.Plural(one.games, "move"), first)
		}
		w.printf("%s %s%s\n", name, styled(w, yellow, text), hint)
		timeouts = timeouts || one.kind == record.FaultTimeout
	}
	if cores := runtime.NumCPU(); timeouts && f.config.Executor == nil && f.config.Workers > cores {
		w.printf("Games were lost on time, with %d at a time on %s: --workers %d avoids losses that the machine causes.\n",
			f.config.Workers, textfmt.Plural(cores, "core"), cores)
	}
}

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
	f.counted.SetManifest(&tournament.Manifest{
		Status: s.Status, Inputs: tournament.Inputs{Config: f.config.Completed()},
	})
	if s.Status == tournament.Failed {
		f.standings, f.done, f.lost, f.faults, f.reading = standings.New(), 0, 0, nil, true
		f.counted = f.standings.Begin(&tournament.Manifest{Inputs: tournament.Inputs{Config: f.config.Completed()}})
		in, path := &runs.Stream{Strict: true, Torn: true}, filepath.Join(s.Out, tournament.GamesFile)
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
