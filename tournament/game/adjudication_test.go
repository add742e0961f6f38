package game

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/solver"
	"gyges/rules"
	"gyges/tournament/record"
)

func TestJudge(t *testing.T) {
	const no, resigned, drawn, long = record.NoScore, "adjudicated-resign", "adjudicated-draw", "adjudicated-length"
	win, loss := record.Score(agents.WinIn(3)), -record.Score(agents.WinIn(4))
	for _, c := range []struct {
		how    string
		scores []record.Score // the last is North's
		want   string
		result rules.Outcome
	}{
		{"resign=8:2", []record.Score{0, 0, 900, -900, 800, -800}, resigned, rules.SouthWins},
		{"resign=8:2", []record.Score{-900, 900, -800, 800}, resigned, rules.NorthWins},
		{"resign=8:2", []record.Score{900, -900, 800, -799}, "", 0},
		{"resign=8:2", []record.Score{900, 900, 900, 900}, "", 0},
		{"resign=8:2", []record.Score{900, no, 900, -900}, "", 0},
		{"resign=8:2", []record.Score{900, -900}, "", 0},
		{"draw=0.1:2", []record.Score{90, 10, -10, 0, 0}, drawn, rules.Draw},
		{"draw=0.1:2", []record.Score{11, 10, -10, 0}, "", 0},
		{"draw=0:1", []record.Score{0, 0}, drawn, rules.Draw},
		{"resign=8:1", []record.Score{win, loss}, resigned, rules.SouthWins},
		{"plies=3", []record.Score{no, no}, "", 0},
		{"plies=3,proven=5", []record.Score{no, no, no, no}, long, rules.Draw},
	} {
		var a Adjudication
		err := a.UnmarshalText([]byte(c.how))
		require.NoError(t, err)
		result, reason := a.judge(&position{scores: c.scores, side: rules.North})
		require.Equal(t, c.want, reason, "%s %v", c.how, c.scores)
		require.Equal(t, c.result, result, "%s %v", c.how, c.scores)
	}
}

func TestParseAdjudication(t *testing.T) {
	for _, text := range []string{"", "resign=8:4", "resign=0.05:1,draw=0.1:10,proven=5,plies=200"} {
		var a Adjudication
		err := a.UnmarshalText([]byte(text))
		require.NoError(t, err)
		require.Equal(t, text, a.String())
	}
	for _, text := range []string{"x", "resign", "resign=0:4", "resign=8", "resign=8:0", "resign=NaN:1", "resign=-1:1",
		"draw=-1:3", "draw=1:1001", "proven=0", "proven=10", "proven=x", "proven=", "plies=0", "plies=x", "proven,proven", "proven,", "resign=1e9:1"} {
		err := new(Adjudication).UnmarshalText([]byte(text))
		require.ErrorContains(t, err, "expected resign=POINTS:MOVES", text)
	}
}

// Games end at the ply given, or as soon as the solver sees the end, and as it would have been: the
// winner is the one who wins when both play on by the solver's line.
func TestAdjudicatedGames(t *testing.T) {
	t.Parallel()
	var adjudication Adjudication
	err := adjudication.UnmarshalText([]byte("proven,plies=12"))
	require.NoError(t, err)
	var games []*record.Record
	for _, name := range []string{"standard", "simplified", "kang"} {
		for seed := range uint64(24) {
			m := newTestGame(t, rules.MustParse(name), seed, &picker{}, &picker{Scored: true})
			m.Adjudication = adjudication
			g, err := Play(t.Context(), m)
			require.NoError(t, err)
			games = append(games, g)
		}
	}
	proven, capped := 0, 0
	for _, g := range games {
		requireSound(t, g)
		require.Equal(t, "proven=3,plies=12", g.Adjudication)
		if g.Reason == record.Adjudicated+"length" {
			capped++
			require.Equal(t, []any{12, "1/2-1/2"}, []any{g.Plies, g.Result})
			g.Adjudication = ""
			_, err := record.Replay(g)
			require.ErrorContains(t, err, "expected a finished game")
		}
		if g.Reason != "adjudicated-proven" {
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
