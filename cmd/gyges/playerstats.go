package main

import (
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/ratings/grid"
	"gyges/ratings/textfmt"
	"gyges/rules"
	"gyges/tournament/record"
)

// playerStats sums up the games of each player: results by side, length of games,
// time, nodes and depth of moves.
type playerStats struct{ players map[string]*playerTotals }

// playerTotals are the sums of one player.
type playerTotals struct {
	score  [2][3]int64 // won, drawn, lost, by side
	plies  int64       // of its games
	faults int64
	moves  int64
	ms     float64
	nodes  int64
	counted, deep,
	depths int64 // moves with nodes and with a depth, and the sum of the depths
}

func newPlayerStats() *playerStats { return &playerStats{map[string]*playerTotals{}} }

// add adds a game.
func (c *playerStats) add(g *record.Game) {
	if g.NotPlayed() {
		return
	}
	south, north := c.of(g.South.Agent), c.of(g.North.Agent)
	south.score[rules.South][record.HalfPoints(g.Result, rules.North)]++
	north.score[rules.North][record.HalfPoints(g.Result, rules.South)]++
	south.plies += int64(g.Plies)
	north.plies += int64(g.Plies)
	if g.Fault != nil {
		[]*playerTotals{south, north}[slices.Index([]string{"south", "north"}, g.Fault.Side)].faults++
	}
	first, side, err := g.FirstTurn()
	if err != nil { // the mover is unknown
		return
	}
	for i := range g.Plies {
		[2]*playerTotals{south, north}[side].move(g, first+i)
		side = side.Other()
	}
}

// move adds move i of a game.
func (a *playerTotals) move(g *record.Game, i int) {
	a.moves++
	if i < len(g.Timing.MoveMS) {
		a.ms += g.Timing.MoveMS[i]
	}
	if i < len(g.Nodes) && g.Nodes[i] > 0 {
		a.counted++
		a.nodes += g.Nodes[i]
	}
	if i < len(g.Depths) && g.Depths[i] > 0 {
		a.deep++
		a.depths += int64(g.Depths[i])
	}
}

func (c *playerStats) of(agent string) *playerTotals {
	a, ok := c.players[agent]
	if !ok {
		a = new(playerTotals)
		c.players[agent] = a
	}
	return a
}

// grid returns the table, the players in the order given.
func (c *playerStats) grid(order []string) *grid.Grid {
	t := &grid.Grid{Header: []string{"Player", "As South", "As North", "Plies a game", "Depth", "Nodes a move", "Faults",
		"Time a move"}}
	for _, name := range order {
		a, ok := c.players[name]
		if !ok {
			continue
		}
		games := int64(0)
		for _, side := range a.score {
			games += side[0] + side[1] + side[2]
		}
		side := func(s [3]int64) string { return fmt.Sprintf("%d-%d-%d", s[0], s[1], s[2]) }
		t.Add(
			textfmt.Escape(agents.LabelOf(name)), side(a.score[0]), side(a.score[1]), mean(float64(a.plies), games, "%.1f"),
			mean(float64(a.depths), a.deep, "%.1f"), mean(float64(a.nodes), a.counted,
				"%.0f"), fmt.Sprint(a.faults), mean(a.ms, a.moves, "%.3fms"),
		)
	}
	return t
}

func mean(sum float64, n int64, format string) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf(format, sum/float64(n))
}
