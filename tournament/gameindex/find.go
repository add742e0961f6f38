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

	"gyges/agents/solver"
	"gyges/ratings"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/gamestats"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// Set is the indexes of some runs. It belongs to one goroutine at a time; the zero value has no runs.
type Set struct {
	indexes  []*index
	maxTurns int // of a segment, in tests; 0: as usual
}

// Update makes the set that of these runs, reads what is new in their records, and returns how many games that are.
// progress gets the name of a run and how many bytes of its records are read. A run without records is left out. The
// error joins those of the runs; the others are up to date. If ctx ends, what was read is kept.
func (s *Set) Update(
	ctx context.Context, runs []Run, progress func(run string, done, all int64),
) (games int, err error) {
	known := map[string]*index{}
	for _, x := range s.indexes {
		known[x.Name] = x
	}
	s.indexes = nil
	for _, r := range runs {
		x := cmp.Or(known[r.Name], &index{Run: r, maxTurns: cmp.Or(s.maxTurns, maxTurns)})
		s.indexes = append(s.indexes, x)
		n, failed := x.update(ctx, func(done, all int64) { progress(r.Name, done, all) })
		games += n
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("%s: %w", r.Name, failed))
		}
	}
	return games, err
}

// Notes returns sentences on what was left out, and on indexes that can't be written.
func (s *Set) Notes() (notes []string) {
	for _, x := range s.indexes {
		if x.inMemory != nil {
			notes = append(notes, fmt.Sprintf("the index of %s is in memory and made anew each time: %v", x.Name, x.inMemory))
		}
		for _, part := range x.segments {
			if part.LeftOut > 0 {
				notes = append(notes, fmt.Sprintf("left out: games of %s that can't be replayed, %d; the first: %s", x.Name,
					part.LeftOut, part.Problem))
			}
		}
	}
	if n := len(s.indexes) - len(s.counted()); n > 0 {
		notes = append(notes, fmt.Sprintf("left out: %d runs without games or with the first record of another one", n))
	}
	return notes
}

