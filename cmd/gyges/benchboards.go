package main

import (
	"fmt"
	"math/rand/v2"

	"gyges/rules"
)

const (
	// yardstickRules are the rules under which figures of move generators are
	// published: no gap settled, so that only generation counts.
	yardstickRules = "standard:null_move=allow,repetition=none,blocked_row=pass"

	startBoard   = "321123/000000/000000/000000/000000/321123 s"
	openBoard    = "202110/000330/000000/000200/000100/030123 s"
	crowdedBoard = "002130/300300/021100/002000/000200/030100 s" // the number of courses explodes here

	boardsDrawn  = 50 // boards of a set from random play
	randomPlies  = 40 // a board is drawn after fewer plies than this
	seed1, seed2 = 20, 26
)

// boardSet is a fixed set of boards to measure on.
type boardSet struct {
	name   string
	rules  *rules.Rules
	boards []rules.Position
}

// benchBoardSets builds the sets, the same ones every time.
func benchBoardSets() ([]boardSet, error) {
	kinds := []struct{ name, board, played, measured string }{
		{name: "start", board: startBoard, measured: yardstickRules},
		{name: "midgame", played: "standard", measured: yardstickRules},
		{name: "crowded", board: crowdedBoard, measured: yardstickRules},
		{name: "simplified", played: "simplified", measured: "simplified"},
		{name: "kang", played: "kang", measured: "kang"},
	}
	var sets []boardSet
	for _, k := range kinds {
		r, err := rules.Parse(k.measured)
		if err != nil {
			return nil, err
		}
		s := boardSet{name: k.name, rules: r}
		if k.board != "" {
			s.boards = make([]rules.Position, 1)
			s.boards[0], err = r.ParsePosition(k.board)
		} else {
			s.boards, err = drawBoards(k.played)
		}
		if err != nil {
			return nil, fmt.Errorf("boards %s: %w", k.name, err)
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// drawBoards draws boards from random games under the rules of that name: a
// random set-up, then some random plies. Games that are over are left out.
func drawBoards(name string) ([]rules.Position, error) {
	r, err := rules.Parse(name)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed1, seed2))
	var boards []rules.Position
	for len(boards) < boardsDrawn {
		g := rules.NewGame(r, r.RandomSetup(rng))
		for range rng.IntN(randomPlies) {
			moves := g.Legal()
			if moves.Len() == 0 {
				break
			}
			g.PlayLegal(moves.At(rng.IntN(moves.Len())))
		}
		if o, _ := g.Outcome(); o == rules.Undecided {
			boards = append(boards, g.Position())
		}
	}
	return boards, nil
}

// perftCount is a published count of sequences under the yardstick rules.
type perftCount struct {
	position string
	depth    int
	nodes    uint64
}

// perftCounts are the counts that perft must find while it is measured.
func perftCounts() []perftCount {
	return []perftCount{
		{startBoard, 3, 16_825_500},
		{openBoard, 3, 159_806_541},
		{crowdedBoard, 3, 179_128_838},
	}
}
