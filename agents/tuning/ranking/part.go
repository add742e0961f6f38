package ranking

import (
	"math"
	"slices"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/eval/inputs"
	"gyges/agents/internal/vector"
	"gyges/agents/policy"
	"gyges/rules"
)

type units [policy.Units]float32

// part computes what is summed up in one part, with the moves of one position.
type part struct {
	rules *rules.Rules
	x     []float32 // the weights, in units of the logit

	position rules.Position
	moves    rules.MoveSet
	view     policy.View
	inputs   [2]inputs.List // of the position and of its mirror image
	opponent rules.Control  // of the position
	sums     [2]units       // of both, before the units
	list     []move
	features []uint16 // of all moves
	chosen   int
	target   []float32
	scores   []float32 // of the moves, then their probabilities
}

// move is a move with its part in the score.
type move struct {
	move  rules.Move
	rows  policy.Rows
	end   int   // of its features
	units units // activations
}

// begin prepares for the moves of a position. It returns false if there is nothing to learn: a move
// wins at once, or the move chosen is the pass, the only one, or one that loses at once.
func (p *part) begin(c Choice) bool {
	r := p.rules
	if c.Move == rules.Pass || r.CanWin(c.Position, c.Position.Side()) {
		return false
	}
	r.Moves(c.Position, &p.moves)
	if r.CanWin(c.Position, c.Position.Side().Other()) {
		r.QuickEvasions(c.Position, &p.moves)
	}
	if !p.moves.Contains(c.Move) || p.moves.Len() < 2 {
		return false
	}
	p.position = c.Position
	p.list = p.list[:0]
	p.features = p.features[:0]
	p.opponent = p.view.Begin(r, c.Position, &p.moves)
	for m := range p.moves.All() {
		if m == c.Move {
			p.chosen = len(p.list)
		}
		p.features = p.view.Features(m, p.features)
		scored := move{move: m, end: len(p.features)}
		if m != rules.Pass {
			scored.rows = p.view.Rows(m)
		}
		p.list = append(p.list, scored)
	}
	return true
}

// evaluate returns the evaluations of the positions after the moves, for the side that moves.
func (p *part) evaluate(e *eval.Evaluator) []int16 {
	list := make([]int16, len(p.list))
	for i := range list {
		next := p.rules.Apply(p.position, p.list[i].move)
		score := agents.Score(0)
		if p.rules.Outcome(next) == rules.Undecided {
			score = -agents.MaxEval
			if !p.rules.CanWin(next, next.Side()) {
				score = -e.Score(next)
			}
		}
		list[i] = int16(score)
	}
	return list
}

// row returns a row of the network in the weights or in the gradient.
func row(x []float32, i int) *units { return (*units)(x[policy.Row(i):]) }

// forward computes the scores of the moves, and what backward needs of the way there.
func (p *part) forward() {
	own := p.rules.Control(p.position, p.position.Side())
	p.inputs[0].Extract(p.position, &own, &p.opponent)
	p.inputs[1] = p.inputs[0]
	p.inputs[1].Mirror()
	for s := range p.sums {
		p.sums[s] = *row(p.x, policy.BiasRow)
		vector.AddRows(p.sums[s][:], p.x[policy.Row(0):], p.inputs[s].Active())
	}
	p.scores = p.scores[:0]
	for i := range p.list {
		m := &p.list[i]
		score := float32(0)
		for _, k := range p.featuresOf(i) {
			score += p.x[k]
		}
		if m.move != rules.Pass {
			score += p.network(m)
		}
		p.scores = append(p.scores, score)
	}
}

// featuresOf returns the features of move i.
func (p *part) featuresOf(i int) []uint16 {
	first := 0
	if i > 0 {
		first = p.list[i-1].end
	}
	return p.features[first:p.list[i].end]
}

// rowsIn returns the rows of a move in the weights or in the gradient. A move without a drop has an
// empty one.
func (m *move) rowsIn(x []float32) (start, end, drop *units) {
	drop = new(units)
	if m.rows.Drop >= 0 {
		drop = row(x, m.rows.Drop)
	}
	return row(x, m.rows.Start), row(x, m.rows.End), drop
}

// network computes the activations for a move, and returns the network's output.
func (p *part) network(m *move) (output float32) {
	sums := &p.sums[m.rows.Image]
	start, end, drop := m.rowsIn(p.x)
	for k, weight := range row(p.x, policy.OutRow) {
		activation := max(sums[k]+start[k]+end[k]+drop[k], 0)
		m.units[k] = activation
		output += weight * activation
	}
	return output
}

// probabilities replaces the scores by the probabilities of the moves, and returns -ln p of the
// move chosen.
func (p *part) probabilities() (loss float64) {
	chosen := p.scores[p.chosen]
	highest, sum := exponentiate(p.scores)
	for i := range p.scores {
		p.scores[i] /= float32(sum)
	}
	return math.Log(sum) + float64(highest-chosen)
}

// exponentiate replaces numbers by exp(x - highest), and returns the highest number and the sum of
// these.
func exponentiate(list []float32) (highest float32, sum float64) {
	highest = slices.Max(list)
	for i, x := range list {
		e := math.Exp(float64(x - highest))
		sum += e
		list[i] = float32(e)
	}
	return highest, sum
}

// setTarget sets the probabilities that the moves are to have.
func (p *part) setTarget(t *target, temperature float32) {
	p.target = p.target[:0]
	if len(t.evaluations) == 0 {
		p.target = append(p.target, make([]float32, len(p.list))...)
		p.target[p.chosen] = 1
		return
	}
	highest := float32(slices.Max(t.evaluations))
	for _, x := range t.evaluations {
		p.target = append(p.target, (float32(x)-highest)/temperature)
	}
	_, sum := exponentiate(p.target)
	for i := range p.target {
		p.target[i] *= float32((1 - chosenShare) / sum)
	}
	p.target[p.chosen] += chosenShare
}

// backward adds share times the gradient of the cross-entropy of the probabilities with the target
// to g.
func (p *part) backward(g []float32, share float32) {
	const negligible = 1e-5
	out, gradOut := row(p.x, policy.OutRow), row(g, policy.OutRow)
	var sums [2]units // the gradient by the sums of the position
	for i := range p.list {
		m := &p.list[i]
		residual := p.scores[i] - p.target[i]
		skip := m.move == rules.Pass || max(residual, -residual) < negligible
		residual *= share
		for _, k := range p.featuresOf(i) {
			g[k] += residual
		}
		if skip {
			continue
		}
		sum := &sums[m.rows.Image]
		start, end, drop := m.rowsIn(g)
		for k, activation := range m.units {
			if activation > 0 {
				gradOut[k] += residual * activation
				d := residual * out[k]
				sum[k] += d
				start[k] += d
				end[k] += d
				drop[k] += d
			}
		}
	}
	for s := range sums {
		bias := row(g, policy.BiasRow)
		for k, d := range sums[s] {
			bias[k] += d
		}
		vector.AddToRows(g[policy.Row(0):], sums[s][:], p.inputs[s].Active())
	}
}

// measure adds how well the scores predict the move chosen.
func (p *part) measure(m *Measure) {
	chosen := p.scores[p.chosen]
	better, equal := 0, -1 // without itself
	for _, score := range p.scores {
		if score > chosen {
			better++
		} else if score == chosen {
			equal++
		}
	}
	before := better + equal/2
	m.Positions++
	m.Loss += p.probabilities()
	for k, n := range Firsts {
		if before < n {
			m.Among[k]++
		}
	}
}
