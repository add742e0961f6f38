package source

import (
	"cmp"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"gyges/ratings"
)

// maxKept bounds the games that a [Matcher] keeps: some 100 MB of those that may still get a partner.
const maxKept = 1 << 20

// Matcher finds the two games of a pair, in whatever order the games come. Games with one Pair, other than "", that are
// of the same two players, under the same rules and from the same opening, have one key. Two of them with sides swapped
// are a pair, and each game is in one pair at most.
//
// A pair is counted when its second game comes. [Matcher.Settle] counts games without a partner as single ones, which is
// taken back if the partner comes later. Where more games than one of either side have a key, as those from one opening
// without a round, it isn't known which belong together. What was counted of that key is taken back, and Settle draws
// the pairs by lot.
type Matcher struct {
	// Single and Pair count games: n is 1, or -1 to take back what was counted before. The players of a pair's second
	// game have swapped sides.
	Single func(g Outcome, n int)
	Pair   func(first, second Outcome, n int)
	// Once says that a key doesn't come again after its pair, as in a run, which numbers its pairs. Then a pair takes no
	// memory. Otherwise it takes some 25 bytes, and with moves 50.
	Once bool
	Lost bool // there were too many games to find all pairs

	waiting map[uint64]single  // the only game of a key
	ended   map[uint64]ended   // complete pairs
	moves   map[uint64][2]uint64
	lots    map[uint64]*lot // the games of other keys
	kept    int             // games in waiting, and different ones in lots
}

// single is a game without a partner yet, which may be counted as a single one.
type single struct {
	Outcome
	seed    uint64 // a hash of its Pair, the same in every process
	counted bool
}

// ended is what is kept of a pair beside its moves: first of the game in which the player had South that sorts first.
type ended [2]struct {
	result int8
	fault  bool
}

// lot is the games of a key to be settled.
type lot struct {
	seed  uint64 // by the key: pairs drawn with it don't follow from the results
	games map[Outcome]int
}

// Add counts a game, of which it keeps no byte slices.
func (m *Matcher) Add(g *Result) {
	if len(g.Pair) == 0 {
		m.Single(g.Outcome, 1)
		return
	}
	if m.waiting == nil {
		m.waiting, m.ended = map[uint64]single{}, map[uint64]ended{}
		m.moves, m.lots = map[uint64][2]uint64{}, map[uint64]*lot{}
	}
	key := g.PairKey(min(g.South, g.North), max(g.South, g.North))
	if l := m.lots[key]; l != nil {
		m.addToLot(l, g.Outcome)
		return
	}
	other, waits := m.waiting[key]
	if waits {
		m.release(key, &other)
		m.meet(key, &other, g.Outcome)
		return
	}
	if !m.hasRoom() {
		m.Single(g.Outcome, 1)
		return
	}
	m.waiting[key] = single{Outcome: g.Outcome, seed: xxhash.Sum64(g.Pair)}
	m.kept++
}

// PairKey is a hash of what the games of a pair have in common, and of its players in some order.
func (g *Result) PairKey(first, second string) uint64 {
	return maphash.Comparable(hashSeed, struct {
		first, second, rules string
		opening, pair        uint64
	}{first, second, g.Rules, g.Opening, maphash.Bytes(hashSeed, g.Pair)})
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
func (m *Matcher) meet(key uint64, first *single, second Outcome) {
	_, again := m.ended[key]
	if again || first.South != second.North {
		m.draw(key, first, second)
		return
	}
	m.Pair(first.Outcome, second, 1)
	if !m.Once {
		m.complete(key, first.Outcome, second)
	}
}

func (m *Matcher) hasRoom() bool {
	room := m.kept < maxKept
	m.Lost = m.Lost || !room
	return room
}

// complete remembers a pair, for the case that its key comes again.
func (m *Matcher) complete(key uint64, first, second Outcome) {
	if len(m.ended) >= maxHashes {
		m.Lost = true
		return
	}
	if first.South > second.South {
		first, second = second, first
	}
	var e ended
	for i, g := range []Outcome{first, second} {
		e[i].result, e[i].fault = int8(g.Result), g.Fault
	}
	m.ended[key] = e
	if first.Moves != 0 || second.Moves != 0 {
		m.moves[key] = [2]uint64{first.Moves, second.Moves}
	}
}

// pair returns the complete pair of a key, of which g is another game.
func (m *Matcher) pair(key uint64, g *Outcome) (first, second Outcome, complete bool) {
	e, complete := m.ended[key]
	lower, upper := min(g.South, g.North), max(g.South, g.North)
	games := [2]Outcome{{South: lower, North: upper}, {South: upper, North: lower}}
	moves := m.moves[key]
	for i := range games {
		games[i].Rules, games[i].Moves = g.Rules, moves[i]
		games[i].Result, games[i].Fault = ratings.Result(e[i].result), e[i].fault
	}
	return games[0], games[1], complete
}

// draw makes a lot of the games of a key: of those that were counted as a pair, a first other one, and more.
func (m *Matcher) draw(key uint64, one *single, more ...Outcome) {
	games := append(more, one.Outcome)
	if first, second, complete := m.pair(key, &one.Outcome); complete {
		delete(m.ended, key)
		delete(m.moves, key)
		m.Pair(first, second, -1)
		games = append(games, first, second)
	}
	l := &lot{one.seed, map[Outcome]int{}}
	m.lots[key] = l
	for _, g := range games {
		m.addToLot(l, g)
	}
}

func (m *Matcher) addToLot(l *lot, g Outcome) {
	if l.games[g] == 0 {
		if !m.hasRoom() {
			m.Single(g, 1)
			return
		}
		m.kept++
	}
	l.games[g]++
}

// Settle counts games that have no partner so far, and those in lots: as many pairs as there can be, and the other games
// as single ones. Pairs are drawn from the sorted games, and so the same whatever the order in which these came. A sorted
// list by itself would make pairs of games with equal results, and so a dependence that isn't there.
func (m *Matcher) Settle() {
	for key, g := range m.waiting {
		if _, again := m.ended[key]; again {
			m.release(key, &g)
			m.draw(key, &g)
		} else if !g.counted {
			g.counted = true
			m.waiting[key] = g
			m.Single(g.Outcome, 1)
		}
	}
	for _, l := range m.lots {
		games := slices.SortedFunc(maps.Keys(l.games), Outcome.compare)
		var sides [2][]Outcome // those in which the player that sorts first had South, and the others
		for _, g := range games {
			side := 0
			if g.South > g.North {
				side = 1
			}
			sides[side] = append(sides[side], slices.Repeat([]Outcome{g}, l.games[g])...)
		}
		random := rand.New(rand.NewPCG(l.seed, 0))
		for _, list := range sides {
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		pairs := min(len(sides[0]), len(sides[1]))
		for i := range pairs {
			m.Pair(sides[0][i], sides[1][i], 1)
		}
		for _, g := range slices.Concat(sides[0][pairs:], sides[1][pairs:]) {
			m.Single(g, 1)
		}
		m.kept -= len(l.games)
		clear(l.games)
	}
}

// compare is an order of games of two players.
func (g Outcome) compare(o Outcome) int {
	order := cmp.Or(strings.Compare(g.South, o.South), cmp.Compare(g.Result, o.Result), cmp.Compare(g.Moves, o.Moves))
	if order == 0 && g.Fault != o.Fault {
		order = 1
		if o.Fault {
			order = -1
		}
	}
	return order
}
