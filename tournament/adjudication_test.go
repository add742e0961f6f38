package tournament

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/solver"
	"gyges/rules"
	"gyges/tournament/record"
)

func TestJudge(t *testing.T) {
	const no = record.NoScore
	win, loss := record.Score(agents.WinIn(3)), -record.Score(agents.WinIn(4))
	for _, c := range []struct {
		how    string
		scores []record.Score // the last is North's
		want   string
		result rules.Outcome
	}{
		{"resign=8:2", []record.Score{0, 0, 900, -900, 800, -800}, record.AdjudicatedResign, rules.SouthWins},
		{"resign=8:2", []record.Score{-900, 900, -800, 800}, record.AdjudicatedResign, rules.NorthWins},
		{"resign=8:2", []record.Score{900, -900, 800, -799}, "", 0},
		{"resign=8:2", []record.Score{900, 900, 900, 900}, "", 0},
		{"resign=8:2", []record.Score{900, no, 900, -900}, "", 0},
		{"resign=8:2", []record.Score{900, -900}, "", 0},
		{"draw=0.1:2", []record.Score{90, 10, -10, 0, 0}, record.AdjudicatedDraw, rules.Draw},
		{"draw=0.1:2", []record.Score{11, 10, -10, 0}, "", 0},
		{"draw=0:1", []record.Score{0, 0}, record.AdjudicatedDraw, rules.Draw},
		{"resign=8:1", []record.Score{win, loss}, record.AdjudicatedResign, rules.SouthWins},
		{"plies=3", []record.Score{no, no}, "", 0},
		{"plies=3,proven=5", []record.Score{no, no, no, no}, record.AdjudicatedLength, rules.Draw},
	} {
		a, err := ParseAdjudication(c.how)
		require.NoError(t, err)
		result, reason := a.judge(c.scores, len(c.scores), rules.North)
		require.Equal(t, c.want, reason, "%s %v", c.how, c.scores)
		require.Equal(t, c.result, result, "%s %v", c.how, c.scores)
		// What was scored while the pieces were placed counts for nothing.
		_, reason = a.judge(append([]record.Score{5, 5, 5}, c.scores...), len(c.scores), rules.North)
		require.Equal(t, c.want, reason)
	}
}

func TestParseAdjudication(t *testing.T) {
	for _, text := range []string{"", "resign=8:4", "resign=0.05:1,draw=0.1:10,proven=5,plies=200"} {
		a, err := ParseAdjudication(text)
		require.NoError(t, err)
		require.Equal(t, text, a.String())
	}
	for _, text := range []string{"x", "resign", "resign=0:4", "resign=8", "resign=8:0", "resign=NaN:1", "resign=-1:1",
		"draw=-1:3", "draw=1:1001", "proven=0", "proven=10", "proven=x", "proven=", "plies=0", "plies=x", "proven,proven", "proven,", "resign=1e9:1"} {
		_, err := ParseAdjudication(text)
		require.ErrorContains(t, err, "expected resign=POINTS:MOVES", text)
	}
}

// Games end at the ply given, or as soon as the solver sees the end, and as it would have been: the winner is the one
// who wins when both play on by the solver's line.
func TestAdjudicatedGames(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "scored")
	c.Rules = []*rules.Rules{rules.MustParse("standard"), rules.MustParse("simplified"), rules.MustParse("kang")}
	c.Pairs = 4
	var err error
	c.Adjudication, err = ParseAdjudication("proven,plies=12")
	require.NoError(t, err)
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	proven, capped := 0, 0
	for _, g := range readGames(t, c.Out) {
		requireSound(t, g)
		require.Equal(t, "proven=3,plies=12", g.Adjudication)
		if g.Reason == record.AdjudicatedLength {
			capped++
			require.Equal(t, []any{12, "1/2-1/2"}, []any{g.Plies, g.Result})
			g.Adjudication = ""
			_, err := record.Replay(g)
			require.ErrorContains(t, err, "expected a finished game")
		}
		if g.Reason != record.AdjudicatedProven {
			continue
		}
		proven++
		game, err := record.Replay(g)
		require.NoError(t, err)
		s := solver.New(1)
		for n := 0; ; n++ {
			r, err := s.Solve(t.Context(), game, 3)
			require.NoError(t, err)
			require.NotZero(t, r.Plies)
			require.Less(t, n, 3)
			require.NoError(t, game.Play(r.Line[0]))
			if o, _ := game.Outcome(); o != rules.Undecided {
				require.Equal(t, o.String(), g.Result)
				break
			}
		}
	}
	require.Greater(t, proven, 10)
	require.Positive(t, capped)
}
