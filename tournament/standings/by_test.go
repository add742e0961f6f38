package standings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
)

// Names of rows, read from their owner's left, with mirror images folded.
func TestRowNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rules, opening, south, north string }{
		{"standard", "112233/000000/000000/000000/000000/112323 s", "112233", "112323"}, // North reads 323211
		{"standard", "332211/000000/000000/000000/000000/323211 s", "112233", "112323"}, // the mirror image
		{"russian", "321123/000000/000000/000000/000000/231132 s", "321123", "231132"},
		{"cosmoludo", "100002/023130/000000/000000/321000/001230 s", "100002/023130", "001230/321000"},
		{"cosmoludo", "112233/000000/000000/000000/000000/332211 s", "112233", "112233"},

		{"standard", "112233/000000/000000/000000/000000/112323 n", "", ""},
		{"standard", "112230/000003/000000/000000/000000/112323 s", "", ""},
		{"standard", "112230/000000/000003/000000/000000/112323 s", "", ""},
		{"cosmoludo", "112230/000000/000003/000000/000000/112323 s", "", ""},
		{"standard", "112232/000000/000000/000000/000000/113323 s", "", ""},
		{"standard", "000000/000000/000000/000000/000000/000000 s 222/222", "", ""},
		{"standard", "", "", ""},
		{"standard", "x", "", ""},
		{"kang", "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -", "", ""},
		{"italian-kang", "112233/000000/000000/000000/000000/112323 s 000/000 0-0 -", "", ""},
		{"", "100002/023130/000000/000000/321000/001230 s", "", ""},
	} {
		south, north, ok := rowNames(c.rules, c.opening)
		require.Equal(t, c.south != "", ok, c.opening)
		if ok {
			require.Equal(t, [2]string{c.south, c.north}, [2]string{south, north})
		}
	}
}

// The 4,068 set-ups have 48 rows.
func TestRowsOfAllSetups(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	names := map[string]bool{}
	for k := range r.Setups().Len() {
		south, north, ok := rowNames("standard", r.FormatPosition(r.Setups().At(k)))
		require.True(t, ok)
		names[south], names[north] = true, true
	}
	require.Len(t, names, 48)
}

// opened returns a line of records of a game of a pair, in which a has South if the
// number is even and b if it is odd.
func opened(number int64, rules, opening, result string) string {
	text := runtest.WithoutSums(recorded(number, rules, "a", "b", result))
	return strings.Replace(text, `"opening":"o"`, `"opening":"`+opening+`"`, 1)
}

const (
	setupAB = "112233/000000/000000/000000/000000/323211 s" // 112233 against 112323
	setupBA = "112323/000000/000000/000000/000000/112233 s" // 112323 against 112233
	setupAA = "112233/000000/000000/000000/000000/112233 s"
	unknown = "112230/000003/000000/000000/000000/112323 s" // no set-up
)

// byOpening is the records of seven openings' pairs.
func byOpening() string {
	return opened(0, "standard", setupAB, "1-0") + opened(1, "standard", setupAB, "1/2-1/2") + // South's
		opened(2, "standard", setupAB, "1-0") + opened(3, "standard", setupAB, "0-1") + // drawn
		opened(4, "standard", setupBA, "0-1") + opened(5, "standard", setupBA, "0-1") + // North's
		opened(6, "standard", setupBA, "1-0") + // without the other game
		opened(8, "standard", setupAA, "1-0") + opened(9, "standard", setupAA, "1-0") + // against itself
		opened(10, "standard", unknown, "1-0") + opened(11, "standard", unknown, "1-0") +
		opened(12, "kang", setupAB+" 000/000 0-0 -", "1-0") +
		opened(14, "standard", setupAB, "1-0") + opened(15, "standard", setupBA, "1-0") // of two openings
}

// readBy reads the records.
func readBy(t *testing.T, r *Reader) *ratings.Data {
	s := New()
	require.NoError(t, r.Read(t.Context(), strings.NewReader(byOpening()), "a", s))
	return s.Data()
}

// A pair is one game, won by the side that took more points.
func TestBySetup(t *testing.T) {
	t.Parallel()
	r := &Reader{BySetup: true}
	d := readBy(t, r)
	require.Equal(t, []ratings.Pairing{
		{South: "112233", North: "112323", Count: ratings.Count{Wins: 2, Draws: 1}},
		{South: "112323", North: "112233", Count: ratings.Count{Wins: 2, Losses: 1}},
	}, d.Pairings())
	require.Equal(t, 1, d.SelfGames())
	require.Zero(t, d.Pairs())
	require.Equal(t, []string{"left out: 3 games that don't begin with a set-up",
		"without checksums: 14 games; not every change in them is noticed"}, r.Skipped.Notes())

	r = &Reader{BySetup: true, Rules: map[string]bool{"standard": true}}
	readBy(t, r)
	require.Equal(t, 2, r.Skipped.NoSetup, "those under other rules aren't asked for")
}

// By side, a row that meets itself is two players.
func TestBySetupPerSide(t *testing.T) {
	t.Parallel()
	d := readBy(t, &Reader{BySetup: true, PerSide: true})
	require.Equal(t, []ratings.Pairing{
		{South: "112233 (South)", North: "112233 (North)", Count: ratings.Count{Wins: 1}},
		{South: "112233 (South)", North: "112323 (North)", Count: ratings.Count{Wins: 2, Draws: 1}},
		{South: "112323 (South)", North: "112233 (North)", Count: ratings.Count{Wins: 2, Losses: 1}},
	}, d.Pairings())
	require.Zero(t, d.SelfGames())
}

// A fault in either game of a pair is one of their result.
func TestFaultBySetup(t *testing.T) {
	t.Parallel()
	faulty := strings.Replace(opened(1, "standard", setupAB, "1-0"), `"reason":"goal","plies":0`,
		`"reason":"crash","plies":0,"fault":{"side":"north","kind":"crash"}`, 1)
	s := New()
	require.NoError(t, (&Reader{BySetup: true}).Read(t.Context(),
		strings.NewReader(opened(0, "standard", setupAB, "1/2-1/2")+faulty), "a", s))
	rated, err := s.Fit(t.Context(), ratings.Options{}, false)
	require.NoError(t, err)
	require.Equal(t, map[string]ratings.Faults{"112233": {Won: 1}, "112323": {Lost: 1}}, rated.All.Ratings.Faults())
}

func TestForeignGamesHaveNoOpening(t *testing.T) {
	t.Parallel()
	err := (&Reader{BySetup: true}).Read(t.Context(), strings.NewReader("white,black,result\na,b,1-0\n"), "c.csv", New())
	require.EqualError(t, err,
		"c.csv: expected records of games, as runs write them, to rate by setup; CSV has no openings")
}

// The opening is the same whether a line is read whole or not.
func TestOpeningOfResults(t *testing.T) {
	t.Parallel()
	line := opened(0, "standard", setupAB, "1-0")
	for _, text := range []string{line, " " + line} { // the second isn't laid out as usual
		var o source.Game
		require.NoError(t, record.NewReader(strings.NewReader(text), "a").ReadShort(&o))
		require.Equal(t, setupAB, string(o.Opening))
	}
}
