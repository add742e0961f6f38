package gamestats

import (
	"strconv"

	"gyges/rules"
	"gyges/tournament/record"
)

// counts are the sums of a game, or of a pair, by the keys of the definitions and of their cases.
type counts map[string]float64

func (c counts) addIf(key string, holds bool) {
	if holds {
		c[key]++
	}
}

func count(g *record.Record) (counts, error) {
	c, left := counts{}, len(g.Moves) // moves to come, the present one included
	won := g.Reason == string(rules.ByGoal) && g.Fault == nil
	var legal rules.MoveSet
	_, err := record.ReplayEach(g, func(game *rules.Game, m rules.Move) {
		if !m.IsPlacement() {
			c.turn(game, m, won && left == 1)
			if won && left == 2 {
				game.LegalMoves(&legal)
				c["wins_with_defence"]++
				c.addIf("missed_defence", game.Rules().HasEvasion(game.Position(), &legal))
			}
		}
		left--
	})
	points := float64(record.HalfPoints(g.Result, rules.South)) / 2
	c["games"]++
	c["south_points"] += points
	c.addIf("drawn", points == 0.5)
	c["plies_mean"] += float64(g.Plies)
	return c, err
}

func (c counts) turn(game *rules.Game, m rules.Move, wins bool) {
	legal, reach := game.Legal(), false
	for range legal.Goals() {
		reach = true
	}
	c["turns"]++
	c["turn_legal_moves_mean"] += float64(legal.Len())
	c.addIf("goal_in_reach", reach)
	c.addIf("goal_missed", reach && !m.IsGoal())
	c.addIf("turn_pass", m == rules.Pass)
	if m == rules.Pass {
		return
	}
	height, bounces, row := describe(game.Rules(), game.Position(), m)
	c["moves"]++
	c["move_height_"+strconv.Itoa(int(height))]++
	c.addIf("move_bounce", bounces > 0)
	c["move_bounces_mean"] += float64(bounces)
	c.addIf("move_displacement", m.Drop() != rules.NoSquare)
	if !wins {
		return
	}
	c["wins"]++
	c["win_height_"+strconv.Itoa(int(height))]++
	c.addIf("win_bounce", bounces > 0)
	c["win_bounces_"+[]string{"0", "1", "2", "3", "4", "5+"}[min(bounces, 5)]]++
	c["win_row_"+row]++
}

// describe returns the height of the piece that a move moves, the number of bounces by the course that the program
// prints, and the row on which the piece starts, "1" at the mover's side, or "hand".
func describe(r *rules.Rules, p rules.Position, m rules.Move) (height rules.Height, bounces int, row string) {
	height, bounces, row = m.FromHand(), -1, "hand" // the last landing is the end
	if from := m.From(); from != rules.NoSquare {
		height, bounces = p.At(from), -2 // the start is in the course
		if row = strconv.Itoa(from.Row() + 1); p.Side() == rules.North {
			row = strconv.Itoa(rules.Rows - from.Row())
		}
	}
	course, _ := r.Course(p, m)
	for _, step := range course {
		if !step.Crossed {
			bounces++
		}
	}
	return height, bounces, row
}
