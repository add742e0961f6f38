package main

import (
	"strconv"

	"gyges/configs"
	"gyges/rules/base/grid"
)

// levelsCmd lists the levels of play.
type levelsCmd struct {
	Format string `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

func (levelsCmd) Help() string {
	return "A level is an agent of fixed strength with a name, for people to play against and as a point of reference. " +
		"The name can be given wherever a command takes an agent. Elo is above the weakest level, as measured under " +
		"the standard rules; json has it under other rules, too."
}

func (levelsCmd) examples() []example {
	return []example{
		{"gyges levels", ""},
		{"gyges play --south human --north casual", "play against one"},
	}
}

// levelJSON is a level as --format json prints it.
type levelJSON struct {
	Level int    `json:"level"` // 1 is the weakest
	Name  string `json:"name"`
	Agent string `json:"agent"`
	Doc   string `json:"doc"`

	// Elo is above the weakest level, by preset.
	Elo map[string]int `json:"elo"`
}

// Run prints the list.
func (c *levelsCmd) Run(e *env) error {
	levels, err := configs.ListLevels()
	if err != nil {
		return failure{err}
	}
	list := []levelJSON{}
	t := grid.Grid{
		Header: []string{"Level", "Name", "Elo", "Agent", "How it plays"},
		Left:   map[int]bool{1: true, 3: true, 4: true},
	}
	for _, l := range levels {
		elo := eloAbove(l, levels[0])
		list = append(list, levelJSON{l.Level, l.Name, l.Agent.String(), l.Doc, elo})
		t.Add(strconv.Itoa(l.Level), l.Name, strconv.Itoa(elo["standard"]), l.Agent.String(), l.Doc)
	}
	if c.Format == "json" {
		return writeJSON(e.out, list)
	}
	return printTable(e.out, &t, c.Format == "markdown")
}

// eloAbove returns by how much one level is above another, by preset.
func eloAbove(l, weakest configs.Level) map[string]int {
	elo := map[string]int{}
	for preset, x := range l.Elo {
		elo[preset] = x - weakest.Elo[preset]
	}
	return elo
}
