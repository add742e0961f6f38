package schedule

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/rules"
	"gyges/rules/base/problems"
)

func presetNames() []string {
	var names []string
	for _, p := range rules.Presets() {
		names = append(names, p.Name)
	}
	return names
}

// winsAtOnce looks for a goal among all legal moves: the slow way.
func winsAtOnce(r *rules.Rules, p rules.Position) bool {
	var ms rules.MoveSet
	r.Moves(p, &ms)
	for m := range ms.All() {
		if m.IsGoal() {
			return true
		}
	}
	return false
}

// inHands counts the pieces in both hands.
func inHands(p rules.Position) (n int) {
	for h := rules.Height(1); h <= 3; h++ {
		n += p.Hand(rules.South, h) + p.Hand(rules.North, h)
	}
	return n
}

func TestOpeningsPassTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rules.MustParse(rapid.SampledFrom(presetNames()).Draw(t, "rules"))
		plies := rapid.SampledFrom([]int{0, 0, 1, 2, 7, 12}).Draw(t, "plies")
		seed, k := rapid.Uint64().Draw(t, "seed"), rapid.Int64Range(0, 100).Draw(t, "k")
		if plies == 1 {
			k %= 18 // under Kang longer ones follow
		}
		opening := func() (rules.Position, error) {
			p, _, err := NewOpener(Openings{Policy: RandomOpenings, Plies: plies}, seed).Opening(r, k)
			return p, err
		}
		draw := func() rules.Position {
			p, err := opening()
			require.NoError(t, err)
			return p
		}
		if r.Options().KangEntry == rules.Optional && plies == 1 {
			_, err := opening()
			require.ErrorContains(t, err, "of 1 plies passed the screen", "North can take the only piece out")
			return
		}
		p := draw()
		require.Equal(t, p, draw(), "the opening depends on seed, rules and number alone")

		again, err := r.ParsePosition(r.FormatPosition(p))
		require.NoError(t, err)
		require.Equal(t, p, again, "a text says all about the opening")

		want := plies
		if plies == 0 && r.Options().Kang {
			want = kangOpeningPlies
		}
		side := rules.Side(want % 2)
		require.Equal(t, side, p.Side())
		if r.Options().Kang && want <= 12 {
			onBoard := p.Occupied().Count()
			require.LessOrEqual(t, onBoard, want, "no ply brings in more than one piece")
			if r.Options().KangEntry == rules.Mandatory && want <= 7 {
				require.Equal(t, want, onBoard, "each ply brings one piece in")
			}
			// On a crowded board now and then none of them can enter.
			require.Equal(t, rules.NumPieces, onBoard+inHands(p), "no piece is lost")
		} else if !r.Options().Kang {
			require.Equal(t, rules.NumPieces, p.Occupied().Count())
		}

		require.False(t, winsAtOnce(r, p))
		var ms rules.MoveSet
		r.Moves(p, &ms)
		safe := false
		for m := range ms.All() {
			require.NotEqual(t, rules.Pass, m)
			safe = safe || !winsAtOnce(r, r.Apply(p, m))
		}
		require.True(t, safe)
	})
}

func TestOpeningsCanBeFoundUpToTheBound(t *testing.T) {
	for _, name := range presetNames() {
		r := rules.MustParse(name)
		_, _, err := NewOpener(Openings{Policy: RandomOpenings, Plies: 40}, 1).Opening(r, 0)
		require.NoError(t, err, name)
	}
}

// No opening comes twice, not even mirrored, while others are left; then they come again in the
// same order. The last set-ups, which random draws miss, are found too. Those that come once are
// the draws of each number.
func TestNoOpeningComesTwice(t *testing.T) {
	for _, test := range []struct {
		rules    string
		openings Openings
		count    int64
	}{
		{"standard", Openings{Policy: RandomOpenings}, 4068},
		{"standard", Openings{Policy: SetupOpenings}, 4068},
		{"standard", Openings{Policy: FileOpenings, Positions: []string{
			"321123/000000/000000/000000/000000/321123 s", "112233/000000/000000/000000/000000/321123 s",
			"321123/000000/000000/000000/000000/321123 s", "332211/000000/000000/000000/000000/321123 s",
			"321123/000000/000000/000000/000000/123321 s",
		}}, 3},
	} {
		r := rules.MustParse(test.rules)
		o, seen := NewOpener(test.openings, 3), map[rules.Position]bool{}
		var first []rules.Position
		for k := range test.count + 2 {
			p, again, err := o.Opening(r, k)
			require.NoError(t, err)
			if k >= test.count {
				require.Equal(t, test.count, again)
				require.Equal(t, first[k-test.count], p)
				continue
			}
			require.Zero(t, again, k)
			require.False(t, seen[p], "%v: opening %d has been played", test, k)
			seen[p], seen[p.Mirror()] = true, true
			first = append(first, p)
		}
		for _, k := range []int64{test.count / 2, 0} {
			p, _, err := NewOpener(test.openings, 3).Opening(r, k)
			require.NoError(t, err)
			require.Equal(t, first[k], p)
		}
	}
}

