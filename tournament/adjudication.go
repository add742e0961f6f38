package tournament

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// Adjudication ends games that the agents' own scores call decided. The zero
// value ends none.
type Adjudication struct {
	// Resign ends a game that for ResignMoves moves of each side the one scored
	// at least Resign for itself and the other at most -Resign; 0: never.
	Resign      agents.Score
	ResignMoves int

	// Draw ends a game as a draw when for DrawMoves moves of each side all scores
	// were from -Draw to Draw. DrawMoves 0: never.
	Draw      agents.Score
	DrawMoves int

	// Proven ends a game as soon as both sides have proven the same result.
	Proven bool

	// Plies ends a game of so many plies as a draw; 0: never.
	Plies int
}

// Bounds of an Adjudication.
const (
	maxAdjudicationMoves = 1000
	maxAdjudicationPlies = 100_000
)

// ParseAdjudication reads "resign=POINTS:MOVES,draw=POINTS:MOVES,proven,plies=N",
// any of them; points are those of the agents' scores.
func ParseAdjudication(text string) (Adjudication, error) {
	var a Adjudication
	if text == "" {
		return a, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "resign":
			a.Resign, a.ResignMoves, err = parseAgreement(value, 1)
		case "draw":
			a.Draw, a.DrawMoves, err = parseAgreement(value, 0)
		case "proven":
			a.Proven = true
		case "plies":
			a.Plies, err = strconv.Atoi(value)
			if a.Plies < 1 || a.Plies > maxAdjudicationPlies {
				err = fmt.Errorf("from 1 to %d", maxAdjudicationPlies)
			}
		default:
			err = fmt.Errorf("unknown")
		}
		if err != nil || seen[name] || name == "proven" && part != name {
			return a, fmt.Errorf("expected resign=POINTS:MOVES, draw=POINTS:MOVES, proven or plies=N, each once, found %.80q", part)
		}
		seen[name] = true
	}
	return a, nil
}

// parseAgreement reads POINTS:MOVES, the points at least so many hundredths.
func parseAgreement(text string, least float64) (agents.Score, int, error) {
	p, m, _ := strings.Cut(text, ":")
	points, err := strconv.ParseFloat(p, 64)
	hundredths := math.Round(100 * points)
	moves, errMoves := strconv.Atoi(m)
	if err != nil || errMoves != nil || !(least <= hundredths && hundredths <= float64(agents.WinScore)) || moves < 1 || moves > maxAdjudicationMoves {
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
	if a.Proven {
		parts = append(parts, "proven")
	}
	if a.Plies > 0 {
		parts = append(parts, fmt.Sprintf("plies=%d", a.Plies))
	}
	return strings.Join(parts, ",")
}

// verdict is how an adjudicated game ends.
type verdict struct {
	outcome rules.Outcome
	reason  string // "" while the game goes on
}

// judge looks at a game of so many plies after a move of side. scores are those
// of all moves so far, each from its mover's view; the sides alternate once
// plies are played.
func (a *Adjudication) judge(scores []record.Score, plies int, side rules.Side) verdict {
	scores = scores[len(scores)-plies:]
	decided := func(bound agents.Score, moves int) (winner rules.Side, ok bool) {
		switch {
		case agree(scores, moves, bound, math.MaxInt32):
			return side, true
		case agree(scores, moves, math.MinInt32, -bound):
			return side.Other(), true
		default:
			return side, false
		}
	}
	if a.Proven {
		if winner, ok := decided(agents.WinScore, 1); ok {
			return verdict{rules.WinFor(winner), record.AdjudicatedProven}
		}
	}
	if a.ResignMoves > 0 {
		if winner, ok := decided(a.Resign, a.ResignMoves); ok {
			return verdict{rules.WinFor(winner), record.AdjudicatedResign}
		}
	}
	if a.DrawMoves > 0 && agree(scores, a.DrawMoves, -a.Draw, a.Draw) {
		return verdict{rules.Draw, record.AdjudicatedDraw}
	}
	if a.Plies > 0 && plies >= a.Plies {
		return verdict{rules.Draw, record.AdjudicatedLength}
	}
	return verdict{}
}

// agree tells whether the last scores, so many of each side, all lie from low to
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
