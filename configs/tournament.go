package configs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/agents/files"
	"gyges/agents/problems"
	"gyges/rules"
	"gyges/tournament"
)

// LoadTournament reads a tournament from a YAML file, whose keys are those of
// configs/tournaments/quick.yaml, and checks all of it with
// [tournament.Config.Validate]. Keys that are missing have the values of
// [tournament.DefaultConfig]; the name is the file's without its extension; an
// Out that is missing stays empty. The error joins everything that is wrong.
func LoadTournament(path string, registry *agents.Registry) (tournament.Config, error) {
	p := &parser{file: path}
	root, err := p.document()
	if err != nil {
		return tournament.Config{}, err
	}
	t := tournamentReader{parser: p, config: tournament.DefaultConfig(), lines: map[string]int{}, bad: map[string]bool{}}
	t.config.Name = nameOf(path)
	if root != nil {
		t.read(root)
	}
	if root != nil && root.Kind == yaml.MappingNode {
		t.validate(root, t.config.Validate(registry))
	}
	if err := p.err(); err != nil {
		return tournament.Config{}, err
	}
	return t.config, nil
}

// nameOf returns the name of a run that is named after its file.
func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// tournamentReader fills in a config and remembers where each part stands.
type tournamentReader struct {
	*parser
	config tournament.Config
	lines  map[string]int  // by the field's path, as in problems.FieldError
	bad    map[string]bool // fields with a problem of their own
}

// at wraps the reader of a field: it notes the line, and whether there was a
// problem, which gets the field's name.
func (t *tournamentReader) at(path string, read func(n *yaml.Node)) func(n *yaml.Node) {
	return func(n *yaml.Node) {
		t.lines[path] = n.Line
		before := len(t.problems)
		read(n)
		for i := range t.problems[before:] {
			t.bad[path] = true
			if pr := &t.problems[before+i]; pr.path == "" {
				pr.path = path
			}
		}
	}
}

func (t *tournamentReader) field(name string, read func(n *yaml.Node)) field {
	return field{name, t.at(name, read)}
}

func (t *tournamentReader) read(root *yaml.Node) {
	c := &t.config
	t.mapping(root, "a tournament", append(t.common(),
		t.field("schedule", func(n *yaml.Node) {
			t.textInto(n, (*string)(&c.Format), "round-robin, gauntlet, swiss, knockout or self-play")
		}),
		t.field("rounds", func(n *yaml.Node) { t.intInto(n, &c.Rounds) }),
		t.field("clock", func(n *yaml.Node) {
			t.mapping(n, "a clock",
				field{"base", t.at("clock.base", func(n *yaml.Node) { t.durationInto(n, &c.Clock.Base) })},
				field{"increment", t.at("clock.increment", func(n *yaml.Node) { t.durationInto(n, &c.Clock.Increment) })},
			)
		}),
	)...)
}

// common returns the keys that every file about games has.
func (t *tournamentReader) common() []field {
	c := &t.config
	return []field{
		t.field("name", func(n *yaml.Node) { t.textInto(n, &c.Name, "a name, in quotes if it is a number") }),
		t.field("rules", t.rulesList),
		t.field("agents", t.agentsList),
		t.field("pairs", func(n *yaml.Node) { t.intInto(n, &c.Pairs) }),
		t.field("openings", t.openings),
		t.field("limits", t.limits),
		t.field("seed", t.seed),
		t.field("on_repetition", func(n *yaml.Node) {
			t.textInto(n, (*string)(&c.OnRepetition), "forfeit, ask-next or allow")
		}),
		t.field("time_margin", func(n *yaml.Node) { t.durationInto(n, &c.TimeMargin) }),
		t.field("adjudication", func(n *yaml.Node) {
			text, ok := t.text(n, "an adjudication, like resign=8:4,proven")
			if !ok {
				return
			}
			a, err := tournament.ParseAdjudication(text)
			if err != nil {
				t.add(n.Line, "%v", err)
			}
			c.Adjudication = a
		}),
		t.field("stall_timeout", func(n *yaml.Node) { t.durationInto(n, &c.StallTimeout) }),
		t.field("suspend", func(n *yaml.Node) { t.intInto(n, &c.Suspend) }),
		t.field("workers", func(n *yaml.Node) { t.intInto(n, &c.Workers) }),
		t.field("out", func(n *yaml.Node) { t.textInto(n, &c.Out, "a folder, in quotes if it is a number") }),
	}
}

func (t *tournamentReader) textInto(n *yaml.Node, to *string, what string) {
	if s, ok := t.text(n, what); ok {
		*to = s
	}
}

