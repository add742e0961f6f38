package main

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// tableFlag is the format of a command that prints tables.
type tableFlag struct {
	Format grid.Format `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

// resultFlag is the format of a command that ends with one result.
type resultFlag struct {
	Format grid.Format `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), or json: one object, also of a run that was stopped; the text is on stderr then."`
}

// result prints a result if its format is JSON, and returns where its text goes: beside JSON to
// stderr.
func (e *env) result(f grid.Format, value any) *output {
	if f != grid.JSON {
		return e.out
	}
	_ = grid.WriteJSON(e.out, value) // the output keeps the error
	return e.err
}

// terminal returns the terminal that is written to; nil if it is something else.
func (o *output) terminal() *os.File {
	f, isFile := o.w.(*os.File)
	if isFile && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// layout says how tables of ratings are laid out on w.
func layout(w *output) table.Layout {
	return table.Layout{Width: tableWidth(w), Styles: styles(w)}
}

// printTable prints a table that is no wider than the terminal; see [grid.Options] for fold.
func printTable(w *output, t *grid.Table, f grid.Format, fold int) {
	options := grid.Options{Width: tableWidth(w), Fold: fold}
	_ = t.Write(w, f, options) // the output keeps the error
}

// tableWidth returns how wide tables are printed: as wide as the terminal, 40 at least, elsewhere
// 80 columns.
func tableWidth(w *output) int {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		width = 0
	}
	if f := w.terminal(); f != nil && width <= 0 {
		width, _, _ = term.GetSize(int(f.Fd()))
	}
	if width <= 0 { // unknown
		width = 80
	}
	// Narrower tables would have a letter a line.
	return max(width, 40)
}

// drawable reports whether w is a terminal that understands more than text.
func (o *output) drawable() bool { return o.terminal() != nil && os.Getenv("TERM") != "dumb" }

// styles reports whether colours may be used.
func styles(w *output) bool {
	return os.Getenv("NO_COLOR") == "" && w.drawable()
}

// Colours of the terminal.
const red, yellow = "\x1b[31m", "\x1b[33m"

// coloured is a text that [output.printf] doesn't escape.
type coloured string

// styled returns a text in a colour, where colours may be used.
func styled(w *output, colour, text string) coloured {
	text = textfmt.Escape(text)
	if styles(w) {
		text = colour + text + "\x1b[0m"
	}
	return coloured(text)
}
