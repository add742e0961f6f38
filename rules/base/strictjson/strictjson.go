// Package strictjson reads JSON in which nothing may be superfluous: a name that the Go type
// doesn't have, or that is given twice, is an error, and so is anything after the value.
package strictjson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"gyges/rules/base/problems"
)

// ErrCut is the error of JSON that ends too early.
var ErrCut = errors.New("expected JSON, found a text that is cut short")

// Unmarshal stores the one JSON value in text, which has at most limit bytes, in *to. Durations are
// numbers of nanoseconds. If the error is in a field of the value, it is a [problems.FieldError];
// if the text is cut short, it is [ErrCut].
func Unmarshal(text []byte, limit int, to any) error {
	if len(text) > limit {
		return fmt.Errorf("expected at most %d bytes, found %d", limit, len(text))
	}
	err := json.Unmarshal(text, to,
		json.RejectUnknownMembers(true), jsonv1.FormatDurationAsNano(true))
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return inField(semantic.JSONPointer, semanticError(semantic))
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return inField(syntactic.JSONPointer, errors.New("given twice"))
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return ErrCut
		}
		place := fmt.Sprintf("byte %d", syntactic.ByteOffset+1)
		if lines := bytes.Count(text[:syntactic.ByteOffset], []byte("\n")); lines > 0 {
			place = fmt.Sprintf("line %d", 1+lines)
		}
		return fmt.Errorf("expected JSON, found an error in %s: %w", place, syntactic.Err)
	}
	return err
}

// Line returns the line of a field in a JSON text, from 1; the first line of the text where the
// field is not found.
func Line(text []byte, field jsontext.Pointer) int {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	for d.StackPointer() != field {
		if _, err := d.ReadToken(); err != nil {
			return 1
		}
	}
	return 1 + bytes.Count(text[:d.InputOffset()], []byte("\n"))
}

// semanticError returns an error of a JSON value that the Go value can't hold, without its place.
func semanticError(e *json.SemanticError) error {
	switch {
	case errors.Is(e.Err, json.ErrUnknownName):
		return errors.New("there is no such field")
	case errors.Is(e.Err, strconv.ErrRange):
		return fmt.Errorf("expected a smaller number, found %.60s", string(e.JSONValue))
	case e.Err != nil && !errors.Is(e.Err, strconv.ErrSyntax):
		return e.Err
	}
	kinds := map[jsontext.Kind]string{
		'n': "null",
		'f': "a truth value",
		't': "a truth value",
		'"': "a text",
		'0': "a number",
		'{': "an object",
		'[': "a list",
	}
	value := fmt.Sprintf("%.60s", string(e.JSONValue)) // its String method returns null for none
	found := cmp.Or(value, kinds[e.JSONKind], "something else")
	return fmt.Errorf("expected %s, found %s", typeName(e.GoType), found)
}

func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return typeName(t.Elem())
	}
	names := map[string]string{
		"string": "a text",
		"bool":   "true or false",
		"float":  "a number",
		"int":    "a whole number",
		"uint":   "a whole number from 0",
		"slice":  "a list",
		"array":  "a list",
	}
	kind := strings.TrimRight(t.Kind().String(), "0123456789") // of any size
	return cmp.Or(names[kind], "an object")
}

func inField(pointer jsontext.Pointer, err error) error {
	if field := fieldOf(pointer); field != "" {
		return &problems.FieldError{Field: fmt.Sprintf("%.200s", field), Err: err}
	}
	return err
}

// fieldOf returns the field that a pointer names, as in a[3].b; "" for the whole value.
func fieldOf(pointer jsontext.Pointer) string {
	field := ""
	for token := range pointer.Tokens() {
		_, err := strconv.Atoi(token)
		if err == nil && field != "" { // an index
			field += "[" + token + "]"
		} else {
			field += "." + token
		}
	}
	return strings.TrimPrefix(field, ".")
}
