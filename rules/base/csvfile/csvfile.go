// Package csvfile makes cells of CSV that a spreadsheet takes for text or numbers,
// never for formulas (OWASP: CSV Injection).
package csvfile

import (
	"strconv"
	"strings"
)

// formula holds the characters that a formula may begin with.
const formula = "=+-@\t\r"

// Cell returns a cell with an apostrophe in front of what a spreadsheet would take for a formula; numbers stay.
func Cell(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil && isFormula(text) {
		return "'" + text
	}
	return text
}

// Text returns the text of which [Cell] made a cell.
func Text(cell string) string {
	if strings.HasPrefix(cell, "'") && isFormula(cell) {
		return cell[1:]
	}
	return cell
}

// isFormula reports whether a cell begins like a formula, behind apostrophes that it may have of its own.
func isFormula(cell string) bool {
	cell = strings.TrimLeft(cell, "'")
	return cell != "" && strings.IndexByte(formula, cell[0]) >= 0
}
