package source

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/ratings"
)

// counted is what a matcher counts: how often each game or pair.
type counted map[string]int

// count returns what a matcher counts of some games, also if it has settled between any two of
// them.
func count(once, often bool, games ...Result) (c counted, pairs, singles int) {
	c = counted{}
	text := func(g Outcome) string {
		return fmt.Sprintf("%s%s%s%+d:%d", g.South, g.North, g.Rules, g.Result, g.Moves)
	}
	m := Matcher{
		Once:   once,
		Single: func(g Outcome, n int) { c[text(g)] += n; singles += n },
		Pair: func(g, h Outcome, n int) {
			both := []string{text(g), text(h)}
			slices.Sort(both)
			c[strings.Join(both, "/")] += n
			pairs += n
		},
	}
	for _, g := range games {
		m.Add(&g)
		if often {
			m.Settle()
		}
	}
	m.Settle()
	m.Settle() // once is enough
	maps.DeleteFunc(c, func(_ string, n int) bool { return n == 0 })
	return c, pairs, singles
}

func matched(south, north, rules, key string, r ratings.Result) Result {
	return Result{Outcome: Outcome{South: south, North: north, Rules: rules, Result: r}, Pair: []byte(key)}
}

func TestMatcher(t *testing.T) {
	t.Parallel()
	other := matched("b", "a", "", "1", 1)
	other.Opening = 7
	for name, c := range map[string]struct {
		games []Result
		want  counted
	}{
		"a pair":       {[]Result{matched("a", "b", "", "1", 1), matched("b", "a", "", "1", -1)}, counted{"ab+1:0/ba-1:0": 1}},
		"no key":       {[]Result{matched("a", "b", "", "", 1), matched("b", "a", "", "", 1)}, counted{"ab+1:0": 1, "ba+1:0": 1}},
		"other keys":   {[]Result{matched("a", "b", "", "1", 1), matched("b", "a", "", "2", 1)}, counted{"ab+1:0": 1, "ba+1:0": 1}},
		"rules":        {[]Result{matched("a", "b", "r", "1", 1), matched("b", "a", "", "1", 1)}, counted{"abr+1:0": 1, "ba+1:0": 1}},
		"opening":      {[]Result{matched("a", "b", "", "1", 1), other}, counted{"ab+1:0": 1, "ba+1:0": 1}},
		"not swapped":  {[]Result{matched("a", "b", "", "1", 1), matched("a", "b", "", "1", 1)}, counted{"ab+1:0": 2}},
		"three":        {[]Result{matched("a", "b", "", "1", 1), matched("b", "a", "", "1", 1), matched("a", "b", "", "1", 1)}, counted{"ab+1:0/ba+1:0": 1, "ab+1:0": 1}},
		"with oneself": {[]Result{matched("a", "a", "", "1", 1), matched("a", "a", "", "1", 0)}, counted{"aa+0:0/aa+1:0": 1}},
		"in between": {[]Result{matched("a", "b", "", "1", 1), matched("c", "d", "", "1", 1), matched("b", "a", "", "1", 1), matched("d", "c", "", "1", 1)},
			counted{"ab+1:0/ba+1:0": 1, "cd+1:0/dc+1:0": 1}},
	} {
		for _, once := range []bool{false, true} {
			for _, often := range []bool{false, true} {
				got, _, _ := count(once, often, c.games...)
				require.Equal(t, c.want, got, name)
			}
		}
	}
}

// Each game is counted once, in as many pairs as its key has, and whatever the order in which games
// come.
func TestMatchingDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		games := make([]Result, rapid.IntRange(0, 40).Draw(t, "games"))
		draw := func(most int, of string) int { return rapid.IntRange(0, most).Draw(t, of) }
		for i := range games {
			a := draw(2, "player")
			b := (a + draw(2, "opponent")) % 3
			g := matched(string("abc"[a]), string("abc"[b]), "", string("\x00xy"[draw(2, "key")]), ratings.Result(draw(2, "result")-1))
			if g.Pair[0] == 0 {
				g.Pair = nil
			}
			g.Moves = uint64(draw(2, "moves"))
			games[i] = g
		}
		wantPairs, alone := 0, map[string]int{} // games by key and South
		for _, g := range games {
			partner := fmt.Sprintf("%s %s %s", g.Pair, g.North, g.South)
			switch {
			case len(g.Pair) == 0 || g.South == g.North:
			case alone[partner] > 0:
				alone[partner]--
				wantPairs++
			default:
				alone[fmt.Sprintf("%s %s %s", g.Pair, g.South, g.North)]++
			}
		}
		want, pairs, singles := count(false, false, games...)
		require.Equal(t, len(games), 2*pairs+singles)
		own := 0 // pairs of one player
		for text, n := range want {
			require.Positive(t, n)
			if text[0] == text[1] && strings.Contains(text, "/") {
				own += n
			}
		}
		require.Equal(t, wantPairs, pairs-own)
		seed := rapid.Uint64().Draw(t, "order")
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
		got, _, _ := count(false, rapid.Bool().Draw(t, "often"), games...)
		require.Equal(t, want, got)
	})
}

// In a run a pair takes no memory once it is complete, and elsewhere games that wait are bounded.
func TestMatcherIsBounded(t *testing.T) {
	t.Parallel()
	single := 0
	m := Matcher{Once: true, Single: func(_ Outcome, n int) { single += n }, Pair: func(_, _ Outcome, _ int) {}}
	for i := range 3 * 1000 {
		for _, players := range []string{"ab", "ba"} {
			g := matched(players[:1], players[1:], "", fmt.Sprint(i), 1)
			m.Add(&g)
		}
	}
	require.Zero(t, single)
	require.Empty(t, m.open)
	require.Empty(t, m.ended)
	m.kept = maxKept - 1
	for range 5 {
		g := matched("a", "b", "", "x", 1)
		m.Add(&g)
	}
	g := matched("a", "b", "", "y", 1)
	m.Add(&g)
	require.True(t, m.Lost)
	m.Settle()
	require.Equal(t, 6, single)
}

// Where it isn't known which games belong together, pairs don't go by results: as many players of
// equal strength win a pair as lose one.
func TestLotsHaveNoPattern(t *testing.T) {
	t.Parallel()
	var both [3][3]int
	m := Matcher{
		Single: func(Outcome, int) {},
		Pair:   func(g, h Outcome, n int) { both[1+g.Result][1+h.Result] += n },
	}
	for key := range 1000 {
		for i := range 4 {
			g := matched([]string{"a", "b"}[i%2], []string{"b", "a"}[i%2], "", fmt.Sprint(key), ratings.Result(2*(i/2)-1))
			m.Add(&g)
		}
	}
	m.Settle()
	require.Equal(t, 2000, both[0][0]+both[0][2]+both[2][0]+both[2][2])
	require.InDelta(t, 1000, both[0][0]+both[2][2], 150)
}
