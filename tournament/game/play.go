package game

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// play is a game under way. It belongs to one goroutine, but for the watchdog and, under the lock,
// the record.
type play struct {
	task  *Task // whose times are multiplied by its time scale
	start time.Time
	position
	left    [2]time.Duration // on the clocks, by side
	calling bool             // an agent has been called and hasn't returned
	overrun time.Duration    // of the clock or the move time, by who lost on time
	outcome rules.Outcome    // by a resignation or an adjudication
	reason  string           // of the outcome; "" while the game goes on
	lack    error            // what the host lacked, so that the game has no result

	watchdog watchdog

	mu     sync.Mutex    // held by the game's goroutine to change the record, by others to read it
	record record.Record // each move has a score, a depth, nodes and a time in it, if only zeros
}

func newPlay(g *Task, start time.Time) *play {
	p := &play{
		task:   g.scaled(),
		start:  start,
		record: *g.Blank(),
	}
	p.game = rules.NewGame(g.Rules, g.Opening)
	p.record.Moves = []string{} // JSON has a list, also of none
	p.record.Timing.Start = start.Round(0).UTC()
	// Whether an agent answers is looked at 20 times within the stall timeout, or each second.
	every := cmp.Or(g.StallTimeout/20, time.Second)
	p.watchdog.every = min(max(every, time.Millisecond), time.Second)
	p.watchdog.last = start
	for side := range p.left {
		p.left[side] = p.task.clock(rules.Side(side)).Base
	}
	return p
}

// toEnd plays the game to its end.
func (p *play) toEnd(ctx context.Context) (*record.Record, error) {
	if o, reason := p.game.Outcome(); o != rules.Undecided {
		opening := p.task.Rules.FormatPosition(p.task.Opening)
		return nil, fmt.Errorf("no game can begin in %q: it ends there, %v by %s",
			opening, o, reason)
	}
	p.ctx = ctx
	fault := p.run(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err // what agents do once cancelled isn't what they would do
	}
	if p.lack != nil {
		name := agents.LabelOf(p.task.Seats[p.side].Name)
		return nil, fmt.Errorf("game %d is dropped, agent %q: %w", p.task.Number, name, p.lack)
	}
	g := p.finish(fault)
	if fault != nil {
		g.Timing.Trace = traceOf(p.task.Seats[fault.Loser()].Agent)
	}
	return g, nil
}

// run plays the game until it ends, an agent fails or ctx is cancelled. It returns how the agent
// failed, if one did.
func (p *play) run(ctx context.Context) (fault *record.Fault) {
	defer func() {
		// Only an agent's panic is an agent's fault; ours goes on.
		if p.calling {
			if value := recover(); value != nil {
				fault = newFault(p.side, record.FaultPanic, describePanic(value))
			}
		}
	}()
	if fault := p.prepare(ctx); fault != nil {
		return fault
	}
	before := time.Since(p.start)
	for ctx.Err() == nil {
		if o, _ := p.game.Outcome(); o != rules.Undecided || p.reason != "" {
			return nil
		}
		d, fault := p.decide(ctx, before)
		if fault != nil || p.reason != "" {
			return fault
		}
		answered := time.Since(p.start)
		took := answered - before
		if !d.Answered.IsZero() {
			took = d.Answered.Sub(p.start) - before
		}
		took = p.watchdog.ran(took)
		if fault := p.spend(took, d.Move); fault != nil {
			return fault
		}
		p.game.PlayLegal(d.Move)
		p.add(&d, took)
		before = answered
		// What the program does between two moves isn't the next player's time.
		if len(p.task.Adjudication) > 0 {
			p.scores = p.record.Scores[len(p.record.Scores)-p.record.Plies:]
			p.outcome, p.reason = p.task.Adjudication.judge(&p.position)
			before = time.Since(p.start)
		}
		if p.task.OnMove != nil {
			p.task.OnMove(p.game, d)
			before = time.Since(p.start)
		}
	}
	return nil
}

// tooLate is the fault of an agent that returns after the game was given up. It is never recorded.
var tooLate = &record.Fault{Kind: record.FaultTimeout}

