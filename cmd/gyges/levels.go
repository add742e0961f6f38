package main

import (
	"gyges/configs"
	"gyges/rules/base/grid"
)

// levelsCmd lists the levels of play.
type levelsCmd struct {
	Format string `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

var levelColumns = []grid.Column[configs.Level]{
	{Key: "level", Title: "Level", Value: func(l configs.Level) any { return l.Level }},
	{Key: "name", Title: "Name", Left: true, Value: func(l configs.Level) any { return l.Name }},
	{Title: "Elo", Value: func(l configs.Level) any { return l.Elo["standard"] }},
	{Key: "agent", Title: "Agent", Left: true, Value: func(l configs.Level) any { return l.Agent.String() }},
	{Key: "doc", Title: "How it plays", Left: true, Value: func(l configs.Level) any { return l.Doc }},
	{Key: "elo", Value: func(l configs.Level) any { return l.Elo }}, // by preset
}

// Run prints the list.
func (c *levelsCmd) Run(e *env) error {
	levels, err := configs.ListLevels()
	if err != nil {
		return failure{err}
	}
	return grid.Write(e.out, grid.Format(c.Format), grid.Options{Width: tableWidth(e.out)}, levelColumns, levels)
}
