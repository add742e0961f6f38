// Package csvfile makes cells of CSV that a spreadsheet takes for text or numbers,
// never for formulas (OWASP: CSV Injection).
package csvfile

import (
	"regexp"
	"strconv"
	"strings"
)

// Cell returns a cell with an apostrophe in front of what a spreadsheet would take for a formula;
// numbers stay.
func Cell(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil && isFormula(text) {
		return "'" + text
	}
	return text
}

// escape is what tables write for a character that can't be seen, such as one of no width.
var escape = regexp.MustCompile(`\\(u[0-9a-f]{4}|U[0-9a-f]{8})`)

// Text returns the text of which [Cell] made a cell, with escapes of characters as tables have
// them.
func Text(cell string) string {
	if strings.HasPrefix(cell, "'") && isFormula(cell) {
		cell = cell[1:]
	}
	// Nearly always. The expression would take a third of the time in which games are read.
	if !strings.Contains(cell, `\`) {
		return cell
	}
	return escape.ReplaceAllStringFunc(cell, func(e string) string {
		if r, _, _, err := strconv.UnquoteChar(e, 0); err == nil {
			return string(r)
		}
		return e
	})
}

// isFormula reports whether a cell begins like a formula, behind apostrophes that it may have of
// its own.
func isFormula(cell string) bool {
	cell = strings.TrimLeft(cell, "'")
	return cell != "" && strings.IndexByte("=+-@\t\r", cell[0]) >= 0
}
