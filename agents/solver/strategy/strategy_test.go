package strategy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// A strategy that doesn't win is refused, whatever is wrong with it; one whose changed move wins, too, is another one.
func TestPlay(t *testing.T) {
	good := readCertificate(t, "testdata/italian", "italian")[0] // a win in 5
	p := good.Roots[0].Position
	check := func(s *Strategy) error {
		played, _, err := Play(s.Rules, s.Winner, []rules.Position{p}, s.Answer)
		if err == nil {
			n := played.Roots[0].Plies
			require.True(t, agenttest.Wins(rules.NewGame(s.Rules, p), s.Winner, played.Answer, n))
			require.Len(t, played.Line(p), n)
		}
		return err
	}
	require.NoError(t, check(good))
	require.ErrorContains(t, check(&Strategy{Rules: good.Rules}), "it has no move")
	require.ErrorContains(t, check(&Strategy{Rules: good.Rules, Winner: rules.North, answers: good.answers}), "it has no move")
	short := rules.MustParse("italian:max_plies=4")
	require.ErrorContains(t, check(&Strategy{Rules: short, answers: good.answers}), "it takes 5 plies, and a game ends after 4")
	root, _ := good.Answer(p)
	fails := 0
	for _, m := range append(moves(good.Rules, p), root.Rotate()) {
		changed := &Strategy{Rules: good.Rules, answers: append([]answer{{p, m, 0}}, good.answers...)}
		changed.answers = pack(changed.answers)
		err := check(changed)
		switch {
		case m == root:
			require.NoError(t, err)
		case m == root.Rotate():
			require.ErrorContains(t, err, "is not legal")
		case err != nil:
			fails++
		}
	}
	require.Positive(t, fails)
}

// moves returns the moves in p.
func moves(r *rules.Rules, p rules.Position) (list []rules.Move) {
	var ms rules.MoveSet
	r.Moves(p, &ms)
	for m := range ms.All() {
		list = append(list, m)
	}
	return list
}
