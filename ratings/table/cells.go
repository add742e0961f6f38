package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"gyges/rules/base/textfmt"
)

// The kinds of cells, beside strings, ints, float64s (rounded to one decimal in text)
// and nil for no value. Text shows them in different ways; CSV and JSON have the
// number with every digit.
type (
	name     string                        // from outside: escaped, and visible if empty
	percent  float64                       // 0 to 1
	margin   float64                       // with ± in front
	zScore   float64                       // with a sign and two decimals
	digits   float64                       // with every digit in text too
	estimate struct{ value, half float64 } // with half its 95 % interval, in text alone
	textless float64                       // left out of text
)

// text returns a cell for people, not escaped.
func text(cell any) string {
	switch v := cell.(type) {
	case name:
		if v == "" {
			return `""`
		}
		return string(v)
	case float64:
		return textfmt.Decimal(v)
	case percent:
		return textfmt.Percent(float64(v))
	case margin:
		return "± " + textfmt.Decimal(float64(v))
	case zScore:
		return fmt.Sprintf("%+.2f", float64(v))
	case Hundredths:
		return fmt.Sprintf("%.2f", float64(v))
	case estimate:
		return textfmt.Decimal(v.value) + " ± " + textfmt.Decimal(v.half)
	case textless:
		return ""
	}
	return exact(cell)
}

// exact returns a cell for CSV: a number as the shortest text that reads back as it.
func exact(cell any) string {
	switch v := jsonValue(cell).(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case textfmt.JSON:
		if _, ok := cell.(name); ok || v != "" {
			return textfmt.Visible(string(v))
		}
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// jsonValue returns a cell for JSON.
func jsonValue(cell any) any {
	switch v := cell.(type) {
	case name:
		return textfmt.JSON(v)
	case string:
		return textfmt.JSON(v)
	case percent:
		return float64(v)
	case margin:
		return float64(v)
	case zScore:
		return float64(v)
	case digits:
		return float64(v)
	case Hundredths:
		return float64(v)
	case estimate:
		return v.value
	case textless:
		return float64(v)
	}
	return cell
}

// list is rows of cells under keys, as CSV and JSON have them.
type list struct {
	keys []string
	rows [][]any
}

// MarshalJSON writes an array of objects.
func (l list) MarshalJSON() ([]byte, error) {
	objects := make([]object, len(l.rows))
	for i, row := range l.rows {
		for k, key := range l.keys {
			objects[i] = append(objects[i], field{key, jsonValue(row[k])})
		}
	}
	return json.Marshal(objects)
}

// object is a JSON object whose fields keep their order.
type object []field

type field struct {
	key   string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, f := range o {
		b.WriteByte("{,"[min(i, 1)])
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", f.key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
