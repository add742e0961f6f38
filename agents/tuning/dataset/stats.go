package dataset

import (
	"context"
	"fmt"
	"slices"

	"gyges/rules"
)

// Group has counts of the positions of a group.
type Group struct {
	Kind        string  `json:"group"`       // property they are grouped by: all, split, rules, ply or occurrences
	Name        string  `json:"name"`        // value of it: train, standard, 10-19, …; "all" for all positions
	Positions   int64   `json:"positions"`   // distinct training positions
	Occurrences int64   `json:"occurrences"` // in games, repeated ones included
	Games       int64   `json:"games"`       // games in which at least one of them occurred first
	Won         int64   `json:"won"`         // occurrences after which the side to move won
	Drawn       int64   `json:"drawn"`       // after which the game was drawn
	Lost        int64   `json:"lost"`        // after which the side to move lost
	Quiet       int64   `json:"quiet"`       // positions in which neither side could win at once
	Scored      int64   `json:"scored"`      // positions with a score
	South       int64   `json:"south"`       // positions with South to move
	ToEnd       float64 `json:"to_end"`      // mean plies to the end of the game
}

// Stats is a summary of training positions.
type Stats struct {
	Groups []Group           `json:"groups"`
	About  map[string]string `json:"about"` // provenance
}

// Bounds of the groups by ply and by occurrences.
const (
	plyStep        = 10
	topPly         = 100
	topOccurrences = 5
)

// Summarize reads a folder and counts its positions. Every position is in the
// group all and in one group each of the other kinds.
func Summarize(ctx context.Context, dir string) (Stats, error) {
	about, err := Provenance(dir)
	if err != nil {
		return Stats{}, err
	}
	t := tally{kinds: [numKinds][]counter{byNothing: make([]counter, 1), bySplit: make([]counter, NumSplits)}}
	n := 0
	for split := range Split(NumSplits) {
		for p, err := range Read(dir, split, nil) {
			if err == nil && n%rowBatch == 0 {
				err = ctx.Err()
			}
			if err != nil {
				return Stats{}, err
			}
			n++
			t.add(split, &p)
		}
	}
	return Stats{Groups: t.groups(), About: about}, nil
}

// The kinds of groups.
const (
	byNothing = iota
	bySplit
	byRules
	byPly
	byOccurrences
	numKinds
)

// tally counts positions in the groups of each kind.
type tally struct {
	kinds [numKinds][]counter
	rules []string // names of the rule sets, in the order of their counters
}

// counter counts the positions of a group.
type counter struct {
	group Group
	games map[int64]struct{}
	last  int64 // game of the position before; those of a game follow each other
}

func (t *tally) add(split Split, p *Position) {
	name := p.Rules.String()
	set := slices.Index(t.rules, name)
	if set < 0 {
		set = len(t.rules)
		t.rules = append(t.rules, name)
	}
	indices := [numKinds]int{
		bySplit: int(split), byRules: set,
		byPly: int(min(p.Ply, topPly)) / plyStep, byOccurrences: int(min(p.Count(), topOccurrences)),
	}
	for kind, i := range indices {
		for len(t.kinds[kind]) <= i {
			t.kinds[kind] = append(t.kinds[kind], counter{})
		}
		t.kinds[kind][i].add(p)
	}
}

func (c *counter) add(p *Position) {
	g := &c.group
	g.Positions++
	g.Occurrences += p.Count()
	g.Won += int64(p.Wins)
	g.Drawn += int64(p.Draws)
	g.Lost += int64(p.Losses)
	g.ToEnd += float64(p.ToEnd)
	if p.Quiet {
		g.Quiet++
	}
	if p.Scored {
		g.Scored++
	}
	if p.Position.Side() == rules.South {
		g.South++
	}
	if c.games == nil {
		c.games = map[int64]struct{}{}
	} else if c.last == p.Game {
		return
	}
	c.games[p.Game], c.last = struct{}{}, p.Game
}

// groups returns the groups kind by kind: all splits, and what else has positions.
func (t *tally) groups() []Group {
	var list []Group
	for kind, name := range [numKinds]string{"all", "split", "rules", "ply", "occurrences"} {
		for i, c := range t.kinds[kind] {
			g := c.group
			g.Kind, g.Name, g.Games = name, t.name(kind, i), int64(len(c.games))
			if g.Positions > 0 {
				g.ToEnd /= float64(g.Positions)
			} else if kind > bySplit {
				continue
			}
			list = append(list, g)
		}
	}
	return list
}

// name returns the name of group i of a kind.
func (t *tally) name(kind, i int) string {
	switch {
	case kind == bySplit:
		return Split(i).String()
	case kind == byRules:
		return t.rules[i]
	case kind == byPly && i == topPly/plyStep:
		return fmt.Sprintf("%d-", topPly)
	case kind == byPly:
		return fmt.Sprintf("%d-%d", i*plyStep, (i+1)*plyStep-1)
	case kind == byOccurrences && i == topOccurrences:
		return fmt.Sprintf("%d-", i)
	case kind == byOccurrences:
		return fmt.Sprint(i)
	default:
		return "all"
	}
}
