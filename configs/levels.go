package configs

import (
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
)

// levelFiles are the named levels of play, one file each, and their ratings.
//
//go:embed agents/*.yaml agents/elo.csv
var levelFiles embed.FS

// Level is a named level of play.
type Level struct {
	Name  string      // of its file
	Level int         `yaml:"level"` // 1 is the weakest
	Agent agents.Spec `yaml:"agent"` // what plays
	Doc   string      `yaml:"doc"`   // a phrase

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
			return nil, err
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b Level) int { return a.Level - b.Level })
	if err := readElo(list); err != nil {
		return nil, fmt.Errorf("configs/agents/elo.csv: %w", err)
	}
	return list, nil
}

// readElo reads the ratings of the levels, which come the weakest first, as gyges rate prints them of their ladder with
// the weakest as the anchor. A level without one, like a new one, has no Elo.
func readElo(list []Level) error {
	text, err := levelFiles.ReadFile("agents/elo.csv")
	if err != nil {
		return err
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return err
	}
	cell := func(row []string, column string) string { return row[slices.Index(rows[0], column)] }
	for i, row := range rows {
		k := slices.IndexFunc(list, func(l Level) bool { return l.Name == cell(row, "name") })
		if i == 0 || k < 0 || cell(row, "elo") == "" {
			continue
		}
		elo, errElo := strconv.ParseFloat(cell(row, "elo"), 64)
		half, errHalf := strconv.ParseFloat(cell(row, "error"), 64)
		if err := errors.Join(errElo, errHalf); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		preset := strings.TrimPrefix(cell(row, "table"), "Rules ")
		list[k].Elo[preset], list[k].Step[preset] = int(math.Round(elo)), Step{elo, half} // above the weakest as yet
	}
	lower := map[string]Step{} // by preset
	for _, l := range list {
		for preset, above := range l.Step {
			below := lower[preset]
			lower[preset] = above
			// Each met its neighbours only, so that its error is that of independent steps together.
			half := math.Sqrt(max(0, above.Error*above.Error-below.Error*below.Error))
			l.Step[preset] = Step{above.Elo - below.Elo, half}
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
	l := Level{Name: nameOf(file), Elo: map[string]int{}, Step: map[string]Step{}}
	text, err := levelFiles.ReadFile(file)
	if err != nil {
		return l, err
	}
	p := newParser("configs/" + file)
	if root := p.parse(string(text)); root != nil {
		p.settings(root, "a level", &l, "")
	}
	return l, p.err()
}
