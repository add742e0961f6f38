package policy

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/rules"
)

// drawView draws a position of a game and returns its view and its moves.
func drawView(t *rapid.T) (*rules.Rules, rules.Position, *View, *rules.MoveSet) {
	preset := rapid.SampledFrom(rules.Presets()).Draw(t, "rules")
	r := rules.MustParse(preset.Name)
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	g := rules.NewGame(r, r.RandomSetup(rng))
	for range rapid.IntRange(0, 60).Draw(t, "plies") {
		next := rules.NewGame(r, g.Position())
		ms := next.Legal()
		next.PlayLegal(ms.At(rng.IntN(ms.Len())))
		if o, _ := next.Outcome(); o != rules.Undecided {
			break
		}
		g = next
	}
	v, ms := begin(r, g.Position())
	return r, g.Position(), v, ms
}

// begin returns the view of a position and its moves.
func begin(r *rules.Rules, p rules.Position) (*View, *rules.MoveSet) {
	v, ms := new(View), new(rules.MoveSet)
	r.Moves(p, ms)
	v.Begin(r, p, ms)
	return v, ms
}

// features returns the features of a move in a view.
func features(v *View, m rules.Move) []uint16 { return v.Features(m, nil) }

func randomWeights(rng *rand.Rand) *Weights {
	w := new(Weights)
	for i := range w {
		w[i] = int16(rng.IntN(2*MaxWeight+1) - MaxWeight)
	}
	return w
}

func TestScoreIsTheSumOfTheFeatures(t *testing.T) {
	w := randomWeights(rand.New(rand.NewPCG(1, 2)))
	var s Scorer
	rapid.Check(t, func(t *rapid.T) {
		r, p, v, ms := drawView(t)
		s.Begin(w, r, p, ms)
		for m := range ms.All() {
			want := int32(0)
			for _, i := range features(v, m) {
				want += int32(w[i])
			}
			require.Equal(t, want, s.Score(m), r.LongText(p, m))
		}
	})
}

func TestBothSidesHaveTheSameFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p, v, ms := drawView(t)
		rotated, _ := begin(r, p.Rotate())
		for m := range ms.All() {
			require.Equal(t, features(v, m), features(rotated, m.Rotate()))
		}
	})
}

// parted is a move by its parts, which can be compared.
type parted struct {
	height           rules.Height
	start, end, drop rules.Square
}

// image returns the parts of a move, mirrored if that is wanted.
func image(m rules.Move, mirror bool) parted {
	of := func(s rules.Square) rules.Square {
		if mirror && s.OnBoard() {
			return rules.SquareAt(rules.Files-1-s.File(), s.Row())
		}
		return s
	}
	return parted{m.FromHand(), of(m.From()), of(m.To()), of(m.Drop())}
}

func TestMirrorImagesHaveTheSameFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p, v, ms := drawView(t)
		board, rest, _ := strings.Cut(r.FormatPosition(p), " ")
		rows := strings.Split(board, "/")
		for i, row := range rows {
			var mirrored strings.Builder
			for k := range len(row) {
				mirrored.WriteByte(row[len(row)-1-k])
			}
			rows[i] = mirrored.String()
		}
		q, err := r.ParsePosition(strings.Join(rows, "/") + " " + rest)
		require.NoError(t, err)
		other, images := begin(r, q)
		byParts := map[parted]rules.Move{}
		for m := range images.All() {
			byParts[image(m, false)] = m
		}
		for m := range ms.All() {
			mirrored, ok := byParts[image(m, true)]
			require.True(t, ok, r.LongText(p, m))
			require.Equal(t, features(v, m), features(other, mirrored), r.LongText(p, m))
		}
	})
}

func TestChecksWeights(t *testing.T) {
	w := randomWeights(rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, w.Check())
	w[firstEnd], w[NumWeights-1] = MaxWeight+1, -MaxWeight-1
	require.EqualError(t, w.Check(), "policy: table end: expected numbers from -8191 to 8191, found 8192\n"+
		"policy: table drop_row: expected numbers from -8191 to 8191, found -8192")
}

func TestTablesHoldAllWeights(t *testing.T) {
	n := 0
	for i := range Tables() {
		n += len(new(Weights).Table(i))
	}
	require.Equal(t, NumWeights, n)
}

// TestFeaturesOfAPosition compares with indices computed by hand from the tables'
// descriptions.
func TestFeaturesOfAPosition(t *testing.T) {
	r := rules.MustParse("standard")
	p, err := r.ParsePosition("321123/000000/000000/000000/000000/321123 s")
	require.NoError(t, err)
	v, _ := begin(r, p)
	require.Equal(t, []int{0, 2, 4, 5}, []int{v.row, v.count, v.next, v.other})
	m, err := r.ParseMove(p, "f1-(f2-e2)-d2")
	require.NoError(t, err)
	want := map[string]int{
		"start_end": place(t, "a1")*places + place(t, "c2"),
		"start":     ((2*places+place(t, "a1"))*2+0)*3 + 2,
		"end":       ((8*places+place(t, "c2"))*2+0)*2 + 1,
		"end_near":  ((8*7+1)*2+0)*16 + 4,
		"end_own":   (8*places+place(t, "c2"))*6 + 0,
		"end_other": (8*places+place(t, "c2"))*6 + 5,
		"end_row":   (((2*3+2)*6+0)*7+1)*6 + 4,
	}
	got := map[string]int{}
	for _, i := range features(v, m) {
		for k := len(tables) - 1; k >= 0; k-- {
			if int(i) >= tables[k].first {
				got[tables[k].name] = int(i) - tables[k].first
				break
			}
		}
	}
	require.Equal(t, want, got)
}

// place returns the place of a square.
func place(t *testing.T, text string) int {
	t.Helper()
	require.Len(t, text, 2)
	return int(rules.SquareAt(int(text[0]-'a'), int(text[1]-'1')))
}

func TestScoringAllocatesNothing(t *testing.T) {
	r := rules.MustParse("standard")
	p, err := r.ParsePosition("202110/000330/000000/000200/000100/030123 s")
	require.NoError(t, err)
	_, ms := begin(r, p)
	w, s := new(Weights), new(Scorer)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		s.Begin(w, r, p, ms)
		for m := range ms.All() {
			s.Score(m)
		}
	}))
}
