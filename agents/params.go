package agents

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
)

// Type is the type of a parameter's value.
type Type string

// The types of parameters.
const (
	Int      Type = "int"      // a whole number
	Float    Type = "float"    // a finite number
	Duration Type = "duration" // a time like 100ms, 1.5s
	Text     Type = "text"     // any but the empty one, or one of some
)

// ParamDef defines a parameter of a kind.
type ParamDef struct {
	Name    string // one that ends in '.' is the prefix of any number of names
	Type    Type
	Default string   // "": none
	Min     float64  // lowest value of a number, in nanoseconds for a duration
	Max     float64  // highest value of a number
	Choices []string // accepted values of a text; empty: any
	File    bool     // the text is the name of a file, unless it is the default; New reads it by [Registry.File]
	Spec    bool     // the text is the spec of another agent
	Doc     string   // one line
}

// ParamsOf returns the parameters that the fields of a struct are set by, as their tags declare them (see package
// settings):
//
//	Depth int `param:"depth" default:"4" check:"1..64" help:"plies to search"`
//
// Texts have no bounds.
func ParamsOf(config any) []ParamDef {
	copied := reflect.New(reflect.TypeOf(config)) // of which addresses may be taken
	copied.Elem().Set(reflect.ValueOf(config))
	var defs []ParamDef
	for _, f := range settings.Fields(copied.Interface(), "") {
		d := ParamDef{Name: f.Key, Type: Text, Default: f.Tag.Get("default"), Choices: f.Enum(), Doc: f.Help()}
		switch kind := f.Value.Kind(); {
		case f.Value.Type() == numbers[Duration]:
			d.Type = Duration
		case kind == reflect.Float64:
			d.Type = Float
		case kind != reflect.String:
			d.Type = Int
		}
		d.Min, d.Max = settings.Bounds(f.Value.Type(), f.Tag.Get("check"))
		defs = append(defs, d)
	}
	return defs
}

// Range returns the accepted values as text, like "1 to 64".
func (d ParamDef) Range() string {
	switch d.Type {
	case Text:
		return cmp.Or(strings.Join(d.Choices, ", "), "text")
	case Duration:
		return textfmt.Duration(time.Duration(d.Min)) + " to " + textfmt.Duration(time.Duration(d.Max))
	}
	return strconv.FormatFloat(d.Min, 'f', -1, 64) + " to " + strconv.FormatFloat(d.Max, 'f', -1, 64)
}

// IsFile reports whether a value is the name of a file.
func (d ParamDef) IsFile(value string) bool {
	return d.File && value != "" && value != d.Default
}

// numbers are the types that hold the values of parameters which have bounds.
var numbers = map[Type]reflect.Type{
	Int: reflect.TypeFor[int64](), Float: reflect.TypeFor[float64](), Duration: reflect.TypeFor[time.Duration](),
}

func (d ParamDef) check(value string) error {
	if d.Type == Text {
		if slices.Contains(d.Choices, value) || len(d.Choices) == 0 && value != "" {
			return nil
		}
		return fmt.Errorf("expected %s, found %.60q", d.Range(), value)
	}
	v := reflect.New(numbers[d.Type]).Elem()
	err := settings.Set(v, value)
	if x := v.Convert(numbers[Float]).Float(); err == nil && d.Min <= x && x <= d.Max {
		return nil
	}
	what, _ := settings.Expected(v.Type())
	what, _, _ = strings.Cut(what, ",") // without examples
	return fmt.Errorf("expected %s from %s%s, found %.60q", what, d.Range(), settings.ZeroHint(value), value)
}

// Values are the parameters of a spec, checked, with defaults filled in.
type Values map[string]string

// Int returns a whole number, 0 for none.
func (v Values) Int(name string) int { n, _ := settings.Parse[int](v[name]); return n }

// Float returns a number, 0 for none.
func (v Values) Float(name string) float64 { x, _ := settings.Parse[float64](v[name]); return x }

// Decode sets the fields of the struct that config points to, described by [ParamsOf], to the values.
func (v Values) Decode(config any) {
	for _, f := range settings.Fields(config, "") {
		if text, ok := v[f.Key]; ok {
			_ = f.SetTexts(text) // it has been checked
		}
	}
}
