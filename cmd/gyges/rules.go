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

// rulesCmd prints the rules of a rule set, or lists the presets and the options.
type rulesCmd struct {
	tableFlag
	Name string `arg:"" optional:"" help:"Rule set to print, as text and as options: a preset or PRESET:OPTION=VALUE,…."`
}

// Run prints a rule set in words, and its options as a table.
func (c *rulesCmd) Run(e *env) error {
	if c.Name == "" {
		return c.list(e.out)
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
	// People get the rules as a text to play by, and then the options that make them.
	for _, s := range o.Prose() {
		if c.Format == grid.Markdown {
			text := strings.Join(s.Paragraphs, "\n\n")
			e.out.print("## " + s.Heading + "\n\n" + text + "\n\n")
			continue
		}
		e.out.printf("%s\n", s.Heading)
		for _, text := range s.Paragraphs {
			// Two of 78 columns are for the indent.
			lines := textfmt.Wrap(text, 76)
			e.out.print("  " + strings.Join(lines, "\n  ") + "\n")
		}
		e.out.print("\n")
	}
	t := grid.New("", 3, "Option", "Value", "May be")
	for _, opt := range o.List() {
		addOption(t, opt.Key, opt.Text(), opt.Accepts())
	}
	printTable(e.out, t, c.Format, 0)
	return nil
}

// addOption adds a row of texts that may have marks.
func addOption(t *grid.Table, key, value, text string) {
	t.Add(grid.Markup(key), grid.Markup(value), grid.Markup(text))
}

// list prints the presets, and for people the options.
func (c *rulesCmd) list(out *output) error {
	presets := rules.Presets()
	if c.Format == grid.JSON {
		var list []grid.Object
		for _, p := range presets {
			list = append(list, grid.Object{
				{"name", p.Name}, {"doc", p.Doc}, {"options", p.Options.Values()},
			})
		}
		return grid.WriteJSON(out, list)
	}
	first := presets[0]
	// Each preset is told by what differs from the first one.
	t := grid.New("", 2, "Name", "Source, and differences from "+first.Name)
	for _, p := range presets {
		text := p.Doc
		changes := strings.Join(first.Options.Changes(p.Options), " ")
		switch {
		case changes == "":
		case c.Format == grid.Markdown:
			text += "; `" + changes + "`"
		default:
			text += "\n" + changes
		}
		t.Add(p.Name, grid.Markup(text))
	}
	printTable(out, t, c.Format, 0)
	// The options are those that any preset may be changed by.
	t = grid.New("", 3, "Option", "Default", "Meaning")
	for _, opt := range first.Options.List() {
		addOption(t, opt.Key, opt.Text(), opt.Help())
	}
	out.printf("\n")
	printTable(out, t, c.Format, 0)
	return nil
}

// rulesFlags are the flags of commands that need one rule set.
type rulesFlags struct {
	Rules string   `default:"standard" placeholder:"RULES" help:"Rule set: a preset (see gyges rules) or PRESET:OPTION=VALUE,…. Default: standard."`
	Set   []string `sep:"none" placeholder:"OPTION=VALUE" help:"Change an option of the rule set; may be repeated."`
}

// load returns the rule set.
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
	r, err = f.load()
	if err != nil {
		return nil, p, err
	}
	p, err = parsePosition(r, words)
	return r, p, err
}

// game reads a position with all pieces placed in which the game is not over.
func (f rulesFlags) game(words []string) (*rules.Game, error) {
	r, p, err := f.position(words)
	if err != nil {
		return nil, err
	}
	// A search begins where the players move, not where they place their pieces.
	if r.SettingUp(p) {
		return nil, errors.New("position: expected one in which all pieces are placed")
	}
	g := rules.NewGame(r, p)
	return g, checkGoesOn("position", g)
}

// checkGoesOn returns an error if a game, which an argument describes, is over.
func checkGoesOn(argument string, g *rules.Game) error {
	outcome, reason := g.Outcome()
	if outcome == rules.Undecided {
		return nil
	}
	return fmt.Errorf("%s: the game is over there, %v by %s", argument, outcome, reason)
}

// parsePosition reads a position given in words: quoted on the command line or not, it is the same.
func parsePosition(r *rules.Rules, words []string) (p rules.Position, err error) {
	if len(words) == 0 {
		return p, errors.New(
			"expected a position, like '321123/000000/000000/000000/000000/321123 s'")
	}
	p, err = r.ParsePosition(strings.Join(words, " "))
	if err != nil {
		err = fmt.Errorf("position %w", err)
	}
	return p, err
}

// rulesList is a list of rule sets, with commas between them. As a flag it may be repeated, too.
type rulesList []*rules.Rules

// UnmarshalText adds the rule sets of a list. They have commas of their own: a piece like
// "repetition=none" belongs to the rule set before it.
func (l *rulesList) UnmarshalText(text []byte) error {
	var names []string
	// A rule set may end in options: PRESET:OPTION=VALUE,OPTION=VALUE.
	for piece := range strings.SplitSeq(string(text), ",") {
		key, _, hasValue := strings.Cut(piece, "=")
		isOption := hasValue && !strings.Contains(key, ":")
		if n := len(names); n > 0 && isOption {
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

// String returns the list as it is read.
func (l rulesList) String() string {
	return strings.Join(lists.Map(l, (*rules.Rules).String), ",")
}

// names returns the set of the names; nil for none.
func (l rulesList) names() map[string]bool {
	if l == nil {
		return nil
	}
	names := map[string]bool{}
	for _, r := range l {
		names[r.String()] = true
	}
	return names
}