func (t *tournamentReader) intInto(n *yaml.Node, to *int) {
	if x, ok := number(t.parser, n, "a whole number", strconv.Atoi); ok {
		*to = x
	}
}

func (t *tournamentReader) seed(n *yaml.Node) { t.seedInto(n, &t.config.Seed) }

func (t *tournamentReader) seedInto(n *yaml.Node, to *uint64) {
	if x, ok := number(t.parser, n, "a whole number from 0 to 18446744073709551615", parseUint64); ok {
		*to = x
	}
}

func parseInt64(s string) (int64, error)   { return strconv.ParseInt(s, 10, 64) }
func parseUint64(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) }

func (t *tournamentReader) rulesList(n *yaml.Node) {
	var list []*rules.Rules
	for _, e := range t.list(n, "rule sets") {
		if r := t.rules(e); r != nil {
			t.lines[fmt.Sprintf("rules[%d]", len(list))] = e.Line
			list = append(list, r)
		}
	}
	t.config.Rules = list
}

func (t *tournamentReader) agentsList(n *yaml.Node) {
	for _, e := range t.list(n, "agent specs") {
		text, ok := t.text(e, "an agent spec, like random or alphabeta:depth=2")
		if !ok {
			continue
		}
		spec, err := agents.ParseSpec(text)
		if err != nil {
			t.add(e.Line, "%v", err)
			continue
		}
		t.lines[fmt.Sprintf("agents[%d]", len(t.config.Agents))] = e.Line
		t.config.Agents = append(t.config.Agents, spec)
	}
}

func (t *tournamentReader) openings(n *yaml.Node) {
	o := &t.config.Openings
	t.mapping(n, "openings",
		field{"policy", t.at("openings.policy", func(n *yaml.Node) {
			t.textInto(n, (*string)(&o.Policy), "a policy, random, agents, setups or file")
		})},
		field{"plies", t.at("openings.plies", func(n *yaml.Node) { t.intInto(n, &o.Plies) })},
		field{"file", t.at("openings.file", func(n *yaml.Node) { t.openingsFile(n) })},
	)
}

// openingsFile reads the list that a file of openings holds. Its path is taken
// from where the program runs, as that of the records is.
func (t *tournamentReader) openingsFile(n *yaml.Node) {
	path, ok := t.text(n, "a file of positions")
	if !ok {
		return
	}
	o, err := LoadOpenings(path)
	if err != nil {
		t.add(n.Line, "%v", err)
		return
	}
	t.config.Openings.File, t.config.Openings.Positions = o.File, o.Positions
}

// LoadOpenings reads a list of openings from a regular file: a run that goes on
// reads it again.
func LoadOpenings(path string) (tournament.Openings, error) {
	f, err := files.Open(path)
	if err != nil {
		return tournament.Openings{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return tournament.ReadOpenings(f, path)
}

func (t *tournamentReader) limits(n *yaml.Node) {
	l := &t.config.Limits
	t.mapping(n, "limits",
		field{"depth", t.at("limits.depth", func(n *yaml.Node) { t.intInto(n, &l.Depth) })},
		field{"nodes", t.at("limits.nodes", func(n *yaml.Node) {
			if x, ok := number(t.parser, n, "a whole number", parseInt64); ok {
				l.Nodes = x
			}
		})},
		field{"movetime", t.at("limits.movetime", func(n *yaml.Node) { t.durationInto(n, &l.MoveTime) })},
	)
}

func (t *tournamentReader) durationInto(n *yaml.Node, to *time.Duration) {
	const what = "a time with its unit, like 100ms or 1.5s"
	text, ok := t.text(n, what)
	if !ok {
		return
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.add(n.Line, "expected %s, found %s", what, found(n))
		return
	}
	*to = d
}

// validate finds the line of each thing that is wrong with the config.
func (t *tournamentReader) validate(root *yaml.Node, invalid error) {
	for _, err := range problems.Split(invalid) {
		var fe *problems.FieldError
		if !errors.As(err, &fe) {
			t.add(root.Line, "%v", err)
			continue
		}
		if t.bad[fe.Field] {
			continue // it follows from a problem that has been reported
		}
		t.problems = append(t.problems, problem{t.line(fe.Field, root.Line), fe.Field, fe.Err.Error()})
	}
}

// line returns where a field stands, or else what holds it, or else the file's
// first line.
func (t *tournamentReader) line(path string, root int) int {
	for path != "" {
		if line, ok := t.lines[path]; ok {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return root
}
