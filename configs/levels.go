package configs

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
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
	Elo   map[string]Rating `yaml:"-"`     // that above the weakest level
}

// Rating is a number of Elo and half its 95 % interval.
type Rating struct {
	Elo   int `json:"elo"`
	Error int `json:"error"`
}

// RatedRules are the presets under which the levels were measured.
func RatedRules() []string { return []string{"standard", "simplified", "kang"} }

// ListLevels returns the levels, the weakest first.
func ListLevels() ([]Level, error) {
	var list []Level
	dec := yaml.NewDecoder(bytes.NewReader(levelsFile))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil {
		return nil, fmt.Errorf("configs/levels.yaml: %w", err)
	}
	sum := map[string]Rating{} // of the steps, which are independent: each level met its neighbours only
	for i := range list {
		l := &list[i]
		l.Elo = map[string]Rating{}
		for _, preset := range RatedRules() {
			below, step := sum[preset], l.Step[preset]
			half := math.Hypot(float64(below.Error), float64(step.Error))
			sum[preset] = Rating{below.Elo + step.Elo, int(math.Round(half))}
			l.Elo[preset] = sum[preset]
		}
	}
	return list, nil
}

// Levels returns the levels, the weakest first, as kinds of agents, which the registry makes.
func Levels(registry *agents.Registry) ([]agents.Kind, error) {
	list, err := ListLevels()
	if err != nil {
		return nil, err
	}
	var kinds []agents.Kind
	for _, l := range list {
		spec, err := agents.ParseSpec(l.Agent)
		if err == nil {
			_, err = registry.Values(spec)
		}
		if err != nil {
			return nil, fmt.Errorf("level %s: %w", l.Name, err)
		}
		kinds = append(kinds, agents.Kind{
			Name:  l.Name,
			Doc:   fmt.Sprintf("a level, %s: %s", l.Agent, l.Doc),
			Level: true,
			Light: func(agents.Config) bool { return registry.Light(spec) },
			New:   func(c agents.Config) (agents.Agent, error) { return registry.New(spec, c.Rules...) },
		})
	}
	return kinds, nil
}
