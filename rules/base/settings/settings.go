// Package settings reads the struct tags that describe the settings of a run. A setting is one field of a struct,
// and its tags are all that files, flags, manifests and manuals know of it:
//
//	yaml:"KEY"          its key in files and manifests; else that of the tag json. A field without is no setting.
//	                    That of a struct or a pointer to one is put before the keys of its fields; ",inline" is none
//	keys:"A B"          of a struct: the only ones of its keys that there are
//	form:"TEXT"         what is expected, in messages
//	enum:"A,B"          the texts that are allowed; ",A,B" allows none too
//	check:"LOW..HIGH"   the bounds of a number or a time; "LOW..": no upper one
//	zero:"TEXT"         what 0 means
//	default:"TEXT"      the value in a struct that a file makes, where nil is the default
//	name:"NAME"         its flag; "-" of a struct: none of its settings has one. Package kong reads it, and the
//	                    tags placeholder, complete, group and sep
//	help:"TEXT"         what it means, one or more sentences
//
// Values are bool, int, int64, uint64, float64, string types, times, the types of [Register], and lists of these.
package settings

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/rules/base/problems"
	"gyges/rules/base/suggest"
)

// Field is a setting, or a struct of settings.
type Field struct {
	Key   string // keys joined by dots: "limits.depth"
	Flag  string // "": none
	Tag   reflect.StructTag
	Value reflect.Value
	Group bool // a struct, whose settings follow
}

// Fields returns the settings of a struct, whose keys begin with prefix, in the order of its fields. Those behind a
// nil pointer are left out.
func Fields(config any, prefix string) []Field {
	var list []Field
	v := reflect.ValueOf(config).Elem()
	for i := range v.NumField() {
		t := v.Type().Field(i)
		key, tagged := t.Tag.Lookup("yaml")
		if !tagged {
			key = t.Tag.Get("json")
		}
		key, option, _ := strings.Cut(key, ",")
		if key == "-" || key == "" && option != "inline" {
			continue
		}
		f := Field{Key: prefix + key, Flag: t.Tag.Get("name"), Tag: t.Tag, Value: v.Field(i)}
		if !isGroup(t.Type) {
			list = append(list, f)
			continue
		}
		f.Group = true
		inner := prefix
		if key != "" {
			inner = f.Key + "."
			list = append(list, f)
		}
		fields := Fields(f.Value.Addr().Interface(), inner)
		if keys := strings.Fields(t.Tag.Get("keys")); len(keys) > 0 {
			fields = slices.DeleteFunc(fields, func(f Field) bool {
				first, _, _ := strings.Cut(f.Key[len(inner):], ".")
				return !slices.Contains(keys, first)
			})
		}
		for i := range fields {
			if f.Flag == "-" {
				fields[i].Flag = ""
			}
		}
		list = append(list, fields...)
	}
	return list
}

// isGroup reports whether a type is a struct of settings. One that was registered is a text, too.
func isGroup(t reflect.Type) bool {
	hasKey := func(f reflect.StructField) bool { return f.Tag.Get("yaml") != "" }
	return t.Kind() == reflect.Struct && (!IsText(t) || slices.ContainsFunc(reflect.VisibleFields(t), hasKey))
}

// parsers read the types that were registered.
var parsers = map[reflect.Type]func(text string) (any, error){}

// Register names the function that reads values of a type, whose texts fmt prints. It is called before main begins.
func Register[T any](parse func(text string) (T, error)) bool {
	parsers[reflect.TypeFor[T]()] = func(text string) (any, error) { return parse(text) }
	return true
}

// IsText reports whether values of a type are read by a function that was registered.
func IsText(t reflect.Type) bool { return parsers[t] != nil }

// Set sets a value from a text. The error says what was expected.
func Set(v reflect.Value, text string) error {
	x, err := parse(v.Type(), text)
	switch {
	case err == nil:
		v.Set(reflect.ValueOf(x).Convert(v.Type()))
	case !IsText(v.Type()):
		expected, _ := Expected(v.Type())
		err = fmt.Errorf("expected %s, found %.60q", expected, text)
	}
	return err
}

// parse reads a value of a type.
func parse(t reflect.Type, text string) (any, error) {
	switch kind := t.Kind(); {
	case IsText(t):
		return parsers[t](text)
	case kind == reflect.String:
		return text, nil
	case t == reflect.TypeFor[time.Duration]():
		return time.ParseDuration(text)
	case kind == reflect.Bool:
		return strconv.ParseBool(text)
	case kind == reflect.Uint64:
		return strconv.ParseUint(text, 10, 64)
	case kind == reflect.Int || kind == reflect.Int64:
		return strconv.ParseInt(text, 10, t.Bits())
	case kind == reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			err = strconv.ErrRange
		}
		return x, err
	}
	panic(fmt.Sprintf("no settings of type %v", t))
}

