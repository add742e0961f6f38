package grid

import (
	"fmt"
	"math"
	"strconv"

	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
)

// Name is a text from outside, such as a player's name. It is printed even if it is empty.
type Name string

// Markup is a text for people that is written as it is, not escaped.
type Markup string

// Cell is a value that people read in another way than programs. The fields below Value are for
// HTML.
type Cell struct {
	Text  string // in text, Markdown and HTML
	Value any    // in CSV and JSON
	Link  string // the address that the text leads to
	Note  string // explanation, shown on focus and in print
	Small string // shown beside the text in print
	Class string // of the style sheet
}

// Percent is a share, 0 to 1, that people read in percent.
func Percent(share float64) Cell { return Cell{Text: textfmt.Percent(share), Value: share} }

// Likelihood is a likelihood from 0 to 1, that people read in percent.
func Likelihood(p float64) Cell { return Cell{Text: textfmt.Likelihood(p) + " %", Value: p} }

// Margin is half a confidence interval, that people read behind ±.
func Margin(half float64) Cell { return Cell{Text: "± " + textfmt.Decimal(half), Value: half} }

// Fixed is a number with a fixed number of decimals for people.
func Fixed(v float64, decimals int) Cell {
	return Cell{Text: fmt.Sprintf("%.*f", decimals, v), Value: v}
}

// Digits is a number with every digit for people, too.
func Digits(v float64) Cell { return Cell{Text: Exact(v), Value: v} }

// Thousands is an integer that people read with commas.
func Thousands(n int64) Cell { return Cell{Text: textfmt.Thousands(n), Value: n} }

// cellOf returns the cell of a value; its text only if people read it.
func cellOf(value any, titled bool) Cell {
	cell, isCell := value.(Cell)
	if !isCell {
		cell.Value = value
		if titled {
			cell.Text = Human(value)
		}
	}
	if x, isNumber := cell.Value.(float64); isNumber && math.IsNaN(x) {
		cell.Text = ""
	}
	return cell
}

// Human returns a value for people, not escaped.
func Human(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case Name:
		if v == "" {
			return `""`
		}
	case float64:
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

// Exact returns a value for CSV: a number with the fewest digits that read back as it, a text
// escaped but for blanks.
func Exact(value any) string {
	if cell, ok := value.(Cell); ok {
		value = cell.Value
	}
	switch v := jsonValue(value).(type) {
	case nil:
		return ""
	case textfmt.JSON:
		if _, ok := value.(Name); ok && v == "" {
			return `""`
		}
		return textfmt.EscapeData(string(v))
	case float64:
		format := byte('f')
		if v != 0 && math.Abs(v) < 1e-4 { // with an exponent
			format = 'g'
		}
		return strconv.FormatFloat(v, format, -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

func jsonValue(value any) any {
	switch v := value.(type) {
	case Cell:
		return jsonValue(v.Value)
	case Name:
		return textfmt.JSON(v)
	case string:
		return textfmt.JSON(v)
	case []string:
		return lists.Map(v, func(text string) textfmt.JSON { return textfmt.JSON(text) })
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	}
	return value
}
