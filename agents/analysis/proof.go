package analysis

import (
	"gyges/agents/solver"
	"gyges/rules"
)

// Proof is what the proofs that ship with the program say of a position.
type Proof struct {
	Winner string   `json:"winner"`         // "south" or "north"
	Plies  int      `json:"plies"`          // within which it wins
	Moves  []string `json:"line,omitempty"` // as long as the strategy allows, in long notation; empty: it isn't at hand
	Text   string   `json:"text"`           // for people
}

// Proven returns what is proven of the present position of g; nil: nothing.
func Proven(g *rules.Game) (*Proof, error) {
	proofs, err := solver.Shipped()
	if err != nil {
		return nil, err
	}
	k, ok := proofs.Lookup(g)
	if !ok {
		return nil, nil
	}
	return &Proof{Winner: k.Winner.Name(), Plies: k.Plies, Moves: LongLine(g, k.Line), Text: k.Text()}, nil
}
