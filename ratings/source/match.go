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

// Matcher finds the two games of a pair, in whatever order the games come. Games with one Pair, other than "", that are
// of the same two players, under the same rules and from the same opening, have one key. Two of them with sides swapped
// are a pair, and each game is in one pair at most.
//
// A pair is counted when its second game comes. [Matcher.Settle] counts games without a partner as single ones, which
// is taken back if the partner comes later. Where more than one game of either side has a key, as with those from one
// opening without a round, it isn't known which belong together: they are a lot. What was counted of its key is taken
// back, and Settle draws the pairs.
type Matcher struct {
	// Single and Pair count games: n is 1, or -1 to take back what was counted before. The players of a pair's second
	// game have swapped sides.
	Single func(g Outcome, n int)
	Pair   func(first, second Outcome, n int)
	// Once says that a key doesn't come again after its pair, as in a run, which numbers its pairs. Then a pair takes no
	// memory. Otherwise it takes some 25 bytes, and one with moves is a lot.
	Once bool
	Lost bool // there were too many games to find all pairs

	waiting map[uint64]single // the only game of a key
	ended   map[uint64]ended  // complete pairs
	lots    map[uint64][]Outcome
	kept    int // games in waiting and lots
}

// single is a game without a partner yet, which may be counted as a single one.
type single struct {
	Outcome
	counted bool
}

// ended are the results of a pair, first of the game in which the player had South that sorts first.
type ended [2]int8

// Add counts a game, of which it keeps no byte slices.
func (m *Matcher) Add(g *Result) {
	if len(g.Pair) == 0 {
		m.Single(g.Outcome, 1)
		return
	}
	if m.waiting == nil {
		m.waiting, m.ended, m.lots = map[uint64]single{}, map[uint64]ended{}, map[uint64][]Outcome{}
	}
	key := g.PairKey(min(g.South, g.North), max(g.South, g.North))
	if other, waits := m.waiting[key]; waits {
		m.release(key, &other)
		m.meet(key, other.Outcome, g.Outcome)
		return
	}
	if m.kept >= maxKept {
		m.Lost = true
		m.Single(g.Outcome, 1)
		return
	}
	m.kept++
	if lot, drawn := m.lots[key]; drawn {
		m.lots[key] = append(lot, g.Outcome)
	} else {
		m.waiting[key] = single{g.Outcome, false}
	}
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

// release ends the waiting of a game, which is then not counted.
func (m *Matcher) release(key uint64, g *single) {
	delete(m.waiting, key)
	m.kept--
	if g.counted {
		m.Single(g.Outcome, -1)
	}
}

// meet counts two games of a key.
func (m *Matcher) meet(key uint64, first, second Outcome) {
	_, again := m.ended[key]
	hasMoves := first.Moves != 0 || second.Moves != 0
	if again || first.South != second.North || hasMoves && !m.Once {
		m.draw(key, first, second)
		return
	}
	m.Pair(first, second, 1)
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
	m.ended[key] = ended{int8(first.Result), int8(second.Result)}
}

// draw makes a lot of games of a key, and of the pair that was counted before.
func (m *Matcher) draw(key uint64, games ...Outcome) {
	if results, counted := m.ended[key]; counted {
		delete(m.ended, key)
		g := games[0]
		lower, upper := min(g.South, g.North), max(g.South, g.North)
		first := Outcome{South: lower, North: upper, Rules: g.Rules, Result: ratings.Result(results[0])}
		second := Outcome{South: upper, North: lower, Rules: g.Rules, Result: ratings.Result(results[1])}
		m.Pair(first, second, -1)
		games = append(games, first, second)
	}
	m.kept += len(games)
	m.lots[key] = games
}

// Settle counts games that have no partner so far, and those in lots: as many pairs as there can be, and the other
// games as single ones. Pairs are drawn from the sorted games, and so the same whatever the order in which these came.
// A sorted list by itself would make pairs of games with equal results, and so a dependence that isn't there.
func (m *Matcher) Settle() {
	for key, g := range m.waiting {
		if _, again := m.ended[key]; again {
			m.release(key, &g)
			m.draw(key, g.Outcome)
		} else if !g.counted {
			m.waiting[key] = single{g.Outcome, true}
			m.Single(g.Outcome, 1)
		}
	}
	for key, games := range m.lots {
		m.kept -= len(games)
		m.lots[key] = nil
		slices.SortFunc(games, func(a, b Outcome) int {
			return cmp.Or(cmp.Compare(a.South, b.South), cmp.Compare(a.Result, b.Result), cmp.Compare(a.Moves, b.Moves))
		})
		random := rand.New(rand.NewPCG(key, 0))
		random.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
		var open []Outcome // which have no partner yet
		for _, g := range games {
			if len(open) > 0 && open[0].South == g.North {
				m.Pair(open[0], g, 1)
				open = open[1:]
				continue
			}
			open = append(open, g)
		}
		for _, g := range open {
			m.Single(g, 1)
		}
	}
}
