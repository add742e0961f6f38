package agents

// The text that names an agent with its parameters, and the names of players that come from it.

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gyges/rules/base/problems"
)

// maxSpec bounds spec texts from outside.
const maxSpec = 4096

// Spec names an agent: its kind and the parameters that were given. Its text names
// the agent on the command line, in YAML and in records.
type Spec struct {
	Kind   string
	Params []Param // in the order given
}

// Param is one parameter of a spec, as text.
type Param struct{ Name, Value string }

// ParseSpec reads "kind" or "kind:param=value,param=value". A value that holds a comma or a quote
// is written in single quotes, a quote inside it doubled. What follows the first dot of a
// parameter's name may hold any characters but commas, quotes and =, and single blanks between
// them, like "opt.Move Overhead". [Registry.Values] checks that the kind and its parameters exist.
func ParseSpec(text string) (Spec, error) {
	if len(text) > maxSpec {
		return Spec{}, fmt.Errorf("agent spec of %d bytes: expected at most %d", len(text), maxSpec)
	}
	kind, rest, more := strings.Cut(text, ":")
	if !validName.MatchString(kind) {
		const form = "kind or kind:param=value,…, like alphabeta:depth=4"
		return Spec{}, fmt.Errorf("agent %.60q: expected %s", text, form)
	}
	s := Spec{Kind: kind}
	seen := map[string]bool{}
	for more {
		name, value, ok := strings.Cut(rest, "=")
		if !ok || !validParam.MatchString(name) {
			const format = "agent %.60q: expected param=value, found %.60q; " +
				"a name has no blanks before a dot, " +
				"and a value with a comma stands in single quotes, like name='a,b'"
			return Spec{}, fmt.Errorf(format, text, rest)
		}
		if seen[name] {
			return Spec{}, fmt.Errorf("agent %.60q: parameter %s is given twice", text, name)
		}
		seen[name] = true
		var err error
		value, rest, more, err = cutValue(value)
		if err != nil {
			return Spec{}, fmt.Errorf("agent %.60q: parameter %s: %w", text, name, err)
		}
		s.Params = append(s.Params, Param{name, value})
	}
	return s, nil
}

// cutValue splits a value from what follows it after a comma.
func cutValue(text string) (value, rest string, more bool, err error) {
	if !strings.HasPrefix(text, "'") {
		value, rest, more = strings.Cut(text, ",")
		if strings.ContainsRune(value, '\'') {
			return "", "", false, fmt.Errorf("expected single quotes around a value with a quote, "+
				"which is doubled, like name='it''s'; found %.60q", value)
		}
		return value, rest, more, nil
	}
	found := quoted.FindStringSubmatch(text)
	if found == nil {
		err = fmt.Errorf("expected a closing single quote, found the end of %.60q", text)
		return "", "", false, err
	}
	value, after := found[1], found[2]
	rest, more = strings.CutPrefix(after, ",")
	if after != "" && !more {
		err = fmt.Errorf("expected a comma after the closing quote, found %.60q", rest)
		return "", "", false, err
	}
	return strings.ReplaceAll(value, "''", "'"), rest, more, nil
}

var (
	// quoted matches a value, and what comes after it.
	quoted = regexp.MustCompile(`(?s)^'((?:[^']|'')*)'(.*)$`)
	// validName matches the name of a kind.
	validName = regexp.MustCompile(`^[a-zA-Z][-a-zA-Z0-9_.]{0,63}$`)
	// validParam matches the name of a parameter. Behind its first dot stand characters that can be
	// printed and mean nothing else in a spec.
	validParam = regexp.MustCompile(`^[a-zA-Z][-\w]{0,63}` +
		`(\.([^\pC\pZ\x{FFFD}=,'"]( ?[^\pC\pZ\x{FFFD}=,'"]){0,99})?)?$`)
)

// inAgent puts the spec before each of the errors that [errors.Join] joined.
func (s Spec) inAgent(err error) error {
	return problems.Prefix(fmt.Sprintf("agent %.200q", s), err)
}

// Get returns a parameter's value as it was given, "" for none.
func (s Spec) Get(name string) string {
	for _, p := range s.Params {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// With returns the spec with another value of a parameter, in its place or else at the end.
func (s Spec) With(name, value string) Spec {
	params := slices.Clone(s.Params)
	for i := range params {
		if params[i].Name == name {
			params[i].Value = value
			return Spec{s.Kind, params}
		}
	}
	return Spec{s.Kind, append(params, Param{name, value})}
}

// Label returns the player's name in tables: its parameter name, or the whole spec.
func (s Spec) Label() string {
	return cmp.Or(s.Get("name"), s.String())
}

// LabelOf returns the label of a player by its name in a record: a spec, else the name itself.
func LabelOf(player string) string {
	if strings.Contains(player, "name=") {
		if spec, err := ParseSpec(player); err == nil {
			return spec.Label()
		}
	}
	return player
}

// Names are what players are called in tables, lists and files, by their names in records, where
// that differs.
type Names map[string]string

// NamesOf returns the labels of the players, but for labels that several players have.
func NamesOf(players []string) Names {
	players = slices.Compact(slices.Sorted(slices.Values(players)))
	count := map[string]int{}
	for _, player := range players {
		count[LabelOf(player)]++
	}
	names := Names{}
	for _, player := range players {
		label := LabelOf(player)
		if label != player && count[label] == 1 {
			names[player] = label
		}
	}
	return names
}

// Of returns what a player is called.
func (n Names) Of(player string) string { return cmp.Or(n[player], player) }

// UnmarshalText implements [encoding.TextUnmarshaler] by [ParseSpec].
func (s *Spec) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSpec(string(text))
	return err
}

// MarshalText implements [encoding.TextMarshaler] by [Spec.String].
func (s Spec) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String returns the text that [ParseSpec] reads.
func (s Spec) String() string {
	text := s.Kind
	separator := ":"
	for _, p := range s.Params {
		value := p.Value
		if strings.ContainsAny(value, "',") {
			value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		text += separator + p.Name + "=" + value
		separator = ","
	}
	return text
}
