package review

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/eval"
	"gyges/agents/solver/proofnumber"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/tournament/record"
)

// Reviewer reviews games, one at a time. Each search begins with empty tables. It belongs
// to one goroutine.
type Reviewer struct {
	nodes      int64 // of each search
	proofNodes int64 // of each search for a proof, for each side
	agent      agents.Agent
	prover     *proofnumber.Prover
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
	p, err := r.begin(ctx, game, agents.OnRepetition(rec.OnRepetition))
	if err != nil {
		return nil, err
	}

	// The moves are judged from the last one back.
	turns := rec.Turns(game)
	moves := make([]Move, len(turns))
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
	g.PlayLegal(m)
	p, err := r.begin(ctx, g, "")
	if err == nil {
		reply = p.longLine(p.next.line)
	}
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
	nodes  int64       // of each search
	game   *rules.Game // at the end, shorter by a move after each
	policy agents.OnRepetition
	eval   *eval.Evaluator // of the game's rules, the agent's own
	next   value           // of the present position
}

// begin returns a pass at the end of a game, with the value of the position there.
func (r *Reviewer) begin(
	ctx context.Context, game *rules.Game, policy agents.OnRepetition,
) (*pass, error) {
	e, _, err := eval.Of(r.agent, game.Rules())
	if err != nil {
		return nil, err
	}
	p := &pass{Reviewer: r, nodes: r.nodes, game: game, policy: policy, eval: e}
	mover := game.Position().Side()
	switch outcome, _ := game.Outcome(); outcome {
	case rules.Undecided:
		p.next, err = p.position(ctx)
	case rules.WinFor(mover):
		p.next.score = agents.WinTop
	case rules.WinFor(mover.Other()):
		p.next.score = -agents.WinTop
	}
	return p, err
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
		p.next, err = p.position(ctx)
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
		deeper := *p
		deeper.nodes *= deeperFactor
		best, played, err = deeper.compare(ctx, t.Move)
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
	best, err = p.position(ctx)
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
		played, err = p.alone(ctx, made, best)
	}
	if err != nil {
		return best, played, err
	}

	loses := best.proven() == 0 && played.proven() < 0
	if isBest && loses { // which its search did not see: another move is the best
		limits := agents.Limits{Depth: max(best.depth, 1), Nodes: p.nodes}
		best, err = p.search(ctx, limits, []rules.Move{made})
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

	work := func(ctx context.Context, numbers <-chan int, done func(int, *Review)) error {
		r := New(nodes)
		for i := range numbers {
			k := todo[i]
			g, err := r.Game(ctx, list[k], nil)
			if err != nil {
				return err
			}
			reviews[k] = g
			done(i, g)
		}
		return nil
	}
	passed := 0       // games of todo whose reviews added has received
	var refused error // by added
	pass := func(g *Review) error {
		passed++
		refused = added(g)
		return refused
	}
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	err := lists.InOrder(ctx, workers, len(todo), work, pass)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}

	// After an error, reviews have waited for an earlier one, which was not finished.
	for _, i := range todo[passed:] {
		if refused != nil {
			break
		}
		if reviews[i] != nil {
			refused = added(reviews[i])
			err = errors.Join(err, refused)
		}
	}
	return err
}
