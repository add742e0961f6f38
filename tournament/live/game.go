package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"gyges/agents"
	"gyges/agents/human"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// game is a game between a person and an agent. Package tournament plays it; the
// moves made stand here, where requests add the person's and take some back. Then
// the game is played again from the beginning, with the moves that remain.
type game struct {
	id     string
	table  *gameTable
	rules  *rules.Rules
	start  rules.Position
	policy string
	you    rules.Side
	agent  agents.Spec
	seed   uint64
	began  time.Time

	mu      sync.Mutex
	board   *rules.Game
	made    []agents.Decision // the moves, with what was said of them
	took    []float64         // milliseconds each
	since   time.Time         // of the last change
	version int64
	changed chan struct{} // closed at the next change
	used    time.Time     // by a request
	again   bool          // moves were taken back
	stop    context.CancelFunc
	helped  bool // moves were taken back, or a hint given
	hinting bool
	resigns bool
	end     *record.Game // nil while it goes on
	kept    string       // where the record is
	problem string       // why it ended without one
}

// errResting is why a game was ended that nobody had looked at for long.
var errResting = errors.New("the game was ended: nobody had looked at it for long")

// play plays the game to its end.
func (g *game) play(ctx context.Context) {
	for {
		rec, err := g.playOnce(ctx)
		g.mu.Lock()
		if g.again && ctx.Err() == nil {
			g.again = false
			g.mu.Unlock()
			continue
		}
		switch {
		case err == nil:
			g.finish(rec)
		case ctx.Err() != nil:
			g.problem = context.Cause(ctx).Error()
		default:
			g.problem = err.Error()
		}
		g.change()
		g.mu.Unlock()
		return
	}
}

func (g *game) playOnce(ctx context.Context) (*record.Game, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := tournament.Game{Rules: g.rules, Opening: g.start, Policy: g.policy, OnMove: g.moved}
	g.mu.Lock()
	if g.again {
		g.mu.Unlock()
		return nil, context.Canceled
	}
	g.stop = cancel
	g.mu.Unlock()
	m.Seats[g.you] = tournament.Seat{Name: humanKind, Seed: g.seed, Agent: person{g}}
	m.Seats[g.you.Other()] = tournament.Seat{Name: g.agent.String(), Seed: g.seed, Agent: &engine{game: g}}
	return tournament.PlayGame(ctx, &m)
}

// humanKind is what the person is in records.
const humanKind = "human"

// helpedName tells a person that had help from others: as strong as the help.
const helpedName = humanKind + ":name='human, helped'"

// finish keeps the record. The times are those of the moves when they were made,
// not when the game was played again.
func (g *game) finish(rec *record.Game) {
	rec.Timing.Start = g.began.Round(0).UTC()
	rec.Timing.Seconds = time.Since(g.began).Round(time.Microsecond).Seconds()
	rec.Timing.MoveMS = append([]float64(nil), g.took[:min(len(g.took), len(rec.Moves))]...)
	if len(rec.Timing.MoveMS) != len(rec.Moves) {
		rec.Timing.MoveMS = nil
	}
	if g.helped {
		player := &rec.South
		if g.you == rules.North {
			player = &rec.North
		}
		player.Agent = helpedName
	}
	g.end = rec
	kept, err := g.table.records.keep(rec)
	if err != nil {
		g.table.server.config.Log.Error("a game is not recorded", "error", err)
		g.problem = "the game is not recorded; the server's log says why, and the server tries again"
	}
	g.kept = kept
}

// change tells those who wait that something has changed. The caller holds the
// lock.
func (g *game) change() {
	g.version++
	close(g.changed)
	g.changed = make(chan struct{})
}

// add makes a move that is legal. The caller holds the lock.
func (g *game) add(d agents.Decision) {
	d.PV = append([]rules.Move(nil), d.PV...)
	g.board.PlayLegal(d.Move)
	g.made = append(g.made, d)
	now := time.Now()
	g.took = append(g.took, math.Round(float64(now.Sub(g.since))/1e3)/1e3)
	g.since = now
	g.change()
}

// moved takes a move in that the game's players have made.
func (g *game) moved(at *rules.Game, d agents.Decision) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.again && len(at.Moves()) > len(g.made) {
		g.add(d)
	}
}

// next returns the move that was made in a position that far into the game, or
// how to wait for it.
func (g *game) next(n int) (d agents.Decision, ok, resigned bool, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.again && n < len(g.made) {
		return g.made[n], true, false, nil
	}
	return d, false, g.resigns, g.changed
}

// person is the agent that makes the moves of requests.
type person struct{ game *game }

