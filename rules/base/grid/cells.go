package grid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"gyges/rules/base/textfmt"
)

// Name is a text from outside, such as a player's name. It is printed even if it is empty.
type Name string

// Cell is a value that people read in another way than programs.
type Cell struct {
	Text  string // in text and Markdown
	Value any    // in CSV and JSON
}

// Percent is a share, 0 to 1, that people read in percent.
func Percent(share float64) Cell { return Cell{textfmt.Percent(share), share} }

// Margin is half a confidence interval, that people read behind ±.
func Margin(half float64) Cell { return Cell{"± " + textfmt.Decimal(half), half} }

// Fixed is a number with a fixed number of decimals for people.
func Fixed(v float64, decimals int) Cell { return Cell{fmt.Sprintf("%.*f", decimals, v), v} }

// Digits is a number with every digit for people, too.
func Digits(v float64) Cell { return Cell{Exact(v), v} }

// Thousands is an integer that people read with commas.
func Thousands(n int64) Cell { return Cell{textfmt.Thousands(n), n} }

// Human returns a value for people, not escaped.
func Human(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case Cell:
		if x, ok := v.Value.(float64); ok && math.IsNaN(x) {
			return ""
		}
		return v.Text
	case Name:
		if v == "" {
			return `""`
		}
	case float64:
		if math.IsNaN(v) {
			return ""
		}
		return textfmt.Decimal(v)
	}
	return fmt.Sprint(value)
}

// Escape returns a text escaped for a format: text or Markdown.
func Escape(f Format, text string) string {
	if f == Markdown && text != "" {
		return textfmt.Markdown(text)
	}
	return textfmt.Escape(text)
}

// Texts returns the cells of a row that have a title, for people, escaped.
func Texts[R any](f Format, columns []Column[R], row R) []string {
	var cells []string
	for _, c := range columns {
		if c.Title != "" {
			cells = append(cells, Escape(f, Human(c.Value(row))))
		}
	}
	return cells
}

// Exact returns a value for CSV: a number with the fewest digits that read back as it, a text escaped.
func Exact(value any) string {
	switch v := jsonValue(value).(type) {
	case nil:
		return ""
	case textfmt.JSON:
		if _, ok := value.(Name); ok {
			return textfmt.Visible(string(v))
		}
		return textfmt.Escape(string(v))
	case float64:
		const small = 1e-4 // below it numbers have an exponent
		if v != 0 && math.Abs(v) < small {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// jsonValue returns a value for JSON.
func jsonValue(value any) any {
	switch v := value.(type) {
	case Cell:
		return jsonValue(v.Value)
	case Name:
		return textfmt.JSON(v)
	case string:
		return textfmt.JSON(v)
	case []string:
		list := make([]textfmt.JSON, len(v))
		for i, text := range v {
			list[i] = textfmt.JSON(text)
		}
		return list
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	}
	return value
}

// Object is a JSON object whose fields keep their order. Strings in it are escaped as in
// [textfmt.JSON], and NaN is null.
type Object []struct {
	Key   string
	Value any
}

// ObjectOf returns a row as an object with the keys of the columns.
func ObjectOf[R any](columns []Column[R], row R) Object {
	o := make(Object, 0, len(columns))
	for _, c := range columns {
		if c.Key != "" {
			o = append(o, Object{{c.Key, c.Value(row)}}...)
		}
	}
	return o
}

// Objects returns rows as objects. The list is never nil.
func Objects[R any](columns []Column[R], rows []R) []Object {
	list := make([]Object, len(rows))
	for i, row := range rows {
		list[i] = ObjectOf(columns, row)
	}
	return list
}

// MarshalJSON implements [json.Marshaler].
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := marshal(jsonValue(f.Value))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", f.Key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal returns a value as JSON, HTML's characters as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// WriteJSON writes a value as JSON, indented, HTML's characters as they are.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
