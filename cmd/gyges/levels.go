package main

import (
	"fmt"

	"gyges/configs"
	"gyges/rules/base/grid"
)

type levelsCmd struct {
	Format grid.Format `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

var levelColumns = []grid.Column[configs.Level]{
	{Key: "name", Title: "Name", Left: true, Value: func(l configs.Level) any { return l.Name }},
	{Title: "Standard", Value: func(l configs.Level) any { return eloUnder(l, "standard") }},
	{Title: "Simplified", Value: func(l configs.Level) any { return eloUnder(l, "simplified") }},
	{Title: "Kang", Value: func(l configs.Level) any { return eloUnder(l, "kang") }},
	{Key: "agent", Value: func(l configs.Level) any { return l.Agent }},
	{Key: "doc", Title: "How it plays", Left: true, Value: func(l configs.Level) any { return l.Doc }},
	{Key: "elo", Value: func(l configs.Level) any { return l.Elo }}, // by preset
	{Key: "step", Value: func(l configs.Level) any { return l.Step }},
}

// eloUnder returns a level's Elo by a preset with half its 95 % interval.
func eloUnder(l configs.Level, preset string) string {
	return fmt.Sprintf("%d ± %d", l.Elo[preset].Elo, l.Elo[preset].Error)
}

// Run prints the list.
func (c *levelsCmd) Run(e *env) error {
	levels, err := configs.ListLevels()
	if err != nil {
		return failure{err}
	}
	return grid.Make(levelColumns, levels).Write(e.out, c.Format, grid.Options{Width: tableWidth(e.out)})
}
