package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"gyges/rules/base/lists"
	"gyges/rules/base/problems"
)

// Marshal returns the settings of a struct as a JSON object, by their keys, or those of the tag json where they have
// one; "-" is left out, and so are zero values. Numbers of int and float64, and truth values, are themselves, lists
// are arrays, structs are objects, and all else is text.
func Marshal(config any) ([]byte, error) {
	return json.Marshal(objectOf(reflect.ValueOf(config).Elem()))
}

// Values returns the values that [Marshal] writes by their whole keys: the keys of groups are joined by dots.
func Values(config any) map[string]any { return valuesOf(reflect.ValueOf(config).Elem()) }

func valuesOf(v reflect.Value) map[string]any {
	values := map[string]any{}
	for _, f := range fieldsOf(v, "", stored) {
		if !f.Group && !f.Value.IsZero() {
			values[f.Key] = dataOf(f.Value)
		}
	}
	return values
}

func objectOf(v reflect.Value) map[string]any {
	object := map[string]any{}
	for key, value := range valuesOf(v) {
		at, keys := object, strings.Split(key, ".")
		for _, group := range keys[:len(keys)-1] {
			if at[group] == nil {
				at[group] = map[string]any{}
			}
			at = at[group].(map[string]any)
		}
		at[keys[len(keys)-1]] = value
	}
	return object
}

func dataOf(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && !IsText(v.Type()) {
		v = v.Elem()
	}
	switch kind := v.Kind(); {
	case IsList(v.Type()):
		list := make([]any, v.Len())
		for i := range list {
			list[i] = dataOf(v.Index(i))
		}
		return list
	case IsText(v.Type()) || v.Type() == reflect.TypeFor[time.Duration]():
	case kind == reflect.Bool || kind == reflect.Int || kind == reflect.Int64 || kind == reflect.Float64:
		return v.Interface()
	case kind == reflect.Struct:
		return objectOf(v)
	}
	return textOf(v)
}

// Unmarshal sets the settings that a JSON object has, which Marshal returned, or a version before or after this one:
// keys that it doesn't know are ignored. The error joins a [problems.FieldError] for each value that can't be read,
// which is left as it was.
func Unmarshal(text []byte, config any) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber() // with every digit
	var object map[string]any
	if err := in.Decode(&object); err != nil {
		return err
	}
	return setObject(reflect.ValueOf(config).Elem(), object)
}

func setObject(v reflect.Value, object map[string]any) error {
	var errs problems.List
	for _, f := range fieldsOf(v, "", stored) {
		data := any(object)
		for key := range strings.SplitSeq(f.Key, ".") {
			group, _ := data.(map[string]any)
			data = group[key]
		}
		if _, isObject := data.(map[string]any); data == nil || data == "" || f.Group && isObject {
			continue
		}
		err := f.setData(data)
		errs.Expect(err == nil, f.Key, "%w", err)
	}
	return errs.Err()
}

func (f Field) setData(data any) error {
	list, isList := data.([]any)
	switch t := f.Value.Type(); {
	case IsList(t) && !isList:
		return fmt.Errorf("expected a list, found %.60q", fmt.Sprint(data))
	case isList != IsList(t) || f.Group && !IsText(t):
		return fmt.Errorf("expected %s, found %.60q", f.Form(), fmt.Sprint(data))
	case !isList:
		list = []any{data}
	}
	return f.SetTexts(lists.Map(list, func(one any) string { return fmt.Sprint(one) })...)
}
