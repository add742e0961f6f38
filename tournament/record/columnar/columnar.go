// Package columnar writes game records as Parquet, which data-analysis tools
// (pandas, Polars, DuckDB, Arrow) read. A row is a record; its columns have the
// record's names, nested objects joined by an underscore: south_agent. Lists
// without a content are empty, and what is not known is null.
package columnar

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"gyges/tournament/record"
)

// Version is the version of the columns, in the file's metadata under
// "gyges_games".
const Version = 1

// A group of rows is in memory until it is full: of so many games, or plies.
const (
	groupGames = 16 << 10
	groupPlies = 1 << 20
)

// row is a record's columns.
type row struct {
	Game         int64      `parquet:"game,delta"`
	Pair         int64      `parquet:"pair,delta"`
	Rules        string     `parquet:"rules,dict"`
	Opening      string     `parquet:"opening,dict"`
	Policy       string     `parquet:"policy,dict"`
	SouthAgent   string     `parquet:"south_agent,dict"`
	SouthSeed    uint64     `parquet:"south_seed"`
	NorthAgent   string     `parquet:"north_agent,dict"`
	NorthSeed    uint64     `parquet:"north_seed"`
	Depth        *int64     `parquet:"limits_depth"`
	Nodes        *int64     `parquet:"limits_nodes"`
	MoveTime     *string    `parquet:"limits_movetime,dict"`
	Clock        *string    `parquet:"limits_clock,dict"`
	OnRepetition *string    `parquet:"on_repetition,dict"`
	Adjudication *string    `parquet:"adjudication,dict"`
	Moves        []string   `parquet:"moves,list"`
	Scores       []*int32   `parquet:"scores,list"`
	Depths       []int64    `parquet:"depths,list"`
	NodesOf      []int64    `parquet:"nodes,list"`
	Result       string     `parquet:"result,dict"`
	Reason       string     `parquet:"reason,dict"`
	Plies        int64      `parquet:"plies"`
	FaultSide    *string    `parquet:"fault_side,dict"`
	FaultKind    *string    `parquet:"fault_kind,dict"`
	FaultDetail  *string    `parquet:"fault_detail"`
	Start        *time.Time `parquet:"timing_start,timestamp(microsecond)"`
	Seconds      float64    `parquet:"timing_seconds"`
	MoveMS       []float64  `parquet:"timing_move_ms,list"`
	OverrunMS    float64    `parquet:"timing_overrun_ms"`
}

// Writer writes records. It belongs to one goroutine.
type Writer struct {
	parquet      *parquet.GenericWriter[row]
	games, plies int // in memory
}

// NewWriter returns a writer to w. Close ends the file; it doesn't close w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{parquet: parquet.NewGenericWriter[row](w,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.KeyValueMetadata("gyges_games", strconv.Itoa(Version)),
	)}
}

// Write appends a record.
func (w *Writer) Write(g *record.Game) error {
	if _, err := w.parquet.Write([]row{rowOf(g)}); err != nil {
		return fmt.Errorf("writing Parquet: %w", err)
	}
	w.games++
	w.plies += len(g.Moves)
	if w.games < groupGames && w.plies < groupPlies {
		return nil
	}
	w.games, w.plies = 0, 0
	if err := w.parquet.Flush(); err != nil {
		return fmt.Errorf("writing Parquet: %w", err)
	}
	return nil
}

// Close writes what is in memory and ends the file.
func (w *Writer) Close() error {
	if err := w.parquet.Close(); err != nil {
		return fmt.Errorf("writing Parquet: %w", err)
	}
	return nil
}

func rowOf(g *record.Game) row {
	r := row{
		Game: g.Game, Pair: g.Pair, Rules: g.Rules, Opening: g.Opening, Policy: g.Policy,
		SouthAgent: g.South.Agent, SouthSeed: g.South.Seed, NorthAgent: g.North.Agent, NorthSeed: g.North.Seed,
		Depth: known(int64(g.Limits.Depth)), Nodes: known(g.Limits.Nodes),
		MoveTime: known(g.Limits.MoveTime), Clock: known(g.Limits.Clock),
		OnRepetition: known(g.OnRepetition), Adjudication: known(g.Adjudication),
		Moves: g.Moves, NodesOf: g.Nodes, Result: g.Result, Reason: g.Reason, Plies: int64(g.Plies),
		Seconds: g.Timing.Seconds, MoveMS: g.Timing.MoveMS, OverrunMS: g.Timing.OverrunMS,
	}
	for _, d := range g.Depths {
		r.Depths = append(r.Depths, int64(d))
	}
	for i := range g.Scores {
		if g.Scores[i] == record.NoScore {
			r.Scores = append(r.Scores, nil)
			continue
		}
		score := int32(g.Scores[i])
		r.Scores = append(r.Scores, &score)
	}
	if f := g.Fault; f != nil {
		r.FaultSide, r.FaultKind, r.FaultDetail = &f.Side, known(string(f.Kind)), known(f.Detail)
	}
	if start := g.Timing.Start.UTC(); !start.IsZero() {
		r.Start = &start
	}
	return r
}

// known returns nil for a zero value, which stands for nothing.
func known[T comparable](x T) *T {
	if x == *new(T) {
		return nil
	}
	return &x
}