// Expected returns what is expected of a value, and the kinds of YAML scalars that it is written as.
func Expected(t reflect.Type) (what string, scalars []string) {
	switch {
	case IsText(t):
		return "a text", []string{"!!str", "!!int", "!!float"}
	case t.Kind() == reflect.String:
		return "a text, in quotes if it is a number", []string{"!!str"}
	case t == reflect.TypeFor[time.Duration]():
		return "a time with its unit, like 100ms or 1.5s", []string{"!!str"}
	case t.Kind() == reflect.Bool:
		return "true or false", []string{"!!bool"}
	case t.Kind() == reflect.Uint64:
		return "a whole number from 0 to 2^64-1", []string{"!!int"}
	case t.Kind() == reflect.Float64:
		return "a number", []string{"!!int", "!!float"}
	default:
		return "a whole number", []string{"!!int"}
	}
}

// Form returns what is expected of a setting.
func (f Field) Form() string {
	if names := f.Enum(); names != nil {
		return suggest.OneOf(names)
	}
	what, _ := Expected(f.Value.Type())
	return cmp.Or(f.Tag.Get("form"), what)
}

// Enum lists the texts that are allowed; nil: all are.
func (f Field) Enum() []string {
	if text := strings.TrimPrefix(f.Tag.Get("enum"), ","); text != "" {
		return strings.Split(text, ",")
	}
	return nil
}

// Texts returns the value as text, those of a list one by one.
func (f Field) Texts() []string {
	v := f.Value
	if v.Kind() != reflect.Slice {
		return []string{fmt.Sprint(v.Interface())}
	}
	list := make([]string, v.Len())
	for i := range list {
		list[i] = fmt.Sprint(v.Index(i).Interface())
	}
	return list
}

// SetTexts sets the value from texts as Texts returns them. The error joins those of all texts.
func (f Field) SetTexts(texts ...string) error {
	if f.Value.Kind() != reflect.Slice {
		return Set(f.Value, texts[0])
	}
	var errs problems.List
	list := reflect.MakeSlice(f.Value.Type(), len(texts), len(texts))
	for i, text := range texts {
		if err := Set(list.Index(i), text); err != nil {
			errs = append(errs, err)
		}
	}
	f.Value.Set(list)
	return errs.Err()
}

// Copy sets the settings of a struct that another one, of another type, has under the same keys.
func Copy(to, from any) error {
	var errs problems.List
	source := Fields(from, "")
	for _, f := range Fields(to, "") {
		i := slices.IndexFunc(source, func(g Field) bool { return g.Key == f.Key })
		if f.Group || i < 0 || source[i].Value.IsZero() {
			continue
		}
		if err := f.SetTexts(source[i].Texts()...); err != nil {
			errs.Add(f.Key, err)
		}
	}
	return errs.Err()
}

// Check adds the settings that are outside their bounds, or none of the texts that are allowed. Their keys begin with
// prefix.
func Check(errs *problems.List, config any, prefix string) {
	for _, f := range Fields(config, prefix) {
		if names := f.Enum(); names != nil {
			text := f.Value.String()
			none := text == "" && strings.HasPrefix(f.Tag.Get("enum"), ",")
			errs.Expect(none || slices.Contains(names, text), f.Key, "expected %s, found %.60q", f.Form(), text)
		}
		if bounds, ok := f.Tag.Lookup("check"); ok {
			if err := InBounds(f.Value, bounds, f.Tag.Get("zero")); err != nil {
				errs.Add(f.Key, err)
			}
		}
	}
}

// InBounds returns an error if a number or a time is outside the bounds of a tag check; zero is the tag zero.
func InBounds(x reflect.Value, bounds, zero string) error {
	first, last, _ := strings.Cut(bounds, "..")
	outside := func(bound string, sign int) bool {
		v := reflect.New(x.Type()).Elem()
		if err := Set(v, bound); err != nil && bound != "" {
			panic(fmt.Sprintf("tag check: %v", err))
		}
		number := reflect.TypeFor[float64]()
		return bound != "" && cmp.Compare(x.Convert(number).Float(), v.Convert(number).Float()) == sign
	}
	if !outside(first, -1) && !outside(last, 1) {
		return nil
	}
	what := "a number"
	if x.Type() == reflect.TypeFor[time.Duration]() {
		what = "a time"
	}
	if zero != "" {
		first += " (" + zero + ")"
	}
	if last != "" {
		first += " to " + last
	}
	return fmt.Errorf("expected %s from %s, found %v", what, first, x.Interface())
}
