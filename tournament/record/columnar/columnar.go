// Package columnar writes games as Parquet, which data-analysis tools (pandas, Polars, DuckDB)
// read: a row for each game, with what is counted most; the rest is in its record.
package columnar

import (
	"io"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"gyges/tournament/record"
)

// row is a game. The lists are empty where nothing is known of any move.
type row struct {
	Game    int64          `parquet:"game,delta"`
	Pair    int64          `parquet:"pair,delta"`
	Rules   string         `parquet:"rules,dict"`
	Opening string         `parquet:"opening,dict"`
	South   string         `parquet:"south_agent,dict"`
	North   string         `parquet:"north_agent,dict"`
	Result  string         `parquet:"result,dict"`
	Reason  string         `parquet:"reason,dict"`
	Plies   int            `parquet:"plies"`
	Start   time.Time      `parquet:"timing_start,timestamp(microsecond)"`
	Seconds float64        `parquet:"timing_seconds"`
	Moves   []string       `parquet:"moves,list"`
	Scores  []record.Score `parquet:"scores,list"` // [record.NoScore] where the mover gave none
	Depths  []int          `parquet:"depths,list"`
	Nodes   []int64        `parquet:"nodes,list"`
	MoveMS  []float64      `parquet:"timing_move_ms,list"`
}

// Writer writes games. It belongs to one goroutine.
type Writer struct{ rows *parquet.GenericWriter[row] }

// NewWriter returns a writer to w. Close ends the file; it doesn't close w.
func NewWriter(w io.Writer) Writer {
	const groupRows = 16 << 10 // in memory
	return Writer{parquet.NewGenericWriter[row](w, parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.MaxRowsPerRowGroup(groupRows))}
}

// Write appends a game.
func (w Writer) Write(g *record.Game) error {
	_, err := w.rows.Write([]row{{g.Game, g.Pair, g.Rules, g.Opening, g.South.Agent, g.North.Agent, g.Result, g.Reason,
		g.Plies, g.Timing.Start, g.Timing.Seconds, g.Moves, g.Scores, g.Depths, g.Nodes, g.Timing.MoveMS}})
	return err
}

// Close writes what is in memory and ends the file.
func (w Writer) Close() error { return w.rows.Close() }
