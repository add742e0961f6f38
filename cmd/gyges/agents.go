package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/configs"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// agentsCmd lists the kinds of agents, the parameters of one kind, the options of an external
// program, or the weights of the evaluation. What it prints comes from the registry, so a new kind
// is in it without a change here.
type agentsCmd struct {
	Kind string `arg:"" optional:"" help:"Kind whose parameters are printed, or the spec of an external engine, which is started and whose options are printed. Without it, the kinds are listed; weights: those of the evaluation, with what they mean."`
	File string `arg:"" optional:"" help:"With weights: a weights file, beside which those built in are printed."`
	tableFlag
}

// kindColumns are the columns of the kinds. The last two are for programs.
var kindColumns = []grid.Column[agents.Kind]{
	{Key: "kind", Title: "Kind", Left: true, Value: func(k agents.Kind) any { return k.Name }},
	{Key: "doc", Title: "What it is", Left: true, Value: func(k agents.Kind) any { return k.Doc }},
	{Key: "interactive", Value: func(k agents.Kind) any { return k.Interactive }},
	{Key: "params", Value: func(k agents.Kind) any { return paramsTable(k) }},
}

// paramColumns are the columns of a kind's parameters. People read type and range in one column.
var paramColumns = []grid.Column[agents.ParamDef]{
	{Key: "name", Title: "Parameter", Left: true, Value: func(d agents.ParamDef) any {
		return d.Key
	}},
	{Title: "Value", Left: true, Value: func(d agents.ParamDef) any {
		if d.Type() == agents.Text {
			return d.Range()
		}
		value := string(d.Type()) + ", " + d.Range()
		return strings.TrimSuffix(value, ", ") // all of the type
	}},
	{Key: "type", Value: func(d agents.ParamDef) any { return string(d.Type()) }},
	{Key: "range", Value: func(d agents.ParamDef) any { return d.Range() }},
	{Key: "default", Title: "Default", Left: true, Value: func(d agents.ParamDef) any {
		return grid.Cell{Text: cmp.Or(d.Default(), "-"), Value: d.Default()}
	}},
	{Key: "doc", Title: "What it does", Left: true, Value: func(d agents.ParamDef) any {
		return d.Help()
	}},
}

// paramsTable has a row for each parameter of a kind, or for each option of a program, which makes
// no agents and doesn't say what its options do.
func paramsTable(k agents.Kind) *grid.Table {
	if k.New == nil {
		return grid.Make(paramColumns[:len(paramColumns)-1], k.Params)
	}
	return grid.Make(paramColumns, k.AllParams())
}

// Run prints one of the lists.
func (c *agentsCmd) Run(ctx context.Context, e *env) error {
	// The word weights is no kind: the evaluation is shared by several.
	if c.Kind == "weights" {
		return c.weights(e)
	}
	if c.File != "" {
		return fmt.Errorf("expected one kind, or weights FILE, found %s %s", c.Kind, c.File)
	}
	if c.Kind == "" {
		printTable(e.out, grid.Make(kindColumns, kindsOf(e.registry)), c.Format, 0)
		if c.Format != grid.JSON {
			e.out.print(
				"\ngyges agents KIND lists parameters, gyges agents ugi:cmd=ENGINE options.\n")
		}
		return nil
	}
	k, err := c.find(ctx, e)
	if err != nil {
		return err
	}
	if c.Format == grid.JSON {
		return grid.WriteJSON(e.out, grid.ObjectOf(kindColumns, k))
	}
	// Text is wrapped to the terminal; Markdown is wrapped where it is shown.
	doc := k.Name + ": " + k.Doc
	if c.Format == grid.Text {
		lines := textfmt.Wrap(doc, min(tableWidth(e.out), 100))
		doc = strings.Join(lines, "\n")
	}
	e.out.print(doc + "\n\n")
	printTable(e.out, paramsTable(k), c.Format, 0)
	return nil
}

// find returns the kind that is asked for. The external program of a spec, which is started, is
// like a kind whose parameters are its options.
func (c *agentsCmd) find(ctx context.Context, e *env) (k agents.Kind, err error) {
	spec, err := agents.ParseSpec(c.Kind)
	if err != nil {
		return k, err
	}
	k, err = e.registry.Kind(spec)
	if err != nil || len(spec.Params) == 0 {
		return k, err
	}
	agent, err := e.registry.Start(ctx, spec)
	if err != nil {
		return k, err
	}
	defer closeAgent(e, agent)
	if program := agent.Program(); program != nil {
		k = agents.Kind{
			Name:   spec.String(),
			Doc:    textfmt.Visible(program.Name),
			Params: agent.Announced(),
		}
	}
	return k, nil
}

