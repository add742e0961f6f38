package policy

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents/eval/inputs"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// drawView draws a position of a game and returns its view and its moves.
func drawView(t *rapid.T) (*rules.Rules, rules.Position, *View, *rules.MoveSet) {
	preset := rapid.SampledFrom(rules.Presets()).Draw(t, "rules")
	r := rules.MustParse(preset.Name)
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	plies := rapid.IntRange(0, 60).Draw(t, "plies")
	p := agenttest.RandomGame(r, rng, plies).Position()
	v, ms := begin(r, p)
	return r, p, v, ms
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
	for i := range tables {
		bound := int(tables[i].bound)
		for k := range w.Table(i) {
			w.Table(i)[k] = int16(rng.IntN(2*bound+1) - bound)
		}
	}
	return w
}

// slowScore is the score of a move by the definitions.
func slowScore(w *Weights, r *rules.Rules, p rules.Position, v *View, m rules.Move) (score int32) {
	if m == rules.Pass {
		return 0
	}
	for _, i := range features(v, m) {
		score += int32(w[i])
	}
	var list inputs.List
	own, opp := r.Control(p, p.Side()), r.Control(p, p.Side().Other())
	list.Extract(p, &own, &opp)
	rows, output := v.Rows(m), 0
	for k := range Units {
		sum := 0
		add := func(row int) { sum += int(w[Row(row)+k]) }
		for _, input := range list.Active() {
			if rows.Image == 1 {
				add(int(inputs.Mirrored[input]))
			} else {
				add(int(input))
			}
		}
		add(BiasRow)
		add(rows.Start)
		add(rows.End)
		if rows.Drop >= 0 {
			add(rows.Drop)
		}
		output += max(sum, 0) * int(w[Row(OutRow)+k])
	}
	return score + int32(output*Unit/(NetworkUnit*NetworkUnit))
}

func TestScoreIsThatOfFeaturesAndNetwork(t *testing.T) {
	with := randomWeights(rand.New(rand.NewPCG(1, 2)))
	without := *with
	*without.units(OutRow) = units{}
	require.True(t, with.HasNetwork())
	require.False(t, without.HasNetwork())
	var s Scorer
	rapid.Check(t, func(t *rapid.T) {
		r, p, v, ms := drawView(t)
		for _, w := range []*Weights{with, &without} {
			s.Begin(w.Pack(), r, p, ms)
			for m := range ms.All() {
				require.Equal(t, slowScore(w, r, p, v, m), s.Score(m), r.LongText(p, m))
			}
		}
	})
}

// mirrorFiles turns the text of a move into the text of its mirror image.
var mirrorFiles = strings.NewReplacer(
	"goal", "goal", "pass", "pass",
	"a", "f", "b", "e", "c", "d", "d", "c", "e", "b", "f", "a")

// Turned boards have the same features, and mirror images too.
func TestImagesHaveTheSameFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p, v, ms := drawView(t)
		rotated, _ := begin(r, p.Rotate())
		mirrored, _ := begin(r, p.Mirror())
		for m := range ms.All() {
			require.Equal(t, features(v, m), features(rotated, m.Rotate()), r.LongText(p, m))
			image, err := r.ParseMove(p.Mirror(), mirrorFiles.Replace(m.String()))
			require.NoError(t, err)
			require.Equal(t, features(v, m), features(mirrored, image), r.LongText(p, m))
			if m == rules.Pass {
				continue
			}
			rows := v.Rows(m)
			require.Equal(t, rows, rotated.Rows(m.Rotate()))
			if m.From().OnBoard() || m.To().OnBoard() {
				rows.Image = 1 - rows.Image
				require.Equal(t, rows, mirrored.Rows(image), r.LongText(p, m))
			}
		}
	})
}

func TestChecksWeights(t *testing.T) {
	w := randomWeights(rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, w.Check())
	w[firstEnd], w[NumFeatures-1], w[NumWeights-1] = MaxWeight+1, -MaxWeight-1, MaxOut+1
	require.EqualError(t, w.Check(), "policy: table end: expected numbers from -8191 to 8191, found 8192\n"+
		"policy: table drop_row: expected numbers from -8191 to 8191, found -8192\n"+
		"policy: table network_out: expected numbers from -2000 to 2000, found 2001")
}

func TestTablesHoldAllWeights(t *testing.T) {
	n := 0
	for i := range Tables() {
		n += len(new(Weights).Table(i))
	}
	require.Equal(t, NumWeights, n)
}

// TestFeaturesOfAPosition compares with indices computed by hand from the tables' descriptions.
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
	w, s := randomWeights(rand.New(rand.NewPCG(1, 2))).Pack(), new(Scorer)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		s.Begin(w, r, p, ms)
		for m := range ms.All() {
			s.Score(m)
		}
	}))
}
