package main

import (
	"errors"
	"fmt"
	"strings"

	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
)

type rulesCmd struct {
	Format grid.Format `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
	Name   string      `arg:"" optional:"" help:"Rule set to print, as text and as options: a preset or PRESET:OPTION=VALUE,…."`
}

func (c *rulesCmd) Run(e *env) error {
	if c.Name == "" {
		return c.list(e)
	}
	r, err := rules.Parse(c.Name)
	if err != nil {
		return err
	}
	o := r.Options()
	if c.Format == grid.JSON {
		return grid.WriteJSON(e.out, grid.Object{
			{"name", r.String()}, {"options", o.Values()}, {"prose", o.Prose()},
		})
	}
	writeProse(e.out, r, c.Format == grid.Markdown)
	t := grid.New("", 3, "Option", "Value", "May be")
	for _, opt := range o.List() {
		t.Add(grid.Markup(opt.Key), grid.Markup(opt.Text()), grid.Markup(opt.Accepts()))
	}
	return printTable(e.out, t, c.Format, 0)
}

// writeProse prints the rules in words, as text in lines of at most 78 columns.
func writeProse(w *output, r *rules.Rules, markdown bool) {
	for _, s := range r.Options().Prose() {
		if markdown {
			w.printf("## %s\n\n%s\n\n", s.Heading, strings.Join(s.Paragraphs, "\n\n"))
			continue
		}
		w.printf("%s\n", s.Heading)
		for _, text := range s.Paragraphs {
			w.printf("  %s\n", strings.Join(textfmt.Wrap(text, 76), "\n  "))
		}
		w.printf("\n")
	}
}

var presetColumns = []grid.Column[rules.Preset]{
	{Key: "name", Value: func(p rules.Preset) any { return p.Name }},
	{Key: "doc", Value: func(p rules.Preset) any { return p.Doc }},
	{Key: "options", Value: func(p rules.Preset) any { return p.Options.Values() }},
}

func (c *rulesCmd) list(e *env) error {
	presets := rules.Presets()
	if c.Format == grid.JSON {
		return printTable(e.out, grid.Make(presetColumns, presets), grid.JSON, 0)
	}
	t := grid.New("", 2, "Name", "Source, and differences from "+presets[0].Name)
	for _, p := range presets {
		text := p.Doc
		if changes := strings.Join(presets[0].Options.Changes(p.Options), " "); changes != "" {
			text += map[bool]string{false: "\n" + changes, true: "; `" + changes + "`"}[c.Format == grid.Markdown]
		}
		t.Add(p.Name, grid.Markup(text))
	}
	if err := printTable(e.out, t, c.Format, 0); err != nil {
		return err
	}
	t = grid.New("", 3, "Option", "Default", "Meaning")
	for _, opt := range presets[0].Options.List() {
		t.Add(grid.Markup(opt.Key), grid.Markup(opt.Text()), grid.Markup(opt.Help()))
	}
	e.out.printf("\n")
	return printTable(e.out, t, c.Format, 0)
}

type rulesFlags struct {
	Rules string   `default:"standard" placeholder:"RULES" help:"Rule set: a preset (see gyges rules) or PRESET:OPTION=VALUE,…. Default: standard."`
	Set   []string `sep:"none" placeholder:"OPTION=VALUE" help:"Change an option of the rule set; may be repeated."`
}

func (f rulesFlags) load() (*rules.Rules, error) {
	base, err := rules.Parse(f.Rules)
	if err != nil {
		return nil, named("--rules", err)
	}
	r, err := base.With(f.Set...)
	return r, named("--set", err)
}

// position returns the rule set and a position under it, see [parsePosition].
func (f rulesFlags) position(words []string) (r *rules.Rules, p rules.Position, err error) {
	if r, err = f.load(); err == nil {
		p, err = parsePosition(r, words)
	}
	return r, p, err
}

// game reads a position with all pieces placed in which the game is not over.
func (f rulesFlags) game(words []string) (*rules.Game, error) {
	r, p, err := f.position(words)
	if err != nil {
		return nil, err
	}
	if r.SettingUp(p) {
		return nil, errors.New("position: expected one in which all pieces are placed")
	}
	g := rules.NewGame(r, p)
	if o, reason := g.Outcome(); o != rules.Undecided {
		return nil, fmt.Errorf("position: the game is over there, %v by %s", o, reason)
	}
	return g, nil
}

// parsePosition reads a position given in words: quoted on the command line or not, it is the same.
func parsePosition(r *rules.Rules, words []string) (rules.Position, error) {
	if len(words) == 0 {
		return rules.Position{}, errors.New("expected a position, like '321123/000000/000000/000000/000000/321123 s'")
	}
	p, err := r.ParsePosition(strings.Join(words, " "))
	if err != nil {
		err = fmt.Errorf("position %w", err)
	}
	return p, err
}

// rulesList is a list of rule sets, with commas between them.
type rulesList []*rules.Rules

// UnmarshalText adds the rule sets of a list. They have commas of their own: a piece like "repetition=none" belongs to
// the rule set before it.
func (l *rulesList) UnmarshalText(text []byte) error {
	var names []string
	for _, piece := range strings.Split(string(text), ",") {
		name, _, option := strings.Cut(piece, "=")
		if n := len(names); n > 0 && option && !strings.Contains(name, ":") {
			names[n-1] += "," + piece
		} else {
			names = append(names, piece)
		}
	}
	for _, name := range names {
		r, err := rules.Parse(name)
		if err != nil {
			return err
		}
		*l = append(*l, r)
	}
	return nil
}

func (l rulesList) String() string { return strings.Join(lists.Map(l, (*rules.Rules).String), ",") }

// names returns the set of the names; nil for none.
func (l rulesList) names() (names map[string]bool) {
	if l != nil {
		names = map[string]bool{}
	}
	for _, r := range l {
		names[r.String()] = true
	}
	return names
}
