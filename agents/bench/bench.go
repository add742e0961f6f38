// Package bench searches fixed positions ([Run]): the number of nodes is a search's signature,
// which changes whenever the search does, and the time gives its speed.
package bench

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/lists"
)

// Position is a position under a rule set, as texts.
type Position struct{ Rules, Position string }

// Middlegame is a position of standard rules with many moves for both sides.
var Middlegame = Position{"standard", "202110/000330/000000/000200/000100/030123 s"}

// Positions returns the positions that are searched: published ones, and some from play.
func Positions() []Position {
	const start = "321123/000000/000000/000000/000000/321123 s"
	return []Position{
		{"standard", start},
		Middlegame,
		{"standard", "002130/300300/021100/002000/000200/030100 s"}, // with very many courses
		{"standard", "200000/200200/003113/003000/002300/000101 n"},
		{"simplified", start},
		{"simplified", "000002/010201/033203/000000/103201/000000 s"},
		{"kang", "000000/020000/220120/131133/000000/000300 s 000/000 1-0 -"},
		{"kang", "000000/000000/000000/000000/332211/211320 s 000/001 1-0 -"},
	}
}

// DefaultSpecs returns the agents whose signatures are kept.
func DefaultSpecs() []agents.Spec {
	return []agents.Spec{
		agents.Spec{Kind: "alphabeta"}.With("depth", "4"),
		agents.Spec{Kind: "mcts"}.With("iterations", "400"),
	}
}

// Search is the search of one position.
type Search struct {
	Agent    string  `json:"agent"`
	Rules    string  `json:"rules"`
	Position string  `json:"position"`
	Move     string  `json:"move"`
	Score    int     `json:"score"` // hundredths of a point
	Nodes    int64   `json:"nodes"`
	Seconds  float64 `json:"seconds"`
}

// Total is an agent's sum over the positions.
type Total struct {
	Agent     string  `json:"agent"`
	Nodes     int64   `json:"nodes"`
	Signature string  `json:"signature"` // the nodes, and a hash of nodes, moves and scores
	Seconds   float64 `json:"seconds"`
	NodesS    float64 `json:"nodes_per_second"`
}

// Run searches all positions, each with a new agent.
func Run(
	ctx context.Context, registry *agents.Registry, spec agents.Spec,
) ([]Search, Total, error) {
	total := Total{Agent: spec.String()}
	var searches []Search
	hash := fnv.New32a()
	for _, p := range Positions() {
		s, err := One(ctx, registry, spec, p)
		if err != nil {
			return nil, total, err
		}
		searches = append(searches, s)
		total.Nodes += s.Nodes
		total.Seconds += s.Seconds
		fmt.Fprintln(hash, s.Nodes, s.Move, s.Score)
	}
	total.Signature = fmt.Sprintf("%d-%08x", total.Nodes, hash.Sum32())
	total.NodesS = float64(total.Nodes) / max(total.Seconds, 1e-9)
	return searches, total, nil
}

// One searches one position with a new agent.
func One(
	ctx context.Context, registry *agents.Registry, spec agents.Spec, p Position,
) (Search, error) {
	s := Search{Agent: spec.String(), Rules: p.Rules, Position: p.Position}
	r := rules.MustParse(p.Rules)
	position, err := r.ParsePosition(p.Position)
	if err != nil {
		return s, err
	}
	a, err := registry.New(spec)
	if err != nil {
		return s, err
	}
	defer func() { _ = a.Close() }() // its searches are done
	g := rules.NewGame(r, position)
	if err := a.NewGame(ctx, agents.SetupOf(g, 1)); err != nil {
		return s, err
	}
	began := time.Now()
	d, err := a.Choose(ctx, g, agents.Request{})
	s.Seconds = time.Since(began).Seconds()
	s.Move = d.Move.String()
	s.Score = int(d.Score)
	s.Nodes = d.Nodes
	return s, err
}

// Rules returns the rule sets of the positions.
func Rules() []*rules.Rules {
	return lists.Map(Positions(), func(p Position) *rules.Rules { return rules.MustParse(p.Rules) })
}
