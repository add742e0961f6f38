package tournament

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/solver"
	"gyges/rules"
	"gyges/tournament/record"
)

// Adjudication ends games that the agents' own scores call decided, or that are
// proven to be. The zero value ends none.
type Adjudication struct {
	// Resign ends a game that for ResignMoves moves of each side the one scored
	// at least Resign for itself and the other at most -Resign; 0: never.
	Resign      agents.Score
	ResignMoves int

	// Draw ends a game as a draw when for DrawMoves moves of each side all scores
	// were from -Draw to Draw. DrawMoves 0: never.
	Draw      agents.Score
	DrawMoves int

	// Proven ends a game as soon as the solver proves, after a move, that the side
	// to move wins or loses within this number of plies, 1 to 9; 0: never.
	Proven int

	// Plies ends a game of this number of plies as a draw; 0: never.
	Plies int
}

// Bounds of an Adjudication.
const (
	maxAdjudicationMoves = 1000
	maxAdjudicationPlies = 100_000
	maxProvenPlies       = 9
	usualProvenPlies     = 3
)

// ParseAdjudication reads "resign=POINTS:MOVES,draw=POINTS:MOVES,proven=N,plies=N",
// any of them; points are those of the agents' scores, and proven alone means proven=3.
func ParseAdjudication(text string) (Adjudication, error) {
	var a Adjudication
	if text == "" {
		return a, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, given := strings.Cut(part, "=")
		var err error
		switch name {
		case "resign":
			a.Resign, a.ResignMoves, err = parseAgreement(value, 1)
		case "draw":
			a.Draw, a.DrawMoves, err = parseAgreement(value, 0)
		case "proven":
			a.Proven = usualProvenPlies
			if given {
				a.Proven, err = parseWhole(value, maxProvenPlies)
			}
		case "plies":
			a.Plies, err = parseWhole(value, maxAdjudicationPlies)
		default:
			err = fmt.Errorf("unknown")
		}
		if err != nil || seen[name] {
			return a, fmt.Errorf("expected resign=POINTS:MOVES, draw=POINTS:MOVES, proven=N (to %d) or plies=N, each once, "+
				"found %.80q", maxProvenPlies, part)
		}
		seen[name] = true
	}
	return a, nil
}

func parseWhole(text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && (n < 1 || n > most) {
		err = fmt.Errorf("from 1 to %d", most)
	}
	return n, err
}

// parseAgreement reads POINTS:MOVES, with the least number of hundredths of a point.
func parseAgreement(text string, least float64) (agents.Score, int, error) {
	p, m, _ := strings.Cut(text, ":")
	points, err := strconv.ParseFloat(p, 64)
	hundredths := math.Round(100 * points)
	moves, errMoves := strconv.Atoi(m)
	if err != nil || errMoves != nil || !(least <= hundredths && hundredths <= float64(agents.WinScore)) || moves < 1 ||
		moves > maxAdjudicationMoves {
		return 0, 0, fmt.Errorf("out of range")
	}
	return agents.Score(hundredths), moves, nil
}

// String prints the adjudication as ParseAdjudication reads it; "" for none.
func (a Adjudication) String() string {
	var parts []string
	if a.ResignMoves > 0 {
		parts = append(parts, fmt.Sprintf("resign=%v:%d", float64(a.Resign)/100, a.ResignMoves))
	}
	if a.DrawMoves > 0 {
		parts = append(parts, fmt.Sprintf("draw=%v:%d", float64(a.Draw)/100, a.DrawMoves))
	}
	if a.Proven > 0 {
		parts = append(parts, fmt.Sprintf("proven=%d", a.Proven))
	}
	if a.Plies > 0 {
		parts = append(parts, fmt.Sprintf("plies=%d", a.Plies))
	}
	return strings.Join(parts, ",")
}

// judge returns how a game of that number of plies ends after a move of side. scores are those
// of all moves so far, each from its mover's view; the sides alternate once
// plies are played. The reason is "" if the game goes on.
func (a *Adjudication) judge(scores []record.Score, plies int, side rules.Side) (rules.Outcome, string) {
	scores = scores[len(scores)-plies:]
	switch {
	case a.ResignMoves > 0 && agree(scores, a.ResignMoves, a.Resign, math.MaxInt32):
		return rules.WinFor(side), record.AdjudicatedResign
	case a.ResignMoves > 0 && agree(scores, a.ResignMoves, math.MinInt32, -a.Resign):
		return rules.WinFor(side.Other()), record.AdjudicatedResign
	case a.DrawMoves > 0 && agree(scores, a.DrawMoves, -a.Draw, a.Draw):
		return rules.Draw, record.AdjudicatedDraw
	case a.Plies > 0 && plies >= a.Plies:
		return rules.Draw, record.AdjudicatedLength
	default:
		return rules.Undecided, ""
	}
}

// prove is judge by the solver.
func (a *Adjudication) prove(ctx context.Context, s *solver.Solver, g *rules.Game) (rules.Outcome, string) {
	p := g.Position()
	if o, _ := g.Outcome(); o != rules.Undecided || g.Rules().SettingUp(p) {
		return rules.Undecided, ""
	}
	r, err := s.Solve(ctx, g, a.Proven)
	if err != nil || r.Plies == 0 {
		return rules.Undecided, ""
	}
	winner := p.Side()
	if r.Plies < 0 {
		winner = winner.Other()
	}
	return rules.WinFor(winner), record.AdjudicatedProven
}

// agree reports whether the last scores, moves of each side, all lie from low to
// high as the last mover sees them.
func agree(scores []record.Score, moves int, low, high agents.Score) bool {
	if len(scores) < 2*moves {
		return false
	}
	for i, s := range scores[len(scores)-2*moves:] {
		seen := agents.Score(s)
		if i%2 == 0 { // the other side's
			seen = -seen
		}
		if s == record.NoScore || seen < low || seen > high {
			return false
		}
	}
	return true
}
