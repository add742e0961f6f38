// Package sample holds what evaluations are tuned on: positions from played
// games with their results, as Parquet shards in a folder.
//
// # Files
//
// A folder of samples holds three splits, train, validation and test, each in
// shards SPLIT-NNNNN-of-MMMMM-CHECKSUM.parquet, numbered from 0, that are
// compressed with zstd. The checksum is the first eight bytes of the file's
// SHA-256 in hexadecimal digits; a file that it doesn't fit is refused. A split that has no samples has one shard without rows. The three share
// no game and no position, so that what is measured on one says something
// about positions that were not in another. Rows stand in the order in which
// their positions were first met.
//
// # Columns
//
//	rules     string  rule set, as the command line reads it: standard, kang:max_plies=100
//	position  string  position text; a pass just before is not part of it
//	side      string  s or n: the side to move, which stands in the position too
//	score     int32   what the mover's search said of the position, from the side to move in
//	                  hundredths of a point, 30000-n a proven win and n-30000 a proven loss in
//	                  n plies; null if it gave no score
//	wins      int32   games from the position that the side to move won
//	draws     int32   those that were drawn
//	losses    int32   those that it lost
//	ply       int32   plies played before, from 0; the opening isn't counted
//	to_end    int32   plies from here to the end of the game, from 1
//	quiet     bool    neither side could win the game if it were to move here
//	game      int64   number of the game in its run
//	split     string  train, validation or test
//
// A position that was met several times is one row: wins + draws + losses is how
// often, and score, ply, to_end and game are those of the first time. No column
// but score has nulls.
//
// The file's key-value metadata holds gyges.schema, the version of this list, and
// what the writer had to say of where the samples come from, under gyges.KEY.
package sample

import (
	"fmt"

	"gyges/agents"
	"gyges/rules"
)

// Schema is the version of the columns.
const Schema = 1

// Split says what samples are for.
type Split uint8

// The splits.
const (
	Train      Split  = iota // weights are fitted to these
	Validation               // choices on the way, like when to stop, are made on these
	Test                     // what comes out is measured on these
	NumSplits  = iota        // how many splits there are
)

// String returns "train", "validation" or "test".
func (s Split) String() string { return [...]string{"train", "validation", "test"}[s] }

// Sample is a position with the results of the games that came through it.
type Sample struct {
	Rules    *rules.Rules   // the same pointer for all samples of a rule set in one reading
	Position rules.Position // without the number of passes before it; nobody has won, no piece waits to be placed

	Game  int64 // number of the game in its run, the first if there are several
	Ply   int32 // plies played before, from 0
	ToEnd int32 // plies to the end of the game, from 1

	Wins, Draws, Losses int32 // games, for the side to move

	Score  agents.Score // of the search, for the side to move; means something if Scored
	Scored bool
	Quiet  bool // see [Quiet]
}

// Count returns how often the position was met, from 1.
func (s *Sample) Count() int64 { return int64(s.Wins) + int64(s.Draws) + int64(s.Losses) }

// Result returns the mean result for the side to move: 1 if it won all games
// from here, 0 if it lost all.
func (s *Sample) Result() float64 {
	return (float64(s.Wins) + float64(s.Draws)/2) / float64(s.Count())
}

// Quiet reports whether neither side could win the game if it were to move in p.
// Under Kang a piece that can be taken out counts only if it is the last one
// needed.
func Quiet(r *rules.Rules, p rules.Position) bool {
	need := 1
	if o := r.Options(); o.Kang {
		need = o.KangGoals
	}
	for _, side := range []rules.Side{rules.South, rules.North} {
		if p.Goals(side)+1 >= need && r.CanReachGoal(p, side) {
			return false
		}
	}
	return true
}

// check tells what is wrong with a sample.
func (s *Sample) check() error {
	switch {
	case s.Rules == nil:
		return fmt.Errorf("expected a rule set, found none")
	case s.Rules.SettingUp(s.Position) || s.Rules.Outcome(s.Position) != rules.Undecided:
		return fmt.Errorf("expected a position in play, found %q", s.Rules.FormatPosition(s.Position))
	case s.Game < 0 || s.Ply < 0:
		return fmt.Errorf("expected game and ply to be numbers from 0, found %d and %d", s.Game, s.Ply)
	case s.ToEnd < 1:
		return fmt.Errorf("expected a number from 1 of plies to the end, found %d", s.ToEnd)
	case s.Wins < 0 || s.Draws < 0 || s.Losses < 0 || s.Count() == 0:
		return fmt.Errorf("expected results of at least one game, found %d wins, %d draws and %d losses", s.Wins, s.Draws, s.Losses)
	case s.Scored && (s.Score > agents.WinTop || s.Score < -agents.WinTop):
		return fmt.Errorf("expected a score within ±%d, found %d", agents.WinTop, s.Score)
	}
	return nil
}
