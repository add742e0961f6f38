package configs

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/schedule"
	"gyges/tournament/training"
)

// Agents in templates.
const (
	strongAgent = "alphabeta:nodes=2000,hash=1"
	fastAgent   = "alphabeta:depth=2,hash=1"
)

// Template returns a YAML file with all settings of a "tournament", "match", "train", "spsa" or
// "texel", of which those that most runs need are set; the others are commented out, with their
// defaults.
func Template(kind string, r *rules.Rules) string {
	switch kind {
	case "train":
		return trainTemplate(r)
	case "spsa":
		return spsaTemplate(r)
	case "texel":
		return texelTemplate(r)
	}

	defaults := tournament.DefaultConfig()
	defaults.Name = ""
	c := defaults
	c.Rules = []*rules.Rules{r}
	c.Agents = []agents.Spec{
		spec("random"), spec("greedy"), spec(fastAgent), spec("mcts:iterations=200"),
	}
	if kind == "match" {
		c.Agents = []agents.Spec{spec(strongAgent), spec("alphabeta:nodes=1000,hash=1")}
		c.SPRT = sprt.Default()
		c.Openings = schedule.Openings{}
		c.Openings.ForMatch(r)
		c.Pairs = tournament.UnsetPairs
		c.SetPairs()
		defaults.Pairs = c.Pairs
	}
	return template(&c, &defaults, "rules", "pairs", "seed")
}

func trainTemplate(r *rules.Rules) string {
	defaults := training.DefaultGenerations()
	defaults.Name = ""
	c := defaults
	c.Rules = r
	c.Agent = spec(strongAgent)
	c.SelfPlay.Agent = spec(fastAgent)
	c.Match.Openings.ForMatch(r)
	defaults.Match.Openings.ForMatch()
	text := template(&c, &defaults, "rules", "generations", "selfplay.pairs", "match.sprt",
		"match.pairs", "rating.pairs", "seed")

	const weights = "#weights: default\n"
	const zero = "# From nothing, by the results of games alone:\n#weights: zero\n"
	return strings.Replace(text, weights, weights+zero, 1)
}

func spsaTemplate(r *rules.Rules) string {
	defaults := spsaFile{SPSA: training.DefaultSPSA()}
	defaults.Name = ""
	c := defaults
	c.Rules = r
	c.Agent = spec(strongAgent)
	c.Verification.Pairs = 100
	c.Openings.ForMatch(r)
	defaults.Openings.ForMatch()
	c.Parameters = new(yaml.Node)
	_ = c.Parameters.Encode(map[string]map[string]int{ // numbers can be encoded
		"rfp_margin":  {"c": 20, "min": 20, "max": 400},
		"weight.near": {"c": 4},
	})
	c.Parameters.Style = yaml.FlowStyle
	return template(&c, &defaults, "rules", "steps", "pairs", "seed")
}

func texelTemplate(r *rules.Rules) string {
	defaults := training.DefaultTexel()
	c := defaults
	c.Rules = r
	c.Data = []string{"results/selfplay/positions"}
	return template(&c, &defaults, "rules", "weights", "lambda")
}

// spec returns the spec of an agent that is part of the program.
func spec(text string) agents.Spec {
	s, err := agents.ParseSpec(text)
	if err != nil {
		panic(err)
	}
	return s
}

// templateWriter writes the settings of a config. The texts of types that parse themselves are
// values, and so is all but groups.
type templateWriter struct {
	fields, defaults []settings.Field // of the same keys
	keys             []string         // that are set, beside those that differ from the defaults
}

// template returns the settings of a config as YAML, each below a comment. The keys given and those
// that differ from the defaults, a config of the same type, are set; the others are commented out.
func template(config, defaults any, keys ...string) string {
	const columns = 80
	t := templateWriter{settings.AllFields(config), settings.AllFields(defaults), keys}
	return "# A line that begins with \"# \" explains the key below it. Other lines with #\n" +
		"# are keys at their defaults: to change one, remove the # before it and before\n" +
		"# the group that it is in.\n" + strings.Join(t.lines("", columns, false), "\n") + "\n"
}

// hasValue reports whether a setting has a value of its own, and not only those of its fields.
func hasValue(f *settings.Field) bool { return !f.Group || f.IsText() }

// lines returns the settings whose keys begin with prefix, in lines of at most width columns. In a
// group that is commented out as a whole (out) the settings that have a value are set.
func (t *templateWriter) lines(prefix string, width int, out bool) []string {
	var lines []string
	for _, name := range keysBelow(t.fields, prefix) {
		if prefix == "" {
			lines = append(lines, "")
		}
		path := prefix + name
		field := settings.Find(t.fields, path)
		for _, line := range t.doc(field, width-2) {
			if line != "" {
				lines = append(lines, "# "+line)
			}
		}
		set := out || t.isSet(path)
		if hasValue(field) {
			text := valueText(field)
			if text == "" || !set {
				name = "#" + name
			}
			lines = append(lines, strings.TrimSpace(name+": "+text))
			continue
		}

		// An optional group is not there by default.
		mark := ""
		if !set || field.IsOptional() {
			mark = "#"
		}
		lines = append(lines, mark+name+":")
		for _, line := range t.lines(path+".", width-3, mark != "") {
			lines = append(lines, mark+"  "+line)
		}
	}
	return lines
}

// isSet reports whether a setting, or one of a group, is one of the keys or differs from its
// default.
func (t *templateWriter) isSet(path string) bool {
	for i, f := range t.fields {
		if !strings.HasPrefix(f.Key+".", path+".") || !hasValue(&f) {
			continue
		}
		isDefault := slices.Equal(f.Texts(), t.defaults[i].Texts())
		if !isDefault || slices.Contains(t.keys, f.Key) {
			return true
		}
	}
	return false
}

// doc returns what a setting means, its values and its default, in lines of at most width columns.
func (t *templateWriter) doc(f *settings.Field, width int) []string {
	lines := textfmt.Wrap(f.Help(), width)
	if !hasValue(f) {
		return lines
	}
	values := ""
	if cmp.Or(f.Tag.Get("check"), f.Tag.Get("form")) != "" {
		values = "Value: " + strings.ReplaceAll(f.Values(), "`", "") + ". "
	}
	if value := settings.Find(t.defaults, f.Key).Default(); value != "" {
		values += "Default: " + value + "."
	}
	return append(lines, textfmt.Wrap(values, width)...)
}

// valueText returns the value of a setting as YAML in one line; "" if it has none.
func valueText(f *settings.Field) string {
	if f.IsOptional() && f.Value.IsNil() {
		return ""
	}
	bounds := f.Tag.Get("check")
	if bounds != "" && settings.InBounds(f.Value, bounds, "") != nil {
		lowest, _, _ := strings.Cut(bounds, "..") // it has no default
		return lowest
	}
	value := f.Value.Interface()
	if d, isTime := value.(time.Duration); isTime {
		value = settings.DurationText(d)
	}
	switch {
	case f.Value.Kind() == reflect.String, f.IsText():
		value = f.Default()
	case f.IsList():
		value = f.Texts()
		if f.Value.Len() == 0 {
			return ""
		}
	}
	if value == "" {
		return ""
	}

	text, _ := yaml.Marshal(struct { // texts and numbers can be encoded
		V any `yaml:"v,flow"`
	}{value})
	return strings.TrimSpace(strings.TrimPrefix(string(text), "v:"))
}
