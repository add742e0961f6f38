package gamestats

import (
	"fmt"
	"slices"
	"strconv"

	"gyges/rules"
	"gyges/tournament/record"
)

// counts are the sums of a game, or of the games of a pair, by their keys: those of the definitions and those of
// their cases.
type counts map[string]float64

// addIf counts one if a condition holds.
func (c counts) addIf(key string, holds bool) {
	if holds {
		c[key]++
	}
}

// replay is the replay of a game.
type replay struct {
	counts
	file   string
	record *record.Game
	err    error // why it can't be replayed
	left   int   // moves to come, the present one included
	legal  rules.MoveSet

	compare    *rules.Rules // nil: nothing
	other      *rules.Game  // the same turns under compare; nil before the first one
	otherError error        // why there is none
	illegal    bool         // a move was, under compare
}

// count replays a game and counts what is in it.
func count(file string, g *record.Game, compare *rules.Rules) *replay {
	r := &replay{counts: counts{}, file: file, record: g, left: len(g.Moves), compare: compare}
	if _, err := record.ReplayEach(g, r.move); err != nil {
		r.err = fmt.Errorf("%s: %w", file, err)
		return r
	}
	reason := g.Reason
	if !slices.Contains(reasons, reason) {
		reason = "other"
	}
	points := float64(record.HalfPoints(g.Result, rules.South)) / 2
	r.counts["games"]++
	r.counts["south_points"] += points
	r.counts["games_plies_"+bandOf(g.Plies)]++
	r.counts["south_points_plies_"+bandOf(g.Plies)] += points
	r.addIf("drawn", points == 0.5)
	r.counts["reason_"+reason]++
	r.counts["plies_mean"] += float64(g.Plies)
	if compare != nil && r.otherError == nil {
		r.counts["compare_games"]++
		r.addIf("compare_illegal_games", r.illegal)
	}
	return r
}

// move counts a move that is to be made.
func (r *replay) move(game *rules.Game, m rules.Move) {
	won := r.record.Reason == string(rules.ByGoal) && r.record.Fault == nil
	if !m.IsPlacement() {
		r.turn(game, m, won && r.left == 1)
		if won && r.left == 2 {
			game.LegalMoves(&r.legal)
			r.counts["wins_with_defence"]++
			r.addIf("missed_defence", game.Rules().HasEvasion(game.Position(), &r.legal))
		}
		if r.compare != nil && r.otherError == nil {
			r.compareMove(game, m)
		}
	}
	r.left--
}

// turn counts a turn.
func (r *replay) turn(game *rules.Game, m rules.Move, wins bool) {
	legal, reach := game.Legal(), false
	for range legal.Goals() {
		reach = true
	}
	r.counts["turns"]++
	r.counts["turn_legal_moves_mean"] += float64(legal.Len())
	r.addIf("goal_in_reach", reach)
	r.addIf("goal_missed", reach && !m.IsGoal())
	r.addIf("turn_pass", m == rules.Pass)
	if m == rules.Pass {
		return
	}
	height, bounces, row := describe(game.Rules(), game.Position(), m)
	r.counts["moves"]++
	r.counts["move_height_"+strconv.Itoa(int(height))]++
	r.addIf("move_bounce", bounces > 0)
	r.counts["move_bounces_mean"] += float64(bounces)
	r.addIf("move_displacement", m.Drop() != rules.NoSquare)
	if !wins {
		return
	}
	r.counts["wins"]++
	r.counts["win_height_"+strconv.Itoa(int(height))]++
	r.addIf("win_bounce", bounces > 0)
	if bounces < maxBounces {
		r.counts["win_bounces_"+strconv.Itoa(bounces)]++
	} else {
		r.counts["win_bounces_"+strconv.Itoa(maxBounces)+"+"]++
	}
	r.counts["win_row_"+row]++
}

// describe returns the height of the piece that a move moves, the number of bounces, and the row on which the piece
// starts, "1" at the mover's side, or "hand". Of several courses it takes the one that the program prints, which has
// the fewest bounces.
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

// compareMove counts whether the legal moves are others under the rule set to compare with.
func (r *replay) compareMove(game *rules.Game, m rules.Move) {
	if r.other == nil {
		p, err := r.compare.ParsePosition(game.Rules().FormatPosition(game.Position()))
		if err != nil {
			r.otherError = fmt.Errorf("%s: game %d: its first position is none under %v: %w", r.file, r.record.Game, r.compare,
				err)
			return
		}
		r.other = rules.NewGame(r.compare, p)
	}
	legal := r.other.Legal()
	allowed := legal.Contains(m)
	r.counts[comparePositions]++
	r.addIf("compare_moves_differ", !equal(game.Legal(), legal))
	r.addIf("compare_illegal_moves", !allowed)
	r.illegal = r.illegal || !allowed
	r.other.PlayLegal(m)
}

// equal reports whether two sets hold the same moves.
func equal(a, b *rules.MoveSet) bool {
	if a.Len() != b.Len() {
		return false
	}
	for m := range a.All() {
		if !b.Contains(m) {
			return false
		}
	}
	return true
}
