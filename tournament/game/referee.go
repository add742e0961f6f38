package game

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"gyges/agents"
	"gyges/agents/solver"
	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// play is the game under way. It belongs to one goroutine, which alone changes the
// record, so that it may read that without the lock. It is used again for the game after.
type play struct {
	mu      sync.Mutex      // held by others while they read the record, and while it is changed
	record  record.Record   // each move has a score, a depth, nodes and a time in it, if only zeros
	text    strings.Builder // the moves' texts, one after another, which the record refers to
	start   time.Time
	overrun time.Duration  // of the clock, by who lost on time
	outcome rules.Outcome  // as adjudicated
	reason  string         // of the outcome; "" while the game goes on
	solver  *solver.Solver // nil until needed

	// What is going on, for the case that an agent panics or hangs.
	calling  bool             // an agent has been called and hasn't returned
	side     rules.Side       // whose turn or agent it is
	patience [2]time.Duration // with the answer that was asked for last, by side
	watchdog watchdog
	lack     error            // what the host lacked, so that the game has no result
	left     [2]time.Duration // on the clocks, by side
}

// toEnd plays a game that starts at a time just past.
func (p *play) toEnd(ctx context.Context, setup *Task, start time.Time) (*record.Record, error) {
	game := rules.NewGame(setup.Rules, setup.Opening)
	if o, reason := game.Outcome(); o != rules.Undecided {
		return nil, fmt.Errorf("no game can begin in %q: it ends there, %v by %s",
			setup.Rules.FormatPosition(setup.Opening), o, reason)
	}
	p.lack = nil
	fault := p.run(ctx, setup, game, start)
	if err := ctx.Err(); err != nil {
		return nil, err // what agents do once cancelled isn't what they would do
	}
	if p.lack != nil {
		return nil, fmt.Errorf("game %d is dropped, agent %q: %w", setup.Number,
			agents.LabelOf(setup.Seats[p.side].Name), p.lack)
	}
	g := p.finish(game, fault)
	if fault != nil {
		g.Timing.Trace = traceOf(setup.Seats[fault.Loser()].Agent)
	}
	return g, nil
}

// run plays the game until it ends, an agent fails or ctx is cancelled. It returns how the agent failed, if one did.
func (p *play) run(ctx context.Context, setup *Task, game *rules.Game, start time.Time) (fault *record.Fault) {
	p.calling = false
	defer func() {
		// Only an agent's panic is an agent's fault; ours goes on.
		if p.calling {
			if value := recover(); value != nil {
				fault = newFault(p.side, record.FaultPanic, describePanic(value))
			}
			p.calling = false
		}
	}()
	for side := range p.left {
		p.left[side] = setup.clock(rules.Side(side)).Base
	}
	if fault := p.prepare(ctx, setup, start); fault != nil {
		return fault
	}
	before := time.Since(start)
	for ctx.Err() == nil {
		if o, _ := game.Outcome(); o != rules.Undecided || p.reason != "" {
			return nil
		}
		d, fault := p.decide(ctx, setup, game, before)
		if fault != nil || p.reason != "" {
			return fault
		}
		now := time.Since(start)
		took := now - before
		if !d.Answered.IsZero() {
			took = d.Answered.Sub(start) - before
		}
		took = p.watchdog.ran(took)
		if fault := p.time(setup, took); fault != nil {
			return fault
		}
		game.PlayLegal(d.Move)
		p.add(&d, took)
		before = now
		if len(setup.Adjudication) > 0 {
			scores := p.record.Scores[len(p.record.Scores)-p.record.Plies:]
			p.outcome, p.reason = setup.Adjudication.judge(&position{ctx, game, scores, p.side, p.solve})
			before = time.Since(start)
		}
		if setup.OnMove != nil {
			setup.OnMove(game, d)
			before = time.Since(start)
		}
	}
	return nil
}

func (p *play) solve(ctx context.Context, game *rules.Game, plies int) (solver.Result, error) {
	if p.solver == nil {
		const megabytes = 1 // it is cleared for every move
		p.solver = solver.New(megabytes)
	}
	return p.solver.Solve(ctx, game, plies)
}

