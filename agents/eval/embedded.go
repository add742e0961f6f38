package eval

import (
	"bytes"
	"embed"
	"fmt"
	"math"
	"sync"

	"gyges/agents"
	"gyges/rules"
)

// DefaultName selects the embedded weights by the rules.
const DefaultName = "default"

//go:embed weights/*.json
var embedded embed.FS

// readers read the embedded weights, each once, as every game needs them.
var readers = map[string]func() (Weights, error){
	Standard: reader(Standard), Simplified: reader(Simplified), Kang: reader(Kang),
}

func reader(name string) func() (Weights, error) {
	return sync.OnceValues(func() (Weights, error) {
		text, err := embedded.ReadFile("weights/" + name + ".json")
		if err != nil {
			return Weights{}, err
		}
		return Read(bytes.NewReader(text), "default/"+name)
	})
}

// Default returns the embedded weights for a family of rules.
func Default(name string) (Weights, error) {
	read, ok := readers[name]
	if !ok {
		return Weights{}, fmt.Errorf("no weights %.60q come with the program", name)
	}
	return read()
}

// ForRules returns the evaluator with the embedded weights for r.
func ForRules(r *rules.Rules) (*Evaluator, error) { return new(Source).Evaluator(r) }

// WinProbability returns the probability that the side to move wins, draws counting half, by a score, of two agents
// like alphabeta:nodes=20000 with the embedded weights. A proven result is 0 or 1.
func WinProbability(s agents.Score, r *rules.Rules) float64 {
	switch {
	case s >= agents.WinScore:
		return 1
	case s <= -agents.WinScore:
		return 0
	}
	w, err := Default(Family(r))
	if err != nil {
		panic(err) // they are part of the program, and tested
	}
	return 1 / (1 + math.Exp(-float64(s)/w.WinScale))
}
