package review

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/eval"
	"gyges/agents/solver/proofnumber"
	"gyges/rules"
	"gyges/tournament/record"
)

// Reviewer reviews games, one at a time. Each search begins with empty tables. It belongs
// to one goroutine.
type Reviewer struct {
	nodes      int64 // of each search
	proofNodes int64 // of each search for a proof, for each side
	agent      agents.Agent
	prover     *proofnumber.Prover
	policy     agents.OnRepetition // of the game
	eval       *eval.Evaluator     // of the game's rules, the agent's own
}

// New returns a reviewer with that many nodes, 100 to 1,000,000,000: they bound the search of each
// position, in positions visited, and the search for a proof, in positions evaluated for each side,
// there at most a million.
func New(nodes int64) *Reviewer {
	a, err := agents.NewRegistry(alphabeta.Kind()).New(spec(nodes))
	if err != nil {
		panic(err) // the spec is valid
	}
	const mostProof = 1_000_000 // for which the prover takes 64 MB
	proof := min(nodes, mostProof)
	prover := proofnumber.New(proofnumber.DefaultMegabytes(proof))
	return &Reviewer{nodes: nodes, agent: a, proofNodes: proof, prover: prover}
}

// Check returns what keeps a game from review: no moves, more than [MaxPlies], or a record that
// can't be replayed.
func Check(rec *record.Record) error {
	_, err := replay(rec)
	return err
}

// replay plays a recorded game again, unless it is too long or has no moves.
func replay(rec *record.Record) (*rules.Game, error) {
	n := len(rec.Moves)
	switch {
	case n > MaxPlies:
		return nil, fmt.Errorf("game %d: expected at most %d moves, found %d", rec.Game, MaxPlies,
			n)
	case rec.Plies == 0:
		return nil, fmt.Errorf("game %d: expected moves, found none", rec.Game)
	}
	return record.Replay(rec)
}

// Game reviews a game; the error is that of [Check], or ctx's. each, if not nil, is called after
// each move, last first.
func (r *Reviewer) Game(
	ctx context.Context, rec *record.Record, each func(done, all int),
) (*Review, error) {
	game, err := replay(rec)
	if err != nil {
		return nil, err
	}
	r.policy = agents.OnRepetition(rec.OnRepetition)
	r.eval, _, err = eval.Of(r.agent, game.Rules())
	if err != nil {
		return nil, err
	}

	// The moves are judged from the last one back.
	turns := rec.Turns(game)
	moves := make([]Move, len(turns))
	p := &pass{Reviewer: r, game: game}
	if err := p.end(ctx); err != nil {
		return nil, err
	}
	for i, turn := range slices.Backward(turns) {
		game.Undo()
		moves[i], err = p.move(ctx, turn)
		if err != nil {
			return nil, err
		}
		if each != nil {
			each(len(moves)-i, len(moves))
		}
	}
	g := &Review{
		Game:   rec.Game,
		Record: Identity(rec),
		Rules:  rec.Rules,
		South:  rec.South.Agent,
		North:  rec.North.Agent,
		Result: rec.Result,
		Fault:  rec.Fault != nil,
		Plies:  rec.Plies,
		Moves:  moves,
	}
	g.summarize()
	return g, nil
}

// Judge reviews a legal move in the present position of g, which is under way, as if the game went
// on with it. reply is what is expected then, in long notation.
func (r *Reviewer) Judge(
	ctx context.Context, g *rules.Game, m rules.Move,
) (judged Move, reply []string, err error) {
	r.policy = ""
	r.eval, _, err = eval.Of(r.agent, g.Rules())
	if err != nil {
		return judged, nil, err
	}
	p := &pass{Reviewer: r, game: g}
	g.PlayLegal(m)
	err = p.end(ctx)
	reply = p.longLine(p.next.line)
	g.Undo()
	if err != nil {
		return judged, nil, err
	}
	turn := record.Turn{Ply: 1}
	turn.Move = m
	judged, err = p.move(ctx, turn)
	return judged, reply, err
}

// deeperFactor is how many times the nodes are searched again before a move is called a blunder.
const deeperFactor = 8

// pass goes through a game from its end.
type pass struct {
	*Reviewer
	game *rules.Game // at the end, shorter by a move after each
	next value       // of the present position
}

// end finds the value of the position at the end.
func (p *pass) end(ctx context.Context) (err error) {
	mover := p.game.Position().Side()
	switch outcome, _ := p.game.Outcome(); outcome {
	case rules.Undecided:
		p.next, err = p.position(ctx, p.game)
	case rules.WinFor(mover):
		p.next.score = agents.WinTop
	case rules.WinFor(mover.Other()):
		p.next.score = -agents.WinTop
	}
	return err
}