func (p *play) time(setup *Task, took time.Duration) *record.Fault {
	clockMargin, moveMargin := setup.timeMargins()
	if p.overrun = setup.clock(p.side).spend(&p.left[p.side], took, clockMargin); p.overrun > 0 {
		return newFault(p.side, record.FaultTimeout, "overran its clock")
	}
	if limit := setup.moveTime(p.side); limit > 0 && took > limit+moveMargin {
		p.overrun = took - limit
		return newFault(p.side, record.FaultTimeout, fmt.Sprintf("overran its move time of %v", limit))
	}
	return nil
}

// tooLate is the fault of an agent that returns after the watchdog gave it up. It is never recorded.
var tooLate = &record.Fault{Kind: record.FaultTimeout}

func (p *play) prepare(ctx context.Context, setup *Task, start time.Time) *record.Fault {
	for _, side := range []rules.Side{rules.South, rules.North} {
		seat := &setup.Seats[side]
		p.call(setup, side, time.Since(start))
		err := seat.Agent.NewGame(ctx, agents.Setup{
			Rules: setup.Rules, Side: side, Seed: seat.Seed, OnRepetition: setup.OnRepetition,
		})
		if !p.watchdog.leave() {
			return tooLate
		}
		if err != nil {
			return p.failed("preparing the game: ", err)
		}
		p.calling = false
	}
	return nil
}

// call notes that a side's agent is called now, the time since the game's start. It may take the time in which it
// doesn't lose by its limits, and the stall timeout more; without either as long as it likes.
func (p *play) call(setup *Task, side rules.Side, now time.Duration) {
	clockMargin, moveMargin := setup.timeMargins()
	var limits agents.Limits
	if limit := setup.moveTime(side); limit > 0 {
		limits.MoveTime = limit + moveMargin
	}
	if setup.clock(side) != (Clock{}) {
		limits = limits.Tighter(agents.Limits{MoveTime: p.left[side] + clockMargin})
	}
	p.patience[side] = setup.StallTimeout + limits.MoveTime
	if setup.Seats[side].Person || p.patience[side] == 0 {
		p.patience[side] = 1 << 60 // some decades
	}
	p.side, p.calling = side, true
	p.watchdog.enter(side, now+p.patience[side])
}

// failed returns the fault of the agent that was called, and notes an error that is the host's instead.
func (p *play) failed(doing string, err error) *record.Fault {
	if lack, ok := errors.AsType[*agents.HostFailure](err); ok {
		p.lack = lack
	}
	kind := record.FaultError
	if f, ok := errors.AsType[*agents.Failure](err); ok {
		kind = record.FaultKind(f.Kind)
	}
	return newFault(p.side, kind, doing+err.Error())
}

// decide returns the checked decision of the agent whose turn it is, or notes that it resigns; now is since the start.
func (p *play) decide(
	ctx context.Context, setup *Task, game *rules.Game, now time.Duration,
) (agents.Decision, *record.Fault) {
	pos, moves := game.Position(), len(game.Moves())
	lim := setup.Limits.Tighter(setup.clock(pos.Side()).limits(p.left[pos.Side()]))
	p.call(setup, pos.Side(), now)
	d, err := setup.Seats[p.side].Agent.Choose(ctx, game, agents.Request{Limits: lim})
	if !p.watchdog.leave() {
		return d, tooLate
	}
	if errors.Is(err, agents.ErrResigned) {
		p.calling = false
		p.outcome, p.reason = rules.WinFor(p.side.Other()), record.Resignation
		return d, nil
	}
	if err != nil {
		return d, p.failed("", err)
	}
	p.calling = false
	if game.Position() != pos || len(game.Moves()) != moves {
		return d, newFault(p.side, record.FaultError, "the agent changed the game it was given")
	}
	if setup.OnRepetition == agents.Allow && game.OnlyRepeats(d.Move) {
		return d, nil
	}
	if err := game.Check(d.Move); err != nil {
		return d, newFault(p.side, record.FaultIllegal, err.Error())
	}
	return d, nil
}

