package configs

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
)

// levelFiles are the named levels of play, one file each.
//
//go:embed agents/*.yaml
var levelFiles embed.FS

// Level is a named level of play.
type Level struct {
	Name  string      // of its file
	Level int         // 1 is the weakest
	Agent agents.Spec // what plays
	Doc   string      // a phrase

	// Elo is the measured strength above the weakest level by preset, of those that were
	// measured (results/reference/levels.md).
	Elo map[string]int
}

// ListLevels returns the levels, the weakest first.
func ListLevels() ([]Level, error) {
	files, err := levelFiles.ReadDir("agents")
	if err != nil {
		return nil, err
	}
	var list []Level
	for _, f := range files {
		l, err := readLevel(f.Name())
		if err != nil {
			return nil, fmt.Errorf("configs/agents/%s: %w", f.Name(), err)
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b Level) int { return a.Level - b.Level })
	weakest := maps.Clone(list[0].Elo)
	for _, l := range list {
		for preset := range l.Elo {
			l.Elo[preset] -= weakest[preset]
		}
	}
	return list, nil
}

// Levels returns the levels as kinds of agents without parameters, the
// weakest first. Their agents are made by the registry.
func Levels(registry *agents.Registry) ([]agents.Kind, error) {
	list, err := ListLevels()
	if err != nil {
		return nil, err
	}
	var kinds []agents.Kind
	for _, l := range list {
		if _, err := registry.Values(l.Agent); err != nil {
			return nil, fmt.Errorf("level %s: %w", l.Name, err)
		}
		kinds = append(kinds, agents.Kind{
			Name: l.Name,
			Doc:  fmt.Sprintf("level %d, %s: %s", l.Level, l.Agent, l.Doc),

			Light: func(agents.Values) bool { return registry.Light(l.Agent) },
			New:   func(agents.Values) (agents.Agent, error) { return registry.New(l.Agent) },
		})
	}
	return kinds, nil
}

func readLevel(file string) (Level, error) {
	text, err := levelFiles.ReadFile(path.Join("agents", file))
	if err != nil {
		return Level{}, err
	}
	var f struct {
		Level int            `yaml:"level"`
		Agent string         `yaml:"agent"`
		Doc   string         `yaml:"doc"`
		Elo   map[string]int `yaml:"elo"`
	}
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return Level{}, err
	}
	spec, err := agents.ParseSpec(f.Agent)
	return Level{strings.TrimSuffix(file, ".yaml"), f.Level, spec, f.Doc, f.Elo}, err
}
