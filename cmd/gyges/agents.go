package main

import (
	"slices"

	"gyges/agents"
	"gyges/ratings/grid"
)

// agentsCmd lists the kinds of agents.
type agentsCmd struct {
	Format string `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

// Help is the part of the help below the summary.
func (agentsCmd) Help() string {
	return "An agent is named by a spec, kind:param=value,param=value, wherever a command takes one."
}

func (agentsCmd) examples() []example {
	return []example{
		{"gyges agents", ""},
		{"gyges agents --format json", ""},
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

// Run prints the list.
func (c *agentsCmd) Run(e *env) error {
	kinds := e.registry.Kinds()
	if c.Format == "json" {
		return writeJSON(e.out, kindsJSON(kinds))
	}
	summary := grid.Grid{Header: []string{"Kind", "What it is"}}
	params := grid.Grid{Header: []string{"Kind", "Parameter", "Type", "Range", "Default", "What it does"}}
	row := func(kind string, d agents.ParamDef) {
		params.Add(kind, d.Name, string(d.Type), d.Range(), orDash(d.Default), d.Doc)
	}
	for _, k := range kinds {
		summary.Add(k.Name, k.Doc)
		for _, d := range k.Params {
			row(k.Name, d)
		}
	}
	for _, d := range agents.Common() {
		row("every kind", d)
	}
	if err := summary.Write(e.out, c.Format == "markdown"); err != nil {
		return err
	}
	e.out.printf("\n")
	return params.Write(e.out, c.Format == "markdown")
}

func kindsJSON(kinds []agents.Kind) []agentJSON {
	list := []agentJSON{}
	for _, k := range kinds {
		a := agentJSON{Kind: k.Name, Doc: k.Doc, Interactive: k.Interactive, Params: []paramJSON{}}
		for _, d := range append(slices.Clone(k.Params), agents.Common()...) {
			a.Params = append(a.Params, paramJSON{d.Name, string(d.Type), d.Range(), d.Default, d.Doc})
		}
		list = append(list, a)
	}
	return list
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
