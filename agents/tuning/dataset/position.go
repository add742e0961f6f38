// Package dataset holds training positions: positions from played games with their results, as
// Parquet shards in a folder. The manual, README.md beside this folder, has the names of the files,
// their columns and metadata. A split without positions has one shard without rows; the splits
// share no game and no position.
//
// A [Position] is written by [Write], which puts a whole folder in the place of an earlier one, and
// comes back from [Read]. write.go has the columns of the files. Files may come from other programs
// or be damaged: what is read is checked, and [Check] does that without reading all.
package dataset

import (
	"errors"
	"fmt"

	"gyges/agents"
	"gyges/rules"
)

// Schema is the version of the columns.
const Schema = 2

// Split is the purpose of positions.
type Split uint8

// The splits.
const (
	Train      Split  = iota // weights are fitted to these
	Validation               // decisions during a fit, like early stopping, use these
	Test                     // the result is measured on these
	NumSplits  = iota        // how many splits there are
)

// String returns "train", "validation" or "test".
func (s Split) String() string { return [...]string{"train", "validation", "test"}[s] }

// Position is a training position: a position with the results of the games in which it occurred.
type Position struct {
	Rules *rules.Rules

	// Position is in play: neither being set up nor decided. It has no passes before it.
	Position rules.Position

	Game  int64 // number of the game in its run, the first if there are several
	Ply   int32 // plies played before, from 0
	ToEnd int32 // plies to the end of the game, from 1

	Wins, Draws, Losses int32 // games, for the side to move; all 0: it was only searched

	Score  agents.Score // of the search, for the side to move; valid if Scored
	Scored bool
	Move   rules.Move // the best by the search, else the one played; NoMove if it is not known
	Quiet  bool       // see [Quiet]
}

// Count returns in how many games the position occurred; 0: it was only searched.
func (p *Position) Count() int64 { return int64(p.Wins) + int64(p.Draws) + int64(p.Losses) }

// Result returns the mean result for the side to move, from 0 (lost) to 1 (won); NaN if it occurred
// in no game.
func (p *Position) Result() float64 {
	return (float64(p.Wins) + float64(p.Draws)/2) / float64(p.Count())
}

// Quiet reports whether neither side could win if it moved in p; a piece taken out under Kang
// counts as the last one.
func Quiet(r *rules.Rules, p rules.Position) bool {
	return !r.CanWin(p, rules.South) && !r.CanWin(p, rules.North)
}

// check returns what is wrong with a position.
func (p *Position) check() error {
	if p.Rules == nil {
		return errors.New("expected a rule set, found none")
	}
	if p.Rules.SettingUp(p.Position) || p.Rules.Outcome(p.Position) != rules.Undecided {
		return fmt.Errorf("expected a position in play, found %q",
			p.Rules.FormatPosition(p.Position))
	}
	if min(p.Game, int64(p.Ply)) < 0 {
		return fmt.Errorf("expected game and ply to be numbers from 0, found %d and %d",
			p.Game, p.Ply)
	}
	if p.ToEnd < 1 {
		return fmt.Errorf("expected a number from 1 of plies to the end, found %d", p.ToEnd)
	}
	negative := min(p.Wins, p.Draws, p.Losses) < 0
	known := p.Scored || p.Count() > 0
	if negative || !known {
		return fmt.Errorf("expected a score, or results of at least one game, "+
			"found %d wins, %d draws and %d losses", p.Wins, p.Draws, p.Losses)
	}
	if p.Scored && max(p.Score, -p.Score) > agents.WinTop {
		return fmt.Errorf("expected a score within ±%d, found %d", agents.WinTop, p.Score)
	}
	return nil
}