// NewGame implements [agents.Agent].
func (person) NewGame(context.Context, agents.Setup) error { return nil }

// Choose implements [agents.Agent]: it waits. It passes by itself where nothing
// else is legal.
func (p person) Choose(ctx context.Context, at *rules.Game, _ agents.Limits) (agents.Decision, error) {
	for {
		d, ok, resigned, changed := p.game.next(len(at.Moves()))
		switch {
		case ok:
			return d, nil
		case at.Legal().Contains(rules.Pass):
			return agents.Decision{Move: rules.Pass}, nil
		case resigned:
			return d, human.ErrResigned
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return d, ctx.Err()
		}
	}
}

// engine is the agent that the person plays against.
type engine struct {
	game  *game
	setup agents.Setup
}

// NewGame implements [agents.Agent].
func (e *engine) NewGame(_ context.Context, s agents.Setup) error {
	e.setup = s
	return nil
}

// Choose implements [agents.Agent].
func (e *engine) Choose(ctx context.Context, at *rules.Game, _ agents.Limits) (agents.Decision, error) {
	n := len(at.Moves())
	if d, ok, _, _ := e.game.next(n); ok {
		return d, nil
	}
	setup := e.setup
	setup.Seed += uint64(n) // the agent may be another one than at the last move
	return e.game.table.pool.choose(ctx, e.game.agent, setup, at)
}

// mistake is an error of a request.
type mistake struct {
	status int
	text   string
}

func (m mistake) Error() string { return m.text }

// goesOn checks that the game is not over. The caller holds the lock.
func (g *game) goesOn() error {
	if g.end != nil || g.problem != "" {
		return mistake{409, "the game is over"}
	}
	return nil
}

// yourTurn checks that the person is to move, in the position the request is
// about. The caller holds the lock.
func (g *game) yourTurn(ply int) error {
	if err := g.goesOn(); err != nil {
		return err
	}
	if o, _ := g.board.Outcome(); o != rules.Undecided {
		return mistake{409, "the game is over"}
	}
	if g.board.Position().Side() != g.you {
		return mistake{409, "it isn't your turn"}
	}
	if ply != len(g.made) {
		return mistake{409, fmt.Sprintf("the game has gone on: expected ply %d, found %d", len(g.made), ply)}
	}
	return nil
}

// move makes a move of the person's.
func (g *game) move(ply int, text string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.yourTurn(ply); err != nil {
		return err
	}
	m, err := g.rules.ParseMove(g.board.Position(), text)
	if err == nil {
		err = g.board.Check(m)
	}
	if err != nil {
		return mistake{422, err.Error()}
	}
	g.add(agents.Decision{Move: m})
	return nil
}

// undo takes the person's last move back, and what followed it.
func (g *game) undo() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.goesOn(); err != nil {
		return err
	}
	n := g.yours()
	if n < 0 {
		return mistake{409, "there is no move of yours to take back"}
	}
	for len(g.made) > n {
		g.board.Undo()
		g.made, g.took = g.made[:len(g.made)-1], g.took[:len(g.took)-1]
	}
	g.again, g.resigns, g.since = true, false, time.Now()
	if !g.rules.SettingUp(g.board.Position()) {
		g.helped = true
	}
	g.stop()
	g.change()
	return nil
}

// yours is the place of the person's last move, forced passes not counted; -1 if
// there is none.
func (g *game) yours() int {
	p, last := g.start, -1
	for i, d := range g.made {
		if p.Side() == g.you && d.Move != rules.Pass {
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
	if err := g.goesOn(); err != nil {
		return err
	}
	g.resigns = true
	g.change()
	return nil
}

// copyForHint returns the game as it stands, for a search beside it.
func (g *game) copyForHint(ply int) (*rules.Game, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.yourTurn(ply); err != nil {
		return nil, err
	}
	if g.rules.SettingUp(g.board.Position()) {
		return nil, mistake{409, "there are hints once the pieces stand"}
	}
	if g.hinting {
		return nil, mistake{409, "a hint is being looked for"}
	}
	g.hinting, g.helped = true, true
	c := rules.NewGame(g.rules, g.start)
	for _, d := range g.made {
		c.PlayLegal(d.Move)
	}
	return c, nil
}

// hint searches the position for the person.
func (g *game) hint(ctx context.Context, ply int) (agents.Decision, *rules.Game, error) {
	c, err := g.copyForHint(ply)
	if err != nil {
		return agents.Decision{}, nil, err
	}
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.hinting = false
	}()
	setup := agents.Setup{Rules: g.rules, Side: g.you, Seed: 1}
	d, err := g.table.pool.choose(ctx, g.table.server.config.Hint, setup, c)
	return d, c, err
}
