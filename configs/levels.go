package configs

import (
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
)

// levelFiles are the named levels of play, one file each, and their ratings.
//
//go:embed agents/*.yaml agents/elo.csv
var levelFiles embed.FS

// Level is a named level of play.
type Level struct {
	Name  string      // of its file
	Level int         // 1 is the weakest
	Agent agents.Spec // what plays
	Doc   string      // a phrase

	// Elo is the measured strength above the weakest level by preset, of those that were
	// measured (results/reference/levels.md), and Step that above the level before.
	Elo  map[string]int
	Step map[string]Step
}

// Step is how much stronger a level is than the one before, in Elo, and half the 95 % interval.
type Step struct {
	Elo   float64 `json:"elo"`
	Error float64 `json:"error"`
}

// ListLevels returns the levels, the weakest first.
func ListLevels() ([]Level, error) {
	files, err := fs.Glob(levelFiles, "agents/*.yaml")
	if err != nil {
		return nil, err
	}
	var list []Level
	for _, file := range files {
		l, err := readLevel(file)
		if err != nil {
			return nil, fmt.Errorf("configs/%s: %w", file, err)
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b Level) int { return a.Level - b.Level })
	if err := readElo(list); err != nil {
		return nil, fmt.Errorf("configs/agents/elo.csv: %w", err)
	}
	return list, nil
}

// readElo reads the ratings of the levels, as gyges rate prints them of their ladder with the weakest as the anchor. A
// level without one, like a new one, has no Elo.
func readElo(list []Level) error {
	text, err := levelFiles.ReadFile("agents/elo.csv")
	if err != nil {
		return err
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return err
	}
	levels := map[string]*Level{}
	for i := range list {
		levels[list[i].Name] = &list[i]
	}
	cell := func(row []string, column string) string { return row[slices.Index(rows[0], column)] }
	type rating struct {
		level      *Level
		elo, error float64
	}
	ratings := map[string][]rating{} // by preset, above the weakest
	for i, row := range rows {
		l := levels[cell(row, "name")]
		if i == 0 || l == nil || cell(row, "elo") == "" {
			continue
		}
		elo, errElo := strconv.ParseFloat(cell(row, "elo"), 64)
		half, errHalf := strconv.ParseFloat(cell(row, "error"), 64)
		if err := errors.Join(errElo, errHalf); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		preset := strings.TrimPrefix(cell(row, "table"), "Rules ")
		ratings[preset] = append(ratings[preset], rating{l, elo, half})
	}
	for preset, all := range ratings {
		slices.SortFunc(all, func(a, b rating) int { return a.level.Level - b.level.Level })
		below := rating{}
		for _, r := range all {
			r.level.Elo[preset] = int(math.Round(r.elo))
			// Each met its neighbours only, so that its error is that of independent steps together.
			r.level.Step[preset] = Step{r.elo - below.elo, math.Sqrt(max(0, r.error*r.error-below.error*below.error))}
			below = r
		}
	}
	return nil
}

// LevelOf returns the level that an agent is, by its name or by what plays.
func LevelOf(list []Level, spec agents.Spec) (Level, bool) {
	spec.Params = slices.DeleteFunc(slices.Clone(spec.Params), func(p agents.Param) bool { return p.Name == "name" })
	i := slices.IndexFunc(list, func(l Level) bool {
		return spec.String() == l.Name || spec.String() == l.Agent.String()
	})
	if i < 0 {
		return Level{}, false
	}
	return list[i], true
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
	text, err := levelFiles.ReadFile(file)
	if err != nil {
		return Level{}, err
	}
	var f struct {
		Level int    `yaml:"level"`
		Agent string `yaml:"agent"`
		Doc   string `yaml:"doc"`
	}
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return Level{}, err
	}
	spec, err := agents.ParseSpec(f.Agent)
	name := strings.TrimSuffix(path.Base(file), ".yaml")
	return Level{name, f.Level, spec, f.Doc, map[string]int{}, map[string]Step{}}, err
}
