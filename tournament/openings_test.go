package tournament

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/schedule"
)

// A run with more rounds than openings says so once, where they begin again.
func TestFewOpeningsAreWarnedOf(t *testing.T) {
	var text strings.Builder
	c := testConfig(t, "random", "random:id=1")
	c.Log, c.Rules, c.Pairs = slog.New(slog.NewTextHandler(&text, nil)), c.Rules[:1], 4
	c.Openings = schedule.Openings{Policy: schedule.FileOpenings, File: "list", Positions: []string{
		"321123/000000/000000/000000/000000/321123 s", "321123/000000/000000/000000/000000/321123 s"}}
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(text.String(), "openings for 1 round only: they begin again"))
}

// Kang positions in the middle of a game, with pieces in hand, goals and cooldown, are
// openings of pairs: each is played twice with sides swapped, and every game starts there.
func TestKangOpeningsFromAFile(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("kang:max_plies=12")
	positions := []string{
		"320000/002202/000030/013000/000010/300000 n 000/200 1-0 s",
		"000000/000020/003000/000000/030000/000000 s 221/211 0-1 n",
		"000200/000000/000130/030020/000000/100003 s 111/110 0-1 n",
	}
	c := testConfig(t, "random", "random:id=1")
	var err error
	c.Rules, c.Pairs = []*rules.Rules{r}, len(positions)+1
	c.Openings, err = schedule.ReadOpenings(strings.NewReader(strings.Join(positions, "\n")+"\n"), "kang.txt")
	require.NoError(t, err)
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.EqualValues(t, 2*(len(positions)+1), s.Played)
	games := readGames(t, c.Out)
	for i, g := range games {
		requireSound(t, g)
		require.Equal(t, positions[i/2%len(positions)], g.Opening)
		require.Equal(t, "file:kang.txt", g.Policy)
		require.Equal(t, games[i/2*2].South.Agent == g.South.Agent, i%2 == 0, "sides are swapped")
	}
}
