package ratings

import (
	"cmp"
	"slices"
)

// Pairing is all games in which one player was South and another North, counted from South's view.
type Pairing struct {
	South, North string
	Count
}

// Data adds up results, one game or one game pair at a time, in fifteen counts for each two players
// that met. The zero value is empty and ready to use; a Data must not be shared by goroutines
// without a lock.
type Data struct {
	// Adaptive says that who met whom followed from the results so far, as in Swiss and knock-out
	// tournaments.
	Adaptive bool
	// Identical counts pairs that are one game, and what the caller has left out.
	Identical Identical
	// Unscheduled says that it isn't known how it was decided who met whom.
	Unscheduled bool

	ids    map[string]int
	names  []string         // by id
	faults []Faults         // by id
	index  map[uint64]int32 // into met, by [pairing.key]; nil until needed
	met    []pairing
	self   int // games of a player against itself
}

// AddGames counts n games with one result; fewer than 0 take back games that were counted before. A
// game of a player against itself has no information on its strength; it is counted separately (see
// SelfGames) and left out of all else.
func (d *Data) AddGames(south, north string, r Result, n int) {
	games := newPairing(d.id(south), d.id(north))
	outcome := r.index()
	games.single[0][outcome] = int32(n)
	d.add(games)
}

// AddPairs counts n times two games of one opening with the same results; fewer than 0 take back
// pairs that were counted before. In the first game a had South, in the second b; results are
// South's.
func (d *Data) AddPairs(a, b string, first, second Result, n int) {
	games := newPairing(d.id(a), d.id(b))
	row := &games.pairs[first.index()]
	row[second.index()] = int32(n)
	d.add(games)
}

// add counts the games of two players, in either order, or of one against itself.
func (d *Data) add(games pairing) {
	if games.a == games.b {
		d.self += games.games()
		return
	}
	if games.a > games.b {
		games = games.swapped()
	}
	if d.index == nil {
		d.index = make(map[uint64]int32, len(d.met))
		for i := range d.met {
			d.index[d.met[i].key()] = int32(i)
		}
	}
	key := games.key()
	if i, met := d.index[key]; met {
		d.met[i].add(&games)
		return
	}
	d.index[key] = int32(len(d.met))
	d.met = append(d.met, games)
}

// AddFault notes that a fault of the loser decided a game that is added, too.
func (d *Data) AddFault(south, north string, r Result) {
	if south == north || r == Draw {
		return
	}
	winner, loser := d.id(south), d.id(north)
	if r < Draw {
		winner, loser = loser, winner
	}
	d.faults[winner].Won++
	d.faults[loser].Lost++
}

func (d *Data) id(name string) int {
	if i, ok := d.ids[name]; ok {
		return i
	}
	if d.ids == nil {
		d.ids = make(map[string]int)
	}
	i := len(d.names)
	d.ids[name] = i
	d.names = append(d.names, name)
	d.faults = append(d.faults, Faults{})
	return i
}

// Renamed returns the same results with other names for some players; those who get one name become
// one player.
func (d *Data) Renamed(names map[string]string) *Data {
	r := new(Data)
	r.merge(d, names)
	return r
}

// Merge adds all results of o.
func (d *Data) Merge(o *Data) { d.merge(o, nil) }

func (d *Data) merge(o *Data, names map[string]string) {
	empty := len(d.names) == 0
	numbers := d.mergePlayers(o, names)
	if empty && len(d.names) == len(numbers) { // the same players, by the same numbers
		d.met = slices.Clone(o.met)
		return
	}
	for _, games := range o.met {
		d.add(games.renumbered(numbers))
	}
}

// mergePlayers adds all but the pairings, and returns the numbers that the players have here.
func (d *Data) mergePlayers(o *Data, names map[string]string) []int {
	d.Adaptive = d.Adaptive || o.Adaptive
	d.Unscheduled = d.Unscheduled || o.Unscheduled
	d.Identical = d.Identical.plus(o.Identical)
	d.self += o.self
	numbers := make([]int, len(o.names))
	for i, name := range o.names {
		if other, ok := names[name]; ok {
			name = other
		}
		number := d.id(name)
		d.faults[number] = d.faults[number].plus(o.faults[i])
		numbers[i] = number
	}
	return numbers
}

// Sides are the names of the sides in a table; the first one moves first.
type Sides [2]string

// The names in Gygès and in chess.
var (
	SouthNorth = Sides{"South", "North"}
	WhiteBlack = Sides{"White", "Black"}
)

// Players lists the names met so far, sorted.
func (d *Data) Players() []string { return slices.Sorted(slices.Values(d.names)) }

// Games is the number of games added, those of a player against itself left out.
func (d *Data) Games() (sum int) {
	for _, p := range d.met {
		sum += p.games()
	}
	return sum
}

// Pairs is the number of game pairs added.
func (d *Data) Pairs() (sum int) {
	for _, p := range d.met {
		sum += p.pairCount()
	}
	return sum
}

// SelfGames is the number of games added that had the same name on both sides.
func (d *Data) SelfGames() int { return d.self }

// Pairings lists the ordered pairings that met, sorted by South's and then by North's name.
func (d *Data) Pairings() []Pairing {
	var list []Pairing
	for _, p := range d.met {
		for side := range 2 {
			c := p.count(side)
			if c.Games() == 0 {
				continue
			}
			south, north := p.southNorth(side)
			list = append(list, Pairing{d.names[south], d.names[north], c})
		}
	}
	slices.SortFunc(list, func(x, y Pairing) int {
		return cmp.Or(cmp.Compare(x.South, y.South), cmp.Compare(x.North, y.North))
	})
	return list
}

// Compact sorts players and pairings by name, so that [Fit] need not, and frees what only adding
// more needs.
func (d *Data) Compact() { *d = *d.sorted() }

// sorted returns a copy in which players and pairings are sorted by name: the same games give the
// same bits whatever order they came in.
func (d *Data) sorted() *Data {
	s := new(Data)
	for _, name := range d.Players() {
		s.id(name)
	}
	numbers := s.mergePlayers(d, nil)
	s.met = make([]pairing, len(d.met))
	for i, games := range d.met {
		games = games.renumbered(numbers)
		if games.a > games.b {
			games = games.swapped()
		}
		s.met[i] = games
	}
	slices.SortFunc(s.met, pairing.compare)
	return s
}

// number returns the number of a player in sorted results.
func (d *Data) number(name string) (i int, known bool) { return slices.BinarySearch(d.names, name) }

// counts adds up each player's games, by number.
func (d *Data) counts() []Count {
	sum := make([]Count, len(d.names))
	for _, k := range d.met {
		c := k.total()
		sum[k.a] = sum[k.a].Plus(c)
		sum[k.b] = sum[k.b].Plus(c.flip())
	}
	return sum
}

// Faults are the games of a player that a fault decided: a crash, an illegal move, no answer in
// time or the like.
type Faults struct {
	Lost int // by a fault of the player
	Won  int // by one of its opponent
}

func (f Faults) plus(o Faults) Faults { return Faults{f.Lost + o.Lost, f.Won + o.Won} }
