package grid

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"

	"gyges/rules/base/csvfile"
	"gyges/rules/base/lists"
)

// Format is a way to write a table.
type Format string

// The formats. Text and Markdown are for people: rounded, with titles. CSV and JSON are for
// programs: every digit, with keys.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	CSV      Format = "csv"
	JSON     Format = "json"
)

// Options say how a text is laid out. Other formats ignore them.
type Options struct {
	// Width is how long the lines may be; 0: as long as needed. In a wider table the columns that
	// have a Drop are left out, the highest first, until it fits. If it doesn't, cells of words are
	// wrapped and then, unless Fold is 0, the columns are printed in blocks one below the other,
	// each with the first Fold columns; columns of numbers are then not wrapped but for their
	// headers.
	Width int
	Fold  int
	Bold  bool // the first row
	Rest  bool // CSV without the line of names: the table goes on
}

// Write writes columns and rows. JSON is an array of objects, indented.
func (t *Table) Write(w io.Writer, f Format, o Options) error {
	switch f {
	case JSON:
		return WriteJSON(w, t)
	case CSV:
		lines := [][]string{t.Keys()}
		for _, row := range t.Rows {
			lines = append(lines, t.csv(row))
		}
		return csv.NewWriter(w).WriteAll(lines)
	}
	return newLayout(t.Titled(), f, o).write(w, f == Markdown)
}

// Keys returns the keys of the columns that have one.
func (t *Table) Keys() (keys []string) {
	for _, c := range t.Columns {
		if c.Key != "" {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

func (t *Table) csv(row []Cell) (cells []string) {
	for i, c := range t.Columns {
		if c.Key != "" {
			cells = append(cells, csvfile.Cell(Exact(row[i])))
		}
	}
	return cells
}

func (t *Table) object(row []Cell) Object {
	o := make(Object, 0, len(row))
	for i, c := range t.Columns {
		if c.Key != "" {
			o = append(o, Object{{c.Key, row[i]}}...)
		}
	}
	return o
}

// MarshalJSON returns an array of objects, which is never null.
func (t *Table) MarshalJSON() ([]byte, error) {
	return marshal(lists.Map(t.Rows, t.object))
}

// Writer writes a table row by row. CSV and JSON are written at once, a line for each row; text and
// Markdown, whose columns are as wide as their widest cell, by Close.
type Writer[R any] struct {
	w       io.Writer
	format  Format
	options Options
	columns []Column[R]
	table   *Table // of the rows for text and Markdown
	csv     *csv.Writer
	mark    string // what comes before the next object of JSON
}

// NewWriter returns a writer of an empty table to w.
func NewWriter[R any](w io.Writer, f Format, o Options, columns []Column[R]) *Writer[R] {
	writer := &Writer[R]{
		w:       w,
		format:  f,
		options: o,
		columns: columns,
		table:   Make(columns, nil),
		csv:     csv.NewWriter(w),
		mark:    "[",
	}
	if f == CSV && !o.Rest {
		_ = writer.csv.Write(writer.table.Keys()) // the next write returns the error
	}
	return writer
}

// Write adds a row.
func (w *Writer[R]) Write(row R) error {
	cells := cellsOf(w.columns, row)
	switch w.format {
	case CSV:
		return w.csv.WriteAll([][]string{w.table.csv(cells)})
	case JSON:
		text, err := marshal(w.table.object(cells))
		if err == nil {
			_, err = fmt.Fprintf(w.w, "%s\n  %s", w.mark, bytes.TrimSpace(text))
		}
		w.mark = ","
		return err
	}
	w.table.Rows = append(w.table.Rows, cells)
	return nil
}

// Close writes what is left, without closing the underlying writer.
func (w *Writer[R]) Close() error {
	switch w.format {
	case CSV:
		return w.csv.WriteAll(nil)
	case JSON:
		end := "\n]\n"
		if w.mark == "[" { // there were no rows
			end = "[]\n"
		}
		_, err := io.WriteString(w.w, end)
		return err
	}
	return w.table.Write(w.w, w.format, w.options)
}

// Object is a JSON object whose members keep their order. Strings in it are escaped as in
// [textfmt.JSON], and NaN is null.
type Object []struct {
	Key   string
	Value any
}

// ObjectOf returns a row as an object with the keys of the columns.
func ObjectOf[R any](columns []Column[R], row R) Object {
	t := Make(columns, []R{row})
	return t.object(t.Rows[0])
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
