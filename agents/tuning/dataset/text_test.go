package dataset

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

// Programs that read CSV and JSON find the same positions in the text, in order; what isn't known is empty or null.
func TestText(t *testing.T) {
	t.Parallel()
	list := played(t, "kang:max_plies=200,null_move=allow", 300)
	list[0].Wins, list[0].Draws, list[0].Losses = 0, 0, 0 // it was only searched
	list[0].Scored, list[0].Score = true, -30
	list[1].Wins, list[1].Draws, list[1].Losses = 1, 1, 1
	list[1].Scored = false
	list[2].Wins, list[2].Draws, list[2].Losses = 0, 0, 7
	path := filepath.Join(t.TempDir(), "positions")
	for _, format := range []string{"csv", "jsonl"} {
		require.NoError(t, os.WriteFile(path+"."+format, []byte("an earlier file"), 0o600))
		require.NoError(t, WriteText(path+"."+format, format, dealt(list)))
	}
	text, err := os.ReadFile(path + ".csv")
	require.NoError(t, err)
	cells, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"rules", "position", "score", "result", "game", "ply", "split"}, cells[0])
	text, err = os.ReadFile(path + ".jsonl")
	require.NoError(t, err)
	lines := json.NewDecoder(strings.NewReader(string(text)))
	row := 1
	for split, part := range dealt(list) {
		for _, p := range part {
			var line map[string]any
			require.NoError(t, lines.Decode(&line))
			var score, result any
			if p.Scored {
				score = float64(p.Score)
			}
			if p.Count() > 0 {
				result = p.Result()
			}
			require.Equal(t, map[string]any{
				"rules": p.Rules.String(), "position": p.Rules.FormatPosition(p.Position), "score": score, "result": result,
				"game": float64(p.Game), "ply": float64(p.Ply), "split": Split(split).String(),
			}, line)
			for i, key := range cells[0] {
				want := ""
				if line[key] != nil {
					want = fmt.Sprint(line[key])
				}
				require.Equal(t, want, cells[row][i], "%s of row %d", key, row)
			}
			row++
		}
	}
	require.Len(t, cells, row)
	require.False(t, lines.More())
	_, err = Shards(path+".csv", Train)
	require.ErrorContains(t, err, "positions.csv: expected a folder of training positions as Parquet")
	require.Error(t, WriteText(filepath.Join(path, "nowhere", "x.csv"), "csv", dealt(list)))
	_, err = rules.Parse(cells[1][0])
	require.NoError(t, err)
}
