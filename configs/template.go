package configs

import (
	"bytes"
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
	"gyges/tournament/training"
)

// Template returns a YAML file with all settings of a kind of run: "tournament", "match" (a tournament of two agents
// with a sequential test), "train", "spsa" or "texel". Those that most runs need are set; the others are commented out,
// with their defaults.
func Template(kind string, r *rules.Rules) string {
	strong, fast := spec("alphabeta:nodes=2000,hash=1"), spec("alphabeta:depth=2,hash=1")
	switch kind {
	case "train":
		c, defaults := training.DefaultGenerations(), training.DefaultGenerations()
		c.Name, defaults.Name, c.Rules, c.Agent, c.SelfPlayAgent = "", "", r, strong, fast
		return template(&c, &defaults, "rules", "weights", "generations", "selfplay.pairs", "match.sprt", "match.pairs",
			"rating.pairs", "seed")
	case "spsa":
		c, defaults := spsaFile{SPSA: training.DefaultSPSA()}, spsaFile{SPSA: training.DefaultSPSA()}
		c.Match.Name, c.Rules, c.Agent, c.Verification.Pairs = "", r, strong, 100
		defaults.Match.Name, defaults.Rules, c.Parameters = "", rules.MustParse("standard"), new(yaml.Node)
		if err := yaml.Unmarshal([]byte(spsaParameters), c.Parameters); err != nil {
			panic(err)
		}
		return template(&c, &defaults, "rules", "steps", "pairs", "seed")
	case "texel":
		c, defaults := training.DefaultTexel(), training.DefaultTexel()
		c.Rules, c.Data = r, []string{"results/selfplay/positions"}
		return template(&c, &defaults, "rules", "weights", "lambda")
	}
	c, defaults := tournament.DefaultConfig(), tournament.DefaultConfig()
	c.Name, defaults.Name, c.Rules = "", "", []*rules.Rules{r}
	if kind == "match" {
		c.Agents, c.SPRT = []agents.Spec{strong, spec("alphabeta:nodes=1000,hash=1")}, sprt.Default()
		c.Openings, c.Pairs = tournament.DefaultMatch().Openings, tournament.UnsetPairs
		c.SetPairs()
		defaults.Pairs = c.Pairs
		return template(&c, &defaults, "rules", "seed")
	}
	c.Agents = []agents.Spec{spec("random"), spec("greedy"), fast, spec("mcts:iterations=200")}
	return template(&c, &defaults, "rules", "pairs", "seed")
}

const spsaParameters = "rfp_margin: {c: 20, min: 20, max: 400}\nweight.near: {c: 4}\n"

// spec reads an agent spec that is part of the program.
func spec(text string) agents.Spec {
	s, err := agents.ParseSpec(text)
	if err != nil {
		panic(err)
	}
	return s
}

// templateWriter writes the settings of a config as YAML.
type templateWriter struct {
	fields, defaults []settings.Field // of the same keys
	keys             []string         // that are set, beside those that differ from the defaults
}

// template returns the settings of a config as YAML, each below a comment. The keys given and those that differ from
// the defaults, a config of the same type, are set; the others are commented out.
func template(config, defaults any, keys ...string) string {
	t := templateWriter{expand(settings.Fields(config, "")), expand(settings.Fields(defaults, "")), keys}
	return "# A line that begins with \"# \" explains the key below it. Other lines with #\n" +
		"# are keys at their defaults: to change one, remove the # before it and before\n" +
		"# the group that it is in.\n" + strings.Join(t.lines("", 80, false), "\n") + "\n"
}

// isOptional reports whether a setting is a struct that a file may leave out.
func isOptional(f *settings.Field) bool {
	t := f.Value.Type()
	return t.Kind() == reflect.Pointer && t != reflect.TypeFor[*yaml.Node]() && !settings.IsText(t)
}

// expand adds the settings of the structs that a file may leave out.
func expand(fields []settings.Field) (list []settings.Field) {
	for _, f := range fields {
		list = append(list, f)
		if isOptional(&f) {
			list = append(list, settings.Fields(newOptional(f.Value.Type().Elem()), f.Key+".")...)
		}
	}
	return list
}

