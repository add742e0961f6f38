// Package explorer finds the games of runs that came to a position, and what was played there.
package explorer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

const maxPositions = 1_000_000 // in memory

// Set is the games of some runs. It belongs to one goroutine at a time; the zero value has none.
type Set struct {
	RuleSets []string    // of the games
	Reader   runs.Stream // which notes what is left out; its Rules are those of games that name none

	most  int // positions; 0: maxPositions
	full  bool
	runs  []Run    // at the last update
	lost  []string // those that can't be read, and why
	games []game
	turns []turn // in the order of the games
}

// Run is the file of records of a run, which had a size when it was written last.
type Run struct {
	Name, Path string
	Size       int64
	Written    time.Time
}

type game struct {
	run, rules, result string
	number             int64
}

// turn is a position and what was played there, or the mirror images of both, see [canonical].
type turn struct {
	position rules.Position
	move     rules.Move
	game     int32 // index
	moves    int32 // of the game up to this one, placements included
}

// canonical returns a position, whatever was passed before, and a move in it, or the mirror images of both. In a
// position that is its own image a move and its image are one.
func canonical(p rules.Position, m rules.Move) (c rules.Position, image rules.Move, mirrored bool) {
	c, mirrored = p.WithoutPasses().Canonical()
	if mirrored || c == c.Mirror() && m.Mirror() < m {
		m = m.Mirror()
	}
	return c, m, mirrored
}

// Read adds the games of a file of records, PGN or CSV, as long as there is room.
func (s *Set) Read(ctx context.Context, f *runs.File) error {
	for g, err := range s.Reader.Records(ctx, f) {
		if err == nil && len(g.Record.Moves) > 0 { // otherwise there is nothing to see
			err = s.add(f.Name, g.Record)
		}
		if err != nil || s.full {
			return err
		}
	}
	return nil
}

func (s *Set) add(run string, g *record.Record) error {
	var turns []turn
	_, err := record.Play(g, func(game *rules.Game, m rules.Move) {
		if p := game.Position(); !game.Rules().SettingUp(p) {
			c, m, _ := canonical(p, m)
			turns = append(turns, turn{c, m, int32(len(s.games)), int32(len(game.Moves()) + 1)})
		}
	})
	if err != nil {
		return s.Reader.Unreadable(fmt.Errorf("%s: game %d: %w", run, g.Game, err))
	}
	if s.full = len(s.turns)+len(turns) > cmp.Or(s.most, maxPositions); s.full {
		return nil
	}
	s.games, s.turns = append(s.games, game{run, g.Rules, g.Result, g.Game}), append(s.turns, turns...)
	if !slices.Contains(s.RuleSets, g.Rules) {
		s.RuleSets = append(s.RuleSets, g.Rules)
	}
	return nil
}

// Notes returns sentences on runs that can't be read, and on games that were left out for lack of room.
func (s *Set) Notes() (notes []string) {
	if len(s.lost) > 0 {
		notes = append(notes, "left out: "+textfmt.List(s.lost, 5))
	}
	if s.full {
		notes = append(notes, fmt.Sprintf("only the first %s games were read, which have %s positions; the rest is left out",
			textfmt.Thousands(int64(len(s.games))), textfmt.Thousands(int64(len(s.turns)))))
	}
	return notes
}

// Update makes the set that of these runs, and reads all again if any has changed, or could not be read.
func (s *Set) Update(ctx context.Context, list []Run) {
	if slices.Equal(list, s.runs) && s.lost == nil {
		return
	}
	*s = Set{runs: list, most: s.most}
	for _, r := range list {
		in, err := files.Open(r.Path)
		if err == nil {
			err = s.Read(ctx, &runs.File{In: in, Name: r.Name, Format: source.Records})
		}
		if failed, ok := errors.AsType[*fs.PathError](err); ok { // whose path isn't for who sees the page
			err = fmt.Errorf("%s: %w", r.Name, failed.Err)
		}
		if err != nil {
			s.lost = append(s.lost, err.Error())
		}
	}
}

// Row is a move with the games in which it was played.
type Row struct {
	Move    string   // at the start the position of the opening
	Results [3]int64 // lost, drawn and won by the side to move; by South at the start
	Run     string   // of the first game
	Game    int64
	Ply     int32 // number of the game's moves up to this one, placements included

	last int32 // game, its index
}

func (r *Row) games() int64 { return r.Results[0] + r.Results[1] + r.Results[2] }

func (r *Row) points() float64 {
	return (0.5*float64(r.Results[1]) + float64(r.Results[2])) / float64(r.games())
}

// Columns are those of a table of rows.
var Columns = []grid.Column[*Row]{
	{Key: "move", Title: "Move", Left: true, Value: func(r *Row) any { return r.Move }},
	{Key: "games", Title: "Games", Value: func(r *Row) any { return grid.Thousands(r.games()) }},
	{Key: "won", Title: "Won", Drop: 2, Value: func(r *Row) any { return grid.Thousands(r.Results[2]) }},
	{Key: "drawn", Title: "Drawn", Drop: 2, Value: func(r *Row) any { return grid.Thousands(r.Results[1]) }},
	{Key: "lost", Title: "Lost", Drop: 2, Value: func(r *Row) any { return grid.Thousands(r.Results[0]) }},
	{Key: "points", Title: "Points", Value: func(r *Row) any { return grid.Percent(r.points()) }},
	{Key: "run", Title: "Run", Left: true, Drop: 4, Value: func(r *Row) any { return grid.Name(r.Run) }},
	{Key: "game", Title: "Game", Drop: 3, Value: func(r *Row) any { return r.Game }},
	{Key: "ply", Value: func(r *Row) any { return r.Ply }},
}

// Find returns what was played in the present position of a game, at its start the openings, by frequency.
func (s *Set) Find(at *rules.Game) (rows []*Row, games int) {
	r, p := at.Rules(), at.Position()
	position, _, mirrored := canonical(p, rules.NoMove)
	begins := func(i int) bool { return i == 0 || s.turns[i-1].game != s.turns[i].game }
	openings, byMove := false, map[turn]*Row{}
	for i := 0; i < len(s.turns) && p == r.Start() && !openings; i++ { // games of Kang may begin at the start, too
		openings = begins(i) && s.turns[i].position != position && s.games[s.turns[i].game].rules == r.String()
	}
	for i, t := range s.turns {
		g := &s.games[t.game]
		if g.rules != r.String() || openings && !begins(i) || !openings && t.position != position {
			continue
		}
		if openings {
			t.move, t.moves = rules.NoMove, t.moves-1
		}
		key := turn{position: t.position, move: t.move}
		row := byMove[key]
		if row == nil {
			row = &Row{Move: t.move.String(), Run: g.run, Game: g.number, Ply: t.moves, last: -1}
			if openings {
				row.Move = r.FormatPosition(t.position)
			} else if mirrored {
				row.Move = t.move.Mirror().String()
			}
			byMove[key], rows = row, append(rows, row)
		}
		if row.last != t.game {
			row.last = t.game
			row.Results[record.HalfPoints(g.result, p.Side())]++
			games++
		}
	}
	slices.SortStableFunc(rows, func(a, b *Row) int { return int(b.games() - a.games()) })
	return rows, games
}
