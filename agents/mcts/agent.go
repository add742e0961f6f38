// Package mcts is an agent by Monte-Carlo tree search. README.md describes its parts. Selection is
// by PUCT (C. D. Rosin, "Multi-armed bandits with episode context", 2011). Static evaluations are
// backed up by minimax and not as means (M. Lanctot et al., "Monte Carlo tree search with heuristic
// evaluations using implicit minimax backups", 2014, with all the weight on the minimax part): one
// reply decides most positions.
//
// Wins and losses are proven on the way (M. Winands, Y. Björnsson, J.-T. Saito, "Monte-Carlo tree
// search solver", 2008). The length of a proven win is the length of the first win found; there may
// be a quicker one. The tree is no graph: a position reached on two paths is two nodes, so the
// repetition rule is followed exactly.
//
// Begin with search.choose: it makes iterations from the root until a limit is reached (iterate),
// each of which adds nodes to the tree, and then chooses among the children of the root.
package mcts

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules"
)

const defaultIterations = 500

// Kind returns the kind of agent that searches by MCTS.
func Kind() agents.Kind {
	return agents.Kind{
		Name:   "mcts",
		Doc:    "Monte-Carlo tree search with the evaluation as prior and leaf value",
		Params: slices.Concat(agents.ParamsOf(&config{}), eval.Params()),
		New:    newPlayer,
	}
}

func newPlayer(c agents.Config) (agents.Agent, error) {
	weights, err := eval.FromConfig(c)
	a := &player{Source: weights}
	c.Decode(&a.config)
	a.search.tree.limit = limitFor(a.Hash)
	return a, err
}

type player struct {
	agents.Base
	eval.Source
	config

	rng    *rand.Rand // for the set-up; the search is deterministic
	search search
}

func (*player) Capabilities() agents.Capabilities { return agents.Capabilities{Noise: true} }

func (a *player) NewGame(_ context.Context, s agents.Setup) error {
	e, err := a.Evaluator(s.Rules)
	if err != nil {
		return err
	}
	a.rng = s.Rand()
	a.search.params = a.forRules(s.Rules.Options())
	a.search.reset(s.Rules, e)
	return nil
}

func (a *player) Choose(
	ctx context.Context, g *rules.Game, q agents.Request,
) (agents.Decision, error) {
	s := &a.search
	d, decided, err := s.line.Prologue(ctx, a, g, &q, a.rng, &s.moves)
	if err != nil || decided {
		return d, err
	}
	own := agents.Limits{Nodes: a.Iterations, MoveTime: a.MoveTime}
	lim := q.Limits.Tighter(own)
	if soft, _ := lim.Times(g); lim.Nodes == 0 && soft == 0 {
		lim.Nodes = defaultIterations
	}
	d = s.choose(ctx, g, lim, q.Info)
	_, proven := d.Score.Proven()
	if q.Noise != nil && !proven {
		noisiest := s.choice(minVisitShare, func(n *node) float64 {
			score := s.toScore(float64(n.value))
			return float64(score + q.Noise(n.move))
		})
		d.Play(noisiest.move)
	}
	return d, nil
}

// minVisitShare is the share of the best move's visits that another one needs to be
// chosen for its noise: values of fewer visits are unreliable. Chosen, not measured.
const minVisitShare = 1.0 / 16

type config struct {
	Iterations int64         `param:"iterations" check:"1..1000000000" help:"iterations for a move; 500 if neither they nor movetime bound the search"`
	MoveTime   time.Duration `param:"movetime" check:"1ms..1h" help:"time for a move"`
	Hash       int           `param:"hash" default:"64" check:"1..4096" help:"size of the tree in MB; when it is full, the subtrees with the fewest visits are pruned"`
	params
}

// params holds the tunable numbers of the search. A new one is a field here: the spec parser,
// `gyges agents` and SPSA read its tags. The scale of values is 100·√3, so that a point has the
// value 0.5.
type params struct {
	CPUCT            float64 `param:"cpuct" default:"0.3" check:"0..100" help:"exploration: weight of a move's prior against its value"`
	ValueScale       float64 `param:"value_scale" default:"173" check:"1..10000" help:"score in hundredths of a point that has the value 0.71"`
	PriorTemperature float64 `param:"prior_temperature" default:"0.15" check:"0.001..10" help:"difference of values that makes a prior e times as high"`
	WidthMin         int     `param:"width_min" default:"0" check:"0..4096" help:"progressive widening: children of a node at its first visit; 0: 16 with displacement but without Kang rules, else 8"`
	WidthGrowth      float64 `param:"width_growth" default:"0" check:"0..1000" help:"progressive widening: more children, times the square root of the visits; 0: 8 with displacement but without Kang rules, else 3"`
	WidthRoot        int     `param:"width_root" default:"2" check:"1..1000" help:"progressive widening: factor of the number of children at the root"`
	FinalShare       float64 `param:"final_share" default:"0.2" check:"0..1" help:"move played: visits that one with a higher value needs, as a share of those of the most visited; 1: the most visited"`
}

// forRules returns the parameters with the widths that suit the rules in place of 0. Matches
// at 20 ms a move prefer wide nodes under standard rules and narrow ones under Kang rules.
func (p params) forRules(o rules.Options) params {
	least, growth := 8, 3.0
	if o.Relocation && !o.Kang {
		least, growth = 16, 8
	}
	p.WidthMin = cmp.Or(p.WidthMin, least)
	p.WidthGrowth = cmp.Or(p.WidthGrowth, growth)
	return p
}

// maxValue is the value of the highest evaluation, a little less than 1.
const maxValue = 0.99996

// toValue maps a score to a value from -1 to 1. Like everything about values it uses only
// arithmetic that is exact by IEEE 754, and square roots, so that values are the same on every
// machine.
func (p *params) toValue(s agents.Score) float64 {
	x := float64(s) / p.ValueScale
	return x / math.Sqrt(1+float64(x*x)) // the conversion forbids a fused multiply-add
}

// toScore is the inverse of toValue. By default, values next to ±1 give about ±200 points.
func (p *params) toScore(v float64) agents.Score {
	v = min(max(v, -maxValue), maxValue)
	root := math.Sqrt(1 - float64(v*v))
	x := v / root
	return agents.Evaluated(p.ValueScale * x)
}

// expTable holds exp(-i/expSteps): the prior of a move i/expSteps temperatures below the best,
// relative to the best.
var expTable = func() (t [40 * expSteps]float64) {
	const step = 0.969233234476344081 // e^(-1/32)
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * step
	}
	return t
}()

const expSteps = 32

// setPriors sets the priors of sibling nodes from their static evaluations, the highest of which
// comes first.
func (p *params) setPriors(list []node) {
	total := 0.0
	for k := range list {
		below := float64(list[0].static-list[k].static) / p.PriorTemperature
		step := min(int(below*expSteps), len(expTable)-1)
		weight := expTable[step]
		list[k].prior = float32(weight)
		total += weight
	}
	for k := range list {
		list[k].prior /= float32(total)
	}
}
