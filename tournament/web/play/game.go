package play

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"gyges/agents"
	"gyges/agents/human"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
	"gyges/tournament/web"
)

// session is a game between a person and an agent, or another person at the same screen. Package
// game plays it; the moves made are kept here. Requests add the person's moves, and undo some: then
// the game is played again from the beginning, with the moves that remain.
type session struct {
	id     string
	pages  *Pages
	client string // who began it
	terms
	seed   uint64
	began  time.Time
	ctx    context.Context // until the game is over
	cancel context.CancelCauseFunc
	used   time.Time // by a request; guarded by the lock of pages

	mu        sync.Mutex // the methods that say so are called with it
	board     *rules.Game
	made      []made
	since     time.Time // of the last change
	version   int64
	changed   chan struct{}      // closed at the next change
	left      time.Duration      // on the person's clock when it was started, or stopped last
	started   time.Time          // when the person's clock was started; zero: it stands
	interrupt context.CancelFunc // ends the playing, which begins anew
	helped    bool               // moves were undone, a hint given, or the position analysed
	resigned  bool               // the game ends at the person's next turn
	end       *record.Record     // nil while it goes on
	kept      string             // address of the record
	problem   string             // why there is no record
}

// terms are what a game is played by, and who plays it.
type terms struct {
	rules *rules.Rules
	start rules.Position
	human rules.Side
	name  string      // of the person; "": none was given
	other string      // of the other person
	agent agents.Spec // the opponent; of the kind humanKind, who has the person's rights too
	clock game.Clock  // the person's; zero: none. The agent keeps its own time a move
}

// made is a move that was made.
type made struct {
	agents.Decision
	side rules.Side
	text string  // in long notation
	ms   float64 // time
}

const humanKind = "human"

// errIdle is the cause of cancelling a game without requests for [maxIdleTime].
var errIdle = errors.New("the game was ended: it was idle for too long")

// errNoOpponent is the cause of cancelling a game whose opponent can't be made.
var errNoOpponent = errors.New("the opponent can't play, so the game has no result; " +
	"the server's log has the reason")

// play plays the game, and reports whether it is over, which it isn't when moves were undone.
func (g *session) play() bool {
	ctx, interrupt := context.WithCancel(g.ctx)
	defer interrupt()
	g.mu.Lock()
	g.interrupt = interrupt
	g.mu.Unlock()
	m := game.Task{Rules: g.rules, Opening: g.start}
	m.Openings = schedule.Openings{Policy: "play"}
	// The moves that were made before are made again first.
	m.OnMove = func(at *rules.Game, d agents.Decision) {
		g.mu.Lock()
		defer g.mu.Unlock()
		isNew := len(at.Moves()) > len(g.made)
		if isNew && ctx.Err() == nil {
			g.add(d)
		}
	}
	m.Seats[g.human] = game.Seat{Name: humanKind, Clock: g.clock}
	m.Seats[g.human.Other()] = game.Seat{Name: g.agent.String()}
	for side := range m.Seats {
		m.Seats[side].Seed = g.seed
		m.Seats[side].Agent = &seat{game: g}
	}
	// Where undo has ended this playing alone, another one follows.
	rec, err := game.Play(ctx, &m)
	g.mu.Lock()
	defer g.mu.Unlock()
	if ctx.Err() != nil && g.ctx.Err() == nil {
		return false
	}
	if err == nil {
		g.finish(rec)
	} else {
		g.problem = cmp.Or(context.Cause(g.ctx), err).Error()
	}
	g.change()
	return true
}

// isPersonal reports whether a person plays a side.
func (g *session) isPersonal(side rules.Side) bool { return side == g.human || g.isShared() }

// isShared reports whether two persons play at one screen.
func (g *session) isShared() bool { return g.agent.Kind == humanKind }

// hasClock reports whether the person has a clock.
func (g *session) hasClock() bool { return g.clock != (game.Clock{}) }

// person returns a person of a name as an agent of records, so that persons with names or a clock,
// and persons who had help, are rated apart. The caller holds the lock.
func (g *session) person(name string) string {
	spec := agents.Spec{Kind: humanKind}
	if g.hasClock() {
		spec = spec.With("clock", g.clock.String())
	}
	if name != "" {
		spec = spec.With("name", name)
	}
	if g.helped {
		spec = human.Helped(spec)
	}
	return spec.String()
}