// A list is played in order, and begins again.
func TestFileOpenings(t *testing.T) {
	o, err := ReadOpenings(strings.NewReader("# two\n321123/000000/000000/000000/000000/321123 s # +0.1\n\n 112233/000000/000000/000000/000000/321123 s\r\n"), "list")
	require.NoError(t, err)
	require.Equal(t, "file:list", o.String())
	r := rules.MustParse("standard")
	for k := range int64(5) {
		p, _, err := NewOpener(o, uint64(k)).Opening(r, k)
		require.NoError(t, err)
		require.Equal(t, []string{"321123", "112233"}[k%2], r.FormatPosition(p)[:6])
	}
	var errs problems.List
	o.CheckUnder(&errs, "openings", []*rules.Rules{r, rules.MustParse("kang")}, 1)
	require.ErrorContains(t, errs.Err(), "openings.file: list:2: position under kang")
	for text, want := range map[string]string{
		"": "list: expected positions, found none", "# nothing": "list: expected positions, found none",
		"# x\n" + strings.Repeat("x", 5000):  "list:2: expected a line of at most 4096 bytes, found a longer one",
		strings.Repeat("x", 201):             `list:1: expected a position, found "` + strings.Repeat("x", 60) + `"`,
		strings.Repeat("x\n", maxOpenings+1): "list:1000001: expected at most 1000000 lines, found more",
	} {
		_, err := ReadOpenings(strings.NewReader(text), "list")
		require.EqualError(t, err, want)
	}
}

// All set-ups come in order, and again when they are through.
func TestSetupOpenings(t *testing.T) {
	o := Openings{Policy: SetupOpenings}
	r := rules.MustParse("standard")
	require.Equal(t, "setups", o.String())
	for k, want := range map[int64]string{
		0:    "112233/000000/000000/000000/000000/112233 s",
		1:    "112233/000000/000000/000000/000000/112323 s",
		4067: "321123/000000/000000/000000/000000/321123 s",
		4068: "112233/000000/000000/000000/000000/112233 s",
	} {
		p, _, err := NewOpener(o, 1).Opening(r, k)
		require.NoError(t, err)
		require.Equal(t, want, r.FormatPosition(p), k)
	}
	_, _, err := NewOpener(o, 1).Opening(rules.MustParse("kang"), 0)
	require.ErrorContains(t, err, "there are no set-ups")
	var errs problems.List
	o.CheckUnder(&errs, "openings", []*rules.Rules{rules.MustParse("kang:max_plies=30")}, 1)
	require.ErrorContains(t, errs.Err(), "openings: rules kang:max_plies=30: there are no set-ups")

	start, _, err := NewOpener(Openings{Policy: AgentOpenings}, 1).Opening(r, 5)
	require.NoError(t, err)
	require.Equal(t, r.Start(), start)
}

func TestParseOpenings(t *testing.T) {
	for text, want := range map[string]Openings{
		"random":         {Policy: RandomOpenings},
		"random:plies=4": {Policy: RandomOpenings, Plies: 4},
		"agents":         {Policy: AgentOpenings},
	} {
		var got Openings
		require.NoError(t, got.UnmarshalText([]byte(text)))
		require.Equal(t, want, got)
		require.Equal(t, text, got.String())
	}
	for _, text := range []string{"random:", "random:plies", "random:plies=", "random:plies=x", "random:4",
		"agents:plies=2", "Random", ":"} {
		require.ErrorContains(t, new(Openings).UnmarshalText([]byte(text)), "expected random, random:plies=N, setups, agents or file:PATH, found ",
			text)
	}
}

// When all openings of a number of plies have come, those of one more follow.
func TestRandomOpeningsGetLonger(t *testing.T) {
	r := rules.MustParse("kang")
	o, seen := NewOpener(Openings{Policy: RandomOpenings, Plies: kangMatchPlies}, 3), map[rules.Position]bool{}
	const count = 605 // of two plies
	for k := range int64(count + 100) {
		p, again, err := o.Opening(r, k)
		require.NoError(t, err)
		require.Zero(t, again)
		require.Equal(t, k < count, p.Side() == rules.South)
		require.False(t, seen[p])
		seen[p], seen[p.Mirror()] = true, true
	}
}

// Matches that name no openings begin with random set-ups, under Kang with two random plies.
func TestOpeningsOfMatches(t *testing.T) {
	for want, test := range map[string]struct {
		given Openings
		rules []string
	}{
		"random":         {rules: []string{"standard", "kang"}},
		"random:plies=2": {rules: []string{"kang", "kang:max_plies=30"}},
		"random:plies=3": {Openings{Plies: 3}, []string{"kang"}},
		"agents":         {Openings{Policy: AgentOpenings}, []string{"kang"}},
	} {
		var list []*rules.Rules
		for _, name := range test.rules {
			list = append(list, rules.MustParse(name))
		}
		test.given.ForMatch(list...)
		require.Equal(t, want, test.given.String())
	}
}
