package main

import (
	"fmt"

	"gyges/agents"
	"gyges/ratings"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// playerStats sums up the games of each player, by its spec.
type playerStats map[string]*playerTotals

// playerTotals are the sums of one player.
type playerTotals struct {
	score  [2][3]int64 // won, drawn, lost, by side
	plies  int64       // of its games
	faults int64
	ms     average // a move
	nodes  average // a move, where some were counted
	depth  average // a move, where one is known
}

// average is that of some numbers.
type average struct {
	n   int64
	sum float64
}

func (a *average) add(x float64) {
	a.n++
	a.sum += x
}

func (a *average) text(format string) string {
	if a.n == 0 {
		return "-"
	}
	return fmt.Sprintf(format, a.sum/float64(a.n))
}

// add adds a game.
func (s playerStats) add(g *record.Game) {
	if g.NotPlayed() {
		return
	}
	var players [2]*playerTotals
	for side, agent := range [2]string{g.South.Agent, g.North.Agent} {
		if s[agent] == nil {
			s[agent] = new(playerTotals)
		}
		players[side] = s[agent]
		players[side].score[side][2-record.HalfPoints(g.Result, rules.Side(side))]++
		players[side].plies += int64(g.Plies)
	}
	if g.Fault != nil {
		players[g.Fault.Loser()].faults++
	}
	for i, side := range g.Movers() {
		p := players[side]
		if i < len(g.Timing.MoveMS) {
			p.ms.add(g.Timing.MoveMS[i])
		} else {
			p.ms.add(0)
		}
		if i < len(g.Nodes) && g.Nodes[i] > 0 {
			p.nodes.add(float64(g.Nodes[i]))
		}
		if i < len(g.Depths) && g.Depths[i] > 0 {
			p.depth.add(float64(g.Depths[i]))
		}
	}
}

// count returns the results of a player on both sides.
func (s playerStats) count(player string) ratings.Count {
	c := ratings.Count{}
	if p := s[player]; p != nil {
		for _, n := range p.score {
			c.Wins, c.Draws, c.Losses = c.Wins+int(n[0]), c.Draws+int(n[1]), c.Losses+int(n[2])
		}
	}
	return c
}

// grid returns the table, the players in the order given. Faults are left out where there were none.
func (s playerStats) grid(order []string) *grid.Grid {
	t := &grid.Grid{
		Header: []string{"Player", "As South", "As North", "Plies a game", "Depth", "Nodes a move", "Time a move"},
		Left:   map[int]bool{0: true},
		Fold:   1,
	}
	faults := false
	for _, p := range s {
		faults = faults || p.faults > 0
	}
	if faults {
		t.Header = append(t.Header, "Faults")
	}
	for _, name := range order {
		p, ok := s[name]
		if !ok {
			continue
		}
		plies := average{sum: float64(p.plies)}
		var sides [2]string
		for i, n := range p.score {
			plies.n += n[0] + n[1] + n[2]
			sides[i] = fmt.Sprintf("%d-%d-%d", n[0], n[1], n[2])
		}
		row := []string{
			textfmt.Escape(agents.LabelOf(name)), sides[0], sides[1], plies.text("%.1f"),
			p.depth.text("%.1f"), p.nodes.text("%.0f"), p.ms.text("%.3fms"),
		}
		if faults {
			row = append(row, fmt.Sprint(p.faults))
		}
		t.Add(row...)
	}
	return t
}
