package ratings

import "slices"

// Result is a game's outcome for South. Any positive value is a win and any
// negative one a loss, so that no value is without a meaning.
type Result int8

// The three outcomes, as seen by South.
const (
	Loss Result = -1
	Draw Result = 0
	Win  Result = 1
)

// Count holds how many games ended how, as seen by one player.
type Count struct {
	Wins, Draws, Losses int
}

// Games is the number of games counted.
func (c Count) Games() int { return c.Wins + c.Draws + c.Losses }

// Points is a point for each win and half a point for each draw.
func (c Count) Points() float64 { return float64(c.Wins) + float64(c.Draws)/2 }

// Score is the points per game, 0 to 1, and 0 without games.
func (c Count) Score() float64 { return c.perGame(c.Points()) }

// DrawShare is the share of the games that were drawn, 0 to 1, and 0 without
// games.
func (c Count) DrawShare() float64 { return c.perGame(float64(c.Draws)) }

func (c Count) perGame(x float64) float64 {
	if c.Games() == 0 {
		return 0
	}
	return x / float64(c.Games())
}

// flip is the same games as the opponent saw them.
func (c Count) flip() Count { return Count{c.Losses, c.Draws, c.Wins} }

func (c Count) plus(o Count) Count {
	return Count{c.Wins + o.Wins, c.Draws + o.Draws, c.Losses + o.Losses}
}

// Pairing is all games in which one player was South and another North, counted
// from South's view.
type Pairing struct {
	South, North string
	Count
}

// Data adds up results, one game at a time. It keeps one count for each South
// and North that met, so its size depends on the pairings and not on the
// number of games. The zero value is empty and ready to use; a Data must not be
// shared by goroutines without a lock.
type Data struct {
	ids    map[string]int
	names  []string     // by id
	self   []int        // games against oneself, by id
	cells  map[cell]int // index into counts
	keys   []cell
	counts []Count
}

// cell is an ordered pairing, players by number.
type cell struct{ south, north int }

// Add counts one game. A game of a player against itself says nothing about
// its strength; it is counted apart (see SelfGames) and left out of all else.
func (d *Data) Add(south, north string, r Result) {
	k := cell{d.id(south), d.id(north)}
	if k.south == k.north {
		d.self[k.south]++
		return
	}
	i, ok := d.cells[k]
	if !ok {
		i = len(d.counts)
		if d.cells == nil {
			d.cells = make(map[cell]int)
		}
		d.cells[k] = i
		d.keys = append(d.keys, k)
		d.counts = append(d.counts, Count{})
	}
	switch c := &d.counts[i]; {
	case r > 0:
		c.Wins++
	case r < 0:
		c.Losses++
	default:
		c.Draws++
	}
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
	d.self = append(d.self, 0)
	return i
}

// Players lists the names met so far, sorted.
func (d *Data) Players() []string { return slices.Sorted(slices.Values(d.names)) }

// Games is the number of games added, those of a player against itself left
// out.
func (d *Data) Games() int {
	n := 0
	for _, c := range d.counts {
		n += c.Games()
	}
	return n
}

// SelfGames is the number of games added that had the same name on both sides.
func (d *Data) SelfGames() int {
	n := 0
	for _, s := range d.self {
		n += s
	}
	return n
}

// Pairings lists the ordered pairings that met, sorted by South's and then by
// North's name.
func (d *Data) Pairings() []Pairing { return d.meetings().list() }

func (m *meetings) list() []Pairing {
	list := make([]Pairing, len(m.pairs))
	for i, p := range m.pairs {
		list[i] = Pairing{m.names[p.south], m.names[p.north], p.Count}
	}
	return list
}

// meetings is a copy of Data in which players and pairings are sorted by name:
// the same games give the same bits whatever order they came in.
type meetings struct {
	names []string
	self  []int
	pairs []meeting
}

type meeting struct {
	cell
	Count
}

func (d *Data) meetings() *meetings {
	m := &meetings{
		names: d.Players(),
		self:  make([]int, len(d.names)),
		pairs: make([]meeting, len(d.keys)),
	}
	place := make([]int, len(d.names))
	for i, name := range m.names {
		place[d.ids[name]] = i
		m.self[i] = d.self[d.ids[name]]
	}
	for i, k := range d.keys {
		m.pairs[i] = meeting{cell{place[k.south], place[k.north]}, d.counts[i]}
	}
	slices.SortFunc(m.pairs, func(a, b meeting) int {
		if a.south != b.south {
			return a.south - b.south
		}
		return a.north - b.north
	})
	return m
}

// records adds up each player's games, by number.
func (m *meetings) records() []Count {
	sum := make([]Count, len(m.names))
	for _, p := range m.pairs {
		sum[p.south] = sum[p.south].plus(p.Count)
		sum[p.north] = sum[p.north].plus(p.flip())
	}
	return sum
}

// totals adds up the games of two players over both sides, for each as its
// opponent: the cell's south is the player whose view it is.
func (m *meetings) totals() map[cell]Count {
	sum := make(map[cell]Count)
	for _, p := range m.pairs {
		back := cell{p.north, p.south}
		sum[p.cell] = sum[p.cell].plus(p.Count)
		sum[back] = sum[back].plus(p.flip())
	}
	return sum
}
