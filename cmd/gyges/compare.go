package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/report"
)

// compareCmd compares two runs.
type compareCmd struct {
	A      string `arg:"" what:"two runs" help:"Folder of a run."`
	B      string `arg:"" what:"a second run" help:"Folder of the run to compare it with."`
	Format string `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json."`
}

// Run compares the runs and prints where they differ.
func (c *compareCmd) Run(ctx context.Context, e *env) error {
	if _, err := filesOfRuns([]string{c.A, c.B}); err != nil {
		return err
	}
	a, okA := tournament.RunFolder(c.A)
	b, okB := tournament.RunFolder(c.B)
	if !okA || !okB {
		return fmt.Errorf("expected the folders of two runs, found %s and %s", c.A, c.B)
	}
	found, err := report.Compare(ctx, os.DirFS(a), os.DirFS(b), math.MaxInt64)
	if err != nil {
		return err
	}
	return asFailure(c.print(e, found))
}

// print prints the tables.
func (c *compareCmd) print(e *env, found *report.Comparison) error {
	f, all := grid.Format(c.Format), slices.Concat(found.Parts...)
	columns := report.ComparedColumns(&report.ComparedRow{})
	switch f {
	case grid.CSV:
		return grid.Write(e.out, f, grid.Options{}, columns, all)
	case grid.JSON:
		return grid.WriteJSON(e.out, grid.Object{{Key: "a", Value: c.A}, {Key: "b", Value: c.B},
			{Key: "rows", Value: grid.Objects(columns, all)}, {Key: "notes", Value: found.Notes}})
	}
	e.out.printf("A is %s, B is %s\n", grid.Escape(f, c.A), grid.Escape(f, c.B))
	for _, rows := range found.Parts {
		e.out.printf("\n%s\n\n", grid.Escape(f, rows[0].Part))
		o := grid.Options{Width: tableWidth(e.out)}
		if err := grid.Write(e.out, f, o, report.ComparedColumns(&rows[0]), rows); err != nil {
			return err
		}
	}
	if g := found.Game; g != nil {
		e.out.printf("\nSee it with: gyges games show %s %d --ply %d\n", textfmt.Visible(report.ShellWord(c.A)), g.Game,
			g.Ply)
	}
	for _, note := range found.Notes {
		e.out.printf("\nNote: %s.\n", grid.Escape(f, note))
	}
	return nil
}
