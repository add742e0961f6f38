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
)

// This file is for command lines and their help: it makes flags of settings, and describes settings
// in words.

// flagged lists the settings that have a flag, but for those with the keys in without.
func flagged(config any, without []string) []Field {
	return slices.DeleteFunc(Fields(config, ""), func(f Field) bool {
		return f.Flag == "" || f.Flag == "-" || slices.Contains(without, f.Key)
	})
}

// Flags returns a pointer to a new struct, as package kong reads it, with a field for each flag but
// the flags of the settings without. Their help ends with the defaults, which are the values in
// config.
//
// The struct's type is made at run time. Plain fields would declare each setting again, in every
// command that has it.
func Flags(config any, without ...string) any {
	var fields []reflect.StructField
	for i, f := range flagged(config, without) {
		t, isOneWord := f.flagType()
		var tag strings.Builder
		fmt.Fprintf(&tag, "name:%q", f.Flag)
		if isOneWord {
			tag.WriteString(` sep:"none"`)
		}
		for _, name := range []string{"placeholder", "group"} {
			if text := f.Tag.Get(name); text != "" {
				fmt.Fprintf(&tag, " %s:%q", name, text)
			}
		}

		words := f.words()
		if f.Enum() != nil {
			fmt.Fprintf(&tag, ` default:"" enum:%q`, ","+words)
		} else if words != "" {
			fmt.Fprintf(&tag, " complete:%q", words)
		}
		help := f.Help()
		if text := f.Default(); text != "" {
			help += " Default: " + text + "."
		}
		fmt.Fprintf(&tag, " help:%q", help)
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprint("F", i), // with a capital, as kong asks for
			Type: t,
			Tag:  reflect.StructTag(tag.String()),
		})
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// flagType returns the type of a setting's flag, and whether a flag's value is one word with its
// commas. Numbers are behind pointers, so that a flag that was given 0 differs from one that was
// not given.
func (f Field) flagType() (flag reflect.Type, isOneWord bool) {
	t := f.Value.Type()
	switch {
	case f.IsList():
		return reflect.TypeFor[[]string](), true
	case f.IsText(), t.Kind() == reflect.String:
		return reflect.TypeFor[string](), true
	case t.Kind() == reflect.Bool, t.Kind() == reflect.Pointer:
		return t, false
	default:
		return reflect.PointerTo(t), false
	}
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
	if f.Value.IsZero() {
		if f.Choices() != nil {
			return f.Tag.Get("zero")
		}
		return ""
	}
	if d, ok := f.Value.Interface().(time.Duration); ok {
		return DurationText(d)
	}
	return strings.Join(f.Texts(), ",")
}

// DurationText returns a time without parts of zero at its end: "24h", "1m30s".
func DurationText(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// Apply sets the settings of config to the values of the flags that were given, see [Flags]. The
// error joins one for each flag that is wrong.
func Apply(config, flags any) error {
	var errs problems.List
	fields := flagged(config, nil)
	values := reflect.ValueOf(flags).Elem()
	for i := range values.NumField() {
		name := values.Type().Field(i).Tag.Get("name")
		value := values.Field(i)
		if value.IsZero() {
			continue
		}
		f := fields[slices.IndexFunc(fields, func(f Field) bool { return f.Flag == name })]
		texts := Field{Value: reflect.Indirect(value)}.Texts()
		if sep := f.Tag.Get("sep"); sep != "" {
			texts = strings.Split(strings.Join(texts, sep), sep)
		}
		errs = append(errs, problems.Prefix("--"+name, f.SetTexts(texts...)))
	}
	return errs.Err()
}

// FlagErrors names the flags of settings that are wrong, where they have one, in place of their
// keys, and nothing for the keys in without, whose settings the command has by other means.
func FlagErrors(config any, err error, without ...string) error {
	fields := flagged(config, nil)
	var errs []error
	for _, one := range problems.Split(err) {
		if inField, ok := errors.AsType[*problems.FieldError](one); ok {
			one = flagError(inField, fields, without)
		}
		errs = append(errs, one)
	}
	return errors.Join(errs...)
}

func flagError(err *problems.FieldError, fields []Field, without []string) error {
	key, _, _ := strings.Cut(err.Field, "[")
	if slices.Contains(without, key) {
		return err.Err
	}
	for _, f := range fields {
		part, isPart := strings.CutPrefix(key, f.Key+".")
		switch {
		case isPart && f.Group:
			return fmt.Errorf("--%s: %s: %w", f.Flag, part, err.Err)
		case f.Key == key, strings.HasPrefix(f.Key, key+"."):
			return fmt.Errorf("--%s: %w", f.Flag, err.Err)
		}
	}
	return err
}

// Arguments returns the flags, each followed by its value, that make config of the defaults.
func Arguments(config, defaults any) []string {
	var list []string
	usual := flagged(defaults, nil)
	for i, f := range flagged(config, nil) {
		texts := f.Texts()
		if slices.Equal(texts, usual[i].Texts()) {
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

// Table returns the settings, whose keys begin with prefix, as a Markdown table of keys with flags,
// values, defaults and meanings.
func Table(config any, prefix string) string {
	var b strings.Builder
	b.WriteString("| Key, flag | Value | Default | Meaning |\n|---|---|---|---|\n")
	for _, f := range Fields(config, prefix) {
		value := f.Default()
		if f.Group && !f.IsOptional() { // its settings follow
			if value+f.Flag == "" || !f.IsText() {
				continue
			}
		}
		names := "`" + f.Key + "`"
		if f.Flag != "" {
			names += ", `--" + f.Flag + "`"
		}
		if value != "" {
			value = "`" + value + "` "
		}
		fmt.Fprintf(&b, "| %s | %s | %s| %s |\n", names, f.Values(), value, f.Help())
	}
	return b.String()
}

// Values returns which values the setting may have, as Markdown.
func (f Field) Values() string {
	what, _ := Expected(f.Value.Type())
	low, high, isBounded := strings.Cut(f.Tag.Get("check"), "..")
	if isBounded {
		what = fmt.Sprintf("`%s` to `%s`", low, high)
		if zero := f.Tag.Get("zero"); zero != "" {
			what += ", 0: " + zero
		}
	} else if names := f.names(); names != nil {
		what = "`" + strings.Join(names, "`, `") + "`"
	}
	what = cmp.Or(f.Tag.Get("form"), what)
	what, _, _ = strings.Cut(what, ", in quotes")
	return strings.TrimPrefix(strings.TrimPrefix(what, "a "), "an ")
}
