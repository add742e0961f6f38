package table

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"gyges/ratings"
	"gyges/rules/base/grid"
)

var workerColumns = grid.Cells([]grid.CellColumn{
	{Key: "worker", Title: "Worker", Left: true}, {Key: "games", Title: "Games"},
	{Key: "time_losses", Title: "Late"}, {Key: "host_losses", Title: "Host's"},
	{Key: "faults", Title: "Faults"}, {Key: "pairs", Title: "Pairs"}, {Key: "chi_square", Title: "Chi-sq."},
	{Key: "degrees", Title: "df"}, {Key: "z", Title: "z"}, {Key: "player", Title: "of", Left: true, Drop: 1},
	{Key: "p", Title: "p"}, {Key: "outlier"},
})

// WriteWorkers writes the table of workers as text; nothing if there is none.
func WriteWorkers(w io.Writer, l Layout, workers *Schedule) error {
	p := newPage(grid.Text, l)
	p.workers(workers)
	return p.writeTo(w)
}

func (p *page) workers(s *Schedule) {
	if s != nil {
		p.schedules([]Schedule{*s})
	}
}

// Workers returns the table of the workers that played queued runs, with a note on each outlier; nil if none did.
// Labels are names of players, where they differ.
func Workers(w *ratings.Workers, labels map[string]string) *Schedule {
	s := &Schedule{Kind: "workers", Title: "Workers", Columns: workerColumns}
	number := func(v float64, decimals int) any {
		if math.IsNaN(v) {
			return nil
		}
		return grid.Fixed(v, decimals)
	}
	for _, x := range w.Table() {
		x.Player = cmp.Or(labels[x.Player], x.Player)
		row := []any{grid.Name(x.Name), x.Games, x.TimeLosses, x.HostLosses, x.Faults, x.Pairs, nil, nil, number(x.Z, 1),
			x.Player, number(x.P, 3), x.Outlier}
		if x.Degrees > 0 {
			row[6], row[7] = grid.Fixed(x.ChiSquare, 1), x.Degrees
		}
		s.Rows = append(s.Rows, row)
		if x.Outlier {
			s.Notes = append(s.Notes, fmt.Sprintf("Note: worker %s differs from the others (chi-square %.1f on %d, z %+.1f "+
				"of %s, p = %.2g): compare its load, its engines and its gyges bench search; gyges games --worker lists its games.",
				x.Name, x.ChiSquare, x.Degrees, x.Z, x.Player, x.P))
		}
	}
	if s.Rows == nil {
		return nil
	}
	return s
}
