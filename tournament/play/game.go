package play

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/web"
)

// game is a game between a person and an agent. Package tournament plays it; the
// moves made are kept here. Requests add the person's moves, and undo some: then the game
// is played again from the beginning, with the moves that remain.
type game struct {
	id     string
	pages  *Pages
	client string // who began it
	rules  *rules.Rules
	start  rules.Position
	policy string
	human  rules.Side
	agent  agents.Spec
	clock  tournament.Clock // the person's; zero: none. The agent keeps its own time a move
	seed   uint64
	began  time.Time
	ctx    context.Context // until the game is over
	cancel context.CancelCauseFunc

	mu        sync.Mutex
	board     *rules.Game
	decisions []agents.Decision // the moves made
	moveMS    []float64         // time of each
	since     time.Time         // of the last change
	version   int64
	changed   chan struct{}      // closed at the next change
	left      time.Duration      // on the person's clock when the last of their turns began, or ended
	started   time.Time          // when the person's clock was started; zero: it stands
	used      time.Time          // by a request
	restart   bool               // moves were undone
	interrupt context.CancelFunc // ends the playing, for a restart
	helped    bool               // moves were undone, a hint given, or the position analysed
	hinting   bool
	resigned  bool
	end       *record.Game // nil while it goes on
	kept      string       // address of the record
	problem   string       // why there is no record
}

// errIdle is the cause of cancelling a game without requests for [maxIdleTime].
var errIdle = errors.New("the game was ended: it was idle for too long")

// play plays the game to its end.
func (g *game) play() {
	defer g.cancel(nil)
	for {
		rec, err := g.playOnce()
		g.mu.Lock()
		if g.restart && g.ctx.Err() == nil {
			g.restart = false
			g.mu.Unlock()
			continue
		}
		switch {
		case err == nil:
			g.finish(rec)
		case g.ctx.Err() != nil:
			g.problem = context.Cause(g.ctx).Error()
		default:
			g.problem = err.Error()
		}
		g.change()
		g.mu.Unlock()
		return
	}
}

func (g *game) playOnce() (*record.Game, error) {
	ctx, cancel := context.WithCancel(g.ctx)
	defer cancel()
	m := tournament.Game{Rules: g.rules, Opening: g.start, Policy: g.policy, OnMove: g.moved}
	g.mu.Lock()
	if g.restart {
		g.mu.Unlock()
		return nil, context.Canceled
	}
	g.interrupt = cancel
	g.mu.Unlock()
	m.Seats[g.human] = tournament.Seat{Name: humanKind, Seed: g.seed, Agent: humanAgent{g}, Clock: g.clock}
	m.Seats[g.human.Other()] = tournament.Seat{Name: g.agent.String(), Seed: g.seed, Agent: &opponent{game: g}}
	return tournament.PlayGame(ctx, &m)
}

// humanKind is the person in records.
const humanKind = "human"

// helpedName is the name of a person who had help, which has a rating of its own.
const helpedName = "human, helped"

// person returns the person as an agent of records, so that those with a clock, and
// those who had help, are rated apart. The caller holds the lock.
func (g *game) person() string {
	spec := agents.Spec{Kind: humanKind}
	if g.clock != (tournament.Clock{}) {
		spec.Params = append(spec.Params, agents.Param{Name: "clock", Value: g.clock.String()})
	}
	if g.helped {
		spec.Params = append(spec.Params, agents.Param{Name: "name", Value: helpedName})
	}
	return spec.String()
}

// finish keeps the record. The times are those of the moves when they were made,
// not when the game was played again. A move made just as the time ran out is dropped.
func (g *game) finish(rec *record.Game) {
	for len(g.decisions) > len(rec.Moves) {
		g.dropLast()
	}
	rec.Timing.Start = g.began.Round(0).UTC()
	rec.Timing.Seconds = time.Since(g.began).Round(time.Microsecond).Seconds()
	rec.Timing.MoveMS = slices.Clone(g.moveMS[:min(len(g.moveMS), len(rec.Moves))])
	if len(rec.Timing.MoveMS) != len(rec.Moves) {
		rec.Timing.MoveMS = nil
	}
	if g.human == rules.North {
		rec.North.Agent = g.person()
	} else {
		rec.South.Agent = g.person()
	}
	g.end = rec
	kept, err := g.pages.records.keep(rec)
	if err != nil {
		g.pages.server.Log.Error("a game is not recorded", "error", err)
		g.problem = "the game is not recorded; the server's log has the reason, and the server tries again"
	}
	g.kept = kept
}