// lines returns the settings whose keys begin with prefix, in lines of at most width columns. In a group that is
// commented out as a whole those that have a value are set.
func (t *templateWriter) lines(prefix string, width int, out bool) (lines []string) {
	for _, name := range keysBelow(t.fields, prefix) {
		path, set := prefix+name, out || t.isSet(prefix+name)
		if prefix == "" {
			lines = append(lines, "")
		}
		body := []string{name + ":"}
		i := slices.IndexFunc(t.fields, func(f settings.Field) bool { return f.Key == path })
		if i >= 0 {
			for _, line := range t.doc(i, width-2) {
				lines = append(lines, "# "+line)
			}
			set = set && !isOptional(&t.fields[i])
		}
		if i >= 0 && isLeaf(&t.fields[i]) {
			value := node(&t.fields[i])
			set = set && value != nil
			body = pairLines(name, value)
		} else {
			for _, line := range t.lines(path+".", width-3, !set) {
				body = append(body, "  "+line)
			}
		}
		for _, line := range body {
			if !set {
				line = "#" + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// isLeaf reports whether a setting has a value, not settings of its own alone.
func isLeaf(f *settings.Field) bool {
	return (!f.Group || settings.IsText(f.Value.Type())) && !isOptional(f)
}

// isSet reports whether a key, or one below it, is set.
func (t *templateWriter) isSet(path string) bool {
	for i, f := range t.fields {
		if f.Key != path && !strings.HasPrefix(f.Key, path+".") || !isLeaf(&f) {
			continue
		}
		if slices.Contains(t.keys, f.Key) || !slices.Equal(f.Texts(), t.defaults[i].Texts()) {
			return true
		}
	}
	return false
}

// doc returns what a setting means, its values and its default, in lines of at most width columns.
func (t *templateWriter) doc(i, width int) []string {
	f, values := t.fields[i], ""
	lines := textfmt.Wrap(f.Tag.Get("help"), width)
	if !isLeaf(&f) {
		return lines
	}
	if f.Tag.Get("check")+f.Tag.Get("form") != "" {
		values = "Value: " + strings.ReplaceAll(f.Values(), "`", "") + "."
	}
	if value := t.defaults[i].Default(); value != "" {
		values += " Default: " + value + "."
	}
	if values != "" {
		lines = append(lines, textfmt.Wrap(strings.TrimSpace(values), width)...)
	}
	return lines
}

// node returns the value of a setting; nil if it has none.
func node(f *settings.Field) *yaml.Node {
	t, texts := f.Value.Type(), f.Texts()
	enum := strings.TrimPrefix(f.Tag.Get("enum"), ",")
	switch {
	case t == reflect.TypeFor[*yaml.Node]():
		return f.Value.Interface().(*yaml.Node).Content[0]
	case t.Kind() == reflect.Slice:
		t = t.Elem()
	case enum != "" && f.Value.IsZero(): // it means the first one
		texts = strings.Split(enum, ",")[:1]
	case f.Tag.Get("default") == "-" || f.Value.IsZero() && (t.Kind() == reflect.String || settings.IsText(t)):
		return nil
	case f.Tag.Get("check") != "" && settings.InBounds(f.Value, f.Tag.Get("check"), "") != nil: // it has no default
		texts[0], _, _ = strings.Cut(f.Tag.Get("check"), "..")
	case t == reflect.TypeFor[time.Duration]():
		texts[0] = textfmt.Duration(f.Value.Interface().(time.Duration))
	}
	list := yaml.Node{Kind: yaml.SequenceNode}
	for _, text := range texts {
		n := yaml.Node{Kind: yaml.ScalarNode, Value: text}
		if _, scalars := settings.Expected(t); scalars[0] == "!!str" {
			n.Tag = scalars[0] // in quotes if it looks like something else
		}
		list.Content = append(list.Content, &n)
	}
	switch {
	case f.Value.Kind() != reflect.Slice:
		return list.Content[0]
	case len(texts) == 0:
		return nil
	}
	return &list
}

// pairLines returns a key and its value, which may be nil, as lines of YAML.
func pairLines(name string, value *yaml.Node) []string {
	if value == nil {
		return []string{name + ":"}
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	pair := yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: name}, value}}
	if err := e.Encode(&pair); err != nil {
		panic(err) // the nodes are well-formed
	}
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}
