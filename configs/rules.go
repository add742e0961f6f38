package configs

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"gyges/rules"
)

// LoadRules reads a rule set from a YAML file:
//
//	preset: kang          # which rules to start from
//	kang_entry: optional  # any rule options that differ from them
//
// It is a regular file. The error joins everything that is wrong with the file.
func LoadRules(path string) (r *rules.Rules, err error) {
	err = read(path, func(p *parser, root *yaml.Node) { r = p.rulesMapping(root) })
	return r, err
}

// rulesMapping reads a preset with changed options.
func (p *parser) rulesMapping(n *yaml.Node) *rules.Rules {
	before := len(p.problems)
	var preset string
	var changes []string
	p.entries(n, "a rule set", func(key, value *yaml.Node) {
		if key.Value == "preset" {
			if p.scalar(value, reflect.ValueOf(&preset).Elem(), "the name of a preset, like standard") {
				if _, err := rules.FindPreset(preset); err != nil {
					p.add(value.Line, "%v", err)
				}
			}
			return
		}
		options := rules.Presets()[0].Options // any will do to check one option
		switch {
		case value.Kind != yaml.ScalarNode || value.Tag == "!!null":
			p.add(value.Line, "expected a value for %s, found %s", found(key), found(value))
		default:
			if err := options.Set(key.Value, value.Value); err != nil {
				p.add(key.Line, "%v", err)
			}
			changes = append(changes, key.Value+"="+value.Value)
		}
	})
	if len(p.problems) > before {
		return nil
	}
	if preset == "" {
		p.add(n.Line, "expected the key preset in a rule set, like preset: standard")
		return nil
	}
	text := preset
	if len(changes) > 0 {
		text += ":" + strings.Join(changes, ",")
	}
	r, err := rules.Parse(text)
	if err != nil {
		p.add(n.Line, "%v", err)
		return nil
	}
	return r
}
