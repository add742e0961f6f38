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

// Marshal returns the settings of a struct as a JSON object. The keys are the settings' own, or the
// key in the tag json where there is one; "-" is left out, and so are zero values. Numbers of int
// and float64, and truth values, are themselves, lists are arrays, structs are objects, and all
// else is text.
func Marshal(config any) ([]byte, error) {
	return json.Marshal(objectOf(reflect.ValueOf(config).Elem()))
}

// Values returns the values that [Marshal] writes by their whole keys: the keys of groups are
// joined by dots.
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

// objectOf returns the values of a struct as an object with an object for each group.
func objectOf(v reflect.Value) map[string]any {
	object := map[string]any{}
	for key, value := range valuesOf(v) {
		names := strings.Split(key, ".")
		last := len(names) - 1
		group := object
		for _, name := range names[:last] {
			if group[name] == nil {
				group[name] = map[string]any{}
			}
			group = group[name].(map[string]any)
		}
		group[names[last]] = value
	}
	return object
}

// dataOf returns a value as encoding/json takes it.
func dataOf(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && !IsText(v.Type()) {
		v = v.Elem()
	}
	t := v.Type()
	switch f := (Field{Value: v}); {
	case f.IsList():
		list := make([]any, v.Len())
		for i := range list {
			list[i] = dataOf(v.Index(i))
		}
		return list
	case f.IsText(), t == reflect.TypeFor[time.Duration]():
		return textOf(v)
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return v.Interface()
	case reflect.Struct:
		return objectOf(v)
	default:
		return textOf(v)
	}
}

// Unmarshal sets the settings that a JSON object has, which Marshal returned, or a version before
// or after this one: keys that it doesn't know are ignored. The error joins a [problems.FieldError]
// for each value that can't be read, which is left as it was.
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
		for name := range strings.SplitSeq(f.Key, ".") {
			group, _ := data.(map[string]any)
			data = group[name]
		}
		_, isObject := data.(map[string]any)
		isMissing := data == nil || data == ""
		if isMissing || f.Group && isObject { // the fields of a group follow
			continue
		}
		err := f.setData(data)
		errs.Expect(err == nil, f.Key, "%w", err)
	}
	return errs.Err()
}

// setData sets a value from what encoding/json has decoded.
func (f Field) setData(data any) error {
	list, isList := data.([]any)
	form := f.Form()
	if f.IsList() {
		form = "a list"
	}
	wantsObject := f.Group && !f.IsText()
	if wantsObject || f.IsList() != isList {
		return fmt.Errorf("expected %s, found %.60q", form, fmt.Sprint(data))
	}
	if !isList {
		list = []any{data}
	}
	texts := lists.Map(list, func(element any) string { return fmt.Sprint(element) })
	return f.SetTexts(texts...)
}
