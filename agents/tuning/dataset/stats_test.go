package dataset

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

// Every figure of the summary, counted again by going through the positions for it alone.
func TestSummarize(t *testing.T) {
	t.Parallel()
	list := played(t, "simplified", 700)
	for i, s := range played(t, "kang", 500) {
		s.Game += 100_000
		s.Ply += int32(i % 100)
		list = append(list, s)
	}
	dir := write(t, list)
	got, err := Summarize(context.Background(), dir)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"agents": "random"}, got.About)

	kinds := map[string]int64{}
	for _, g := range got.Groups {
		kinds[g.Kind] += g.Positions
		want, games, end := Group{Kind: g.Kind, Name: g.Name}, map[int64]bool{}, 0.0
		for i := range list {
			s := &list[i]
			n := s.Count()
			in := map[string]string{
				"all": "all", "split": Split(i % NumSplits).String(), "rules": s.Rules.String(),
				"ply": fmt.Sprintf("%d-%d", s.Ply/10*10, s.Ply/10*10+9), "occurrences": fmt.Sprint(n),
			}
			if s.Ply >= 100 {
				in["ply"] = "100-"
			}
			if n >= 5 {
				in["occurrences"] = "5-"
			}
			if in[g.Kind] != g.Name {
				continue
			}
			games[s.Game] = true
			want.Positions++
			want.Occurrences += n
			want.Won += int64(s.Wins)
			want.Drawn += int64(s.Draws)
			want.Lost += int64(s.Losses)
			want.Quiet += int64(map[bool]int{true: 1}[s.Quiet])
			want.Scored += int64(map[bool]int{true: 1}[s.Scored])
			want.South += int64(map[bool]int{true: 1}[s.Position.Side() == rules.South])
			end += float64(s.ToEnd)
		}
		want.Games = int64(len(games))
		require.NotZero(t, want.Positions, g.Name)
		want.ToEnd = end / float64(want.Positions)
		require.Equal(t, want, g)
	}
	require.Equal(t, map[string]int64{"all": 1200, "split": 1200, "rules": 1200, "ply": 1200, "occurrences": 1200}, kinds)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Summarize(ctx, dir)
	require.ErrorIs(t, err, context.Canceled)
	_, err = Summarize(context.Background(), t.TempDir())
	require.ErrorContains(t, err, "expected training positions")
}
