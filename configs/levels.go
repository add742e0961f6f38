package configs

import (
	"embed"
	"fmt"
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

// levelFile is the content of the file of a level.
type levelFile struct {
	Level int    `yaml:"level"` // 1 is the weakest
	Agent string `yaml:"agent"` // spec of the agent that plays so
	Doc   string `yaml:"doc"`
}

// Levels returns the named levels as kinds of agents without parameters, the
// weakest first. Their agents are made by the registry.
func Levels(registry *agents.Registry) ([]agents.Kind, error) {
	files, err := levelFiles.ReadDir("agents")
	if err != nil {
		return nil, err
	}
	rank := map[string]int{}
	var kinds []agents.Kind
	for _, f := range files {
		level, kind, err := readLevel(registry, f.Name())
		if err != nil {
			return nil, fmt.Errorf("configs/agents/%s: %w", f.Name(), err)
		}
		rank[kind.Name] = level
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b agents.Kind) int { return rank[a.Name] - rank[b.Name] })
	return kinds, nil
}

func readLevel(registry *agents.Registry, file string) (int, agents.Kind, error) {
	text, err := levelFiles.ReadFile(path.Join("agents", file))
	if err != nil {
		return 0, agents.Kind{}, err
	}
	var f levelFile
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return 0, agents.Kind{}, err
	}
	spec, err := agents.ParseSpec(f.Agent)
	if err != nil {
		return 0, agents.Kind{}, err
	}
	if _, err := registry.Values(spec); err != nil {
		return 0, agents.Kind{}, err
	}
	return f.Level, agents.Kind{
		Name: strings.TrimSuffix(file, ".yaml"),
		Doc:  fmt.Sprintf("level %d, %s: %s", f.Level, spec, f.Doc),
		New:  func(agents.Values) (agents.Agent, error) { return registry.New(spec) },
	}, nil
}
