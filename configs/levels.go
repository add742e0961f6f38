package configs

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/rules/base/lists"
)

// levelsFile has the levels, the weakest first.
//
//go:embed levels.yaml
var levelsFile []byte

// Level is a named level of play.
type Level struct {
	Name  string            `yaml:"name"`
	Agent string            `yaml:"agent"` // spec of what plays
	Doc   string            `yaml:"doc"`   // a phrase
	Step  map[string]Rating `yaml:"step"`  // measured strength above the level before, by preset
	Elo   map[string]Rating `yaml:"-"`     // strength above the weakest level, by preset
}

// Rating is a number of Elo and half its 95 % interval.
type Rating struct {
	Elo   int `json:"elo"`
	Error int `json:"error"`
}

// RatedRules are the presets under which the levels were measured.
func RatedRules() []string { return []string{"standard", "simplified", "kang"} }

// ListLevels returns the levels, the weakest first.
func ListLevels() []Level {
	var list []Level
	dec := yaml.NewDecoder(bytes.NewReader(levelsFile))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil {
		panic(err) // the file is part of the program
	}
	// The errors of the steps are independent, as each level met its neighbours only.
	var below map[string]Rating // the level before
	for i := range list {
		elo := map[string]Rating{}
		for _, preset := range RatedRules() {
			before, step := below[preset], list[i].Step[preset]
			half := math.Hypot(float64(before.Error), float64(step.Error))
			elo[preset] = Rating{before.Elo + step.Elo, int(math.Round(half))}
		}
		list[i].Elo = elo
		below = elo
	}
	return list
}

// Levels returns the levels, the weakest first, as kinds of agents, which the registry makes.
func Levels(registry *agents.Registry) []agents.Kind {
	return lists.Map(ListLevels(), func(l Level) agents.Kind {
		agent := spec(l.Agent)
		return agents.Kind{
			Name:  l.Name,
			Doc:   fmt.Sprintf("a level, %s: %s", l.Agent, l.Doc),
			Level: true,
			Light: func(agents.Config) bool { return registry.Light(agent) },
			New: func(c agents.Config) (agents.Agent, error) {
				return registry.New(agent, c.Rules...)
			},
		}
	})
}