// change wakes the requests that wait for a change. The caller holds the lock.
func (g *game) change() {
	g.version++
	close(g.changed)
	g.changed = make(chan struct{})
}

// add makes a move that is legal. The caller holds the lock.
func (g *game) add(d agents.Decision) {
	d.PV = slices.Clone(d.PV)
	g.board.PlayLegal(d.Move)
	g.decisions = append(g.decisions, d)
	now := time.Now()
	g.moveMS = append(g.moveMS, math.Round(float64(now.Sub(g.since))/1e3)/1e3)
	g.since = now
	if !g.started.IsZero() {
		g.left, g.started = g.left-now.Sub(g.started)+g.clock.Increment, time.Time{}
	}
	g.change()
}

// dropLast removes the last move. The caller holds the lock.
func (g *game) dropLast() {
	g.board.Undo()
	g.decisions, g.moveMS = g.decisions[:len(g.decisions)-1], g.moveMS[:len(g.moveMS)-1]
}

// moved adds a move of the game in play.
func (g *game) moved(at *rules.Game, d agents.Decision) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.restart && len(at.Moves()) > len(g.decisions) {
		g.add(d)
	}
}

// decision returns the one made after n moves, or a channel to wait for it.
func (g *game) decision(n int) (d agents.Decision, ok, resigned bool, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.restart && n < len(g.decisions) {
		return g.decisions[n], true, false, nil
	}
	return d, false, g.resigned, g.changed
}

// humanAgent is the agent whose moves come from requests.
type humanAgent struct{ game *game }

// NewGame implements [agents.Agent].
func (humanAgent) NewGame(context.Context, agents.Setup) error { return nil }

