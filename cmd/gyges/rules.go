package main

import (
	"errors"
	"strings"

	"gyges/rules"
)

// rulesCmd lists rule sets, or the options of one.
type rulesCmd struct {
	Format string `enum:"text,markdown,json,yaml" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, json, or yaml: one rule set as a file for --rules."`
	Name   string `arg:"" optional:"" complete:"rules" help:"Rule set whose options to print: as for --rules."`
}

func (rulesCmd) examples() []example {
	return []example{
		{"gyges rules", "the presets, and where they differ from standard"},
		{"gyges rules kang", "the options of one rule set, and what each may be"},
		{"gyges rules kang --format yaml > my-kang.yaml", "a file to change, for --rules my-kang.yaml"},
		{"gyges rules standard:null_move=allow,repetition=none --format json", ""},
	}
}

// Run prints the list.
func (c *rulesCmd) Run(e *env) error {
	switch {
	case c.Name == "" && c.Format == "yaml":
		return errors.New("--format yaml: expected the name of one rule set")
	case c.Name == "":
		return c.list(e)
	}
	r, err := loadRules(c.Name)
	if err != nil {
		return err
	}
	o := r.Options()
	switch c.Format {
	case "json":
		return writeJSON(e.out, ruleSetJSON{Name: r.String(), Options: optionsOf(o)})
	case "yaml":
		writeYAML(e.out, r)
		return nil
	}
	t := grid{header: []string{"Option", "Value", "May be"}}
	for _, name := range rules.OptionNames() {
		t.rows = append(t.rows, []string{name, o.Get(name), rules.OptionValues(name)})
	}
	return t.write(e.out, c.Format == "markdown")
}

// writeYAML prints a rule set as configs.LoadRules reads it, with all its options.
func writeYAML(w *output, r *rules.Rules) {
	preset, _, _ := strings.Cut(r.String(), ":")
	w.printf("preset: %s\n", preset)
	for _, name := range rules.OptionNames() {
		w.printf("%-31s # %s\n", name+": "+r.Options().Get(name), rules.OptionValues(name))
	}
}

// ruleSetJSON is a rule set as --format json prints it.
type ruleSetJSON struct {
	Name    string            `json:"name"`
	Doc     string            `json:"doc,omitempty"`
	Options map[string]string `json:"options"`
}

func optionsOf(o rules.Options) map[string]string {
	m := map[string]string{}
	for _, name := range rules.OptionNames() {
		m[name] = o.Get(name)
	}
	return m
}

// list prints the presets with what they change.
func (c *rulesCmd) list(e *env) error {
	presets := rules.Presets()
	if c.Format == "json" {
		list := make([]ruleSetJSON, len(presets))
		for i, p := range presets {
			list[i] = ruleSetJSON{p.Name, p.Doc, optionsOf(p.Options)}
		}
		return writeJSON(e.out, list)
	}
	markdown := c.Format == "markdown"
	t := grid{header: []string{"Name", "Whose rules, and where they differ from " + presets[0].Name}}
	for _, p := range presets {
		changes := difference(presets[0].Options, p.Options)
		switch {
		case changes == "":
			t.rows = append(t.rows, []string{p.Name, p.Doc})
		case markdown:
			t.rows = append(t.rows, []string{p.Name, p.Doc + "; `" + changes + "`"})
		default:
			t.rows = append(t.rows, []string{p.Name, p.Doc}, []string{"", changes})
		}
	}
	return t.write(e.out, markdown)
}

// difference lists the options in which b differs from a.
func difference(a, b rules.Options) string {
	text := ""
	for _, name := range rules.OptionNames() {
		if v := b.Get(name); v != a.Get(name) {
			if text != "" {
				text += " "
			}
			text += name + "=" + v
		}
	}
	return text
}
