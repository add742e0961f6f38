package main

import (
	"cmp"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// agentsCmd lists the kinds of agents, or the parameters of one.
type agentsCmd struct {
	Kind   string `arg:"" optional:"" complete:"agents" help:"Kind whose parameters are printed. Without it, the kinds are listed."`
	Format string `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

func (agentsCmd) Help() string {
	return "An agent is named by a spec, kind:param=value,param=value, wherever a command takes one."
}

func (agentsCmd) examples() []example {
	return []example{
		{"gyges agents", "the kinds"},
		{"gyges agents alphabeta", "the parameters of one"},
		{"gyges agents --format json", "the parameters of all"},
		{"gyges play --south alphabeta:depth=3 --north random", "two specs in use"},
	}
}

// agentJSON is a kind as --format json prints it.
type agentJSON struct {
	Kind        string      `json:"kind"`
	Doc         string      `json:"doc"`
	Interactive bool        `json:"interactive"`
	Params      []paramJSON `json:"params"`
}

type paramJSON struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Range   string `json:"range"`
	Default string `json:"default"` // "" for none
	Doc     string `json:"doc"`
}

// Run prints the kinds, or one with its parameters.
func (c *agentsCmd) Run(e *env) error {
	if c.Kind == "" {
		return c.list(e, e.registry.Kinds())
	}
	k, err := e.registry.Kind(agents.Spec{Kind: c.Kind})
	if err != nil {
		return err
	}
	return c.one(e, k)
}

// list prints what the kinds are, and as JSON their parameters, too.
func (c *agentsCmd) list(e *env, kinds []agents.Kind) error {
	if c.Format == "json" {
		list := []agentJSON{}
		for _, k := range kinds {
			list = append(list, kindJSON(k))
		}
		return writeJSON(e.out, list)
	}
	t := grid.Grid{Header: []string{"Kind", "What it is"}}
	for _, k := range kinds {
		t.Add(k.Name, k.Doc)
	}
	if err := printTable(e.out, &t, c.Format == "markdown"); err != nil {
		return err
	}
	e.out.printf("\ngyges agents KIND lists the parameters of a kind.\n")
	return nil
}

// one prints a kind and its parameters, also those that every kind has.
func (c *agentsCmd) one(e *env, k agents.Kind) error {
	if c.Format == "json" {
		return writeJSON(e.out, kindJSON(k))
	}
	t := grid.Grid{Header: []string{"Parameter", "Value", "Default", "What it does"}}
	markdown := c.Format == "markdown"
	for _, d := range parameters(k) {
		t.Add(d.Name, valueText(d, markdown), cmp.Or(d.Default, "-"), d.Doc)
	}
	doc := k.Name + ": " + k.Doc
	if !markdown {
		doc = strings.Join(textfmt.Wrap(doc, columns(e.out)), "\n")
	}
	e.out.printf("%s\n\n", doc)
	return printTable(e.out, &t, markdown)
}

// valueText returns the type and the range of a parameter; lines of text are broken only between them.
func valueText(d agents.ParamDef, markdown bool) string {
	accepted := d.Range()
	if !markdown {
		accepted = strings.ReplaceAll(accepted, " ", textfmt.NoBreak)
	}
	if d.Type == agents.Text {
		return accepted
	}
	return string(d.Type) + ", " + accepted
}

// parameters returns those of a kind, then those that every kind has.
func parameters(k agents.Kind) []agents.ParamDef {
	return append(slices.Clone(k.Params), agents.Common()...)
}

func kindJSON(k agents.Kind) agentJSON {
	a := agentJSON{Kind: k.Name, Doc: k.Doc, Interactive: k.Interactive, Params: []paramJSON{}}
	for _, d := range parameters(k) {
		a.Params = append(a.Params, paramJSON{d.Name, string(d.Type), d.Range(), d.Default, d.Doc})
	}
	return a
}
