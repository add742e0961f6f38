package report

import (
	"cmp"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/tournament/record"
)

// sample keeps some games of many: by turns one of each kind, so that every number in a table has games to show, and
// within a kind random ones, by the seed and the game's number.
type sample struct {
	Options
	plies     int // bound of those kept
	kept      []sampled
	keptPlies int
	dropped   bool            // whether games were left out
	limits    map[kind]uint64 // of the kinds of which games were left out: the least priority of those
}

type sampled struct {
	run      int
	game     *record.Record
	kind     kind
	priority uint64
	rank     int // among its kind, by priority
}

type kind struct{ rules, south, north, reason string }

const maxLimits = 10_000 // of kinds that are kept

func newSample(o Options) sample {
	return sample{Options: o, plies: pliesPerGame * o.Games, limits: map[kind]uint64{}}
}

func (s *sample) add(run int, g *record.Record) {
	switch {
	case g.Reason == record.Imported && len(g.Moves) == 0:
		return
	case s.Games == 0 || len(g.Moves) > s.plies:
		s.dropped = true
		return
	}
	of := kind{g.Rules, g.South.Agent, g.North.Agent, g.Reason}
	priority := agents.MixSeed(s.Seed, uint64(run), uint64(g.Game))
	if limit, ok := s.limits[of]; ok && priority >= limit {
		return // a game of its kind with a lower priority number has been left out
	}
	light := *g
	light.Timing.Trace = nil
	s.kept = append(s.kept, sampled{run: run, game: &light, kind: of, priority: priority})
	s.keptPlies += len(g.Moves)
	const slack = 3 // so that sorting is rare
	if len(s.kept) > slack*s.Games || s.keptPlies > slack*s.plies {
		s.prune(slack * s.plies / 2)
	}
}

// prune keeps the games that come first, of at most that number of plies together.
func (s *sample) prune(plies int) {
	slices.SortFunc(s.kept, func(a, b sampled) int { return cmp.Or(cmp.Compare(a.priority, b.priority), inOrder(a, b)) })
	count := map[kind]int{}
	for i := range s.kept {
		s.kept[i].rank = count[s.kept[i].kind]
		count[s.kept[i].kind]++
	}
	slices.SortStableFunc(s.kept, func(a, b sampled) int { return cmp.Compare(a.rank, b.rank) })
	n, sum := 0, 0
	for n < len(s.kept) && n < s.Games && sum+len(s.kept[n].game.Moves) <= plies {
		sum += len(s.kept[n].game.Moves)
		n++
	}
	for _, x := range s.kept[n:] {
		s.dropped = true
		if limit, ok := s.limits[x.kind]; !ok && len(s.limits) < maxLimits || ok && x.priority < limit {
			k := x.kind // its texts may be parts of long lines, which a copy doesn't keep in memory
			s.limits[kind{strings.Clone(k.rules), strings.Clone(k.south), strings.Clone(k.north),
				strings.Clone(k.reason)}] = x.priority
		}
	}
	clear(s.kept[n:])
	s.kept, s.keptPlies = s.kept[:n], sum
}

func inOrder(a, b sampled) int {
	return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.game.Game, b.game.Game))
}

// chosen returns the sample in order. More games may be added afterwards.
func (s *sample) chosen() []sampled {
	s.prune(s.plies)
	return slices.SortedFunc(slices.Values(s.kept), inOrder)
}