// weights lists the weights of the evaluation: those of a file and those built in for its rules,
// or those built in for all.
func (c *agentsCmd) weights(e *env) error {
	families := []string{eval.Standard, eval.Simplified, eval.Kang}
	columns := []grid.Column[eval.Feature]{
		{Key: "weight", Title: "Weight", Left: true, Value: func(f eval.Feature) any {
			return f.Name
		}},
	}
	if c.File != "" {
		w, err := files.Load(c.File, eval.Read)
		if err != nil {
			return err
		}
		columns = append(columns, weightColumn("file", w))
		families = []string{w.Rules}
	}
	// Rules that change the value of features have weights of their own.
	for _, family := range families {
		columns = append(columns, weightColumn(family, eval.Default(family)))
	}
	// The meaning is the longest column, so it is the last.
	columns = append(columns, grid.Column[eval.Feature]{
		Key: "doc", Title: "Of each", Left: true, Value: func(f eval.Feature) any { return f.Doc },
	})
	table := grid.Make(columns, eval.Features())
	table.Title = "Weights in hundredths of a point, those built in by family of rules; " +
		"networks and policies add to them"
	printTable(e.out, table, c.Format, 1)
	return nil
}

// weightColumn returns a column of weights, whose title is the key with a capital.
func weightColumn(key string, w eval.Weights) grid.Column[eval.Feature] {
	return grid.Column[eval.Feature]{
		Key:   key,
		Title: capitalized(key),
		Value: func(f eval.Feature) any {
			weight := *w.Feature(f.Name)
			return grid.Cell{Text: fiveDigits(weight), Value: weight}
		},
	}
}

// levelsCmd lists the levels of play, whose strength was measured: see configs/levels.yaml.
type levelsCmd struct{ tableFlag }

// levelColumns are the columns of the levels. People read the Elo of each preset with its interval.
var levelColumns = []grid.Column[configs.Level]{
	{Key: "name", Title: "Name", Left: true, Value: func(l configs.Level) any { return l.Name }},
	eloColumn("standard"),
	eloColumn("simplified"),
	eloColumn("kang"),
	{Key: "agent", Value: func(l configs.Level) any { return l.Agent }},
	{Key: "doc", Title: "How it plays", Left: true, Value: func(l configs.Level) any {
		return l.Doc
	}},
	{Key: "elo", Value: func(l configs.Level) any { return l.Elo }}, // by preset
	{Key: "step", Value: func(l configs.Level) any { return l.Step }},
}

// eloColumn returns a column of the levels' Elo by a preset with half its 95 % interval.
func eloColumn(preset string) grid.Column[configs.Level] {
	return grid.Column[configs.Level]{
		Title: capitalized(preset),
		Value: func(l configs.Level) any {
			elo := l.Elo[preset]
			return fmt.Sprintf("%d ± %d", elo.Elo, elo.Error)
		},
	}
}

// capitalized returns a word of ASCII with a capital.
func capitalized(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// Run prints the levels.
func (c *levelsCmd) Run(e *env) error {
	table := grid.Make(levelColumns, configs.ListLevels())
	return table.Write(e.out, c.Format, grid.Options{Width: tableWidth(e.out)})
}

// kindsOf returns the kinds of a registry without the levels, which gyges levels lists.
func kindsOf(registry *agents.Registry) []agents.Kind {
	return slices.DeleteFunc(registry.Kinds(), func(k agents.Kind) bool { return k.Level })
}

// checkProgram returns an error if --agent is of an unknown kind or interactive.
func checkProgram(e *env, spec agents.Spec) error {
	kind, err := e.registry.Kind(spec)
	if err == nil && kind.Interactive {
		err = fmt.Errorf("expected an agent that is not interactive, found %.60q", spec)
	}
	return named("--agent", err)
}

// newAgent makes the agent of --agent, which must not be interactive, ready for games under rule
// sets.
func newAgent(
	ctx context.Context, e *env, spec agents.Spec, sets ...*rules.Rules,
) (agents.Agent, error) {
	if err := checkProgram(e, spec); err != nil {
		return nil, err
	}
	agent, err := e.registry.Start(ctx, spec, sets...)
	return agent, named("--agent", err)
}

// tryAgent starts the agent of --agent once, to see that it can play.
func tryAgent(ctx context.Context, e *env, spec agents.Spec, sets ...*rules.Rules) error {
	// A program that can't be started is found only by starting it.
	agent, err := newAgent(ctx, e, spec, sets...)
	closeAgent(e, agent)
	return err
}

// closeAgent closes an agent; nil is none.
func closeAgent(e *env, a agents.Agent) {
	if a == nil {
		return
	}
	// What the agent was started for is done, so its error is only logged.
	if err := a.Close(); err != nil {
		e.log.Warn("close the agent", "error", err)
	}
}

// agentError returns the error of an agent's search, which is no mistake of the user's, or else of
// ctx.
func agentError(ctx context.Context, agent string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return asFailure(named(agent, err))
}
