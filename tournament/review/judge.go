package review

import (
	"cmp"
	"math"
	"slices"

	"gyges/agents/eval"
	"gyges/rules"
)

// How a move is judged by the scores before and after it, and a game by its moves.

// Losses of winning probability from which on a move is an inaccuracy, a mistake and a blunder.
const (
	Inaccurate = 0.05
	Mistaken   = 0.10
	Blundered  = 0.20
)

// rounded rounds to four digits behind the point, since the rest says nothing and
// takes space in files.
func rounded(x float64) float64 { return math.Round(1e4*x) / 1e4 }

// Accuracy returns the accuracy in percent, 0 to 100, of a move by the winning probability that it
// lost. It is the formula of lichess.org/page/accuracy, which was fitted to games of chess.
func Accuracy(loss float64) float64 {
	percent := 103.1668*math.Exp(-4.354*loss) - 3.1669
	return max(0, min(percent, 100))
}

// judge sets the scores of a move, and by them the probabilities, the loss, the mark and the kind.
func (m *Move) judge(r *rules.Rules, found, played value) {
	m.Best = found.score
	m.Score = played.score
	m.Depth = found.depth
	m.Before = rounded(eval.WinProbability(m.Best, r))
	m.After = rounded(eval.WinProbability(m.Score, r))
	m.Loss = max(0, rounded(m.Before-m.After))
	bestPlies, bestProven := m.Best.Proven()
	plies, proven := m.Score.Proven()
	won := bestProven && bestPlies > 0

	// The mark is by the loss, but where a win was missed.
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
	case won && bestPlies == 1:
		m.Kind = MissedGoal
	case proven && plies == -2:
		m.Kind = AllowedGoal
	case won:
		m.Kind = MissedProof
	case proven:
		m.Kind = AllowedWin
	default:
		m.Kind = Judgement
	}
}

// add counts a move that was judged.
func (t *Tally) add(m *Move) {
	sum := t.Accuracy*float64(t.Judged) + Accuracy(m.Loss)
	t.Judged++
	t.Accuracy = sum / float64(t.Judged)
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

// count adds the moves that were judged to the tallies of the players.
func (g *Review) count(south, north *Tally) {
	for i := range g.Moves {
		m := &g.Moves[i]
		switch {
		case !m.Judged():
		case m.Side == "south":
			south.add(m)
		default:
			north.add(m)
		}
	}
}

// summarize fills in what follows from the moves.
func (g *Review) summarize() {
	south, north := Tally{Accuracy: 100}, Tally{Accuracy: 100}
	g.count(&south, &north)
	south.Accuracy = rounded(south.Accuracy)
	north.Accuracy = rounded(north.Accuracy)
	g.SouthMoves = south
	g.NorthMoves = north
	g.Turning = g.turningPoints()
	g.Decisive = g.decisive()
}

const maxTurning = 3 // turning points of a game

// turningPoints returns the plies of the mistakes that changed most: first those after which
// another side was expected to win, then those that lost most winning probability.
func (g *Review) turningPoints() []int {
	var list []*Move
	for i := range g.Moves {
		if m := &g.Moves[i]; m.Loss >= Mistaken {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b *Move) int { return cmp.Compare(b.change(), a.change()) })
	var plies []int
	for _, m := range list[:min(len(list), maxTurning)] {
		plies = append(plies, m.Ply)
	}
	slices.Sort(plies)
	return plies
}

// change returns how much a move changed: the winning probability that it lost, which is 1 at most,
// and 1 more if another side is expected to win since.
func (m *Move) change() float64 {
	if m.Before >= 0.5 && m.After < 0.5 {
		return 1 + m.Loss
	}
	return m.Loss
}

// Loser returns the side that lost the game by its moves; "" if it was drawn or a fault decided it.
func (g *Review) Loser() string {
	switch {
	case g.Fault:
		return ""
	case g.Result == "0-1":
		return "south"
	case g.Result == "1-0":
		return "north"
	}
	return ""
}

// DecisiveMove returns the index in Moves of the decisive move, see [Review.Decisive]; -1
// if there is none.
func (g *Review) DecisiveMove() int {
	if g.Decisive == 0 {
		return -1
	}
	return slices.IndexFunc(g.Moves, func(m Move) bool { return m.Ply == g.Decisive })
}

// decisive returns the ply of the loser's move that lost the game, see [Review.Decisive].
func (g *Review) decisive() int {
	loser := g.Loser()
	ply, most := 0, 0.0
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
