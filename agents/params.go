package agents

// The parameters of kinds: settings that a spec gives as text.

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/rules/base/settings"
)

// Type is the type of a parameter's value.
type Type string

// The types of parameters.
const (
	Int      Type = "int"      // a whole number
	Float    Type = "float"    // a finite number
	Duration Type = "duration" // a time like 100ms, 1.5s
	Text     Type = "text"     // any but the empty one, or one of some
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
	var list []ParamDef
	for _, f := range settings.Fields(config, "") {
		list = append(list, ParamDef{f})
	}
	return list
}

// Declare returns a parameter that no struct has, such as an option of a program. low and high are
// the bounds of a number, "" for none; choices are the only texts, nil for any. The error says
// which of them isn't valid.
func Declare(key string, t Type, initial, low, high string, choices []string) (ParamDef, error) {
	zero := zeroOf[t]
	_, err := strconv.ParseInt(high, 10, 64)
	if t == Int && errors.Is(err, strconv.ErrRange) {
		zero = uint64(0)
	}
	tags := map[string]string{"default": initial}
	switch t {
	case Bool:
		choices = []string{"true", "false"}
	case Text:
		tags["zero"] = "empty"
	}
	d := ParamDef{settings.Declare(key, zero, tags, choices)}

	if (low != "" || high != "") && d.isNumber() {
		for _, bound := range []string{low, high} {
			if bound == "" {
				continue
			}
			if err := d.Check(bound); err != nil {
				return ParamDef{}, fmt.Errorf("bounds: %w", err)
			}
		}
		tags["check"] = low + ".." + high
		d = ParamDef{settings.Declare(key, zero, tags, choices)}
		if least, most := d.Bounds(); least > most {
			return ParamDef{}, fmt.Errorf("bounds: expected the lower one first, found %s",
				d.Range())
		}
	}
	if initial == "" {
		return d, nil
	}
	if err := d.Check(initial); err != nil {
		return ParamDef{}, fmt.Errorf("default: %w", err)
	}
	return d, nil
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

// isNumber reports whether the value is a number or a time.
func (d ParamDef) isNumber() bool {
	switch d.Type() {
	case Int, Float, Duration:
		return true
	}
	return false
}

// Default returns the value where none is given; "": none.
func (d ParamDef) Default() string { return d.Tag.Get("default") }

// Bounds returns the lowest and the highest value of a number.
func (d ParamDef) Bounds() (low, high float64) {
	return settings.Bounds(d.Value.Type(), d.Tag.Get("check"))
}

// Range returns the accepted values as text, like "1 to 64"; "" if all of the type are.
func (d ParamDef) Range() string {
	if choices := d.Enum(); choices != nil {
		return strings.Join(choices, ", ")
	}
	if d.Type() == Text {
		return "text"
	}
	low, high, _ := strings.Cut(d.Tag.Get("check"), "..")
	switch {
	case low == "" && high == "":
		return ""
	case high == "":
		return low + " or more"
	case low == "":
		return high + " or less"
	}
	return low + " to " + high
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
	what := ""
	accepted := false
	switch choices := d.Enum(); {
	case d.Type() == Button:
		what = "no value, for a button"
		accepted = value == ""
	case choices != nil:
		what = d.Range()
		accepted = slices.Contains(choices, value)
	case d.Type() == Text:
		what = d.Range()
		accepted = value != "" || d.Tag.Get("zero") != ""
	default:
		return d.checkNumber(value)
	}
	if !accepted {
		return fmt.Errorf("expected %s, found %.60q", what, value)
	}
	return nil
}

// checkNumber is Check of a number or a time.
func (d ParamDef) checkNumber(value string) error {
	v := reflect.New(d.Value.Type()).Elem()
	err := settings.Set(v, value)
	if err == nil {
		err = settings.InBounds(v, d.Tag.Get("check"), "")
	}
	if err == nil {
		return nil
	}
	what, _ := settings.Expected(v.Type())
	what, _, _ = strings.Cut(what, ",") // without examples
	within := d.Range()
	if strings.Contains(within, " to ") {
		within = "from " + within
	}
	what = strings.TrimSpace(what + " " + within)
	return fmt.Errorf("expected %s%s, found %.60q", what, settings.ZeroHint(value), value)
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
