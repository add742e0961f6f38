package report

import (
	"cmp"
	"slices"

	"gyges/agents"
	"gyges/tournament/record"
)

// sample keeps some games of many: by turns one of each kind, so that every number in a table has games to show, and
// within a kind random ones, by the seed and the game's number.
type sample struct {
	Options
	kept    []sampled
	plies   int  // of those kept
	dropped bool // whether games were left out
}

type sampled struct {
	run      int
	game     *record.Record
	kind     kind
	priority uint64
	rank     int // among its kind, by priority
}

type kind struct{ rules, south, north, reason string }

func (s *sample) add(run int, g *record.Record) {
	const slack = 3 // so that sorting is rare
	most := pliesPerGame * s.Games
	switch {
	case g.Reason == record.Imported && len(g.Moves) == 0:
		return
	case s.Games == 0 || len(g.Moves) > most:
		s.dropped = true
		return
	}
	light := *g
	light.Timing.Trace = nil
	s.kept = append(s.kept, sampled{
		run: run, game: &light, kind: kind{g.Rules, g.South.Agent, g.North.Agent, g.Reason},
		priority: agents.MixSeed(s.Seed, uint64(run), uint64(g.Game)),
	})
	if s.plies += len(g.Moves); len(s.kept) > slack*s.Games || s.plies > slack*most {
		s.prune(slack * most / 2)
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
	n := 0
	for s.plies = 0; n < min(len(s.kept), s.Games) && s.plies+len(s.kept[n].game.Moves) <= plies; n++ {
		s.plies += len(s.kept[n].game.Moves)
	}
	s.dropped = s.dropped || n < len(s.kept)
	s.kept = slices.Delete(s.kept, n, len(s.kept))
}

func inOrder(a, b sampled) int {
	return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.game.Game, b.game.Game))
}

// chosen returns the sample in order. More games may be added afterwards.
func (s *sample) chosen() []sampled {
	s.prune(pliesPerGame * s.Games)
	return slices.SortedFunc(slices.Values(s.kept), inOrder)
}
