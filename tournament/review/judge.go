package review

import (
	"cmp"
	"math"
	"slices"

	"gyges/agents/eval"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/tournament/record"
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

// judge sets the scores of a move, and by them the probabilities, the loss, the mark and the kind.
func (m *Move) judge(r *rules.Rules, found, played value) {
	m.Best, m.Score, m.Depth = found.score, played.score, found.depth
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

// summarize fills in what follows from the moves.
func (g *Review) summarize() {
	tallies := map[string]*Tally{"south": {Accuracy: 100}, "north": {Accuracy: 100}}
	for i := range g.Moves {
		if m := &g.Moves[i]; m.Judged() {
			tallies[m.Side].add(m)
		}
	}
	for _, t := range tallies {
		t.Accuracy = rounded(t.Accuracy)
	}
	g.SouthMoves, g.NorthMoves = *tallies["south"], *tallies["north"]
	g.Turning, g.Decisive = g.turningPoints(), g.decisive()
}

// turns returns 1 if the mover was expected to win before the move and is no more, else 0.
func (m *Move) turns() int {
	if m.Before >= 0.5 && m.After < 0.5 {
		return 1
	}
	return 0
}

const maxTurning = 3 // turning points of a game

// turningPoints returns the plies of the mistakes that changed the expected winner first, then of those that lost most.
func (g *Review) turningPoints() []int {
	var list []*Move
	for i := range g.Moves {
		if m := &g.Moves[i]; m.Loss >= Mistaken {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b *Move) int {
		return cmp.Or(cmp.Compare(b.turns(), a.turns()), cmp.Compare(b.Loss, a.Loss))
	})
	plies := lists.Map(list[:min(len(list), maxTurning)], func(m *Move) int { return m.Ply })
	slices.Sort(plies)
	return plies
}

// Loser returns the side that lost the game by its moves; "" if it was drawn or a fault decided it.
func (g *Review) Loser() string {
	half := record.HalfPoints(g.Result, rules.South)
	switch {
	case g.Fault || half == 1:
		return ""
	case half == 0:
		return rules.South.Name()
	}
	return rules.North.Name()
}

// DecisiveMove returns the index in Moves of the decisive move, see [Review.Decisive]; -1 if there is none.
func (g *Review) DecisiveMove() int {
	return slices.IndexFunc(g.Moves, func(m Move) bool { return g.Decisive > 0 && m.Ply == g.Decisive })
}

// decisive returns the ply of the loser's move that lost the game, see [Review.Decisive].
func (g *Review) decisive() int {
	loser, ply, most := g.Loser(), 0, 0.0
	for i := range g.Moves {
		m := &g.Moves[i]
		if m.Side != loser || !m.Judged() {
			continue
		}
		if m.Before >= 0.5 { // all was well until here
			ply, most = 0, 0
		}
		if m.Kind != "" && m.Loss > most {
			ply, most = m.Ply, m.Loss
		}
	}
	return ply
}
