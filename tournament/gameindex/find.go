package gameindex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"gyges/ratings"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/gamestats"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// Set is the indexes of some runs. It belongs to one goroutine at a time; the zero value has no runs.
type Set struct {
	known        map[string]*index // by the names of the runs
	indexes      []*index          // whose games count: of copies of a run, that of the longest
	leftOut      int               // runs without games, and copies
	segmentBytes int64             // of records in tests; 0: as usual
}

// Update makes the set that of these runs, reads what is new in their records, and returns how many games that are.
// progress gets the name of a run and how many bytes of its records are read. A run without records is left out. The
// error joins those of the runs; the others are up to date. If ctx ends, what was read is kept.
func (s *Set) Update(
	ctx context.Context, runs []Run, progress func(run string, done, all int64),
) (games int, err error) {
	known := s.known
	s.known, s.indexes = map[string]*index{}, nil
	for _, r := range runs {
		x := cmp.Or(known[r.Name], &index{Run: r})
		s.known[r.Name] = x
		n, failed := x.update(ctx, cmp.Or(s.segmentBytes, segmentBytes), progress)
		games += n
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("%s: %w", r.Name, failed))
		}
		switch i := slices.IndexFunc(s.indexes, func(o *index) bool { return o.First == x.First }); {
		case x.end() == 0:
		case i < 0:
			s.indexes = append(s.indexes, x)
		case s.indexes[i].end() < x.end():
			s.indexes[i] = x
		}
	}
	s.leftOut = len(runs) - len(s.indexes)
	return games, err
}

// Notes returns sentences on what was left out.
func (s *Set) Notes() (notes []string) {
	for _, x := range s.indexes {
		for _, part := range x.Segments {
			if part.LeftOut > 0 {
				notes = append(notes, fmt.Sprintf("left out: games of %s that can't be replayed, %d; the first: %s", x.Name,
					part.LeftOut, part.Problem))
			}
		}
	}
	if s.leftOut > 0 {
		notes = append(notes, fmt.Sprintf("left out: %d runs without games or with the first record of another one",
			s.leftOut))
	}
	return notes
}

