package configs

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/schedule"
	"gyges/tournament/training"
)

// Template returns a YAML file with all settings of a "tournament", "match", "train", "spsa" or "texel", of which those
// that most runs need are set; the others are commented out, with their defaults.
func Template(kind string, r *rules.Rules) string {
	const strong, fast = "alphabeta:nodes=2000,hash=1", "alphabeta:depth=2,hash=1"
	switch kind {
	case "train":
		c, defaults := training.DefaultGenerations(), training.DefaultGenerations()
		c.Name, defaults.Name, c.Rules, c.Agent, c.SelfPlay.Agent = "", "", r, specs(strong)[0], specs(fast)[0]
		c.Match.Openings.ForMatch(r)
		defaults.Match.Openings.ForMatch()
		text := template(&c, &defaults, "rules", "generations", "selfplay.pairs", "match.sprt", "match.pairs", "rating.pairs",
			"seed")
		const before, zero = "#weights: default\n", "# From nothing, by the results of games alone:\n#weights: zero\n"
		return strings.Replace(text, before, before+zero, 1)
	case "spsa":
		c, defaults := spsaFile{SPSA: training.DefaultSPSA()}, spsaFile{SPSA: training.DefaultSPSA()}
		c.Name, defaults.Name, c.Rules, c.Agent, c.Verification.Pairs = "", "", r, specs(strong)[0], 100
		c.Openings.ForMatch(r)
		defaults.Openings.ForMatch()
		c.Parameters = new(yaml.Node)
		_ = c.Parameters.Encode(map[string]map[string]int{ // numbers can be encoded
			"rfp_margin": {"c": 20, "min": 20, "max": 400}, "weight.near": {"c": 4},
		})
		c.Parameters.Style = yaml.FlowStyle
		return template(&c, &defaults, "rules", "steps", "pairs", "seed")
	case "texel":
		c, defaults := training.DefaultTexel(), training.DefaultTexel()
		c.Rules, c.Data = r, []string{"results/selfplay/positions"}
		return template(&c, &defaults, "rules", "weights", "lambda")
	}
	c, defaults := tournament.DefaultConfig(), tournament.DefaultConfig()
	c.Name, defaults.Name, c.Rules = "", "", []*rules.Rules{r}
	c.Agents = specs("random", "greedy", fast, "mcts:iterations=200")
	if kind == "match" {
		c.Agents, c.SPRT = specs(strong, "alphabeta:nodes=1000,hash=1"), sprt.Default()
		c.Openings, c.Pairs = schedule.Openings{}, tournament.UnsetPairs
		c.Openings.ForMatch(r)
		c.SetPairs()
		defaults.Pairs = c.Pairs
	}
	return template(&c, &defaults, "rules", "pairs", "seed")
}

// specs returns the specs of agents that are part of the program.
func specs(texts ...string) []agents.Spec {
	return lists.Map(texts, func(text string) agents.Spec {
		s, err := agents.ParseSpec(text)
		if err != nil {
			panic(err)
		}
		return s
	})
}

type templateWriter struct {
	fields, defaults []settings.Field // of the same keys
	keys             []string         // that are set, beside those that differ from the defaults
}

// template returns the settings of a config as YAML, each below a comment. The keys given and those that differ from
// the defaults, a config of the same type, are set; the others are commented out.
func template(config, defaults any, keys ...string) string {
	t := templateWriter{settings.AllFields(config, ""), settings.AllFields(defaults, ""), keys}
	return "# A line that begins with \"# \" explains the key below it. Other lines with #\n" +
		"# are keys at their defaults: to change one, remove the # before it and before\n" +
		"# the group that it is in.\n" + strings.Join(t.lines("", 80, false), "\n") + "\n"
}

// isLeaf reports whether a setting has a value of its own.
func isLeaf(f *settings.Field) bool { return !f.Group || settings.IsText(f.Value.Type()) }

// lines returns the settings whose keys begin with prefix, in lines of at most width columns. In a group that is
// commented out as a whole those that have a value are set.
func (t *templateWriter) lines(prefix string, width int, out bool) (lines []string) {
	for _, name := range keysBelow(t.fields, prefix) {
		path, mark := prefix+name, "#"
		if prefix == "" {
			lines = append(lines, "")
		}
		i := slices.IndexFunc(t.fields, func(f settings.Field) bool { return f.Key == path })
		for _, line := range t.doc(i, width-2) {
			if line != "" {
				lines = append(lines, "# "+line)
			}
		}
		own, text := &t.fields[i], ""
		leaf := isLeaf(own)
		if leaf {
			text = valueText(own)
		}
		if (out || t.isSet(path)) && (leaf && text != "" || own.Group && own.Value.Kind() != reflect.Pointer) {
			mark = ""
		}
		lines = append(lines, strings.TrimSpace(mark+name+": "+text))
		for _, line := range t.lines(path+".", width-3, mark != "") {
			if !leaf {
				lines = append(lines, mark+"  "+line)
			}
		}
	}
	return lines
}

func (t *templateWriter) isSet(path string) bool {
	for i, f := range t.fields {
		if (f.Key == path || strings.HasPrefix(f.Key, path+".")) && isLeaf(&f) &&
			(slices.Contains(t.keys, f.Key) || !slices.Equal(f.Texts(), t.defaults[i].Texts())) {
			return true
		}
	}
	return false
}

// doc returns what a setting means, its values and its default, in lines of at most width columns.
func (t *templateWriter) doc(i, width int) []string {
	f, values := t.fields[i], ""
	if isLeaf(&f) && f.Tag.Get("check")+f.Tag.Get("form") != "" {
		values = "Value: " + strings.ReplaceAll(f.Values(), "`", "") + ". "
	}
	if value := t.defaults[i].Default(); value != "" && isLeaf(&f) {
		values += "Default: " + value + "."
	}
	return append(textfmt.Wrap(f.Help(), width), textfmt.Wrap(values, width)...)
}

// valueText returns the value of a setting as YAML in one line; "" if it has none.
func valueText(f *settings.Field) string {
	value, t := f.Value.Interface(), f.Value.Type()
	bounds, first := f.Tag.Get("check"), f.Tag.Get("zero")
	isText := t.Kind() == reflect.String || settings.IsText(t)
	switch {
	case t.Kind() == reflect.Pointer && f.Value.IsNil(), len(f.Texts()) == 0,
		isText && f.Value.IsZero() && (first == "" || f.Choices() == nil):
		return ""
	case bounds != "" && settings.InBounds(f.Value, bounds, "") != nil: // it has no default
		text, _, _ := strings.Cut(bounds, "..")
		return text
	case isText && f.Value.IsZero():
		value = first
	case isText:
		value = f.Texts()[0]
	case settings.IsList(t):
		value = f.Texts()
	case t == reflect.TypeFor[time.Duration]():
		value = textfmt.Duration(time.Duration(f.Value.Int()))
	}
	text, err := yaml.Marshal(struct {
		V any `yaml:"v,flow"`
	}{value})
	if err != nil {
		panic(err) // texts and numbers
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "v:"))
}
