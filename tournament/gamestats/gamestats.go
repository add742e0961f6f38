// Package gamestats counts what happens in recorded games: results, lengths, kinds of moves, missed wins and
// defences, and where another rule set would have other legal moves.
//
// [Count] replays the games. The unit of all intervals is the pair of games from one opening: its games are not
// independent, nor are the moves of a game.
package gamestats

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// Options say how to count.
type Options struct {
	Workers int          // games that are replayed at a time; 0: one for each core
	Compare *rules.Rules // the rule set whose legal moves are compared with those of the game; nil: none
}

// Result is what [Count] counted. It is independent of the number of workers.
type Result struct {
	Rules   []Stats // in the order of their first games
	Refused int     // games that can't be replayed, left out of Rules
	Errors  []error // of the first of those, with the names of their files
}

// Stats are the figures of one rule set.
type Stats struct {
	Rules   string
	Figures []Figure
	Notes   []string // sentences on games that can't be compared, or are others move for move
}

// Figure is one number with its 95 % interval. Value, Low and High are NaN where there is none.
type Figure struct {
	Key   string // for programs
	Label string // for people
	Value float64
	Low   float64
	High  float64
	N     int64 // games, moves or positions that the value is of
	unit  unit
	rules string
}

// maxErrors bounds Result.Errors.
const maxErrors = 5

// pair is the games from one opening, or a game alone.
type pair struct {
	file  string
	games []*record.Game
}

// has reports whether a game is one of the pair.
func (p *pair) has(file string, g *record.Game) bool {
	return len(p.games) == 1 && p.file == file && p.games[0].Pair == g.Pair && p.games[0].Rules == g.Rules
}

// Count counts the games that read passes to its argument, with the names of their files. A game and the next one
// are a pair if they have one pair number, rule set and file. One that repeats an earlier pair or game of its players
// move for move is left out. The error is read's.
func Count(o Options, read func(add func(file string, g *record.Game)) error) (Result, error) {
	c := counter{sets: map[string]*set{}, identical: map[string]*identical{}}
	replayed := make(chan chan []*replay, cmp.Or(o.Workers, runtime.GOMAXPROCS(0))-1) // in the order of the pairs
	var next pair
	count := func(p pair) {
		if len(p.games) == 0 || c.repeats(&p) {
			return
		}
		games := make(chan []*replay, 1)
		replayed <- games
		go func() { games <- p.replay(o.Compare) }()
	}
	var adding sync.WaitGroup
	adding.Go(func() {
		for games := range replayed {
			c.add(<-games)
		}
	})
	err := read(func(file string, g *record.Game) {
		if next.has(file, g) {
			next.games = append(next.games, g)
			return
		}
		count(next)
		next = pair{file, []*record.Game{g}}
	})
	count(next)
	close(replayed)
	adding.Wait()
	return c.result(), err
}

// counter counts pairs of games. The goroutine that reads has earlier and identical, the one that adds all else.
type counter struct {
	earlier   source.Repeats
	identical map[string]*identical // by rule set

	sets    map[string]*set
	order   []*set // by their first games
	refused int
	errors  []error
}

// identical counts pairs that are one game or repeat an earlier one.
type identical struct {
	ratings.Identical
	pairs int // that are counted
}

// repeats reports whether a pair, or game alone, repeats an earlier one.
func (c *counter) repeats(p *pair) (before bool) {
	of := c.identical[p.games[0].Rules]
	if of == nil {
		of = new(identical)
		c.identical[p.games[0].Rules] = of
	}
	first := p.games[0].Short()
	if len(p.games) == 1 {
		if before, _ = c.earlier.Game(0, &first); before {
			of.Games++
		}
		return before
	}
	second := p.games[1].Short()
	switch before, _ = c.earlier.Pair(0, &first, &second); {
	case before:
		of.Pairs++
	default:
		of.pairs++
		if source.OneGame(&first, &second) {
			of.OneGame++
		}
	}
	return before
}

// set is the counts of a rule set.
type set struct {
	name        string
	lengths     map[int]int64 // games by plies
	moments     []Moments     // of the definitions
	notCompared int           // games
	why         error         // of the first of them
}

// set returns the counts of a rule set.
func (c *counter) set(name string) *set {
	if c.sets[name] == nil {
		c.sets[name] = &set{name: name, lengths: map[int]int64{}, moments: make([]Moments, len(definitions))}
		c.order = append(c.order, c.sets[name])
	}
	return c.sets[name]
}

// replay replays the games of a pair.
func (p *pair) replay(compare *rules.Rules) []*replay {
	games := make([]*replay, len(p.games))
	for i, g := range p.games {
		games[i] = count(p.file, g, compare)
	}
	return games
}

// add adds the games of a pair.
func (c *counter) add(games []*replay) {
	var s *set
	sum := counts{}
	for _, g := range games {
		if g.err != nil {
			if c.refused++; c.refused <= maxErrors {
				c.errors = append(c.errors, g.err)
			}
			continue
		}
		s = c.set(g.record.Rules)
		s.lengths[g.record.Plies]++
		if g.otherError != nil {
			s.notCompared++
			s.why = cmp.Or(s.why, g.otherError)
		}
		for key, n := range g.counts {
			sum[key] += n
		}
	}
	if s == nil {
		return
	}
	for i, d := range definitions {
		s.moments[i].Add(sum[d.key], sum[d.cases])
	}
}

// result returns the figures of all that was counted.
func (c *counter) result() Result {
	result := Result{Refused: c.refused, Errors: c.errors}
	for _, s := range c.order {
		stats, same := s.stats(), c.identical[s.name]
		stats.Notes = append(stats.Notes, same.Notes(same.pairs)...)
		result.Rules = append(result.Rules, stats)
	}
	return result
}

// stats returns the figures. Those of a comparison are left out if there was none.
func (s *set) stats() Stats {
	stats := Stats{Rules: s.name}
	if s.notCompared > 0 {
		note := fmt.Sprintf("not compared: %s; the first: %v", textfmt.Plural(s.notCompared, "game"), s.why)
		stats.Notes = []string{textfmt.Escape(note)}
	}
	compared := false
	for i, d := range definitions {
		m := &s.moments[i]
		compared = compared || d.key == comparePositions && m.cases > 0
		if d.rare && m.sum == 0 || strings.HasPrefix(d.key, "compare_") && !compared {
			continue
		}
		f := Figure{
			rules: s.name, Key: d.key, Label: d.label, unit: d.unit, Value: m.Ratio(), Low: math.NaN(), High: math.NaN(),
			N: int64(m.cases),
		}
		switch d.unit {
		case total:
			f.Value = m.cases
		case share:
			f.Low, f.High = m.ShareInterval()
		case mean:
			f.Low, f.High = m.meanInterval()
		case quantile:
			f.Value = float64(quantileOf(s.lengths, d.percent, f.N))
		}
		stats.Figures = append(stats.Figures, f)
	}
	return stats
}

// quantileOf returns the least of n numbers, given by how often each occurs, that percent of them don't exceed.
func quantileOf(numbers map[int]int64, percent int, n int64) int {
	left := int64(math.Ceil(float64(percent) / 100 * float64(n)))
	for _, number := range slices.Sorted(maps.Keys(numbers)) {
		if left -= numbers[number]; left <= 0 {
			return number
		}
	}
	return 0
}
