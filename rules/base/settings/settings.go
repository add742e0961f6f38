// Package settings reads the struct tags that describe declared values: the settings of runs, the
// parameters of agents and the options of rules. A value is one field of a struct, and its tags are
// all that files, flags, manifests and manuals know of it. [Fields] lists the values of a struct; a
// [Field] parses, prints and describes its value.
//
// The tags are:
//
//	yaml:"KEY"     its key in files and manifests. A field without a key is no setting. The key
//	               of a struct, or a pointer to one, is put before the keys of its fields; one
//	               that is ",inline", or embedded without a tag, has none
//	param:"KEY"    the key of an agent's parameter
//	form:"TEXT"    what is expected, in messages
//	unit:"UNIT"    the unit of a time which is a number in a file; without it, a number is none
//	check:"A..B"   the bounds of a number or a time; "A..": no upper one
//	zero:"TEXT"    what 0, or the empty text among [Choice]s, means
//	default:"TEXT" the value in a struct that a file makes, where nil is the default
//	json:"KEY"     its key in manifests, where that is another one
//	name:"NAME"    its flag; "-" of a struct: none of its settings has one. Package kong reads
//	               it, and the tags placeholder, group and sep
//	choices:"A: MEANING|B"
//	               the only values that there are, with what they mean
//	help:"TEXT"    what it means, one or more sentences; after a colon at its end the choices
//	               follow
//
// Values are bool, int, int64, uint64, float64, string types, times, types that parse and print
// themselves ([encoding.TextUnmarshaler], [encoding.TextMarshaler]), lists of these, and pointers
// to them, of which nil is none. A type with a method Choices() []Choice has only these values, or
// these forms of a value.
package settings

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/rules/base/problems"
	"gyges/rules/base/suggest"
)

// Choice is a value that a type has, or the form of one, with parameters in capitals: "plies=N".
type Choice struct{ Name, Doc string }

// Field is a setting, or a struct of settings.
type Field struct {
	Key   string // keys joined by dots: "limits.depth"
	Flag  string // "": none
	Tag   reflect.StructTag
	Value reflect.Value
	Group bool // a struct, or a pointer to one, whose settings follow

	declared []string // the choices of a setting that no struct has
}

// Name returns the last part of the key: "depth" of "limits.depth".
func (f Field) Name() string { return f.Key[strings.LastIndexByte(f.Key, '.')+1:] }

// IsText reports whether the value parses itself.
func (f Field) IsText() bool { return IsText(f.Value.Type()) }

// IsList reports whether the value is a list of values.
func (f Field) IsList() bool { return f.Value.Kind() == reflect.Slice && !f.IsText() }

// IsOptional reports whether the value is behind a pointer, which may be nil.
func (f Field) IsOptional() bool { return f.Value.Kind() == reflect.Pointer }

// Find returns the field with a key; nil if there is none.
func Find(fields []Field, key string) *Field {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
	if i < 0 {
		return nil
	}
	return &fields[i]
}

// Fields returns the settings of a struct, whose keys begin with prefix, in the order of its
// fields. Those behind a nil pointer are left out.
func Fields(config any, prefix string) []Field {
	return fieldsOf(reflect.ValueOf(config).Elem(), prefix, present)
}

// AllFields returns Fields with those behind nil pointers, at the defaults in their tags.
func AllFields(config any) []Field { return fieldsOf(reflect.ValueOf(config).Elem(), "", all) }

// selection says which settings of a struct are listed, and by which keys.
type selection int

const (
	present selection = iota // those with a key that aren't behind a nil pointer
	all                      // those behind a nil pointer, too
	stored                   // present, with the keys in the tag json where there is one
)

// keyOf returns the key of a field. Of an inline struct, the fields are listed as if they were
// fields of the struct around it.
func (s selection) keyOf(t reflect.StructField) (key string, inline bool) {
	tag := cmp.Or(t.Tag.Get("yaml"), t.Tag.Get("param"))
	if s == stored {
		tag = cmp.Or(t.Tag.Get("json"), tag)
	}
	key, option, _ := strings.Cut(tag, ",")
	return key, option == "inline" || t.Anonymous && tag == ""
}

// fieldsOf returns the settings of a struct, whose keys begin with prefix. The members of a group
// follow it.
func fieldsOf(v reflect.Value, prefix string, which selection) []Field {
	var list []Field
	for i := range v.NumField() {
		t := v.Type().Field(i)
		key, inline := which.keyOf(t)
		if key == "-" || key == "" && !inline {
			continue
		}
		f := Field{
			Key:   prefix + key,
			Flag:  t.Tag.Get("name"),
			Tag:   t.Tag,
			Value: v.Field(i),
			Group: isGroup(t.Type),
		}
		if !inline {
			list = append(list, f)
		}
		if !f.Group {
			continue
		}

		// A group behind a nil pointer has members only where all are asked for.
		group := reflect.Indirect(f.Value)
		if !group.IsValid() && which == all {
			group = reflect.ValueOf(New(t.Type.Elem())).Elem()
		}
		if !group.IsValid() {
			continue
		}
		inner := prefix
		if key != "" {
			inner = f.Key + "."
		}
		for _, member := range fieldsOf(group, inner, which) {
			if f.Flag == "-" {
				member.Flag = ""
			}
			list = append(list, member)
		}
	}
	return list
}

