package agents

// The parameters of kinds: settings that a spec gives as text.

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"gyges/rules/base/lists"
	"gyges/rules/base/settings"
)

// Type is the type of a parameter's value.
type Type string

// The types of parameters.
const (
	Int      Type = "int"      // a whole number
	Float    Type = "float"    // a finite number
	Duration Type = "duration" // a time like 100ms, 1.5s
	Text     Type = "text"     // any, or one of some; the empty one if the tag zero says so
	Bool     Type = "bool"     // true or false
	Button   Type = "button"   // no value: that the parameter is given has an effect
)

// ParamDef is a parameter of a kind: a setting, described by its tags (see package settings), and
//
//	names:"file"    the text is the name of a file, unless it is the default;
//	                New reads it by [Registry.File]
//	names:"agent"   the text is the spec of another agent
//	zero:"empty"    the text may be empty
//
// A key that ends in '.' is the prefix of any number of names.
type ParamDef struct{ settings.Field }

// ParamsOf returns the parameters that the fields of a struct, which config points to, are set by:
//
//	Depth int `param:"depth" default:"4" check:"1..64" help:"plies to search"`
func ParamsOf(config any) []ParamDef {
	return lists.Map(settings.Fields(config, ""), func(f settings.Field) ParamDef {
		return ParamDef{f}
	})
}

// Declare returns a parameter that no struct has, such as an option of a program. low and high are
// the bounds of a number, "" for none; choices are the only texts, nil for any. It reports whether
// bounds and default are valid values.
func Declare(
	key string, t Type, initial, low, high string, choices []string,
) (d ParamDef, valid bool) {
	zero := zeroOf[t]
	if t == Int && strings.HasPrefix(low, "0") { // a seed is beyond int64
		zero = uint64(0)
	}
	if t == Bool {
		choices = []string{"true", "false"}
	}
	tags := map[string]string{"default": initial, "zero": "empty"}
	d = ParamDef{settings.Declare(key, zero, tags, choices)}
	if low+high != "" && t != Text {
		if !d.accepts(low, high) { // they can't be in a tag
			return d, false
		}
		tags["check"] = low + ".." + high
		d = ParamDef{settings.Declare(key, zero, tags, choices)}
	}
	// A low bound above the high one isn't accepted either.
	return d, d.accepts(initial, low, high)
}

// accepts reports whether texts are accepted or empty.
func (d ParamDef) accepts(texts ...string) bool {
	for _, text := range texts {
		if text != "" && d.Check(text) != nil {
			return false
		}
	}
	return true
}

// zeroOf has a value of each type.
var zeroOf = map[Type]any{
	Int:      int64(0),
	Float:    float64(0),
	Duration: time.Duration(0),
	Text:     "",
	Bool:     false,
	Button:   struct{}{},
}

// Type returns the type of the value.
func (d ParamDef) Type() Type {
	switch t := d.Value.Type(); {
	case t == reflect.TypeFor[time.Duration]():
		return Duration
	case t.Kind() == reflect.Float64:
		return Float
	case t.Kind() == reflect.String:
		return Text
	case t.Kind() == reflect.Bool:
		return Bool
	case t.Kind() == reflect.Struct:
		return Button
	}
	return Int
}

// Default returns the value where none is given; "": none.
func (d ParamDef) Default() string { return d.Tag.Get("default") }

// Bounds returns the lowest and the highest value of a number.
func (d ParamDef) Bounds() (low, high float64) {
	return settings.Bounds(d.Value.Type(), d.Tag.Get("check"))
}

// Range returns the accepted values as text, like "1 to 64"; "" if all of the type are.
func (d ParamDef) Range() string {
	choices := d.Enum()
	if choices != nil || d.Type() == Text {
		return cmp.Or(strings.Join(choices, ", "), "text")
	}
	check := d.Tag.Get("check")
	if check == "" {
		return ""
	}
	low, high, _ := strings.Cut(check, "..")
	return cmp.Or(low, "-∞") + " to " + cmp.Or(high, "∞")
}

// IsFile reports whether a value is the name of a file.
func (d ParamDef) IsFile(value string) bool {
	return d.Tag.Get("names") == "file" && value != d.Default()
}

// isPrefix reports whether the key begins the names of any number of parameters.
func (d ParamDef) isPrefix() bool { return strings.HasSuffix(d.Key, ".") }

// NamesAgent reports whether values are the specs of other agents.
func (d ParamDef) NamesAgent() bool { return d.Tag.Get("names") == "agent" }

// Check returns an error, which says what was expected, unless value is the text of an accepted
// one.
func (d ParamDef) Check(value string) error {
	what := d.Range()
	var accepted bool
	switch choices := d.Enum(); {
	case choices != nil:
		accepted = slices.Contains(choices, value)
	case d.Type() == Text:
		accepted = value != "" || d.Tag.Get("zero") != ""
	case d.Type() == Button:
		what = "no value, for a button"
		accepted = value == ""
	default:
		what, accepted = d.checkNumber(value)
	}
	if accepted {
		return nil
	}
	return fmt.Errorf("expected %s, found %.60q", what, value)
}

// checkNumber returns what is expected of a number or a time, and whether value is accepted.
func (d ParamDef) checkNumber(value string) (what string, accepted bool) {
	v := reflect.New(d.Value.Type()).Elem()
	err := settings.Set(v, value)
	if err == nil {
		err = settings.InBounds(v, d.Tag.Get("check"), "")
	}
	what, _ = settings.Expected(reflect.TypeOf(zeroOf[d.Type()]))
	what, _, _ = strings.Cut(what, ",") // without examples
	if bounds := d.Range(); bounds != "" {
		what += " from " + bounds
	}
	return what + settings.ZeroHint(value), err == nil
}

// Values are the parameters of a spec, checked, with defaults filled in.
type Values map[string]string

// Int returns a whole number, 0 for none.
func (v Values) Int(name string) int {
	n, _ := settings.Parse[int](v[name])
	return n
}

// Float returns a number, 0 for none.
func (v Values) Float(name string) float64 {
	x, _ := settings.Parse[float64](v[name])
	return x
}

// Decode sets the fields of the struct that config points to, described by [ParamsOf], to the
// values.
func (v Values) Decode(config any) {
	for _, f := range settings.Fields(config, "") {
		if text, ok := v[f.Key]; ok {
			_ = f.SetTexts(text) // it has been checked
		}
	}
}
