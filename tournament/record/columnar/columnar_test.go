package columnar

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

// Games are read back from columns with the names of the record, over several groups of rows.
func TestColumns(t *testing.T) {
	game := func(i int64) *record.Game {
		return &record.Game{
			Game: i, Pair: i / 2, Rules: "standard", Opening: "o", South: record.Player{Agent: "a"},
			North: record.Player{Agent: "b"}, Moves: []string{"a1-a2", "b1-b2"}, Scores: []record.Score{record.NoScore, -5},
			Depths: []int{0, 7}, Nodes: []int64{8, 1 << 40}, Result: "0-1", Reason: "goal", Plies: 2,
			Timing: record.Timing{Start: time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC), Seconds: 1.5,
				MoveMS: []float64{1.25, 3}},
		}
	}
	const games = 40_000
	var buf bytes.Buffer
	w := NewWriter(&buf)
	for i := range int64(games) {
		require.NoError(t, w.Write(game(i)))
	}
	require.NoError(t, w.Close())
	f, err := parquet.OpenFile(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	require.NoError(t, err)
	require.Len(t, f.RowGroups(), 3)
	type columns struct {
		Game   int64     `parquet:"game"`
		South  string    `parquet:"south_agent"`
		Scores []int32   `parquet:"scores,list"`
		Nodes  []int64   `parquet:"nodes,list"`
		Start  time.Time `parquet:"timing_start,timestamp(microsecond)"`
		MoveMS []float64 `parquet:"timing_move_ms,list"`
	}
	r := parquet.NewGenericReader[columns](f)
	rows := make([]columns, games)
	n, _ := r.Read(rows)
	require.Equal(t, games, n)
	want := game(games - 1)
	last := rows[games-1]
	require.Equal(t, want.Game, last.Game)
	require.Equal(t, "a", last.South)
	require.Equal(t, []int32{math.MinInt32, -5}, last.Scores)
	require.Equal(t, want.Nodes, last.Nodes)
	require.True(t, want.Timing.Start.Equal(last.Start))
	require.Equal(t, want.Timing.MoveMS, last.MoveMS)
	require.NoError(t, r.Close())
}