// Choose implements [agents.Agent]: it blocks until a request has a move. It passes
// by itself where nothing else is legal. When the time on the clock is over it returns any
// move, which is too late.
func (a humanAgent) Choose(ctx context.Context, at *rules.Game, l agents.Limits) (agents.Decision, error) {
	var timeUp <-chan time.Time
	if l.Clock.Left > 0 {
		timer := time.NewTimer(l.Clock.Left + time.Millisecond)
		defer timer.Stop()
		timeUp = timer.C
		a.game.startClock(l.Clock.Left)
	}
	for {
		d, ok, resigned, changed := a.game.decision(len(at.Moves()))
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

// startClock starts the person's clock with the time that is left on it.
func (g *game) startClock(left time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left, g.started = left, time.Now()
	g.change()
}

// remaining is the time on the person's clock. The caller holds the lock.
func (g *game) remaining() time.Duration {
	if g.started.IsZero() {
		return g.left
	}
	return max(0, g.left-time.Since(g.started))
}

// opponent is the agent that the person plays against.
type opponent struct {
	game  *game
	setup agents.Setup
}

// NewGame implements [agents.Agent].
func (o *opponent) NewGame(_ context.Context, s agents.Setup) error {
	o.setup = s
	return nil
}

// Choose implements [agents.Agent].
func (o *opponent) Choose(ctx context.Context, at *rules.Game, _ agents.Limits) (agents.Decision, error) {
	n := len(at.Moves())
	if d, ok, _, _ := o.game.decision(n); ok {
		return d, nil
	}
	setup := o.setup
	setup.Seed += uint64(n) // the agent may be another instance than at the last move
	return o.game.pages.choose(ctx, o.game.client, o.game.agent, setup, at)
}

// inProgress checks that the game is not over. The caller holds the lock.
func (g *game) inProgress() error {
	if g.end != nil || g.problem != "" {
		return web.Conflict("the game is over")
	}
	return nil
}

// isTurn checks that the person is to move, after the given number of plies. The caller holds the lock.
func (g *game) isTurn(ply int) error {
	if err := g.inProgress(); err != nil {
		return err
	}
	if o, _ := g.board.Outcome(); o != rules.Undecided {
		return web.Conflict("the game is over")
	}
	if g.board.Position().Side() != g.human {
		return web.Conflict("it isn't your turn")
	}
	if ply != len(g.decisions) {
		return web.Conflict("the game has gone on: expected ply %d, found %d", len(g.decisions), ply)
	}
	return nil
}

// move makes a move of the person.
func (g *game) move(ply int, text string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.isTurn(ply); err != nil {
		return err
	}
	if !g.started.IsZero() && g.remaining() == 0 {
		return web.Conflict("your time is over")
	}
	m, err := g.rules.ParseMove(g.board.Position(), text)
	if err == nil {
		err = g.board.Check(m)
	}
	if err != nil {
		return web.Unprocessable("%v", err)
	}
	g.add(agents.Decision{Move: m})
	return nil
}

// undo undoes the moves after the first n; nil: the person's last move and those after it.
func (g *game) undo(ply *int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.inProgress(); err != nil {
		return err
	}
	if g.clock != (tournament.Clock{}) {
		return web.Conflict("in a game with a clock no move is taken back")
	}
	n := g.lastMove()
	switch {
	case ply == nil && n < 0:
		return web.Conflict("there is no move of yours to take back")
	case ply == nil:
	case *ply < 0 || *ply >= len(g.decisions):
		return web.Unprocessable("ply: expected 0 to %d, found %d", len(g.decisions)-1, *ply)
	default:
		n = *ply
	}
	for len(g.decisions) > n {
		g.dropLast()
	}
	g.restart, g.resigned, g.since = true, false, time.Now()
	if !g.rules.SettingUp(g.board.Position()) {
		g.helped = true
	}
	g.interrupt()
	g.change()
	return nil
}

// branch returns a game with the moves of this one up to a ply, to be gone on from.
func (g *game) branch(ply int) (*game, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ply < 0 || ply > len(g.decisions) {
		return nil, web.Unprocessable("ply: expected 0 to %d, found %d", len(g.decisions), ply)
	}
	if o, _ := g.board.Outcome(); o != rules.Undecided && ply == len(g.decisions) {
		return nil, web.Unprocessable("ply: the game ends with ply %d; expected 0 to %d", ply, ply-1)
	}
	return &game{
		rules: g.rules, start: g.start, policy: g.policy, human: g.human, agent: g.agent, helped: true,
		decisions: slices.Clone(g.decisions[:ply]), moveMS: slices.Clone(g.moveMS[:ply]),
	}, nil
}

// lastMove is the index of the person's last move, forced passes not counted; -1 if
// there is none.
func (g *game) lastMove() int {
	p, last := g.start, -1
	for i, d := range g.decisions {
		if p.Side() == g.human && d.Move != rules.Pass {
			last = i
		}
		p = g.rules.Apply(p, d.Move)
	}
	return last
}

// resign ends the game at the person's next turn, which is now in most cases.
func (g *game) resign() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.inProgress(); err != nil {
		return err
	}
	g.resigned = true
	g.change()
	return nil
}

// help notes that the person has help from elsewhere, such as the page to analyse.
func (g *game) help() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.inProgress(); err != nil {
		return err
	}
	g.helped = true
	return nil
}

// copyForHint returns a copy of the game for a search.
func (g *game) copyForHint(ply int) (*rules.Game, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.isTurn(ply); err != nil {
		return nil, err
	}
	if g.rules.SettingUp(g.board.Position()) {
		return nil, web.Conflict("there are hints once all pieces are placed")
	}
	if g.hinting {
		return nil, web.Conflict("a hint is being searched already")
	}
	g.hinting, g.helped = true, true
	c := rules.NewGame(g.rules, g.start)
	for _, d := range g.decisions {
		c.PlayLegal(d.Move)
	}
	return c, nil
}

// hint searches the position for the person. It returns the best line in long notation.
func (g *game) hint(ctx context.Context, client string, ply int) (line []string, d agents.Decision, err error) {
	c, err := g.copyForHint(ply)
	if err != nil {
		return nil, d, err
	}
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.hinting = false
	}()
	d, err = g.pages.choose(ctx, client, g.pages.Hint, agents.Setup{Rules: g.rules, Side: g.human, Seed: 1}, c)
	if err != nil {
		return nil, d, err
	}
	moves := d.PV
	if len(moves) == 0 {
		moves = []rules.Move{d.Move}
	}
	for _, m := range moves {
		text := g.rules.LongText(c.Position(), m)
		if c.Play(m) != nil {
			break
		}
		line = append(line, text)
	}
	return line, d, nil
}

func (g *game) lastUsed() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.used
}
