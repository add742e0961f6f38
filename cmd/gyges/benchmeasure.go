package main

import (
	"context"
	"fmt"
	"sync"

	"gyges/rules"
)

// generationMode is one way to ask for moves. pass asks for every board once
// and adds up what was found: moves, or with countsMoves unset boards.
type generationMode struct {
	name, doc   string
	countsMoves bool
	pass        func(r *rules.Rules, boards []rules.Position, ms *rules.MoveSet) uint64
}

func generationModes() []generationMode {
	return []generationMode{
		{"moves", "the full set of moves", true, passMoves},
		{"count", "their number only", true, passCount},
		{"goal", "can the side to move reach the goal", false, passGoal},
		{"control", "what South and what North could reach, both for each board", true, passControl},
	}
}

func passMoves(r *rules.Rules, boards []rules.Position, ms *rules.MoveSet) (n uint64) {
	for _, p := range boards {
		r.Moves(p, ms)
		n += uint64(ms.Len())
	}
	return n
}

func passCount(r *rules.Rules, boards []rules.Position, _ *rules.MoveSet) (n uint64) {
	for _, p := range boards {
		n += uint64(r.Count(p))
	}
	return n
}

func passGoal(r *rules.Rules, boards []rules.Position, _ *rules.MoveSet) (n uint64) {
	for _, p := range boards {
		if r.CanReachGoal(p, p.Side()) {
			n++
		}
	}
	return n
}

func passControl(r *rules.Rules, boards []rules.Position, _ *rules.MoveSet) (n uint64) {
	for _, p := range boards {
		n += uint64(r.Control(p, rules.South).Moves)
		n += uint64(r.Control(p, rules.North).Moves)
	}
	return n
}

// generationLine is a measurement of generation. Boards and moves are those of
// the best round, all workers together.
type generationLine struct {
	Set     string  `json:"set"`
	Rules   string  `json:"rules"`
	Mode    string  `json:"mode"`
	Rounds  int     `json:"rounds"`
	Boards  uint64  `json:"boards"`
	Moves   uint64  `json:"moves,omitempty"` // 0 and left out where the mode counts none
	Seconds float64 `json:"seconds"`
	BoardsS float64 `json:"boards_per_second"`
	MovesS  float64 `json:"moves_per_second,omitempty"`
}

// measureGeneration measures one mode on one set. That a round finds other
// than so many times what one pass finds is an error.
func (b *bench) measureGeneration(ctx context.Context, s boardSet, m generationMode) (generationLine, error) {
	var ms rules.MoveSet
	once := m.pass(s.rules, s.boards, &ms)
	var wrong error
	t, err := b.best(ctx, func(passes int) {
		found, want := passAll(s, m, b.workers, passes), once*uint64(passes*b.workers)
		if found != want {
			wrong = failure{fmt.Errorf("boards %s, mode %s: expected to find %d, found %d", s.name, m.name, want, found)}
		}
	})
	if err == nil {
		err = wrong
	}
	if err != nil {
		return generationLine{}, err
	}
	passes := uint64(t.passes * b.workers)
	line := generationLine{
		Set: s.name, Rules: s.rules.String(), Mode: m.name,
		Rounds: t.rounds, Boards: passes * uint64(len(s.boards)), Seconds: t.time.Seconds(),
	}
	line.BoardsS = float64(line.Boards) / line.Seconds
	if m.countsMoves {
		line.Moves = passes * once
		line.MovesS = float64(line.Moves) / line.Seconds
	}
	return line, nil
}

// passAll lets every worker make so many passes, and adds up what they found.
func passAll(s boardSet, m generationMode, workers, passes int) uint64 {
	found := make([]uint64, workers)
	work := func(w int) {
		var ms rules.MoveSet
		var n uint64
		for range passes {
			n += m.pass(s.rules, s.boards, &ms)
		}
		found[w] = n
	}
	var wg sync.WaitGroup
	for w := range workers - 1 {
		wg.Go(func() { work(w) })
	}
	work(workers - 1)
	wg.Wait()
	var total uint64
	for _, n := range found {
		total += n
	}
	return total
}

// perftLine is a measurement of perft: the best of its rounds.
type perftLine struct {
	Position string  `json:"position"`
	Rules    string  `json:"rules"`
	Depth    int     `json:"depth"`
	Rounds   int     `json:"rounds"`
	Nodes    uint64  `json:"nodes"`
	Seconds  float64 `json:"seconds"`
	NodesS   float64 `json:"nodes_per_second"`
}

// measurePerft measures one count: at least twice, and again while time is
// left. It doesn't judge the count.
func (b *bench) measurePerft(ctx context.Context, c perftCount) (perftLine, error) {
	line := perftLine{Position: c.position, Rules: yardstickRules, Depth: c.depth}
	r, err := rules.Parse(yardstickRules)
	if err != nil {
		return line, err
	}
	p, err := r.ParsePosition(c.position)
	if err != nil {
		return line, err
	}
	for began := b.now(); line.Rounds < 2 || b.now().Sub(began) < b.time; line.Rounds++ {
		t := b.now()
		line.Nodes, _, err = perft(ctx, r, p, c.depth, rules.PerftConfig{Workers: b.workers})
		if err != nil {
			return line, err
		}
		if took := max(b.now().Sub(t), 1).Seconds(); line.Rounds == 0 || took < line.Seconds {
			line.Seconds = took
		}
	}
	line.NodesS = float64(line.Nodes) / line.Seconds
	return line, nil
}
