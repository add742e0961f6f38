package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gyges/rules/base/suggest"
	"gyges/tournament/report"
)

type plotCmd struct {
	File     string `arg:"" help:"CSV with the names of its columns in the first line; - is the standard input."`
	Label    string `required:"" placeholder:"COLUMN,…" help:"Columns that name a row of the picture."`
	Value    string `required:"" placeholder:"COLUMN" help:"Column of the numbers."`
	Interval string `required:"" placeholder:"COLUMN" help:"Column of half the 95 % interval, or LOW,HIGH, those of its ends."`
	Unit     string `placeholder:"TEXT" help:"What stands below the numbers. Default: the name of their column."`
	Caption  string `placeholder:"TEXT" help:"The picture in words, for who can't see it. Default: the names of the columns."`
	Narrow   bool   `help:"Draw it 360 pixels wide, for phones, with labels above their rows."`
	Out      string `short:"o" placeholder:"FILE" help:"SVG file to write; one that is there is replaced. Default: the standard output."`
}

// maxPlotRows bounds the rows of a picture.
const maxPlotRows = 500

// Run draws the picture.
func (c *plotCmd) Run(ctx context.Context, e *env) error {
	if _, err := formatOf("", "--out", c.Out, "svg"); err != nil {
		return err
	}
	rows, err := readInput(ctx, e, c.File, c.read)
	if err != nil {
		return err
	}
	figure := report.IntervalPlot(cmp.Or(c.Caption, c.Value+" by "+c.Label), cmp.Or(c.Unit, c.Value), rows)
	if c.Narrow {
		figure.SVG = figure.Narrow
	}
	_, err = writeOut(e, c.Out, writeText(figure.StandaloneSVG()))
	return err
}

// read reads the rows of the picture.
func (c *plotCmd) read(in io.Reader, name string) (rows []report.Interval, err error) {
	r := csv.NewReader(in)
	names, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: expected a line with the names of columns: %w", name, err)
	}
	ends := strings.Split(c.Interval, ",")
	if len(ends) > 2 {
		return nil, fmt.Errorf("--interval: expected COLUMN or LOW,HIGH, found %.60q", c.Interval)
	}
	labels := strings.Split(c.Label, ",")
	var columns []int // labels, value, interval
	for _, column := range slices.Concat(labels, []string{c.Value}, ends) {
		i := slices.Index(names, column)
		if i < 0 {
			return nil, fmt.Errorf("%s: %s", name, suggest.Unknown("column", column, names))
		}
		columns = append(columns, i)
	}
	for {
		row, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && len(rows) > 0:
			return rows, nil
		case err != nil:
			return nil, fmt.Errorf("%s: expected rows: %w", name, err)
		case len(rows) == maxPlotRows:
			return nil, fmt.Errorf("%s: expected at most %d rows, found more", name, maxPlotRows)
		}
		var text []string
		for _, i := range columns[:len(labels)] {
			text = append(text, row[i])
		}
		numbers := make([]float64, 0, 3)
		for _, i := range columns[len(labels):] {
			x, err := strconv.ParseFloat(row[i], 64)
			if err != nil || math.Abs(x) > 1e12 || math.IsNaN(x) {
				line, _ := r.FieldPos(i)
				return nil, fmt.Errorf("%s:%d: %s: expected a number, found %.60q", name, line, names[i], row[i])
			}
			numbers = append(numbers, x)
		}
		if len(ends) == 1 {
			numbers = []float64{numbers[0], numbers[0] - numbers[1], numbers[0] + numbers[1]}
		}
		label := strings.Join(text, ", ")
		rows = append(rows, report.Interval{Label: label, Mid: numbers[0], Low: numbers[1], High: numbers[2]})
	}
}
