// Package strictjson reads JSON in which nothing may be superfluous: a name that the Go type doesn't
// have, or that is given twice, is an error, and so is anything after the value.
package strictjson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"gyges/rules/base/problems"
	"gyges/rules/base/suggest"
)

// ErrCut is the error of JSON that ends too early.
var ErrCut = errors.New("expected JSON, found a text that is cut short")

// Unmarshal stores the one JSON value in text, which has at most limit bytes, in *to. Durations are numbers of
// nanoseconds. If the error is in a field of the value, it is a [problems.FieldError]; if the text is cut short, it is
// [ErrCut]. Fields of retired, named as in these errors ("fault.host"), may be in the text without being in the value.
func Unmarshal(text []byte, limit int, to any, retired ...string) error {
	if len(text) > limit {
		return fmt.Errorf("expected at most %d bytes, found %d", limit, len(text))
	}
	field, _, err := unmarshal(text, to)
	if errors.Is(err, json.ErrUnknownName) && slices.Contains(retired, fieldOf(field)) {
		return Unmarshal(without(text, field), limit, to, retired...)
	}
	return inField(field, plain(err))
}

// unmarshal returns the error of the library, and the field and the byte where it is.
func unmarshal(text []byte, to any) (field jsontext.Pointer, at int64, err error) {
	err = json.Unmarshal(text, to, json.RejectUnknownMembers(true), jsonv1.FormatDurationAsNano(true))
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		return e.JSONPointer, e.ByteOffset, e
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if field = e.JSONPointer; !errors.Is(err, jsontext.ErrDuplicateName) {
			field = ""
		}
		return field, e.ByteOffset, e
	}
	return "", 0, err
}

// LineError is an error in a line of a text, from 1.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// UnmarshalAll is Unmarshal for texts that people write. It goes on without a field in which something is wrong, and
// returns all errors, each a [LineError].
func UnmarshalAll(text []byte, limit int, to any) (errs []error) {
	const most = 20
	if len(text) > limit {
		return []error{Unmarshal(text, limit, to)}
	}
	for len(errs) < most {
		field, at, err := unmarshal(text, to)
		if err == nil {
			break
		}
		errs = append(errs, &LineError{lineAt(text, at), inField(field, plain(err))})
		for _, e := strconv.Atoi(field.LastToken()); e == nil && field != ""; _, e = strconv.Atoi(field.LastToken()) {
			field = field.Parent() // a list is left out whole
		}
		if field == "" {
			break
		}
		text = without(text, field)
	}
	return errs
}

func lineAt(text []byte, at int64) int {
	return 1 + bytes.Count(text[:min(at, int64(len(text)))], []byte("\n"))
}

// Line returns the line of a field in a text, or else 1.
func Line(text []byte, field jsontext.Pointer) int {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	for d.StackPointer() != field {
		if _, err := d.ReadToken(); err != nil {
			return 1
		}
	}
	return lineAt(text, d.InputOffset())
}

// without returns a JSON text without the member of an object that a pointer names; other lines stay in their places.
func without(text []byte, member jsontext.Pointer) []byte {
	d, start := jsontext.NewDecoder(bytes.NewReader(text)), int64(0)
	for d.StackPointer() != member {
		start = d.InputOffset()
		if _, err := d.ReadToken(); err != nil {
			return nil // it has none; the empty text is an error, too
		}
	}
	_ = d.SkipValue() // a mistake in it is found again behind it
	rest := text[d.InputOffset():]
	if text[start-1] == '{' {
		rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte{','})
	}
	lines := bytes.Count(text[start:int64(len(text)-len(rest))], []byte("\n"))
	return slices.Concat(text[:start], bytes.Repeat([]byte("\n"), lines), rest)
}

// plain returns an error of the library in words, without its place.
func plain(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return errors.New("given twice")
		case errors.Is(err, io.ErrUnexpectedEOF):
			return ErrCut
		}
		return fmt.Errorf("expected JSON, found an error in byte %d: %w", e.ByteOffset+1, e.Err)
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case !ok:
		return err
	case errors.Is(err, json.ErrUnknownName):
		return errors.New("there is no such field" + suggest.DidYouMean(e.JSONPointer.LastToken(), keysOf(e.GoType)))
	case errors.Is(e.Err, strconv.ErrRange):
		return fmt.Errorf("expected a smaller number, found %.60s", string(e.JSONValue))
	case e.Err != nil && !errors.Is(e.Err, strconv.ErrSyntax):
		return e.Err
	}
	kinds := map[jsontext.Kind]string{
		'n': "null", 'f': "a truth value", 't': "a truth value", '"': "a text", '0': "a number",
		'{': "an object", '[': "a list",
	}
	found := fmt.Sprintf("%.60s", string(e.JSONValue)) // its String method returns null for none
	return fmt.Errorf("expected %s, found %s", typeName(e.GoType), cmp.Or(found, kinds[e.JSONKind], "something else"))
}

// keysOf returns the keys of a struct, also one that a pointer points to.
func keysOf(t reflect.Type) (keys []string) {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			keys = append(keys, key)
		}
	}
	return keys
}

// typeName describes the values of a Go type.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Pointer:
		return typeName(t.Elem())
	}
	switch kind := t.Kind().String(); {
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "uint"):
		return "a whole number from 0"
	}
	return "an object"
}

// inField returns an error with the field that a pointer names.
func inField(pointer jsontext.Pointer, err error) error {
	if field := fieldOf(pointer); field != "" && err != nil {
		return &problems.FieldError{Field: fmt.Sprintf("%.200s", field), Err: err}
	}
	return err
}

// fieldOf returns the field that a pointer names, as in a[3].b; "" for the whole value.
func fieldOf(pointer jsontext.Pointer) string {
	field := ""
	for token := range pointer.Tokens() {
		if _, e := strconv.Atoi(token); e == nil && field != "" {
			field += "[" + token + "]"
		} else {
			field += "." + token
		}
	}
	return strings.TrimPrefix(field, ".")
}
