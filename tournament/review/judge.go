package review

import (
	"math"

	"gyges/agents/eval"
	"gyges/rules"
)

// Losses of winning probability from which on a move is an inaccuracy, a mistake and a blunder.
const (
	Inaccurate = 0.05
	Mistaken   = 0.10
	Blundered  = 0.20
)

// rounded rounds to four digits behind the point, since the rest says nothing and takes space in files.
func rounded(x float64) float64 { return math.Round(1e4*x) / 1e4 }

// Accuracy returns the accuracy in percent, 0 to 100, of a move by the winning probability that it lost. It is
// the formula of lichess.org/page/accuracy, which was fitted to games of chess.
func Accuracy(loss float64) float64 {
	return max(0, min(103.1668*math.Exp(-4.354*loss)-3.1669, 100))
}

// judge sets the probabilities, the loss, the mark and the kind of a move by its scores.
func (m *Move) judge(r *rules.Rules) {
	m.Before, m.After = rounded(eval.WinProbability(m.Best, r)), rounded(eval.WinProbability(m.Score, r))
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

func (t *Tally) add(m *Move) {
	t.Accuracy = (t.Accuracy*float64(t.Judged) + Accuracy(m.Loss)) / float64(t.Judged+1)
	t.Judged++
	counts := map[Mark]*int{
		Best: &t.Best, Only: &t.Best, Inaccuracy: &t.Inaccuracies, Mistake: &t.Mistakes, Blunder: &t.Blunders,
		MissedWin: &t.MissedWins,
	}
	if n := counts[m.Mark]; n != nil {
		*n++
	}
}
