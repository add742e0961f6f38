package main

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
)

func (o *output) terminal() *os.File {
	if f, ok := o.w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

func layout(w *output) table.Layout { return table.Layout{Width: tableWidth(w), Styles: styles(w)} }

// printTable prints a table that is no wider than the terminal; see [grid.Options] for fold.
func printTable(w *output, t *grid.Table, f grid.Format, fold int) error {
	return t.Write(w, f, grid.Options{Width: tableWidth(w), Fold: fold})
}

// tableWidth returns how wide tables are printed: as wide as the terminal, 40 at least, elsewhere 80 columns.
func tableWidth(w *output) int {
	n := 80
	if f := w.terminal(); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			n = width
		}
	}
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		n = width
	}
	return max(n, 40)
}

func styles(w *output) bool {
	return w.terminal() != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

const red, yellow = "\x1b[31m", "\x1b[33m"

func styled(w *output, colour, text string) string {
	if !styles(w) {
		return text
	}
	return colour + text + "\x1b[0m"
}
