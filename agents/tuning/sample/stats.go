package sample

import (
	"context"
	"fmt"

	"gyges/rules"
)

// Group is what is common to the samples of one group.
type Group struct {
	Kind    string  `json:"group"`   // what they are grouped by: all, split, rules, ply or met
	Name    string  `json:"name"`    // of the group: train, standard, 10-19, …; all of the one that has them all
	Samples int64   `json:"samples"` // positions
	Met     int64   `json:"met"`     // how often they were met, all together
	Games   int64   `json:"games"`   // in which at least one of them was met first
	Won     int64   `json:"won"`     // meetings after which the side to move won
	Drawn   int64   `json:"drawn"`   // after which it was a draw
	Lost    int64   `json:"lost"`    // after which the other side won
	Quiet   int64   `json:"quiet"`   // samples in which neither side could win at once
	Scored  int64   `json:"scored"`  // samples with a score
	South   int64   `json:"south"`   // samples with South to move
	ToEnd   float64 `json:"to_end"`  // plies to the end of the game, mean over the samples
}

// Stats is a summary of samples.
type Stats struct {
	Groups []Group           `json:"groups"`
	About  map[string]string `json:"about"` // what their writer said of where they come from
}

// What the ply and the times a position was met are grouped by.
const (
	plyStep = 10
	plyTop  = 100
	metTop  = 5
)

// Summarize reads a folder and counts what is in it. Every sample is in the
// group all and in one group each of the other kinds.
func Summarize(ctx context.Context, dir string) (Stats, error) {
	about, err := About(dir)
	if err != nil {
		return Stats{}, err
	}
	var t tally
	n := 0
	for split := range Split(NumSplits) {
		for s, err := range Read(dir, split, nil) {
			if err == nil && n%rowBatch == 0 {
				err = ctx.Err()
			}
			if err != nil {
				return Stats{}, err
			}
			n++
			t.add(split, &s)
		}
	}
	return Stats{Groups: t.list(), About: about}, nil
}

// tally counts samples.
type tally struct {
	all    counter
	splits [NumSplits]counter
	rules  []ruleSet // as they were first met
	plies  [plyTop/plyStep + 1]counter
	met    [metTop + 1]counter
}

type ruleSet struct {
	name string
	counter
}

// counter counts the samples of a group.
type counter struct {
	group Group
	games map[int64]struct{}
	last  int64 // game counted last; the samples of one stand together
}

func (t *tally) add(split Split, s *Sample) {
	t.all.add(s)
	t.splits[split].add(s)
	t.ruleSet(s.Rules.String()).add(s)
	t.plies[min(s.Ply, plyTop)/plyStep].add(s)
	t.met[min(s.Count(), metTop)].add(s)
}

func (t *tally) ruleSet(name string) *counter {
	for i := range t.rules {
		if t.rules[i].name == name {
			return &t.rules[i].counter
		}
	}
	t.rules = append(t.rules, ruleSet{name: name})
	return &t.rules[len(t.rules)-1].counter
}

func (c *counter) add(s *Sample) {
	g := &c.group
	g.Samples++
	g.Met += s.Count()
	g.Won += int64(s.Wins)
	g.Drawn += int64(s.Draws)
	g.Lost += int64(s.Losses)
	g.ToEnd += float64(s.ToEnd)
	if s.Quiet {
		g.Quiet++
	}
	if s.Scored {
		g.Scored++
	}
	if s.Position.Side() == rules.South {
		g.South++
	}
	if c.games == nil {
		c.games = map[int64]struct{}{}
	} else if c.last == s.Game {
		return
	}
	c.games[s.Game], c.last = struct{}{}, s.Game
}

// finish returns the group as it is published.
func (c *counter) finish(kind, name string) Group {
	g := c.group
	g.Kind, g.Name, g.Games = kind, name, int64(len(c.games))
	if g.Samples > 0 {
		g.ToEnd /= float64(g.Samples)
	}
	return g
}

// list returns the groups kind by kind; of plies and meetings those that there are.
func (t *tally) list() []Group {
	list := []Group{t.all.finish("all", "all")}
	for i := range t.splits {
		list = append(list, t.splits[i].finish("split", Split(i).String()))
	}
	for i := range t.rules {
		list = append(list, t.rules[i].finish("rules", t.rules[i].name))
	}
	for i := range t.plies {
		name := fmt.Sprintf("%d-%d", i*plyStep, (i+1)*plyStep-1)
		if i*plyStep == plyTop {
			name = fmt.Sprintf("%d-", plyTop)
		}
		if t.plies[i].group.Samples > 0 {
			list = append(list, t.plies[i].finish("ply", name))
		}
	}
	for i := range t.met {
		name := fmt.Sprint(i)
		if i == metTop {
			name += "-"
		}
		if t.met[i].group.Samples > 0 {
			list = append(list, t.met[i].finish("met", name))
		}
	}
	return list
}
