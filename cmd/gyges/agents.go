package main

import (
	"cmp"
	"strings"

	"gyges/agents"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

type agentsCmd struct {
	Kind   string      `arg:"" optional:"" help:"Kind whose parameters are printed. Without it, the kinds are listed."`
	Format grid.Format `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

var kindColumns = []grid.Column[agents.Kind]{
	{Key: "kind", Title: "Kind", Left: true, Value: func(k agents.Kind) any { return k.Name }},
	{Key: "doc", Title: "What it is", Left: true, Value: func(k agents.Kind) any { return k.Doc }},
	{Key: "interactive", Value: func(k agents.Kind) any { return k.Interactive }},
	{Key: "params", Value: func(k agents.Kind) any { return grid.Make(paramColumns, k.AllParams()) }},
}

var paramColumns = []grid.Column[agents.ParamDef]{
	{Key: "name", Title: "Parameter", Left: true, Value: func(d agents.ParamDef) any { return d.Name }},
	{Title: "Value", Left: true, Value: func(d agents.ParamDef) any {
		if d.Type == agents.Text {
			return d.Range()
		}
		return string(d.Type) + ", " + d.Range()
	}},
	{Key: "type", Value: func(d agents.ParamDef) any { return string(d.Type) }},
	{Key: "range", Value: func(d agents.ParamDef) any { return d.Range() }},
	{Key: "default", Title: "Default", Left: true, Value: func(d agents.ParamDef) any {
		return grid.Cell{Text: cmp.Or(d.Default, "-"), Value: d.Default}
	}},
	{Key: "doc", Title: "What it does", Left: true, Value: func(d agents.ParamDef) any { return d.Doc }},
}

// Run prints the kinds, or one with its parameters.
func (c *agentsCmd) Run(e *env) error {
	format, layout := c.Format, grid.Options{Width: tableWidth(e.out)}
	if c.Kind == "" {
		err := grid.Make(kindColumns, kindsOf(e.registry)).Write(e.out, format, layout)
		if err == nil && format != grid.JSON {
			e.out.printf("\ngyges agents KIND lists the parameters of a kind.\n")
		}
		return err
	}
	k, err := e.registry.Kind(agents.Spec{Kind: c.Kind})
	if err != nil {
		return err
	}
	doc := k.Name + ": " + k.Doc
	switch format {
	case grid.JSON:
		return grid.WriteJSON(e.out, grid.ObjectOf(kindColumns, k))
	case grid.Text:
		doc = strings.Join(textfmt.Wrap(doc, columns(e.out)), "\n")
	}
	e.out.printf("%s\n\n", doc)
	return grid.Make(paramColumns, k.AllParams()).Write(e.out, format, layout)
}