// finish keeps the record. The times are those at which the moves were made, not when the game was
// played again. A move made just as the time ran out is dropped. The caller holds the lock.
func (g *session) finish(rec *record.Record) {
	g.keep(min(len(g.made), len(rec.Moves)))
	rec.Timing.Start = g.began.Round(0).UTC()
	rec.Timing.Seconds = time.Since(g.began).Round(time.Microsecond).Seconds()
	rec.Timing.MoveMS = nil
	if len(g.made) == len(rec.Moves) {
		rec.Timing.MoveMS = lists.Map(g.made, func(m made) float64 { return m.ms })
	}
	// The record names the persons as they are rated.
	person, opponent := &rec.South, &rec.North
	if g.human == rules.North {
		person, opponent = opponent, person
	}
	person.Agent = g.person(g.name)
	if g.isShared() {
		opponent.Agent = g.person(g.other)
	}
	// The game is over for the page even if its record waits.
	g.end = rec
	var err error
	g.kept, err = g.pages.records.keep(rec)
	if err != nil {
		g.pages.server.Log.Error("a game is not recorded", "error", err)
		g.problem = "the game is not recorded; the server's log has the reason, " +
			"and the server tries again"
	}
}

// change wakes the requests that wait for a change. The caller holds the lock.
func (g *session) change() {
	g.version++
	close(g.changed)
	g.changed = make(chan struct{})
}

// add makes a move that is legal. The caller holds the lock.
func (g *session) add(d agents.Decision) {
	now, p := time.Now(), g.board.Position()
	d.PV = slices.Clone(d.PV)
	took := now.Sub(g.since)
	g.made = append(g.made, made{
		Decision: d,
		side:     p.Side(),
		text:     g.rules.LongText(p, d.Move),
		ms:       math.Round(float64(took)/1e3) / 1e3, // to the microsecond
	})
	g.board.PlayLegal(d.Move)
	g.since = now
	if !g.started.IsZero() {
		g.left += g.clock.Increment - now.Sub(g.started)
		g.started = time.Time{}
	}
	g.change()
}

// keep removes the moves after the first n. The caller holds the lock.
func (g *session) keep(n int) {
	for range g.made[n:] {
		g.board.Undo()
	}
	g.made = g.made[:n]
}

// decision returns the decision made after n moves, if there is one by now. The caller holds the
// lock.
func (g *session) decision(ctx context.Context, n int) (d agents.Decision, ok bool) {
	if ctx.Err() != nil || n >= len(g.made) {
		return d, false
	}
	return g.made[n].Decision, true
}

// seat is an agent that makes the moves that were made before, and then moves of requests or of the
// opponent.
type seat struct {
	agents.Base
	game  *session
	setup agents.Setup
}

// NewGame implements [agents.Agent].
func (s *seat) NewGame(_ context.Context, setup agents.Setup) error {
	s.setup = setup
	return nil
}

// Choose implements [agents.Agent].
func (s *seat) Choose(
	ctx context.Context, at *rules.Game, q agents.Request,
) (agents.Decision, error) {
	g, n := s.game, len(at.Moves())
	if g.isPersonal(s.setup.Side) {
		return g.await(ctx, at, q.Limits.Clock.Left)
	}
	g.mu.Lock()
	d, ok := g.decision(ctx, n)
	g.mu.Unlock()
	if ok {
		return d, nil
	}
	// The opponent's move is searched in the client's turn.
	setup := s.setup
	setup.Seed += uint64(n) // the agent may be another instance than at the last move
	d, err := g.pages.choose(ctx, g.client, g.agent, setup, at)
	if lack, ok := errors.AsType[*agents.HostFailure](err); ok && ctx.Err() == nil {
		g.pages.server.Log.Error("a game ends without a result: its opponent can't play",
			"error", lack)
		g.cancel(errNoOpponent)
	}
	return d, err
}