func (p *play) begin(setup *Task, start time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, size := len(p.record.Moves), p.text.Len() // as many moves are expected again
	p.text.Reset()
	p.text.Grow(size)
	p.record, p.start, p.overrun, p.outcome, p.reason = *setup.Blank(), start, 0, rules.Undecided, ""
	g := &p.record
	g.Moves, g.Best = make([]string, 0, last), make([]string, 0, last)
	g.Scores = make([]record.Score, 0, last)
	g.Depths, g.Nodes = make([]int, 0, last), make([]int64, 0, last)
	g.Timing.Start, g.Timing.MoveMS = start.Round(0).UTC(), make([]float64, 0, last)
}

func (p *play) add(d *agents.Decision, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g, score := &p.record, record.NoScore
	if d.Scored {
		score = record.Score(d.Score)
	}
	if !d.Move.IsPlacement() {
		g.Plies++
	}
	g.Moves, g.Best, g.Scores = append(g.Moves, p.moveText(d.Move)), append(g.Best, p.moveText(d.Best)),
		append(g.Scores, score)
	g.Depths, g.Nodes = append(g.Depths, d.Depth), append(g.Nodes, d.Nodes)
	g.Timing.MoveMS = append(g.Timing.MoveMS, milliseconds(took))
}

func (p *play) moveText(m rules.Move) string {
	if m == rules.NoMove {
		return ""
	}
	var text [16]byte
	start := p.text.Len()
	p.text.Write(m.AppendText(text[:0])) // never fails
	return p.text.String()[start:]
}

// finish makes the record of a game that is over, or was lost by a fault: then game is not used.
func (p *play) finish(game *rules.Game, fault *record.Fault) *record.Record {
	g, outcome, reason := p.played(), p.outcome, p.reason
	if fault != nil {
		outcome, reason = fault.Outcome(), string(fault.Kind)
	} else if o, why := game.Outcome(); o != rules.Undecided {
		outcome, reason = o, string(why)
	}
	g.Result, g.Reason, g.Fault = outcome.String(), reason, fault
	g.Timing.Seconds = time.Since(p.start).Round(time.Microsecond).Seconds()
	g.Timing.OverrunMS = milliseconds(p.overrun)
	return g
}

// played returns the record of the moves so far, to which nothing is added. It may be called concurrently.
func (p *play) played() *record.Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.record
	g.DropUnknown()
	return &g
}

// milliseconds returns a time, 0 or more, to the microsecond.
func milliseconds(d time.Duration) float64 { return float64((d+500)/1000) / 1e3 }

func newFault(side rules.Side, kind record.FaultKind, detail string) *record.Fault {
	return &record.Fault{Side: side.Name(), Kind: kind, Detail: bounded(detail, record.MaxDetail)}
}

func traceOf(a agents.Agent) []string {
	lines := a.Trace()
	lines = lines[max(len(lines)-maxTrace, 0):]
	for i := range lines {
		lines[i] = bounded(lines[i], record.MaxDetail)
	}
	return lines
}

const maxTrace = 100 // lines of a trace

// bounded cuts a text that is too long, and replaces invalid UTF-8.
func bounded(s string, limit int) string { return strings.ToValidUTF8(textfmt.Cut(s, limit), "?") }

// describePanic returns the value and the place of a panic. It is called by the deferred function that recovered. The
// place is named without the folders of the machine that built the program, so that records are the same everywhere.
func describePanic(value any) string {
	text := fmt.Sprint(value)
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicked := false
	for {
		f, more := frames.Next()
		if panicked && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s in %s (%s:%d)", bounded(text, record.MaxDetail/2), f.Function, path.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return text
		}
	}
}

// Close closes an agent and turns a panic into an error, and a hang too.
func Close(a agents.Agent) error {
	done := make(chan error, 1)
	go func() {
		err := errGoexit
		defer func() {
			if p := recover(); p != nil {
				err = errors.New("panic: " + describePanic(p))
			}
			done <- err
		}()
		err = a.Close()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(closingTime):
		return fmt.Errorf("not done within %v", closingTime)
	}
}

const closingTime = 30 * time.Second // of an agent at most; ending an external program takes up to several seconds