// Declare returns a setting that no struct has, with the zero value and tags. choices are the only
// texts, which may hold any characters; nil: all texts.
func Declare(key string, zero any, tags map[string]string, choices []string) Field {
	tag := ""
	for name, value := range tags {
		if value != "" {
			tag += fmt.Sprintf("%s:%q ", name, value)
		}
	}
	value := reflect.New(reflect.TypeOf(zero)).Elem()
	return Field{Key: key, Tag: reflect.StructTag(tag), Value: value, declared: choices}
}

// New returns a pointer to a new struct with the defaults in its tags.
func New(t reflect.Type) any {
	config := reflect.New(t).Interface()
	SetDefaults(config)
	return config
}

// SetDefaults sets the fields of a struct to the defaults in its tags.
func SetDefaults(config any) {
	for _, f := range Fields(config, "") {
		if text := f.Tag.Get("default"); text != "" {
			_ = f.SetTexts(text) // tags are right
		}
	}
}

// isGroup reports whether a type is a struct of settings, or a pointer to one. One that parses
// itself is a text, too.
func isGroup(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(t), hasKey)
}

func hasKey(f reflect.StructField) bool {
	return cmp.Or(f.Tag.Get("yaml"), f.Tag.Get("param")) != ""
}

// IsText reports whether values of a type parse themselves.
func IsText(t reflect.Type) bool {
	parses := reflect.TypeFor[encoding.TextUnmarshaler]()
	return t.Implements(parses) || reflect.PointerTo(t).Implements(parses)
}

// Set sets a value from a text. The error says what was expected.
func Set(v reflect.Value, text string) error {
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		made := reflect.New(t.Elem())
		err := Set(made.Elem(), text)
		if err == nil {
			v.Set(made)
		}
		return err
	}
	if IsText(t) {
		made := reflect.New(t)
		parser := made.Interface().(encoding.TextUnmarshaler)
		err := parser.UnmarshalText([]byte(text))
		if err == nil {
			v.Set(made.Elem())
		}
		return err
	}

	x, err := parse(t, text)
	if err != nil {
		expected, _ := Expected(t)
		large := ""
		if errors.Is(err, strconv.ErrRange) {
			large = ", which is too large"
		}
		return fmt.Errorf("expected %s%s, found %.60q%s", expected, ZeroHint(text), text, large)
	}
	v.Set(reflect.ValueOf(x).Convert(t))
	return nil
}

// Parse returns the value that a text stands for, as [Set] reads it.
func Parse[T any](text string) (value T, err error) {
	err = Set(reflect.ValueOf(&value).Elem(), text)
	return value, err
}

// Numbers and times are decimal wherever people write them. One that begins with 0 and another
// digit is refused: 010 is 8 in YAML and in some languages, and 10 in others. Exponents may, as Go
// prints them (1e-05).
var (
	leadingZero = regexp.MustCompile(`(^|[=:;,/ Dhms]|(^|[^eE])[-+])0[0-9]`)
	notDecimal  = regexp.MustCompile(`[^-+.0-9eE]`) // hexadecimal, infinite or no number
)

// ZeroHint returns what "expected a number" goes on with for a text in which a number has a leading
// zero; else "".
func ZeroHint(text string) string {
	if leadingZero.MatchString(text) {
		return ", without leading zeros"
	}
	return ""
}

// Port reads the number of a port.
func Port(text string) (int, error) {
	port, err := Parse[int](text)
	if err != nil || port != min(max(port, 0), math.MaxUint16) {
		return 0, fmt.Errorf("expected a port from 0 to %d%s, found %.60q",
			math.MaxUint16, ZeroHint(text), text)
	}
	return port, nil
}

// parse reads a value of a type that doesn't parse itself.
func parse(t reflect.Type, text string) (any, error) {
	kind := t.Kind()
	switch {
	case kind == reflect.String:
		return text, nil
	case kind == reflect.Bool:
		return strconv.ParseBool(text)
	case leadingZero.MatchString(text),
		kind == reflect.Float64 && notDecimal.MatchString(text):
		return nil, strconv.ErrSyntax
	case t == reflect.TypeFor[time.Duration]():
		return time.ParseDuration(text)
	case kind == reflect.Uint64:
		return strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
	case kind == reflect.Int, kind == reflect.Int64:
		return strconv.ParseInt(text, 10, t.Bits())
	default: // a float64: there are no settings of other types
		return strconv.ParseFloat(text, 64)
	}
}

