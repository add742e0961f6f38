// Package gamestats counts what happens in recorded games: results, lengths, kinds of moves, missed wins and
// defences, and where another rule set would have other legal moves.
//
// [Count] replays the games. The unit of all intervals is the pair of games from one opening: its games are not
// independent, nor are the moves of a game.
package gamestats

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"

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
	Rules   string   `json:"rules"`
	Figures []Figure `json:"figures"`
	Notes   []string `json:"notes,omitempty"` // a sentence on games that can't be compared
}

// Figure is one number with its 95 % interval. Value, Low and High are NaN where there is none.
type Figure struct {
	Key   string // for programs
	Label string // for people
	Unit  Unit
	Value float64
	Low   float64
	High  float64
	N     int64 // games, moves or positions that the value is of
}

// MarshalJSON writes a figure for programs, with null where there is no value.
func (f Figure) MarshalJSON() ([]byte, error) {
	orNull := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	return json.Marshal(struct {
		Statistic string   `json:"statistic"`
		Value     *float64 `json:"value"`
		Low       *float64 `json:"low"`
		High      *float64 `json:"high"`
		N         int64    `json:"n"`
	}{f.Key, orNull(f.Value), orNull(f.Low), orNull(f.High), f.N})
}

// maxErrors bounds Result.Errors.
const maxErrors = 5

// pair is the games from one opening, or a game alone.
type pair struct {
	number int64 // from 0, in the order of the records
	file   string
	games  []*record.Game
}

// has reports whether a game is one of the pair.
func (p *pair) has(file string, g *record.Game) bool {
	return len(p.games) == 1 && p.file == file && p.games[0].Pair == g.Pair && p.games[0].Rules == g.Rules
}

// Count counts the games that read passes to its argument, with the names of their files. A game and the next one
// are a pair if they have one pair number, rule set and file. The error is read's.
func Count(o Options, read func(add func(file string, g *record.Game)) error) (Result, error) {
	workers := make([]worker, cmp.Or(o.Workers, runtime.GOMAXPROCS(0)))
	pairs := make(chan pair, len(workers))
	var group sync.WaitGroup
	for i := range workers {
		workers[i] = worker{compare: o.Compare, sets: map[string]*set{}}
		group.Go(func() {
			for p := range pairs {
				workers[i].pair(&p)
			}
		})
	}
	var next pair
	err := read(func(file string, g *record.Game) {
		if next.has(file, g) {
			next.games = append(next.games, g)
			return
		}
		if len(next.games) > 0 {
			pairs <- next
		}
		next = pair{next.number + 1, file, []*record.Game{g}}
	})
	if len(next.games) > 0 {
		pairs <- next
	}
	close(pairs)
	group.Wait()
	return merged(workers), err
}

// merged joins what the workers counted.
func merged(workers []worker) Result {
	all := worker{sets: map[string]*set{}}
	for _, w := range workers {
		for name, s := range w.sets {
			all.set(name, s.first).merge(s)
		}
		all.refused += w.refused
		all.errors = append(all.errors, w.errors...)
	}
	result := Result{Refused: all.refused}
	byFirst := func(a, b *set) int { return cmp.Compare(a.first, b.first) }
	for _, s := range slices.SortedFunc(maps.Values(all.sets), byFirst) {
		result.Rules = append(result.Rules, s.stats())
	}
	slices.SortStableFunc(all.errors, byPair)
	for _, e := range all.errors[:min(len(all.errors), maxErrors)] {
		result.Errors = append(result.Errors, e.error)
	}
	return result
}

// pairError is an error in a pair of games.
type pairError struct {
	pair int64
	error
}

func byPair(a, b pairError) int { return cmp.Compare(a.pair, b.pair) }

// worker counts pairs of games.
type worker struct {
	compare *rules.Rules // nil: nothing
	sets    map[string]*set
	refused int
	errors  []pairError // the first ones
}

// set returns the counts of a rule set; pair is the number of one that was played under it.
func (w *worker) set(name string, pair int64) *set {
	s := w.sets[name]
	if s == nil {
		s = &set{name: name, first: pair, lengths: map[int]int64{}, moments: make([]moments, len(definitions))}
		w.sets[name] = s
	}
	s.first = min(s.first, pair)
	return s
}

// pair counts the games of a pair.
func (w *worker) pair(p *pair) {
	var s *set
	sum := make(unit, len(definitions))
	for _, g := range p.games {
		u := make(unit, len(definitions))
		compared, err := u.game(g, w.compare)
		if err != nil {
			if w.refused++; len(w.errors) < maxErrors {
				w.errors = append(w.errors, pairError{p.number, fmt.Errorf("%s: %w", p.file, err)})
			}
			continue
		}
		s = w.set(g.Rules, p.number)
		s.lengths[g.Plies]++
		if compared != nil {
			s.notCompared++
			s.refuse(pairError{p.number, fmt.Errorf("%s: %w", p.file, compared)})
		}
		for i, part := range u {
			sum[i].sum += part.sum
			sum[i].cases += part.cases
		}
	}
	if s == nil {
		return
	}
	for i, part := range sum {
		s.moments[i].add(part)
	}
}

// set is the counts of a rule set.
type set struct {
	name        string
	first       int64         // number of its first pair
	lengths     map[int]int64 // games by plies
	moments     []moments     // of the definitions
	notCompared int           // games
	why         pairError     // of the first of them
}

// refuse keeps the error of the first game that can't be compared.
func (s *set) refuse(err pairError) {
	if s.why.error == nil || err.pair < s.why.pair {
		s.why = err
	}
}

func (s *set) merge(o *set) {
	for plies, n := range o.lengths {
		s.lengths[plies] += n
	}
	for i := range o.moments {
		s.moments[i].merge(&o.moments[i])
	}
	if s.notCompared += o.notCompared; o.why.error != nil {
		s.refuse(o.why)
	}
}

// stats returns the figures. Those of a comparison are left out if there was none.
func (s *set) stats() Stats {
	stats := Stats{Rules: s.name}
	if s.notCompared > 0 {
		note := fmt.Sprintf("not compared: %s; the first: %v", textfmt.Plural(s.notCompared, "game"), s.why.error)
		stats.Notes = []string{textfmt.Escape(note)}
	}
	for i, d := range definitions {
		m := &s.moments[i]
		if d.rare && m.sum == 0 || i >= compared && s.moments[compared].cases == 0 {
			continue
		}
		f := Figure{
			Key: d.key, Label: d.label, Unit: d.unit, Value: m.ratio(), Low: math.NaN(), High: math.NaN(), N: int64(m.cases),
		}
		switch d.unit {
		case Total:
			f.Value = m.cases
		case Share:
			f.Low, f.High = m.shareInterval()
		case Mean:
			f.Low, f.High = m.meanInterval()
		case Quantile:
			f.N = int64(s.moments[games].cases)
			f.Value = float64(quantile(s.lengths, d.quantile, f.N))
		}
		stats.Figures = append(stats.Figures, f)
	}
	return stats
}

// quantile returns the least of n numbers, given by how often each occurs, that a share p of them doesn't exceed.
func quantile(counts map[int]int64, p float64, n int64) int {
	left := int64(math.Ceil(p * float64(n)))
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		if left -= counts[number]; left <= 0 {
			return number
		}
	}
	return 0
}
