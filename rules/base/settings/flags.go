package settings

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"gyges/rules/base/problems"
	"gyges/rules/base/suggest"
	"gyges/rules/base/textfmt"
)

// flagged lists the settings that have a flag, but for those with the keys in without.
func flagged(config any, without []string) []Field {
	return slices.DeleteFunc(Fields(config, ""), func(f Field) bool {
		return f.Flag == "" || f.Flag == "-" || slices.Contains(without, f.Key)
	})
}

// Flags returns a pointer to a new struct with a field for each flag, but for those of the settings without, as
// package kong reads them. Their help ends with the defaults, which are the values in config.
func Flags(config any, without ...string) any {
	var fields []reflect.StructField
	for i, f := range flagged(config, without) {
		t, tag := f.Value.Type(), fmt.Sprintf("name:%q", f.Flag)
		switch {
		case IsList(t):
			t, tag = reflect.TypeFor[[]string](), tag+` sep:"none"`
		case IsText(t) || t.Kind() == reflect.String:
			t, tag = reflect.TypeFor[string](), tag+` sep:"none"`
		case t.Kind() != reflect.Bool && t.Kind() != reflect.Pointer:
			t = reflect.PointerTo(t)
		}
		for _, name := range []string{"placeholder", "group"} {
			if text := f.Tag.Get(name); text != "" {
				tag += fmt.Sprintf(" %s:%q", name, text)
			}
		}
		if words := f.words(); f.Enum() != nil {
			tag += fmt.Sprintf(` default:"" enum:%q`, ","+words)
		} else if words != "" {
			tag += fmt.Sprintf(" complete:%q", words)
		}
		help := f.Help()
		if text := f.Default(); text != "" {
			help += " Default: " + text + "."
		}
		tag += fmt.Sprintf(" help:%q", help)
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: t, Tag: reflect.StructTag(tag)})
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// words returns the beginnings of the choices, up to their parameters, for completion.
func (f Field) words() string {
	list := f.names()
	for i, name := range list {
		if end := strings.IndexFunc(name, unicode.IsUpper); end >= 0 {
			list[i] = name[:end]
		}
	}
	return strings.Join(list, ",")
}

// Help returns what the setting means, with its choices.
func (f Field) Help() string {
	help, open := strings.CutSuffix(f.Tag.Get("help"), ":")
	if !open {
		return help
	}
	var list []string
	for _, c := range f.Choices() {
		if c.Doc != "" {
			c.Name += " (" + c.Doc + ")"
		}
		list = append(list, c.Name)
	}
	return help + ": " + suggest.OneOf(list) + "."
}

// Default returns the value as help texts show it; "" if there is none.
func (f Field) Default() string {
	if f.Value.IsZero() && f.Choices() != nil {
		return f.Tag.Get("zero")
	}
	if f.Value.IsZero() {
		return ""
	}
	if d, ok := f.Value.Interface().(time.Duration); ok {
		return textfmt.Duration(d)
	}
	return strings.Join(f.Texts(), ",")
}

// Apply sets the settings of config to the values of the flags that were given, see [Flags]. The error joins one for
// each flag that is wrong.
func Apply(config, flags any) error {
	var errs problems.List
	fields := flagged(config, nil)
	v := reflect.ValueOf(flags).Elem()
	for i := range v.NumField() {
		name, given := v.Type().Field(i).Tag.Get("name"), v.Field(i)
		if given.IsZero() {
			continue
		}
		f := fields[slices.IndexFunc(fields, func(f Field) bool { return f.Flag == name })]
		texts := Field{Value: reflect.Indirect(given)}.Texts()
		if sep := f.Tag.Get("sep"); sep != "" {
			texts = strings.Split(strings.Join(texts, sep), sep)
		}
		errs = append(errs, problems.Prefix("--"+name, f.SetTexts(texts...)))
	}
	return errs.Err()
}

// FlagErrors names the flags of settings that are wrong, where they have one, in place of their keys, and nothing for
// the keys in without, whose settings the command has by other means.
func FlagErrors(config any, err error, without ...string) error {
	fields := flagged(config, nil)
	var errs []error
	for _, one := range problems.Split(err) {
		if fe, ok := errors.AsType[*problems.FieldError](one); ok {
			key, _, _ := strings.Cut(fe.Field, "[")
			i := slices.IndexFunc(fields, func(f Field) bool {
				return f.Key == key || f.Group && strings.HasPrefix(key, f.Key+".") || strings.HasPrefix(f.Key, key+".")
			})
			if slices.Contains(without, key) {
				one = fe.Err
			} else if i >= 0 {
				one = fmt.Errorf("--%s: %w", fields[i].Flag, fe.Err)
				if part, ok := strings.CutPrefix(key, fields[i].Key+"."); ok {
					one = fmt.Errorf("--%s: %s: %w", fields[i].Flag, part, fe.Err)
				}
			}
		}
		errs = append(errs, one)
	}
	return errors.Join(errs...)
}

// Arguments returns the flags, each followed by its value, that make config of the defaults.
func Arguments(config, defaults any) []string {
	var list []string
	before := flagged(defaults, nil)
	for i, f := range flagged(config, nil) {
		texts := f.Texts()
		if slices.Equal(texts, before[i].Texts()) {
			continue
		}
		if sep := f.Tag.Get("sep"); sep != "" {
			texts = []string{strings.Join(texts, sep)}
		}
		for _, text := range texts {
			if strings.HasPrefix(text, "-") { // not to be read as a flag
				list = append(list, "--"+f.Flag+"="+text)
				continue
			}
			list = append(list, "--"+f.Flag, text)
		}
	}
	return list
}

// Table returns the settings, whose keys begin with prefix, as a Markdown table of keys with flags, values, defaults
// and meanings.
func Table(config any, prefix string) string {
	var b strings.Builder
	b.WriteString("| Key, flag | Value | Default | Meaning |\n|---|---|---|---|\n")
	for _, f := range Fields(config, prefix) {
		if f.Group && !IsText(f.Value.Type()) && f.Value.Kind() != reflect.Pointer {
			continue
		}
		names := "`" + f.Key + "`"
		if f.Flag != "" {
			names += ", `--" + f.Flag + "`"
		}
		value := f.Default()
		if value != "" {
			value = "`" + value + "` "
		}
		if value != "" || !f.Group || f.Flag != "" || f.Value.Kind() == reflect.Pointer {
			fmt.Fprintf(&b, "| %s | %s | %s| %s |\n", names, f.Values(), value, f.Help())
		}
	}
	return b.String()
}

// Values returns which values the setting may have, as Markdown.
func (f Field) Values() string {
	what, _ := Expected(f.Value.Type())
	if low, high, ok := strings.Cut(f.Tag.Get("check"), ".."); ok {
		what = fmt.Sprintf("`%s` to `%s`", low, high)
		if zero := f.Tag.Get("zero"); zero != "" {
			what += ", 0: " + zero
		}
	} else if names := f.names(); names != nil {
		what = "`" + strings.Join(names, "`, `") + "`"
	}
	what, _, _ = strings.Cut(cmp.Or(f.Tag.Get("form"), what), ", in quotes")
	return strings.TrimPrefix(strings.TrimPrefix(what, "a "), "an ")
}
