package ratings

import (
	"fmt"

	"gyges/rules/base/textfmt"
)

// Identical counts the games that are others move for move, as those of agents without randomness
// often are.
type Identical struct {
	// OneGame are pairs whose two games are one: the side won and no player. Each is counted, as
	// one observation.
	OneGame int
	// Pairs, and Games of no pair, repeat earlier ones of the same players. They are left out.
	Pairs, Games int
}

func (i Identical) plus(o Identical) Identical {
	return Identical{i.OneGame + o.OneGame, i.Pairs + o.Pairs, i.Games + o.Games}
}

// Notes returns a sentence for each kind that there is, and how to avoid them where they are most
// of the pairs.
func (i Identical) Notes(counted int) (notes []string) {
	const leftOut = "left out: %s that the same players had played before, move for move"
	if i.OneGame > 0 {
		pairs := textfmt.Plural(counted, "pair")
		notes = append(notes, fmt.Sprintf("%d of %s are one game twice, move for move: each is "+
			"one observation", i.OneGame, pairs))
	}
	if i.Pairs > 0 {
		notes = append(notes, fmt.Sprintf(leftOut, textfmt.Plural(i.Pairs, "pair")))
	}
	if i.Games > 0 {
		notes = append(notes, fmt.Sprintf(leftOut, textfmt.Plural(i.Games, "game")))
	}
	if 2*(i.OneGame+i.Pairs) > counted+i.Pairs {
		notes = append(notes, "most pairs tell one game or none: play other openings (more random "+
			"plies, another seed), agents that choose by chance, or agents that are further apart")
	}
	return notes
}
