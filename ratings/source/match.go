package source

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/cespare/xxhash/v2"

	"gyges/ratings"
)

// maxKept bounds the games that a [Matcher] keeps, some 100 bytes each.
const maxKept = 1 << 20

// Matcher finds the two games of a pair, in whatever order the games come. Games with one Pair,
// other than "", that are of the same two players, under the same rules and from the same opening,
// have one key. Two of them with sides swapped are a pair, and each game is in one pair at most.
//
// A pair is counted when its second game comes. [Matcher.Settle] counts games without a partner as
// single ones. Where more than one game of either side has a key, as with those from one opening
// without a round, it isn't known which belong together: what was counted of the key is taken back,
// and Settle draws the pairs. What Settle has counted is taken back when another game comes.
type Matcher struct {
	// Single and Pair count games: n is 1, or -1 to take back what was counted before. The
	// players of a pair's second game have swapped sides.
	Single func(g Outcome, n int)
	Pair   func(first, second Outcome, n int)
	// Once says that a key doesn't come again after its pair, as in a run, which numbers its
	// pairs. Then a pair takes no memory, and none is taken back. Otherwise it takes some 25
	// bytes, and one with moves is kept until Settle.
	Once bool
	Lost bool // there were too many games to find all pairs

	open    map[uint64][]Outcome // games of a key that are not in a pair yet
	kept    int                  // how many there are
	settled bool                 // they are counted
	ended   map[uint64]ended     // pairs whose key may come again
}

// ended are the results of a pair, first of the game in which the player had South that sorts
// first.
type ended [2]ratings.Result

// Add counts a game, of which it keeps no byte slices.
func (m *Matcher) Add(g *Result) {
	if len(g.Pair) == 0 {
		m.Single(g.Outcome, 1)
		return
	}
	if m.open == nil {
		m.open, m.ended = map[uint64][]Outcome{}, map[uint64]ended{}
	}
	if m.settled {
		m.settled = false
		m.count(-1)
	}
	lower, upper := min(g.South, g.North), max(g.South, g.North)
	key := g.PairKey(lower, upper)
	games := m.open[key]
	if m.isPair(games, g) {
		m.meet(key, games, g.Outcome)
		return
	}
	if m.kept >= maxKept {
		m.Lost = true
		m.Single(g.Outcome, 1)
		return
	}
	if results, found := m.ended[key]; found {
		first := Outcome{South: lower, North: upper, Rules: g.Rules, Result: results[0]}
		second := Outcome{South: upper, North: lower, Rules: g.Rules, Result: results[1]}
		m.Pair(first, second, -1)
		delete(m.ended, key)
		games = []Outcome{first, second}
		m.kept += 2
	}
	m.open[key] = append(games, g.Outcome)
	m.kept++
}

// isPair reports whether a game is a pair with the first of the open ones, whatever comes: in a run
// it is if sides are swapped. Elsewhere there must also be no other one, and no moves.
func (m *Matcher) isPair(games []Outcome, g *Result) bool {
	if len(games) == 0 {
		return false
	}
	first := &games[0]
	if first.South != g.North {
		return false
	}
	return m.Once || len(games) == 1 && first.Moves|g.Moves == 0
}

// PairKey is a hash of what the games of a pair have in common, and of its players in some order.
func (g *Result) PairKey(first, second string) uint64 {
	var h xxhash.Digest
	h.Reset()
	for _, text := range []string{first, second, g.Rules} {
		_, _ = h.WriteString(text) // never fails
		_, _ = h.Write([]byte{0})
	}
	_, _ = h.Write(g.Pair)
	return h.Sum64() ^ g.Opening
}

// meet counts a pair of a game with the first of the open ones of its key.
func (m *Matcher) meet(key uint64, games []Outcome, second Outcome) {
	first := games[0]
	m.Pair(first, second, 1)
	m.kept--
	if len(games) > 1 {
		m.open[key] = games[1:]
		return
	}
	delete(m.open, key)
	if m.Once {
		return
	}
	if len(m.ended) >= maxHashes {
		m.Lost = true
		return
	}
	if first.South > first.North {
		first, second = second, first
	}
	m.ended[key] = ended{first.Result, second.Result}
}

// compare is the order of the games of one key.
func (o Outcome) compare(p Outcome) int {
	return cmp.Or(
		cmp.Compare(o.South, p.South),
		cmp.Compare(o.Result, p.Result),
		cmp.Compare(o.Moves, p.Moves),
	)
}

// Settle counts the games that are in no pair so far: as many pairs as there can be, and the others
// as single ones.
func (m *Matcher) Settle() {
	if !m.settled {
		m.settled = true
		m.count(1)
	}
}

// count counts the open games, or takes them back. Pairs are drawn from the sorted games, and so
// the same whatever the order in which these came. A sorted list by itself would make pairs of
// games with equal results, and so a dependence that isn't there.
func (m *Matcher) count(n int) {
	for key, games := range m.open {
		slices.SortFunc(games, Outcome.compare)
		random := rand.New(rand.NewPCG(key, 0))
		random.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
		var alone []Outcome // which have no partner yet
		for _, g := range games {
			if len(alone) > 0 && alone[0].South == g.North {
				m.Pair(alone[0], g, n)
				alone = alone[1:]
				continue
			}
			alone = append(alone, g)
		}
		for _, g := range alone {
			m.Single(g, n)
		}
	}
}
