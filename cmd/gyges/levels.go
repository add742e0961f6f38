package main

import (
	"strconv"

	"gyges/configs"
	"gyges/ratings/grid"
)

// levelsCmd lists the levels of play.
type levelsCmd struct {
	Format string `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

// Help is the part of the help below the summary.
func (levelsCmd) Help() string {
	return "A level is an agent of fixed strength with a name, for people to play against and as a point of reference. " +
		"The name can be given wherever a command takes an agent."
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
}

// Run prints the list.
func (c *levelsCmd) Run(e *env) error {
	levels, err := configs.ListLevels()
	if err != nil {
		return failure{err}
	}
	list := []levelJSON{}
	t := grid.Grid{
		Header: []string{"Level", "Name", "Agent", "How it plays"},
		Left:   map[int]bool{1: true, 2: true, 3: true},
	}
	for _, l := range levels {
		list = append(list, levelJSON{l.Level, l.Name, l.Agent.String(), l.Doc})
		t.Add(strconv.Itoa(l.Level), l.Name, l.Agent.String(), l.Doc)
	}
	if c.Format == "json" {
		return writeJSON(e.out, list)
	}
	return printTable(e.out, &t, c.Format == "markdown")
}
