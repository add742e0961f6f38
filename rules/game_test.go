package rules

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// play makes the moves given as texts.
func play(t *testing.T, g *Game, texts ...string) {
	t.Helper()
	for _, text := range texts {
		m, err := g.rules.ParseMove(g.Position(), text)
		require.NoError(t, err)
		require.NoError(t, g.Play(m))
	}
}

// checkText returns why a move, given as text, is not legal.
func checkText(t *testing.T, g *Game, text string) error {
	t.Helper()
	m, err := g.rules.ParseMove(g.Position(), text)
	require.NoError(t, err)
	return g.Check(m)
}

func TestGoalEndsTheGame(t *testing.T) {
	t.Parallel()
	r := MustParse("standard")
	g := NewGame(r, parse(t, r, "313212/000000/000000/000000/000000/212331 s"))
	play(t, g, "a1-a4", "f6-f5", "b1-a1", "a6-goal")
	outcome, reason := g.Outcome()
	require.Equal(t, NorthWins, outcome)
	require.Equal(t, ByGoal, reason)
	require.Equal(t, ErrOver, g.Check(Pass))
	require.Zero(t, g.Legal().Len())
	require.Zero(t, r.Count(g.Position()))
	require.Equal(t, 4, g.Ply())
	require.Equal(t, "313212/000000/000000/000000/000000/212331 s", r.FormatPosition(g.Start()))

	require.True(t, g.Undo())
	require.Equal(t, 3, g.Ply())
	play(t, g, "a6-(a5)-a4-(a3-a2)-a1-goal")
	require.Equal(t, 4, len(g.Moves()))
	for g.Undo() {
	}
	require.Equal(t, g.Start(), g.Position())
	require.Zero(t, g.Ply())
}

// emptySouth is a position in which South has nothing to move: North holds all pieces.
const emptySouth = "000000/000000/000000/000000/000000/000000 s 000/444 0-0 -"

func TestPasses(t *testing.T) {
	t.Parallel()
	r := MustParse("kang")
	g := NewGame(r, parse(t, r, emptySouth))
	require.Equal(t, []string{"pass"}, sortedMoves(g.Legal()))
	require.Equal(t, 1, r.Count(g.Position()))
	play(t, g, "pass")
	require.Equal(t, 1, g.Position().Passes())
	outcome, _ := g.Outcome()
	require.Equal(t, Undecided, outcome, "one pass is no draw")
	play(t, g, "+1-a6")
	require.Zero(t, g.Position().Passes(), "a player who can move again ends the run of passes")

	require.True(t, g.Undo())
	g.PlayLegal(Pass)
	outcome, reason := g.Outcome()
	require.Equal(t, Draw, outcome)
	require.Equal(t, ByPasses, reason)
	require.Zero(t, g.Legal().Len())
}

func TestLengthDraws(t *testing.T) {
	t.Parallel()
	r := MustParse("standard:max_plies=2")
	g := NewGame(r, parse(t, r, startText))
	play(t, g, "a1-a4", "f6-f3")
	outcome, reason := g.Outcome()
	require.Equal(t, Draw, outcome)
	require.Equal(t, ByLength, reason)
	require.Zero(t, g.Legal().Len())
}

func TestRepetition(t *testing.T) {
	t.Parallel()
	const position = "300000/000000/112120/023132/000000/000003 s" // both sides go to and fro
	for name, reason := range map[string]string{
		"standard":                 "bring back the position after ply 0",
		"standard:repetition=none": "",
	} {
		r := MustParse(name)
		g := NewGame(r, parse(t, r, position))
		play(t, g, "a1-d1", "f6-c6", "d1-a1")
		if err := checkText(t, g, "c6-f6"); reason == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, reason)
		}
	}
}

func TestPlacements(t *testing.T) {
	t.Parallel()
	for name, moves := range map[string][]string{
		"standard": {"3@a1", "2@b1", "1@c1", "1@d1", "2@e1", "3@f1", "3@a6", "2@b6", "1@c6", "1@d6", "2@e6", "3@f6"},
		"russian":  {"3@a1", "3@a6", "2@b1", "2@b6", "1@c1", "1@c6", "1@d1", "1@d6", "2@e1", "2@e6", "3@f1", "3@f6"},
	} {
		r := MustParse(name)
		g := NewGame(r, r.Start())
		for i, text := range moves {
			require.True(t, r.SettingUp(g.Position()))
			again, err := r.ParsePosition(r.FormatPosition(g.Position()))
			require.NoError(t, err)
			require.Equal(t, g.Position(), again)
			require.Equal(t, g.Legal().Len(), r.Count(g.Position()))
			if i == 0 {
				require.Equal(t, 18, g.Legal().Len())
				require.ErrorContains(t, checkText(t, g, "1@a2"), "outside South's set-up zone")
			}
			if i == 1 && name == "standard" {
				require.ErrorContains(t, checkText(t, g, "2@a1"), "a1 is occupied")
				require.ErrorContains(t, checkText(t, g, "pass"), "the set-up is not finished")
			}
			play(t, g, text)
		}
		require.Equal(t, startText, r.FormatPosition(g.Position()))
		require.Zero(t, g.Ply())
		require.False(t, r.SettingUp(g.Position()))
		require.ErrorContains(t, checkText(t, g, "1@a1"), "the set-up is over")
		require.True(t, g.Undo())
		require.Equal(t, 11, len(g.Moves()))
	}
}

