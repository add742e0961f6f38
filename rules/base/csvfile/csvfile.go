// Package csvfile writes CSV whose cells a spreadsheet takes for text or numbers,
// never for formulas (OWASP: CSV Injection).
package csvfile

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// formula holds the characters that a formula may begin with.
const formula = "=+-@\t\r"

// Writer is a [csv.Writer] that puts an apostrophe before each cell that a
// spreadsheet would take for a formula. Numbers stay as they are.
type Writer struct{ *csv.Writer }

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) Writer { return Writer{csv.NewWriter(w)} }

// Write writes a row, as [csv.Writer.Write] does. It may change the row's cells.
func (w Writer) Write(row []string) error {
	for i, cell := range row {
		if _, err := strconv.ParseFloat(cell, 64); err != nil && isFormula(cell) {
			row[i] = "'" + cell
		}
	}
	return w.Writer.Write(row)
}

// WriteAll writes rows and flushes, as [csv.Writer.WriteAll] does. It may change
// the rows' cells.
func (w Writer) WriteAll(rows [][]string) error {
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// Text returns the text of a cell that [Writer] wrote.
func Text(cell string) string {
	if strings.HasPrefix(cell, "'") && isFormula(cell) {
		return cell[1:]
	}
	return cell
}

// isFormula reports whether a cell begins like a formula, behind apostrophes that
// it may have of its own.
func isFormula(cell string) bool {
	cell = strings.TrimLeft(cell, "'")
	return cell != "" && strings.IndexByte(formula, cell[0]) >= 0
}