// await blocks until a request has the person's move. It passes by itself where nothing else is
// legal. When the time left on the clock, which is 0 without a clock, is over it returns any move,
// which is too late.
func (g *session) await(
	ctx context.Context, at *rules.Game, left time.Duration,
) (agents.Decision, error) {
	// Without a clock the time is never up.
	var timeUp <-chan time.Time
	if left > 0 {
		timeUp = time.After(left + time.Millisecond)
		g.mu.Lock()
		g.left, g.started = left, time.Now()
		g.change()
		g.mu.Unlock()
	}
	for {
		g.mu.Lock()
		d, ok := g.decision(ctx, len(at.Moves()))
		resigned, changed := g.resigned, g.changed
		g.mu.Unlock()
		switch {
		case ok:
			return d, nil
		case at.Legal().Contains(rules.Pass):
			return agents.Decision{Move: rules.Pass}, nil
		case resigned:
			return d, agents.ErrResigned
		}
		select {
		case <-changed:
		case <-timeUp:
			return agents.Decision{Move: at.Legal().At(0)}, nil
		case <-ctx.Done():
			return d, ctx.Err()
		}
	}
}

// remaining is the time on the person's clock. The caller holds the lock.
func (g *session) remaining() time.Duration {
	if g.started.IsZero() {
		return g.left
	}
	return max(0, g.left-time.Since(g.started))
}

// update calls a function with the lock, unless the game is over.
func (g *session) update(change func() error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.end != nil || g.problem != "" {
		return web.Conflict("the game is over")
	}
	return change()
}

// isTurn checks that the person is to move, after the given number of plies. The caller holds the
// lock.
func (g *session) isTurn(ply int) error {
	if o, _ := g.board.Outcome(); o != rules.Undecided {
		return web.Conflict("the game is over")
	}
	if !g.isPersonal(g.board.Position().Side()) {
		return web.Conflict("it isn't your turn")
	}
	if n := len(g.made); ply != n {
		return web.Conflict("the game has gone on: expected ply %d, found %d", n, ply)
	}
	return nil
}

// move makes a person's move. The caller holds the lock.
func (g *session) move(q moveRequest) error {
	if err := g.isTurn(q.Ply); err != nil {
		return err
	}
	if !g.started.IsZero() && g.remaining() == 0 {
		return web.Conflict("your time is up")
	}
	m, err := g.rules.ParseMove(g.board.Position(), q.Move)
	if err == nil {
		err = g.board.Check(m)
	}
	if err != nil {
		return web.Unprocessable("%v", err)
	}
	g.add(agents.Decision{Move: m})
	return nil
}

// undo undoes moves as a request says. The caller holds the lock.
func (g *session) undo(q undoRequest) error {
	if g.hasClock() {
		return web.Conflict("no take-backs in timed games")
	}
	n := g.lastMove()
	if q.Ply != nil {
		n = *q.Ply
		if err := inRange("ply", n, len(g.made)-1); err != nil {
			return err
		}
	}
	if n < 0 {
		return web.Conflict("there is no move of yours to take back")
	}
	// Whoever takes back a move after the set-up has had help.
	g.keep(n)
	g.resigned, g.since = false, time.Now()
	if !g.rules.SettingUp(g.board.Position()) {
		g.helped = true
	}
	g.interrupt()
	g.change()
	return nil
}

// resign ends the game at the person's next turn. The caller holds the lock.
func (g *session) resign(struct{}) error {
	g.resigned = true
	g.change()
	return nil
}

// noteHelp notes that the person has help from elsewhere, such as an analysis. The caller holds the
// lock.
func (g *session) noteHelp(struct{}) error {
	g.helped = true
	return nil
}

// lastMove is the index of the person's last move, forced passes not counted; -1 if there is none.
// The caller holds the lock.
func (g *session) lastMove() int {
	for i, m := range slices.Backward(g.made) {
		if g.isPersonal(m.side) && m.Move != rules.Pass {
			return i
		}
	}
	return -1
}

// replayed returns a game of its own with the moves made. The caller holds the lock.
func (g *session) replayed() *rules.Game {
	c := rules.NewGame(g.rules, g.start)
	for _, m := range g.made {
		c.PlayLegal(m.Move)
	}
	return c
}