func TestKang(t *testing.T) {
	t.Parallel()
	r := MustParse("kang")
	require.Equal(t, "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -", r.FormatPosition(r.Start()))
	// On the empty board a 1 enters on row 1, a 2 ends on rows 1 and 2, a 3 on rows 1 to 3.
	require.Equal(t, 6+12+18, r.Count(r.Start()))

	const board = "000000/000000/000000/000000/332211/211320 s 000/001 "
	g := NewGame(r, parse(t, r, board+"2-0 -"))
	require.True(t, r.CanReachGoal(g.Position(), South))
	play(t, g, "e5-e6-(f6)-goal")
	outcome, reason := g.Outcome()
	require.Equal(t, SouthWins, outcome)
	require.Equal(t, ByGoal, reason)
	require.Equal(t, "000000/000000/000000/000000/332201/211320 n 000/101 3-0 s", r.FormatPosition(g.Position()))

	g = NewGame(r, parse(t, r, board+"1-0 -"))
	play(t, g, "e5-goal", "+1-f6")
	require.False(t, r.CanReachGoal(g.Position(), South))
	require.ErrorContains(t, checkText(t, g, "f5-f6-goal"), "South took a piece out on the previous turn")
	play(t, g, "f5-f4")
	require.False(t, g.Position().TookOut(South))
	optional := MustParse("kang:kang_entry=optional")
	g = NewGame(optional, parse(t, optional, kangSouth))
	require.NoError(t, checkText(t, g, "c1-c2"))
	require.NoError(t, checkText(t, g, "+1-a1"))
}

const (
	// South's first row is blocked, and South holds pieces.
	blockedRow = "303030/111222/000000/000000/000000/000000 s 111/000 0-0 -"
	// North's first row is blocked. Drops behind the next row are legal in the French and Italian
	// reading, not in the English and Turkish one.
	blockedNorth = "000000/000000/000102/000100/112232/030303 s"
)

func TestExplanations(t *testing.T) {
	t.Parallel()
	std := MustParse("standard")
	for _, c := range []struct{ rules, position, move, reason string }{
		{"standard", startText, "a6-a3", "South must move a piece of row 1"},
		{"standard", startText, "a1-a5", "no course leads to a5"},
		{"standard", startText, "a1-b1", "b1 is occupied: to displace its piece write xb1@"},
		{"standard", startText, "a1xb1@c1", "the drop square c1 is occupied"},
		{"standard", startText, "c1xd1@c1", "it would leave the board as it was"},
		{"standard", startText, "a1xa4@b3", "there is no piece on a4 to displace"},
		{"standard", startText, "pass", "there is a move to make"},
		{"standard", startText, "+1-a1", "South holds no piece of height 1"},
		{"simplified", startText, "c1xd1@e5", "these rules don't displace pieces"},
		{"simplified", startText, "c1-d1", "d1 is occupied, and these rules don't displace"},
		{"standard", "000003/000000/011320/021230/002100/030000 n", "b6-goal", "no course leads to goal"},
		{"kang", emptySouth, "+1-a1", "only a pass is legal"},
		{"standard", "010000/303030/222211/000001/030000/000000 s", "b1xa1@b1", "no piece"},
		{"kang", kangSouth, "c1-c2", "South holds pieces and must bring one in"},
		{"kang", kangSouth, "+2-c2", "South holds no piece of height 2"},
		{"italian-kang", blockedRow, "a1-a4", "South must move a piece of row 2"},
		{"kang", blockedRow, "a2-a3", "South holds pieces and must bring one in"},
		{"cosmoludo", blockedNorth, "f3xf5@a6", "a6 is behind the row that North can play"},
		{"turkish-advanced", blockedNorth, "f3xf5@a6", "a6 is behind the row that North can play"},
	} {
		r := MustParse(c.rules)
		g := NewGame(r, parse(t, r, c.position))
		m, err := r.ParseMove(g.Position(), c.move)
		require.NoError(t, err, c.move)
		err = g.Play(m)
		require.ErrorContains(t, err, c.reason)
		require.Equal(t, g.Start(), g.Position())
	}
	require.ErrorContains(t, NewGame(std, parse(t, std, startText)).Check(NoMove), "there is no such move")
	require.NoError(t, checkText(t, NewGame(std, parse(t, std, blockedNorth)), "f3xf5@a6"))
}

func TestNothingAllocates(t *testing.T) {
	for _, name := range []string{"standard", "simplified", "kang"} {
		r := MustParse(name)
		g := NewGame(r, r.RandomSetup(rand.New(rand.NewPCG(3, 3))))
		rng := rand.New(rand.NewPCG(1, 1))
		var ms MoveSet
		for range 20 {
			g.LegalMoves(&ms)
			if ms.Len() == 0 {
				break
			}
			g.PlayLegal(ms.At(rng.IntN(ms.Len())))
		}
		p := g.Position()
		var sink int
		require.Zero(t, testing.AllocsPerRun(100, func() {
			r.MovesAfter(p, g.Forbidden(), &ms)
			for m := range ms.All() {
				q := r.Apply(p, m)
				sink += int(q.Hash())
			}
			sink += r.Count(p) + r.Control(p, South).Moves + ms.At(0).To().Row()
			if r.CanReachGoal(p, North) {
				sink++
			}
		}), name)
	}
}