// RuleSets returns the rule sets of the games, in order.
func (s *Set) RuleSets() (list []string) {
	for _, x := range s.indexes {
		for pairing := range x.Pairings {
			ruleSet, _, _ := strings.Cut(pairing, "\n")
			list = append(list, ruleSet)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Query asks for what was played in a position.
type Query struct {
	Game   *rules.Game // the position, and the moves that led there, for proofs; at the start openings are asked for
	MinElo *float64    // of both players, by the ratings of their run; nil: any
	Rows   int         // maximum number; 0: all
	Games  int         // maximum number of games listed in each, at least 1
}

// Answer is what was played.
type Answer struct {
	Games int64  // that came to the position
	Rows  []*Row // the most frequent first
	More  int    // rows left out
}

// Row is a move with the games in which it was played.
type Row struct {
	Move      string   // at the start the position of the opening; "(ended)" where the games ended without a move
	Results   [3]int64 // lost, drawn and won by the side to move; by South at the start
	Points    float64  // the same side's share
	Low, High float64  // its 95 % interval, the games of a pair taken together; NaN for fewer than two units
	Games     []Game   // the first ones

	played     uint64
	moments    gamestats.Moments // of the pairs before the last one
	sum, cases float64           // of that
	last       place
	places     []place // of the first games
}

// place is a turn of an index.
type place struct {
	index *index
	turn
}

// Total returns the number of games.
func (r *Row) Total() int64 { return r.Results[0] + r.Results[1] + r.Results[2] }

// interval returns the interval for people, "" if there is none.
func (r *Row) interval() string {
	if math.IsNaN(r.Low) {
		return ""
	}
	return textfmt.Percent(r.Low) + " to " + textfmt.Percent(r.High)
}

// Columns are those of a table of rows.
var Columns = []grid.Column[*Row]{
	{Key: "move", Title: "Move", Left: true, Value: func(r *Row) any { return r.Move }},
	{Key: "games", Title: "Games", Value: func(r *Row) any { return grid.Thousands(r.Total()) }},
	{Key: "won", Title: "Won", Drop: 2, Value: func(r *Row) any { return grid.Thousands(r.Results[2]) }},
	{Key: "drawn", Title: "Drawn", Drop: 2, Value: func(r *Row) any { return grid.Thousands(r.Results[1]) }},
	{Key: "lost", Title: "Lost", Drop: 2, Value: func(r *Row) any { return grid.Thousands(r.Results[0]) }},
	{Key: "points", Title: "Points", Value: func(r *Row) any { return grid.Percent(r.Points) }},
	{Title: "95 % interval", Drop: 1, Value: func(r *Row) any { return r.interval() }},
	{Key: "low", Value: func(r *Row) any { return r.Low }},
	{Key: "high", Value: func(r *Row) any { return r.High }},
	{Key: "run", Title: "Run", Left: true, Drop: 4, Value: func(r *Row) any { return grid.Name(r.Games[0].Run) }},
	{Key: "game", Title: "Game", Drop: 3, Value: func(r *Row) any { return r.Games[0].Number }},
	{Key: "ply", Value: func(r *Row) any { return r.Games[0].Ply }},
}

// Game is a game of a run.
type Game struct {
	Run          string
	Number       int64
	Ply          int // number of its moves up to that of the row, placements included
	South, North string
	Result       string
}

// ErrPlacing is returned for a position in which pieces are still to be placed.
var ErrPlacing = errors.New("expected the start of a game, or a position in which all pieces are placed")

// maxRows bounds the rows in memory: at the start, the openings that are told apart.
const maxRows = 1 << 18

// search is a query under way.
type search struct {
	Query
	key  uint64
	rows map[uint64]*Row // by what was played
	rest int64           // games beyond maxRows
}

func (f *search) openings() bool { return f.Game.Rules().SettingUp(f.Game.Position()) }

// Find answers a query. After [ErrDamaged] the next update makes the index anew.
func (s *Set) Find(ctx context.Context, q Query) (*Answer, error) {
	f := &search{Query: q, rows: map[uint64]*Row{}}
	r, p := q.Game.Rules(), q.Game.Position()
	if f.openings() && p != r.Start() {
		return nil, ErrPlacing
	}
	f.key, _, _ = keyOf(r, p, rules.NoMove)
	for _, x := range s.indexes {
		if err := f.collect(ctx, x); err != nil {
			return nil, err
		}
	}
	return f.answer()
}

// collect adds the games of an index.
func (f *search) collect(ctx context.Context, x *index) error {
	if f.MinElo != nil && x.labels == nil {
		if err := x.rate(ctx); err != nil {
			return err
		}
	}
	wanted := map[uint64]bool{} // the pairings
	for pairing, n := range x.Pairings {
		ruleSet, players, _ := strings.Cut(pairing, "\n")
		south, north, _ := strings.Cut(players, "\n")
		wanted[n] = ruleSet == f.Game.Rules().String() &&
			(f.MinElo == nil || min(x.elo(ruleSet, south), x.elo(ruleSet, north)) >= *f.MinElo)
	}
	for _, part := range x.Segments {
		err := part.find(x.file(part.name()), f.key, func(t turn) {
			if wanted[t.pairing()] {
				f.add(place{x, t})
			}
		})
		if err != nil {
			return x.damage(err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// rate rates the players as gyges rate does.
func (x *index) rate(ctx context.Context) error {
	all, err := files.Load(x.Path, func(in io.Reader, name string) (*standings.Standings, error) {
		all := standings.New()
		return all, new(standings.Reader).Read(ctx, in, name, all)
	})
	if err == nil {
		x.rated, err = all.Fit(ctx, ratings.Options{}, false)
	}
	if err == nil {
		x.labels = all.Labels()
	}
	return err
}

// elo returns the rating of a player, NaN if it has none.
func (x *index) elo(ruleSet, player string) float64 {
	for _, part := range x.rated.Parts {
		if p, ok := part.Ratings.Player(cmp.Or(x.labels[player], player)); ok && part.Rules == ruleSet {
			return p.Elo
		}
	}
	return math.NaN()
}

// add adds a game to its row.
func (f *search) add(at place) {
	r := f.rows[at.played()]
	if r == nil {
		if len(f.rows) >= maxRows {
			f.rest++
			return
		}
		r = &Row{played: at.played()}
		f.rows[r.played] = r
	}
	if at.index != r.last.index || at.pair() != r.last.pair() {
		r.endPair()
	}
	r.last = at
	r.Results[at.result()]++
	r.sum, r.cases = r.sum+float64(at.result())/2, r.cases+1
	if len(r.places) < f.Games {
		r.places = append(r.places, at)
	}
}

func (r *Row) endPair() {
	r.moments.Add(r.sum, r.cases)
	r.sum, r.cases = 0, 0
}

// answer completes the rows that are shown.
func (f *search) answer() (*Answer, error) {
	a := &Answer{Games: f.rest}
	a.Rows = slices.SortedFunc(maps.Values(f.rows), func(a, b *Row) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.played, b.played))
	})
	for _, r := range a.Rows {
		a.Games += r.Total()
	}
	if f.Rows > 0 && len(a.Rows) > f.Rows {
		a.Rows, a.More = a.Rows[:f.Rows], len(a.Rows)-f.Rows
	}
	for _, r := range a.Rows {
		r.endPair()
		r.Points = r.moments.Ratio()
		r.Low, r.High = r.moments.ShareInterval()
		for _, at := range r.places {
			if err := f.look(r, at); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

// look adds a game to a row. Its record says whether it came to the position, and which opening the row is of.
func (f *search) look(r *Row, at place) error {
	file, err := files.Open(at.index.Path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	in := io.NewSectionReader(file, at.offset(), record.MaxLine+1)
	g, err := record.NewReader(in, at.index.Name).Read()
	var steps []step
	if err == nil {
		steps, err = stepsOf(g, at.offset(), at.pairing())
	}
	i := slices.IndexFunc(steps, func(s step) bool { return s.turn == at.turn })
	if i < 0 {
		return at.index.damage(err)
	}
	if len(r.Games) == 0 {
		f.describe(r, steps[i].position)
	}
	r.Games = append(r.Games, Game{at.index.Name, g.Game, steps[i].moves, g.South.Agent, g.North.Agent, g.Result})
	return nil
}

// describe sets the text of the move, or of the opening. p is the position before it in a game.
func (f *search) describe(r *Row, p rules.Position) {
	game, m := f.Game, rules.Move(r.played)
	switch {
	case f.openings():
		r.Move = game.Rules().FormatPosition(p)
	case m == rules.NoMove:
		r.Move = "(ended)"
	default:
		if _, _, mirrored := keyOf(game.Rules(), game.Position(), m); mirrored {
			m = m.Mirror()
		}
		r.Move = m.String()
	}
}
