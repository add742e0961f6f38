package review

import (
	"math"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules"
)

// Losses of winning probability from which on a move is an inaccuracy, a mistake and a blunder.
const (
	Inaccurate = 0.05
	Mistaken   = 0.10
	Blundered  = 0.20
)

// scale returns how many hundredths of a point make the odds of winning e times as high. The numbers are
// the maximum likelihood fit of results, draws counting half, by the movers' unproven scores in some 250 games
// under each of standard, simplified and kang between copies of alphabeta:nodes=20000, from random set-ups with
// two or three random plies. Without any tenth of the games the fit gives 56 to 63, 93 to 118, and 121 to 149.
func scale(r *rules.Rules) float64 {
	switch eval.Family(r) {
	case eval.Simplified:
		return 110
	case eval.Kang:
		return 135
	}
	return 60
}

// winning returns the probability of winning, draws counting half, by a score.
func winning(s agents.Score, scale float64) float64 {
	switch {
	case s >= agents.WinScore:
		return 1
	case s <= -agents.WinScore:
		return 0
	}
	return 1 / (1 + math.Exp(-float64(s)/scale))
}

// rounded rounds to four digits behind the point, since the rest says nothing and takes space in files.
func rounded(x float64) float64 { return math.Round(1e4*x) / 1e4 }

// Accuracy returns the accuracy in percent, 0 to 100, of a move that lost so much winning probability. It is
// the formula of lichess.org/page/accuracy, which was fitted to games of chess.
func Accuracy(loss float64) float64 {
	return max(0, min(103.1668*math.Exp(-4.354*loss)-3.1669, 100))
}

// judge sets the probabilities, the loss, the mark and the kind of a move by its scores.
func (m *Move) judge(scale float64) {
	m.Before, m.After = rounded(winning(m.Best, scale)), rounded(winning(m.Score, scale))
	m.Loss = max(0, rounded(m.Before-m.After))
	best, bestProven := m.Best.Proven()
	made, madeProven := m.Score.Proven()
	won := bestProven && best > 0
	switch {
	case m.Loss == 0:
		m.Mark = Best
	case m.Loss < Inaccurate:
		m.Mark = Good
	case won:
		m.Mark = MissedWin
	case m.Loss < Mistaken:
		m.Mark = Inaccuracy
	case m.Loss < Blundered:
		m.Mark = Mistake
	default:
		m.Mark = Blunder
	}
	switch {
	case m.Loss < Inaccurate:
	case won && best == 1:
		m.Kind = MissedGoal
	case madeProven && made == -2:
		m.Kind = AllowedGoal
	case won:
		m.Kind = MissedProof
	case madeProven:
		m.Kind = AllowedWin
	default:
		m.Kind = Judgement
	}
}

// add counts a judged move.
func (t *Tally) add(m *Move) {
	t.Accuracy = (t.Accuracy*float64(t.Judged) + Accuracy(m.Loss)) / float64(t.Judged+1)
	t.Judged++
	switch m.Mark {
	case Best, Only:
		t.Best++
	case Inaccuracy:
		t.Inaccuracies++
	case Mistake:
		t.Mistakes++
	case Blunder:
		t.Blunders++
	case MissedWin:
		t.MissedWins++
	}
}
