package tournament

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gyges/agents"
	"gyges/agents/solver"
	"gyges/rules"
	"gyges/tournament/record"
)

// Game is a game to be played.
type Game struct {
	Number, Pair int64 // for the record
	Rules        *rules.Rules
	Opening      rules.Position
	Policy       string  // where the opening came from, for the record
	Seats        [2]Seat // by side
	Limits       agents.Limits

	// OnRepetition is what becomes of a move that only repeats; zero: Forfeit.
	OnRepetition agents.OnRepetition

	Clock        Clock         // zero: none
	TimeMargin   time.Duration // as in Config
	StallTimeout time.Duration // as in Config

	// Adjudication ends the game early; zero: never.
	Adjudication Adjudication

	// OnMove is called after each move; it may be nil. It must not
	// change the game.
	OnMove func(g *rules.Game, d agents.Decision)
}

// Seat is one side's player in a game.
type Seat struct {
	Name  string // the agent's spec
	Seed  uint64
	Agent agents.Agent

	Clock    Clock         // zero: as in the game
	MoveTime time.Duration // the agent's own bound of each decision; 0: none
	Person   bool          // it is waited for without end
}

// blank returns the record of the game before it is played.
func (setup *Game) blank() *record.Record {
	g := &record.Record{
		Game: setup.Number, Pair: setup.Pair,
		Rules: setup.Rules.String(), Opening: setup.Rules.FormatPosition(setup.Opening), Policy: setup.Policy,
		South:        record.Player{Agent: setup.Seats[rules.South].Name, Seed: setup.Seats[rules.South].Seed},
		North:        record.Player{Agent: setup.Seats[rules.North].Name, Seed: setup.Seats[rules.North].Seed},
		Limits:       recordLimits(setup.Limits, setup.Clock),
		Adjudication: setup.Adjudication.String(),
	}
	if setup.OnRepetition != agents.Forfeit {
		g.OnRepetition = string(setup.OnRepetition)
	}
	return g
}

func (setup *Game) clock(side rules.Side) Clock { return cmp.Or(setup.Seats[side].Clock, setup.Clock) }

// moveTime returns how long a side may think over a move, 0: as long as it likes.
func (setup *Game) moveTime(side rules.Side) time.Duration {
	return setup.Limits.Tighter(agents.Limits{MoveTime: setup.Seats[side].MoveTime}).MoveTime
}

// PlayGame plays a game to its end and returns the record. An agent that
// chooses an illegal move, returns an error, panics or doesn't answer loses the
// game; the record says how. When ctx is cancelled the game is dropped and the context's
// error returned, and so it is when the host lacks something that an agent needs,
// with an [agents.HostFailure]; any other error means that no game can begin in
// the opening.
func PlayGame(ctx context.Context, setup *Game) (*record.Record, error) {
	r := &Runner{referee: new(referee)}
	g, _, err := r.playWatched(ctx, setup)
	return g, err
}