// move reviews a move of the present position. p.next is the value of the position after it, and
// then of this one.
func (p *pass) move(ctx context.Context, t record.Turn) (m Move, err error) {
	r, at := p.game.Rules(), p.game.Position()
	m = Move{
		Ply:    t.Ply,
		Side:   at.Side().Name(),
		Move:   r.LongText(at, t.Move),
		Height: height(at, t.Move),
	}

	// Moves that were no choice are not compared.
	if t.Move.IsPlacement() {
		m.Mark = Placement
		p.next = value{}
		return m, nil
	}
	legal := p.game.Legal()
	if !legal.Contains(t.Move) {
		m.Mark = Repetition
		p.next, err = p.position(ctx, p.game)
		return m, err
	}
	if legal.Len() == 1 {
		m.Mark = Forced
		m.Score = p.next.before()
		m.Best = m.Score
		m.Before = rounded(eval.WinProbability(m.Score, r))
		m.After = m.Before
		p.next = value{score: m.Score}
		return m, nil
	}

	best, played, err := p.compare(ctx, t.Move)
	if err != nil {
		return m, err
	}
	m.judge(r, best, played)

	// A blunder has to be one in a deeper search, too.
	isBlunder := m.Mark == Blunder || m.Mark == MissedWin
	areProven := best.proven() != 0 && played.proven() != 0
	if isBlunder && !areProven {
		deeper := *p.Reviewer
		deeper.nodes *= deeperFactor
		again := pass{Reviewer: &deeper, game: p.game, next: p.next}
		best, played, err = again.compare(ctx, t.Move)
		if err != nil {
			return m, err
		}
		m.judge(r, best, played)
	}

	if m.Mark != Best {
		m.Line = p.longLine(best.line)
	} else if p.only(t.Move) {
		m.Mark = Only
	}
	p.next = best
	return m, nil
}

// compare returns the value of the present position with its best move, and its value with the move
// made. What is proven of the position after it, p.next, counts for the move made.
func (p *pass) compare(ctx context.Context, made rules.Move) (best, played value, err error) {
	after := p.next
	if after.score == -agents.WinTop { // it won the game
		won := value{agents.WinIn(1), []rules.Move{made}, 1}
		return won, won, nil
	}
	best, err = p.position(ctx, p.game)
	if err != nil {
		return best, played, err
	}

	// The move made has the value of the best one, of the position after it, or of its own search.
	isBest := len(best.line) > 0 && best.line[0] == made
	switch {
	case after.proven() != 0:
		line := append([]rules.Move{made}, after.line...)
		played = value{after.before(), line, best.depth}
	case isBest || best.proven() < 0: // no move is better
		played = best
	default:
		played, err = p.alone(ctx, p.game, made, best)
	}
	if err != nil {
		return best, played, err
	}

	loses := best.proven() == 0 && played.proven() < 0
	if isBest && loses { // which its search did not see: another move is the best
		limits := agents.Limits{Depth: max(best.depth, 1), Nodes: p.nodes}
		best, err = p.search(ctx, p.game, limits, []rules.Move{made})
	}
	if played.score > best.score {
		best = played
	}
	return best, played, err
}

// only reports whether a move is the only one that doesn't let the opponent win at once.
func (p *pass) only(m rules.Move) bool {
	r, at := p.game.Rules(), p.game.Position()
	if !lastGoal(r, at, at.Side().Other()) {
		return false
	}
	rest := *p.game.Legal()
	r.Evasions(at, &rest)
	return rest.Len() == 1 && rest.Contains(m)
}

// longLine returns moves from the present position on in long notation, up to one that isn't legal.
func (p *pass) longLine(line []rules.Move) []string {
	const most = 12 // moves; proofs have many more
	g := p.game
	n := len(g.Moves())
	texts := []string{}
	for _, m := range line[:min(len(line), most)] {
		text := g.Rules().LongText(g.Position(), m)
		if g.Play(m) != nil {
			break
		}
		texts = append(texts, text)
	}
	for len(g.Moves()) > n {
		g.Undo()
	}
	return texts
}

// height returns the height of the piece that a move moves, 0 of a pass.
func height(p rules.Position, m rules.Move) int {
	switch {
	case m == rules.Pass:
		return 0
	case m.FromHand() > 0:
		return int(m.FromHand())
	}
	return int(p.At(m.From()))
}

// Run reviews the games of a list that have no review yet, workers at a time, 0 for one for each
// core. Each review is stored in reviews and passed to added in the order of the list. Run returns
// the error of a review or of added, which ends it, or of ctx. Then added has still received the
// reviews that were finished, in their order.
func Run(
	ctx context.Context, nodes int64, workers int, list []*record.Record, reviews []*Review,
	added func(*Review) error,
) error {
	var todo []int // indexes of the games without a review
	for i, g := range reviews {
		if g == nil {
			todo = append(todo, i)
		}
	}

	// A review is passed on as soon as those before it are.
	var mu sync.Mutex // of what follows
	passed := 0       // games of todo whose reviews added has received
	finish := func(i int, g *Review) error {
		mu.Lock()
		defer mu.Unlock()
		reviews[i] = g
		for passed < len(todo) && reviews[todo[passed]] != nil {
			passed++
			if err := added(reviews[todo[passed-1]]); err != nil {
				return err
			}
		}
		return nil
	}

	// Each worker takes one game after another.
	waiting := make(chan int, len(todo)) // the same indexes
	for _, i := range todo {
		waiting <- i
	}
	close(waiting)
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	for range min(workers, len(todo)) {
		group.Go(func() error {
			r := New(nodes)
			for i := range waiting {
				g, err := r.Game(groupCtx, list[i], nil)
				if err != nil {
					return err
				}
				if err := finish(i, g); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}

	// After an error, reviews have waited for an earlier one, which was not finished.
	for _, i := range todo[passed:] {
		if reviews[i] != nil {
			err = errors.Join(err, added(reviews[i]))
		}
	}
	return err
}
