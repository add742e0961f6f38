package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"gyges/ratings/csvfile"
)

// write prints the report in the given format.
func (r *benchReport) write(w *output, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "csv":
		return r.writeCSV(w)
	default:
		return r.writeText(w, format == "markdown")
	}
}

// writeText prints tables for people, as text or as Markdown.
func (r *benchReport) writeText(w *output, markdown bool) error {
	if err := r.generationGrid().write(w, markdown); err != nil {
		return err
	}
	if len(r.Perft) > 0 {
		w.printf("\n")
		if err := r.perftGrid().write(w, markdown); err != nil {
			return err
		}
	}
	workers := "workers"
	if r.Workers == 1 {
		workers = "worker"
	}
	each := time.Duration(math.Round(r.Time * 1e9))
	w.printf("\n%d %s, best round within %v for each line. Boards simplified and kang go by the rules of that name, the others by\n%s.\n",
		r.Workers, workers, each, yardstickRules)
	return nil
}

func (r *benchReport) generationGrid() grid {
	g := grid{header: []string{"Boards", "Mode", "Boards/s", "Moves/s"}}
	for _, l := range r.Generation {
		moves := "-"
		if l.Moves > 0 {
			moves = perSecond(l.Moves, l.Seconds)
		}
		g.rows = append(g.rows, []string{l.Set, l.Mode, perSecond(l.Boards, l.Seconds), moves})
	}
	return g
}

func (r *benchReport) perftGrid() grid {
	g := grid{header: []string{"Position", "Perft", "Nodes", "Seconds", "Nodes/s"}}
	for _, l := range r.Perft {
		g.rows = append(g.rows, []string{
			l.Position, strconv.Itoa(l.Depth), strconv.FormatUint(l.Nodes, 10),
			fmt.Sprintf("%.3f", l.Seconds), perSecond(l.Nodes, l.Seconds),
		})
	}
	return g
}

// writeCSV prints one line for each measurement; columns that say nothing of
// it are empty.
func (r *benchReport) writeCSV(w io.Writer) error {
	rows := [][]string{{
		"table", "boards_or_position", "rules", "mode", "workers", "rounds", "boards", "moves", "nodes", "seconds",
		"boards_per_second", "moves_per_second", "nodes_per_second",
	}}
	workers := strconv.Itoa(r.Workers)
	for _, l := range r.Generation {
		moves, perSecond := "", ""
		if l.Moves > 0 {
			moves, perSecond = strconv.FormatUint(l.Moves, 10), allDigits(l.MovesS)
		}
		rows = append(rows, []string{
			"generation", l.Set, l.Rules, l.Mode, workers, strconv.Itoa(l.Rounds), strconv.FormatUint(l.Boards, 10), moves, "",
			allDigits(l.Seconds), allDigits(l.BoardsS), perSecond, "",
		})
	}
	for _, l := range r.Perft {
		rows = append(rows, []string{
			"perft", l.Position, l.Rules, "perft " + strconv.Itoa(l.Depth), workers, strconv.Itoa(l.Rounds), "", "", strconv.FormatUint(l.Nodes, 10),
			allDigits(l.Seconds), "", "", allDigits(l.NodesS),
		})
	}
	return csvfile.NewWriter(w).WriteAll(rows)
}

func allDigits(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