// referee plays games, one after another. It belongs to one goroutine, which alone changes the
// record, so that it may read that without the lock.
type referee struct {
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

// play plays a game that starts at a time just past.
func (r *referee) play(ctx context.Context, setup *Game, start time.Time) (*record.Record, error) {
	game := rules.NewGame(setup.Rules, setup.Opening)
	if o, reason := game.Outcome(); o != rules.Undecided {
		return nil, fmt.Errorf("no game can begin in %q: it ends there, %v by %s",
			setup.Rules.FormatPosition(setup.Opening), o, reason)
	}
	r.lack = nil
	fault := r.run(ctx, setup, game, start)
	if err := ctx.Err(); err != nil {
		return nil, err // what agents do once cancelled isn't what they would do
	}
	if r.lack != nil {
		return nil, fmt.Errorf("game %d is dropped, agent %q: %w", setup.Number,
			agents.LabelOf(setup.Seats[r.side].Name), r.lack)
	}
	g := r.finish(game, fault)
	if fault != nil {
		g.Timing.Trace = traceOf(setup.Seats[fault.Loser()].Agent)
	}
	return g, nil
}

// run plays the game until it ends, an agent fails or ctx is cancelled. It
// returns how the agent failed, if one did.
func (r *referee) run(ctx context.Context, setup *Game, game *rules.Game, start time.Time) (fault *record.Fault) {
	r.calling = false
	defer func() {
		// Only an agent's panic is an agent's fault; ours goes on.
		if r.calling {
			if p := recover(); p != nil {
				fault = newFault(r.side, record.FaultPanic, describePanic(p))
			}
			r.calling = false
		}
	}()
	for side := range r.left {
		r.left[side] = setup.clock(rules.Side(side)).Base
	}
	if fault := r.prepare(ctx, setup, start); fault != nil {
		return fault
	}
	before := time.Since(start)
	for ctx.Err() == nil {
		if o, _ := game.Outcome(); o != rules.Undecided || r.reason != "" {
			return nil
		}
		d, fault := r.decide(ctx, setup, game, before)
		if r.reason != "" {
			return nil
		}
		now := time.Since(start)
		if fault != nil {
			return fault
		}
		if fault := r.time(setup, now-before); fault != nil {
			return fault
		}
		game.PlayLegal(d.Move)
		r.add(&d, now-before)
		before = now
		if setup.Adjudication != (Adjudication{}) {
			r.adjudicate(ctx, setup, game)
			before = time.Since(start)
		}
		if setup.OnMove != nil {
			setup.OnMove(game, d)
			before = time.Since(start)
		}
	}
	return nil
}

// adjudicate ends the game after the present move if the adjudication says so.
func (r *referee) adjudicate(ctx context.Context, setup *Game, game *rules.Game) {
	r.outcome, r.reason = setup.Adjudication.judge(r.record.Scores, r.record.Plies, r.side)
	if setup.Adjudication.Proven == 0 || r.reason != "" {
		return
	}
	if r.solver == nil {
		const megabytes = 1 // it is cleared for every move
		r.solver = solver.New(megabytes)
	}
	r.outcome, r.reason = setup.Adjudication.prove(ctx, r.solver, game)
}

// time returns the fault of the side to move if it took too long.
func (r *referee) time(setup *Game, took time.Duration) *record.Fault {
	clockMargin, moveMargin := timeMargins(setup.TimeMargin)
	if over := setup.clock(r.side).spend(&r.left[r.side], took, clockMargin); over > 0 {
		return r.overran(over, "overran its clock")
	}
	if limit := setup.moveTime(r.side); limit > 0 && took > limit+moveMargin {
		return r.overran(took-limit, fmt.Sprintf("overran its move time of %v", limit))
	}
	return nil
}

// overran returns the fault of the side to move, which overran its time.
func (r *referee) overran(by time.Duration, detail string) *record.Fault {
	r.overrun = by
	return newFault(r.side, record.FaultTimeout, detail)
}

// tooLate is the fault of an agent that returns after the watchdog gave it up.
// It is never recorded.
var tooLate = &record.Fault{Kind: record.FaultTimeout}

func (r *referee) prepare(ctx context.Context, setup *Game, start time.Time) *record.Fault {
	for _, side := range []rules.Side{rules.South, rules.North} {
		seat := &setup.Seats[side]
		r.call(setup, side, time.Since(start))
		err := seat.Agent.NewGame(ctx, agents.Setup{
			Rules: setup.Rules, Side: side, Seed: seat.Seed, OnRepetition: setup.OnRepetition,
		})
		if !r.watchdog.leave() {
			return tooLate
		}
		if err != nil {
			return r.failed("preparing the game: ", err)
		}
		r.calling = false
	}
	return nil
}

// call notes that a side's agent is called now, the time since the game's start. It may take the time in which it
// doesn't lose by its limits, and the stall timeout more; without either as long as it likes.
func (r *referee) call(setup *Game, side rules.Side, now time.Duration) {
	clockMargin, moveMargin := timeMargins(setup.TimeMargin)
	var limits agents.Limits
	if limit := setup.moveTime(side); limit > 0 {
		limits.MoveTime = limit + moveMargin
	}
	if setup.clock(side) != (Clock{}) {
		limits = limits.Tighter(agents.Limits{MoveTime: r.left[side] + clockMargin})
	}
	r.patience[side] = setup.StallTimeout + limits.MoveTime
	if setup.Seats[side].Person || r.patience[side] == 0 {
		r.patience[side] = 1 << 60 // some decades
	}
	r.side, r.calling = side, true
	r.watchdog.enter(side, now+r.patience[side])
}

// failed returns the fault of the agent that was called, and notes an error that is
// the host's instead.
func (r *referee) failed(doing string, err error) *record.Fault {
	if lack, ok := errors.AsType[*agents.HostFailure](err); ok {
		r.lack = lack
	}
	kind := record.FaultError
	if f, ok := errors.AsType[*agents.Failure](err); ok {
		kind = record.FaultKind(f.Kind)
	}
	return newFault(r.side, kind, doing+err.Error())
}

// decide returns the checked decision of the agent whose turn it is, or notes that it
// resigns. now is the time since the game's start.
func (r *referee) decide(
	ctx context.Context, setup *Game, game *rules.Game, now time.Duration,
) (agents.Decision, *record.Fault) {
	pos, moves := game.Position(), len(game.Moves())
	lim := setup.Limits.Tighter(setup.clock(pos.Side()).limits(r.left[pos.Side()]))
	r.call(setup, pos.Side(), now)
	d, err := setup.Seats[r.side].Agent.Choose(ctx, game, lim)
	if !r.watchdog.leave() {
		return d, tooLate
	}
	if errors.Is(err, agents.ErrResigned) {
		r.calling = false
		r.outcome, r.reason = rules.WinFor(r.side.Other()), record.Resignation
		return d, nil
	}
	if err != nil {
		return d, r.failed("", err)
	}
	r.calling = false
	if game.Position() != pos || len(game.Moves()) != moves {
		return d, newFault(r.side, record.FaultError, "the agent changed the game it was given")
	}
	if setup.OnRepetition == agents.Allow && game.OnlyRepeats(d.Move) {
		return d, nil
	}
	if err := game.Check(d.Move); err != nil {
		return d, newFault(r.side, record.FaultIllegal, err.Error())
	}
	return d, nil
}

func (r *referee) begin(setup *Game, start time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, size := len(r.record.Moves), r.text.Len() // as many moves are expected again
	r.text.Reset()
	r.text.Grow(size)
	r.record, r.start, r.overrun, r.outcome, r.reason = *setup.blank(), start, 0, rules.Undecided, ""
	g := &r.record
	g.Moves, g.Best = make([]string, 0, last), make([]string, 0, last)
	g.Scores = make([]record.Score, 0, last)
	g.Depths, g.Nodes = make([]int, 0, last), make([]int64, 0, last)
	g.Timing.Start, g.Timing.MoveMS = start.Round(0).UTC(), make([]float64, 0, last)
}

// add appends a decision and the time it took.
func (r *referee) add(d *agents.Decision, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	g, score := &r.record, record.NoScore
	if d.Scored {
		score = record.Score(d.Score)
	}
	if !d.Move.IsPlacement() {
		g.Plies++
	}
	g.Moves, g.Best, g.Scores = append(g.Moves, r.moveText(d.Move)), append(g.Best, r.moveText(d.Best)),
		append(g.Scores, score)
	g.Depths, g.Nodes = append(g.Depths, d.Depth), append(g.Nodes, d.Nodes)
	g.Timing.MoveMS = append(g.Timing.MoveMS, milliseconds(took))
}

// moveText returns the text of a move; "" for none.
func (r *referee) moveText(m rules.Move) string {
	if m == rules.NoMove {
		return ""
	}
	var text [16]byte
	start := r.text.Len()
	r.text.Write(m.AppendText(text[:0])) // never fails
	return r.text.String()[start:]
}

// finish makes the record of a game that is over or was lost by a fault. In the
// latter case game is not used.
func (r *referee) finish(game *rules.Game, fault *record.Fault) *record.Record {
	g, outcome, reason := r.played(), r.outcome, r.reason
	if fault != nil {
		outcome, reason = lossOf(fault), string(fault.Kind)
	} else if o, why := game.Outcome(); o != rules.Undecided {
		outcome, reason = o, string(why)
	}
	g.Result, g.Reason, g.Fault = outcome.String(), reason, fault
	g.Timing.Seconds = time.Since(r.start).Round(time.Microsecond).Seconds()
	g.Timing.OverrunMS = milliseconds(r.overrun)
	return g
}

// played returns the record of the moves so far, to which nothing is added. It may be called concurrently with the
// referee's goroutine.
func (r *referee) played() *record.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.record
	g.Best, g.Scores = known(g.Best, ""), known(g.Scores, record.NoScore)
	g.Depths, g.Nodes = known(g.Depths, 0), known(g.Nodes, 0)
	g.Timing.MoveMS = known(g.Timing.MoveMS, -1) // nil without moves only
	return &g
}

// known returns what is known of each move, nil if nothing is of any.
func known[T comparable](list []T, unknown T) []T {
	if slices.ContainsFunc(list, func(v T) bool { return v != unknown }) {
		return list
	}
	return nil
}

// milliseconds returns a time, 0 or more, to the microsecond.
func milliseconds(d time.Duration) float64 { return float64((d+500)/1000) / 1e3 }