// RuleSets returns the rule sets of the games, in order.
func (s *Set) RuleSets() (list []string) {
	for _, x := range s.indexes {
		for _, part := range x.segments {
			for _, p := range part.Pairings {
				list = append(list, p[0])
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// counted returns the indexes whose games count: of copies of a run, that of the longest.
func (s *Set) counted() (list []*index) {
	at := map[uint32]int{} // in the list, by the first record
	for _, x := range s.indexes {
		if len(x.segments) == 0 {
			continue
		}
		first := x.segments[0].First
		if i, copied := at[first]; !copied {
			at[first] = len(list)
			list = append(list, x)
		} else if list[i].end() < x.end() {
			list[i] = x
		}
	}
	return list
}

// Query asks for what was played in a position.
type Query struct {
	Game   *rules.Game // the position, and the moves that led there, for proofs; at the start openings are asked for
	MinElo *float64    // of both players, by the ratings of their run; nil: any
	Rows   int         // maximum number; 0: all
	Games  int         // maximum number of games listed in each
}

// Answer is what was played.
type Answer struct {
	Games int64 // that came to the position
	Rows  []Row // the most frequent first
	More  int   // rows left out
}

// Row is a move with the games in which it was played.
type Row struct {
	Move      rules.Move     // NoMove where the games ended without one, and for an opening
	Opening   rules.Position // in which games began, if openings are asked for
	Results   [3]int64       // lost, drawn and won by the side to move; by South at the start
	Points    float64        // the same side's share
	Low, High float64        // its 95 % interval, the games of a pair taken together; NaN for fewer than two units
	Proof     *solver.Known  // of the position after it; nil: none
	Games     []Game         // the first ones
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

// proven returns what is proven, "" for nothing.
func (r *Row) proven() string {
	if r.Proof == nil {
		return ""
	}
	return fmt.Sprintf("%v wins in %d", r.Proof.Winner, r.Proof.Plies)
}

// Columns are those of a table of rows under rules.
func Columns(r *rules.Rules) []grid.Column[Row] {
	return []grid.Column[Row]{
		{Key: "move", Title: "Move", Left: true, Value: func(w Row) any {
			switch {
			case w.Opening != rules.Position{}:
				return r.FormatPosition(w.Opening)
			case w.Move == rules.NoMove:
				return "(ended)"
			}
			return w.Move.String()
		}},
		{Key: "games", Title: "Games", Value: func(w Row) any { return grid.Thousands(w.Total()) }},
		{Key: "won", Title: "Won", Drop: 2, Value: func(w Row) any { return grid.Thousands(w.Results[2]) }},
		{Key: "drawn", Title: "Drawn", Drop: 2, Value: func(w Row) any { return grid.Thousands(w.Results[1]) }},
		{Key: "lost", Title: "Lost", Drop: 2, Value: func(w Row) any { return grid.Thousands(w.Results[0]) }},
		{Key: "points", Title: "Points", Value: func(w Row) any { return grid.Percent(w.Points) }},
		{Title: "95 % interval", Drop: 1, Value: func(w Row) any { return w.interval() }},
		{Key: "low", Value: func(w Row) any { return w.Low }},
		{Key: "high", Value: func(w Row) any { return w.High }},
		{Key: "proof", Title: "Proven", Left: true, Value: func(w Row) any { return w.proven() }},
		{Key: "run", Title: "Run", Left: true, Drop: 4, Value: func(w Row) any {
			return grid.Name(w.Games[0].Run)
		}},
		{Key: "game", Title: "Game", Drop: 3, Value: func(w Row) any { return w.Games[0].Number }},
		{Key: "ply", Value: func(w Row) any { return w.Games[0].Ply }},
	}
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
	query    *Query
	rules    *rules.Rules
	openings bool
	key      uint64
	rows     map[uint64]*row // by what was played
	rest     int64           // games beyond maxRows
}

// row adds up the games of a row.
type row struct {
	Row
	played     uint64
	points     gamestats.Moments
	sum, cases float64 // of the last pair
	index      *index  // of the last game
	last       turn
	places     []place // of the first games
}

// place is the offset of a record.
type place struct {
	index  *index
	offset int64
}

// Find answers a query. After [ErrDamaged] the next update makes the index anew.
func (s *Set) Find(ctx context.Context, q Query) (*Answer, error) {
	r, p := q.Game.Rules(), q.Game.Position()
	f := &search{query: &q, rules: r, openings: r.SettingUp(p), rows: map[uint64]*row{}}
	if f.openings && p != r.Start() {
		return nil, ErrPlacing
	}
	f.key, _ = keyOf(r, p, rules.NoMove)
	for _, x := range s.counted() {
		if err := f.collect(ctx, x); err != nil {
			return nil, x.repaired(err)
		}
	}
	return f.answer()
}

// repaired returns an error, and removes the index if that is damaged.
func (x *index) repaired(err error) error {
	if errors.Is(err, ErrDamaged) {
		x.remove()
	}
	return err
}

// collect adds the games of an index.
func (f *search) collect(ctx context.Context, x *index) error {
	if f.query.MinElo != nil && x.elo == nil {
		if err := x.rate(ctx); err != nil {
			return err
		}
	}
	for _, part := range x.segments {
		wanted := make([]bool, len(part.Pairings))
		for i, p := range part.Pairings {
			wanted[i] = p[0] == f.rules.String() && (f.query.MinElo == nil || x.reach(*f.query.MinElo, p[0], p[1], p[2]))
		}
		err := part.with(f.key, func(t turn) {
			if wanted[t[2]&pairingMask] {
				f.add(x, t)
			}
		})
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// reach reports whether players are rated, and not below a rating.
func (x *index) reach(least float64, ruleSet string, players ...string) bool {
	return !slices.ContainsFunc(players, func(player string) bool {
		elo, ok := x.elo[[2]string{ruleSet, player}]
		return !ok || elo < least
	})
}

// rate rates the players of the run as gyges rate does.
func (x *index) rate(ctx context.Context) error {
	file, _, err := x.open()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	all := standings.New()
	var m *tournament.Manifest
	if x.File == tournament.GamesFile {
		m, _ = standings.ReadManifest(x.Folder, x.Name) // gyges rate says what it means if there is none
	}
	all.Begin(m)
	if err := new(standings.Reader).Read(ctx, file, x.Name, all); err != nil {
		return err
	}
	rated, err := all.Fit(ctx, ratings.Options{}, false)
	if err != nil {
		return err
	}
	specs := map[string]string{} // by label
	for spec, label := range all.Labels() {
		specs[label] = spec
	}
	x.elo = map[[2]string]float64{}
	for _, part := range rated.Parts {
		for _, p := range part.Ratings.Players {
			x.elo[[2]string{part.Rules, cmp.Or(specs[p.Name], p.Name)}] = p.Elo
		}
	}
	return nil
}

// add adds a game to its row. One that comes to a position twice and plays the same counts once.
func (f *search) add(x *index, t turn) {
	played := t[1] >> playedShift
	r := f.rows[played]
	if r == nil {
		if len(f.rows) >= maxRows {
			f.rest++
			return
		}
		r = &row{played: played}
		f.rows[played] = r
	}
	if r.index == x && r.last == t {
		return
	}
	if r.index != x || r.last[1]&^resultMask != t[1]&^resultMask { // the pair is another one
		r.points.Add(r.sum, r.cases)
		r.sum, r.cases = 0, 0
	}
	r.index, r.last = x, t
	r.Results[t[1]&resultMask]++
	r.sum, r.cases = r.sum+float64(t[1]&resultMask)/2, r.cases+1
	if len(r.places) < max(1, f.query.Games) {
		r.places = append(r.places, place{x, int64(t[2] >> pairingBits)})
	}
}

// answer completes the rows that are shown.
func (f *search) answer() (*Answer, error) {
	proofs, err := solver.Shipped()
	if err != nil {
		return nil, err
	}
	a := &Answer{Games: f.rest, Rows: []Row{}}
	for i, r := range slices.SortedFunc(maps.Values(f.rows), func(a, b *row) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.played, b.played))
	}) {
		a.Games += r.Total()
		if f.query.Rows > 0 && i >= f.query.Rows {
			a.More++
			continue
		}
		r.points.Add(r.sum, r.cases)
		r.Points = r.points.Ratio()
		r.Low, r.High = r.points.ShareInterval()
		for _, at := range r.places {
			if err := f.look(r, at); err != nil {
				return nil, at.index.repaired(err)
			}
		}
		r.Games = r.Games[:min(len(r.Games), f.query.Games)]
		if k, ok := f.proven(proofs, r); ok {
			r.Proof = &k
		}
		a.Rows = append(a.Rows, r.Row)
	}
	return a, nil
}

// look adds a game to a row. Its record says whether it came to the position, and which move or opening the row is of.
func (f *search) look(r *row, at place) error {
	file, _, err := at.index.open()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	in := io.NewSectionReader(file, at.offset, record.MaxLine+1)
	g, err := record.NewReader(in, at.index.Name).Read()
	if err != nil {
		return errors.Join(err, ErrDamaged)
	}
	asked, mirrored := f.query.Game.Position().WithoutPasses().Canonical()
	ply, first := -1, true
	err = eachTurn(g, func(moves int, set *rules.Rules, p rules.Position, m rules.Move) {
		key, m := keyOf(set, p, m)
		c, _ := p.WithoutPasses().Canonical()
		switch {
		case ply >= 0 || set.String() != f.rules.String():
		case f.openings && first && openingOf(key) == r.played:
			r.Opening, ply = p, moves
		case !f.openings && c == asked && uint64(m) == r.played:
			if r.Move, ply = m, moves+1; m == rules.NoMove {
				ply = moves
			} else if mirrored {
				r.Move = m.Mirror()
			}
		}
		first = false
	})
	if err != nil || ply < 0 {
		return errors.Join(err, ErrDamaged)
	}
	r.Games = append(r.Games, Game{at.index.Name, g.Game, ply, g.South.Agent, g.North.Agent, g.Result})
	return nil
}

// proven returns what is proven after a move, if it may be played now.
func (f *search) proven(proofs *solver.Proofs, r *row) (k solver.Known, ok bool) {
	if f.openings {
		return proofs.Lookup(rules.NewGame(f.rules, r.Opening))
	}
	if r.Move == rules.NoMove || f.query.Game.Play(r.Move) != nil {
		return k, false
	}
	defer f.query.Game.Undo()
	return proofs.Lookup(f.query.Game)
}
