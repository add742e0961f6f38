package progress

import (
	"cmp"
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// Faults counts the games that players lost outside the rules of the game.
type Faults struct {
	Lost int // games

	list []Fault
}

// Fault is one player's faults of one kind.
type Fault struct {
	Player string           `json:"player"` // its spec
	Kind   record.FaultKind `json:"kind"`
	Games  int              `json:"games"` // or moves that took too long
	First  string           `json:"-"`     // what happened in the first one
}

// overran is no fault of a game: a move took more than its move time, within the margin.
const overran record.FaultKind = "overran"

// maxNotices is how many faults of a player and kind are shown as they happen.
const maxNotices = 10

// playerOf returns the spec of the player of a side.
func playerOf(g *record.Record, side rules.Side) string {
	if side == rules.North {
		return g.North.Agent
	}
	return g.South.Agent
}

// Add counts a game if it was lost by a fault, and returns a line to be shown at once: "" of a game
// without a fault, and if there are many of the same kind.
func (f *Faults) Add(g *record.Record) (notice string) {
	if g.Fault == nil {
		return ""
	}
	player, kind := playerOf(g, g.Fault.Loser()), g.Fault.Kind
	what := fmt.Sprintf("game %d: %s", g.Game, g.Fault.Detail)
	games := f.count(player, kind, what)
	name := textfmt.Escape(agents.LabelOf(player))
	detail := textfmt.Escape(g.Fault.Detail)
	if kind == record.FaultSuspended {
		if games > 1 {
			return ""
		}
		return fmt.Sprintf("%s was suspended %s and plays no more, from game %d on",
			name, detail, g.Game)
	}
	f.Lost++
	if games > maxNotices {
		return ""
	}
	way := textfmt.Escape(string(kind))
	notice = fmt.Sprintf("%s lost game %d by a fault (%s): %s", name, g.Game, way, detail)
	if games == maxNotices {
		notice += "; further ones are counted at the end"
	}
	return notice
}

// count adds one to a player's faults of a kind, and returns how many there are now.
func (f *Faults) count(player string, kind record.FaultKind, what string) int {
	i := slices.IndexFunc(f.list, func(one Fault) bool {
		return one.Player == player && one.Kind == kind
	})
	if i < 0 {
		i = len(f.list)
		f.list = append(f.list, Fault{Player: player, Kind: kind, First: what})
	}
	f.list[i].Games++
	return f.list[i].Games
}

// Sorted returns the faults of each player and kind, the most frequent first.
func (f *Faults) Sorted() []Fault {
	slices.SortFunc(f.list, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(b.Games, a.Games),
			cmp.Compare(a.Player, b.Player),
			cmp.Compare(a.Kind, b.Kind),
		)
	})
	return f.list
}

// Text says what the player did, how often, and what happened first.
func (f *Fault) Text() string {
	games := textfmt.Plural(f.Games, "game")
	first := textfmt.Escape(f.First)
	if f.Kind == record.FaultSuspended {
		return fmt.Sprintf("was suspended and did not play %s, first %s", games, first)
	}
	if f.Kind == overran {
		moves := textfmt.Plural(f.Games, "move")
		return fmt.Sprintf("overran its move time in %s and lost no game by it, first in %s",
			moves, first)
	}
	return fmt.Sprintf("lost %s by a fault (%s), first in %s",
		games, textfmt.Escape(string(f.Kind)), first)
}
