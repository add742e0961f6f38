package columnar

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

// full is a record with something in every place.
func full(i int64) *record.Game {
	return &record.Game{
		Game: i, Pair: i / 2, Rules: "standard", Opening: fmt.Sprint("o", i%5), Policy: "random",
		South: record.Player{Agent: "a", Seed: 1<<64 - 1}, North: record.Player{Agent: "b", Seed: 2},
		Limits:       record.Limits{Depth: 3, Nodes: 4, MoveTime: "1s", Clock: "1m0s+1s"},
		OnRepetition: "allow", Adjudication: "proven",
		Moves: []string{"a1-a2", "b1-b2"}, Scores: []record.Score{record.NoScore, -5}, Depths: []int{0,
			7}, Nodes: []int64{8, 1 << 40},
		Result: "0-1", Reason: "illegal", Plies: 2, Fault: &record.Fault{Side: "south", Kind: "illegal", Detail: "no"},
		Timing: record.Timing{Start: time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC), Seconds: 1.5,
			MoveMS: []float64{1.25, 3}, OverrunMS: 2.5},
	}
}

// bare is a record with as little as may be.
func bare(i int64) *record.Game {
	return &record.Game{Game: i, Pair: i / 2, South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"},
		Moves: []string{}, Result: "1-0", Reason: record.Imported}
}

// The columns, read by their names without the row type, hold the record.
func TestColumns(t *testing.T) {
	var buf bytes.Buffer
	w := NewWriter(&buf)
	require.NoError(t, w.Write(full(7)))
	require.NoError(t, w.Write(bare(8)))
	require.NoError(t, w.Close())
	f, err := parquet.OpenFile(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	require.NoError(t, err)
	version, ok := f.Lookup("gyges_games")
	require.True(t, ok)
	require.Equal(t, "1", version)

	cells := map[string][]string{}
	rows := f.RowGroups()[0].Rows()
	defer func() { require.NoError(t, rows.Close()) }()
	list := make([]parquet.Row, 2)
	n, _ := rows.ReadRows(list)
	require.Equal(t, 2, n)
	columns := f.Schema().Columns()
	for i, r := range list {
		for _, v := range r {
			name := columns[v.Column()][0]
			text := v.String()
			if v.IsNull() {
				text = "null"
			}
			if i == 1 {
				name = "bare_" + name
			}
			cells[name] = append(cells[name], text)
		}
	}
	us := fmt.Sprint(full(7).Timing.Start.UnixMicro())
	for name, want := range map[string][]string{
		"game": {"7"}, "pair": {"3"}, "rules": {"standard"}, "opening": {"o2"}, "policy": {"random"},
		"south_agent": {"a"}, "south_seed": {"-1"}, "north_agent": {"b"}, "north_seed": {"2"},
		"limits_depth": {"3"}, "limits_nodes": {"4"}, "limits_movetime": {"1s"}, "limits_clock": {"1m0s+1s"},
		"on_repetition": {"allow"}, "adjudication": {"proven"},
		"moves": {"a1-a2", "b1-b2"}, "scores": {"null", "-5"}, "depths": {"0", "7"}, "nodes": {"8", "1099511627776"},
		"result": {"0-1"}, "reason": {"illegal"}, "plies": {"2"}, "fault_side": {"south"}, "fault_kind": {"illegal"}, "fault_detail": {"no"},
		"timing_start": {us}, "timing_seconds": {"1.5"}, "timing_move_ms": {"1.25", "3"}, "timing_overrun_ms": {"2.5"},
		"bare_game": {"8"}, "bare_rules": {""}, "bare_limits_depth": {"null"}, "bare_moves": {"null"}, "bare_fault_side": {"null"}, "bare_timing_start": {"null"},
		"bare_reason": {"imported"}, "bare_timing_seconds": {"0"},
	} {
		require.Equal(t, want, cells[name], name)
	}
	require.Len(t, columns, 29)
	require.Contains(t, f.Schema().String(), "required int64 south_seed (INT(64,false));",
		"its bits are those of an unsigned number")
	require.Contains(t, f.Schema().String(), "optional int64 timing_start (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));")
}

// Groups are closed on the way, so that memory stays flat, and no row is lost.
func TestGroups(t *testing.T) {
	const games = 2*groupGames + 5
	var buf bytes.Buffer
	w := NewWriter(&buf)
	for i := range int64(games) {
		require.NoError(t, w.Write(full(i)))
	}
	require.NoError(t, w.Close())
	f, err := parquet.OpenFile(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	require.NoError(t, err)
	require.Len(t, f.RowGroups(), 3)
	r := parquet.NewGenericReader[row](f)
	defer func() { require.NoError(t, r.Close()) }()
	got := make([]row, games)
	n, _ := r.Read(got)
	require.Equal(t, games, n)
	for i := range got {
		require.EqualValues(t, i, got[i].Game)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }

func TestWriteFails(t *testing.T) {
	w := NewWriter(fullDisk{})
	err := w.Write(full(0))
	if err == nil {
		err = w.Close()
	}
	require.ErrorContains(t, err, "writing Parquet: no space left")
}