// prepare tells the agents what they are to play.
func (p *play) prepare(ctx context.Context) *record.Fault {
	for side := range p.task.Seats {
		seat := &p.task.Seats[side]
		p.call(rules.Side(side), time.Since(p.start))
		err := seat.Agent.NewGame(ctx, agents.Setup{
			Rules: p.task.Rules, Side: p.side, Seed: seat.Seed, OnRepetition: p.task.OnRepetition,
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

const noEnd time.Duration = 1 << 60 // some decades

// call notes that a side's agent is called now, the time since the game's start. It may take the
// time in which it doesn't lose by its limits, and the stall timeout more; without a stall timeout
// as long as it likes.
func (p *play) call(side rules.Side, now time.Duration) {
	clockMargin, moveMargin := p.task.timeMargins()
	patience := p.task.moveTime(side)
	if patience > 0 {
		patience += moveMargin
	}
	if p.task.clock(side) != (Clock{}) {
		clock := p.left[side] + clockMargin
		if patience == 0 || clock < patience {
			patience = clock
		}
	}
	patience += p.task.StallTimeout
	if p.task.Seats[side].Person || p.task.StallTimeout == 0 {
		patience = noEnd
	}
	p.side = side
	p.calling = true
	p.watchdog.enter(call{side, patience, now + patience})
}

// failed returns the fault of the agent that was called, and notes an error that is the host's
// instead.
func (p *play) failed(doing string, err error) *record.Fault {
	if lack, ok := errors.AsType[*agents.HostFailure](err); ok {
		p.lack = lack
	}
	kind := record.FaultError
	if failure, ok := errors.AsType[*agents.Failure](err); ok {
		kind = record.FaultKind(failure.Kind)
	}
	return newFault(p.side, kind, doing+err.Error())
}

// decide returns the checked decision of the agent whose turn it is, or notes that it resigns; now
// is since the start.
func (p *play) decide(ctx context.Context, now time.Duration) (agents.Decision, *record.Fault) {
	before, moves := p.game.Position(), len(p.game.Moves())
	side := before.Side()
	turns := p.game.Ply() / 2 // of the side
	clock := p.task.clock(side).limits(p.left[side], turns)
	request := agents.Request{Limits: p.task.Limits.Tighter(clock)}
	p.call(side, now)
	d, err := p.task.Seats[side].Agent.Choose(ctx, p.game, request)
	if !p.watchdog.leave() {
		return d, tooLate
	}
	if errors.Is(err, agents.ErrResigned) {
		p.outcome, p.reason = rules.WinFor(side.Other()), record.Resignation
		return d, nil
	}
	if err != nil {
		return d, p.failed("", err)
	}
	p.calling = false
	if p.game.Position() != before || len(p.game.Moves()) != moves {
		return d, newFault(side, record.FaultError, "the agent changed the game it was given")
	}
	if p.task.OnRepetition == agents.Allow && p.game.OnlyRepeats(d.Move) {
		return d, nil
	}
	if err := p.game.Check(d.Move); err != nil {
		return d, newFault(side, record.FaultIllegal, err.Error())
	}
	return d, nil
}

// spend takes the time of a move, which is yet to be played, off the clock of the side that was
// called. It returns the loss on time, if it is one.
func (p *play) spend(took time.Duration, m rules.Move) *record.Fault {
	clockMargin, moveMargin := p.task.timeMargins()
	turn := p.game.Ply()/2 + 1 // of the side
	if m.IsPlacement() {
		turn = 0
	}
	clock := p.task.clock(p.side)
	p.overrun = clock.spend(&p.left[p.side], took, clockMargin, turn)
	if p.overrun > 0 {
		return newFault(p.side, record.FaultTimeout, "overran its clock")
	}
	limit := p.task.moveTime(p.side)
	if limit > 0 && took > limit+moveMargin {
		p.overrun = took - limit
		detail := fmt.Sprintf("overran its move time of %v", limit)
		return newFault(p.side, record.FaultTimeout, detail)
	}
	return nil
}

// add adds a move that was made to the record.
func (p *play) add(d *agents.Decision, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	score := record.NoScore
	if d.Scored {
		score = record.Score(d.Score)
	}
	best := ""
	if d.Best != rules.NoMove {
		best = d.Best.String()
	}
	g := &p.record
	if !d.Move.IsPlacement() {
		g.Plies++
	}
	g.Moves = append(g.Moves, d.Move.String())
	g.Best = append(g.Best, best)
	g.Scores = append(g.Scores, score)
	g.Depths = append(g.Depths, d.Depth)
	g.Nodes = append(g.Nodes, d.Nodes)
	g.Timing.MoveMS = append(g.Timing.MoveMS, milliseconds(took))
}

// finish returns the record of a game that is over, or was lost by a fault. Then the game may be in
// use elsewhere.
func (p *play) finish(fault *record.Fault) *record.Record {
	outcome, reason := p.outcome, p.reason
	if fault != nil {
		outcome, reason = fault.Outcome(), string(fault.Kind)
	} else if o, byRules := p.game.Outcome(); o != rules.Undecided {
		outcome, reason = o, string(byRules)
	}
	g := p.played()
	g.Result = outcome.String()
	g.Reason = reason
	g.Fault = fault
	g.Timing.Seconds = time.Since(p.start).Round(time.Microsecond).Seconds()
	g.Timing.OverrunMS = milliseconds(p.overrun)
	return g
}

// played returns the record of the moves so far, to which nothing is added. It may be called
// concurrently.
func (p *play) played() *record.Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.record
	g.DropUnknown()
	return &g
}

// milliseconds returns a time, 0 or more, to the microsecond.
func milliseconds(d time.Duration) float64 { return float64((d+500)/1000) / 1e3 }