// Expected returns what is expected of a value, and the kinds of YAML scalars that it is written
// as.
func Expected(t reflect.Type) (what string, scalars []string) {
	numbers := []string{"!!int", "!!float"} // 08 and too large ones are !!float
	switch {
	case IsText(t):
		return "a text", append(numbers, "!!str")
	case t.Kind() == reflect.Pointer:
		return Expected(t.Elem())
	case t.Kind() == reflect.Struct:
		return "keys and values", nil
	case t.Kind() == reflect.String:
		return "a text, in quotes if it is a number", []string{"!!str"}
	case t == reflect.TypeFor[time.Duration]():
		return "a time with its unit, like 100ms or 1.5s", []string{"!!str"}
	case t.Kind() == reflect.Bool:
		return "true or false", []string{"!!bool"}
	case t.Kind() == reflect.Uint64:
		return "a whole number from 0 to 2^64-1", numbers
	case t.Kind() == reflect.Float64:
		return "a number", numbers
	default:
		return "a whole number", numbers
	}
}

// Form returns what is expected of a setting.
func (f Field) Form() string {
	what, _ := Expected(f.Value.Type())
	return cmp.Or(f.Tag.Get("form"), suggest.OneOf(f.names()), what)
}

// Choices returns the values that there are, or their forms; nil: any.
func (f Field) Choices() []Choice {
	if c, ok := f.Value.Interface().(interface{ Choices() []Choice }); ok {
		return c.Choices()
	}
	var list []Choice
	for _, name := range f.declared {
		list = append(list, Choice{Name: name})
	}
	tag := f.Tag.Get("choices")
	if tag == "" {
		return list
	}
	for text := range strings.SplitSeq(tag, "|") {
		name, doc, _ := strings.Cut(text, ": ")
		list = append(list, Choice{name, doc})
	}
	return list
}

// names returns the names of the choices; nil without choices.
func (f Field) names() []string {
	var list []string
	for _, c := range f.Choices() {
		list = append(list, c.Name)
	}
	return list
}

// Enum lists the texts that are allowed; nil: all are, or the type says so.
func (f Field) Enum() []string {
	if f.IsText() {
		return nil
	}
	return f.names()
}

// Texts returns the value as text; of a list, each value.
func (f Field) Texts() []string {
	if !f.IsList() {
		return []string{textOf(f.Value)}
	}
	list := make([]string, f.Value.Len())
	for i := range list {
		list[i] = textOf(f.Value.Index(i))
	}
	return list
}

func textOf(v reflect.Value) string {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, _ := m.MarshalText() // it fails for no setting
		return string(text)
	}
	return fmt.Sprint(reflect.Indirect(v).Interface())
}

// SetTexts sets the value from texts as Texts returns them. The error joins the errors of all
// texts.
func (f Field) SetTexts(texts ...string) error {
	if !f.IsList() {
		return Set(f.Value, texts[0])
	}
	list := reflect.MakeSlice(f.Value.Type(), len(texts), len(texts))
	var errs []error
	for i, text := range texts {
		errs = append(errs, Set(list.Index(i), text))
	}
	err := errors.Join(errs...)
	if err == nil {
		f.Value.Set(list)
	}
	return err
}

// Check adds the settings that are outside their bounds, or none of the texts that are allowed.
// Their keys begin with prefix.
func Check(errs *problems.List, config any, prefix string) {
	for _, f := range Fields(config, prefix) {
		zero := f.Tag.Get("zero")
		if names := f.Enum(); names != nil {
			text := f.Value.String()
			if zero != "" {
				names = append(names, "")
			}
			ok := slices.Contains(names, text)
			errs.Expect(ok, f.Key, "expected %s, found %.60q", f.Form(), text)
		}
		if bounds, ok := f.Tag.Lookup("check"); ok {
			err := InBounds(f.Value, bounds, zero)
			errs.Expect(err == nil, f.Key, "%w", err)
		}
	}
}

// Bounds returns the lowest and the highest value of a type of numbers, or times in nanoseconds, by
// a tag check; infinities where it has none.
func Bounds(t reflect.Type, check string) (low, high float64) {
	first, last, _ := strings.Cut(check, "..")
	return bound(t, first, math.Inf(-1)), bound(t, last, math.Inf(1))
}

// bound returns the number of a bound in a tag; none if the text is empty.
func bound(t reflect.Type, text string, none float64) float64 {
	if text == "" {
		return none
	}
	v := reflect.New(t).Elem()
	if err := Set(v, text); err != nil {
		panic(fmt.Sprintf("tag check: %v", err))
	}
	return numberOf(v)
}

func numberOf(v reflect.Value) float64 { return v.Convert(reflect.TypeFor[float64]()).Float() }

// InBounds returns an error if a number or a time is outside the bounds of a tag check; zero is the
// tag zero.
func InBounds(x reflect.Value, bounds, zero string) error {
	x = reflect.Indirect(x)
	if !x.IsValid() {
		return nil
	}
	low, high := Bounds(x.Type(), bounds)
	if number := numberOf(x); number == min(max(number, low), high) {
		return nil
	}

	what := "a number"
	if x.Type() == reflect.TypeFor[time.Duration]() {
		what = "a time"
	}
	from, to, _ := strings.Cut(bounds, "..")
	if zero != "" {
		from += " (" + zero + ")"
	}
	if to != "" {
		to = " to " + to
	}
	return fmt.Errorf("expected %s from %s%s, found %v", what, from, to, x.Interface())
}
