package alphabeta

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// minimax is the search as its definition says it: every move of every position, nothing stored and
// nothing left out. It plays on the game itself, so that repetition and length are the game's own
// affair. A position in which the side to move wins at once counts as won, at the horizon too.
func minimax(g *rules.Game, e *eval.Evaluator, depth, ply int) agents.Score {
	switch o, _ := g.Outcome(); o {
	case rules.Undecided:
	case rules.Draw:
		return 0
	default:
		return -agents.WinIn(ply)
	}
	var ms rules.MoveSet
	g.LegalMoves(&ms)
	side := g.Position().Side()
	for m := range ms.All() {
		if g.Rules().Outcome(g.Rules().Apply(g.Position(), m)) == rules.WinFor(side) {
			return agents.WinIn(ply + 1)
		}
	}
	if depth == 0 {
		return e.Score(g.Position())
	}
	best := -infinity
	for m := range ms.All() {
		g.PlayLegal(m)
		best = max(best, -minimax(g, e, depth-1, ply+1))
		g.Undo()
	}
	return best
}

// games draws games in progress whose positions have so few lines of the given depth that minimax
// can follow them.
type games struct {
	rules *rules.Rules
	eval  *eval.Evaluator
	rng   *rand.Rand
	depth int
	plies int // random moves before the position, at most
	lines uint64
}

func newGames(t *testing.T, ruleSet string, depth, plies int, lines uint64) *games {
	t.Helper()
	r := rules.MustParse(ruleSet)
	e, err := eval.ForRules(r)
	require.NoError(t, err)
	return &games{r, e, rand.New(rand.NewPCG(11, uint64(depth))), depth, plies, lines}
}

func (gs *games) next() *rules.Game {
	var ms rules.MoveSet
	for {
		g := agenttest.RandomGame(gs.rules, gs.rng, gs.rng.IntN(gs.plies))
		if g.LegalMoves(&ms); math.Pow(float64(ms.Len()), float64(gs.depth)) > 30*float64(gs.lines) {
			continue // not worth counting its lines
		}
		lines, _, err := rules.Perft(context.Background(), gs.rules, g.Position(), gs.depth, 1)
		if err == nil && lines <= gs.lines {
			return g
		}
	}
}

// check compares a decision with minimax: the score, and that the expected line leads to it.
func (gs *games) check(t *testing.T, g *rules.Game, d agents.Decision) {
	t.Helper()
	position := gs.rules.FormatPosition(g.Position())
	require.Equal(t, minimax(g, gs.eval, gs.depth, 0), d.Score, position)
	start := g.Position().Side()
	for _, m := range d.PV {
		require.NoError(t, g.Play(m), position)
	}
	var end agents.Score
	switch o, _ := g.Outcome(); {
	case o == rules.Draw:
	case o != rules.Undecided:
		end = -agents.WinIn(len(d.PV))
	default:
		require.Len(t, d.PV, gs.depth, position)
		end = gs.eval.Score(g.Position())
	}
	if g.Position().Side() != start {
		end = -end
	}
	require.Equal(t, d.Score, end, position)
	for range d.PV {
		g.Undo()
	}
}

var minimaxCases = []struct {
	rules            string
	depth, positions int
	plies            int
	lines            uint64
}{
	{"simplified:repetition=none", 2, 40, 25, 1500},
	{"simplified:repetition=none", 4, 8, 25, 40000},
	{"simplified", 3, 20, 25, 5000},
	{"simplified:max_plies=24", 3, 15, 23, 5000}, // draws by length within reach
	{"standard:repetition=none", 2, 8, 40, 2000},
	{"standard", 2, 8, 40, 2000},
	{"standard", 3, 2, 60, 8000},
	{"kang", 2, 8, 60, 2000},
	{"kang:kang_entry=optional", 2, 8, 60, 2000},
}

func TestScoreIsMinimax(t *testing.T) {
	for _, c := range minimaxCases {
		t.Run(fmt.Sprintf("%s to depth %d", c.rules, c.depth), func(t *testing.T) {
			t.Parallel()
			gs := newGames(t, c.rules, c.depth, c.plies, c.lines)
			for i := range c.positions {
				g := gs.next()
				threads := 1 + 2*(i%2)
				spec := fmt.Sprintf("alphabeta:selective=0,depth=%d,hash=1,threads=%d", c.depth, threads)
				a := agenttest.New(t, Kind(), spec, g)
				d := agenttest.Choose(t, a, g, agents.Limits{})
				gs.check(t, g, d)
				// The contents of the table change nothing.
				again := agenttest.Choose(t, a, g, agents.Limits{})
				require.Equal(t, d.Score, again.Score)
				gs.check(t, g, again)
			}
		})
	}
}

// shuffle moves a piece of each side and then the first one back, so that a
// position stands again if the other goes back too. It reports whether that is possible.
func shuffle(g *rules.Game, rng *rand.Rand) bool {
	before := g.Position().Key()
	var ms rules.MoveSet
	var played [2]rules.Move
	for i := range played {
		if g.LegalMoves(&ms); ms.Len() == 0 {
			return false
		}
		played[i] = ms.At(rng.IntN(ms.Len()))
		g.PlayLegal(played[i])
	}
	if !playBack(g, played[0]) {
		return false
	}
	g.Rules().Moves(g.Position(), &ms) // the repetition rule aside
	for m := range ms.All() {
		if g.Rules().Apply(g.Position(), m).Key() == before {
			return true
		}
	}
	return false
}

// playBack takes the piece that m has moved back, if that is legal.
func playBack(g *rules.Game, m rules.Move) bool {
	var ms rules.MoveSet
	g.LegalMoves(&ms)
	for back := range ms.All() {
		if back.From() == m.To() && back.To() == m.From() && m.From() != rules.NoSquare {
			g.PlayLegal(back)
			return true
		}
	}
	return false
}

// Positions in which what stood before in the game makes a difference.
func TestRepetitionInTheGame(t *testing.T) {
	free := rules.MustParse("simplified:repetition=none")
	for _, c := range []struct{ depth, positions int }{{1, 10}, {2, 10}, {3, 3}} {
		t.Run(fmt.Sprintf("depth %d", c.depth), func(t *testing.T) {
			t.Parallel()
			gs := newGames(t, "simplified", c.depth, 25, 2000)
			for met := 0; met < c.positions; {
				g := gs.next()
				if !shuffle(g, gs.rng) {
					continue
				}
				withoutHistory := rules.NewGame(free, g.Position())
				if minimax(g, gs.eval, c.depth, 0) == minimax(withoutHistory, gs.eval, c.depth, 0) {
					continue
				}
				met++
				a := agenttest.New(t, Kind(), fmt.Sprintf("alphabeta:selective=0,depth=%d,hash=1", c.depth), g)
				gs.check(t, g, agenttest.Choose(t, a, g, agents.Limits{}))
			}
		})
	}
}

// Positions in which the lines of the search come back to positions of their
// own, so that the repetition rule changes the score without any history.
func TestRepetitionOnThePath(t *testing.T) {
	t.Parallel()
	free := rules.MustParse("simplified:repetition=none")
	for _, c := range []struct {
		rules, position string
		depth           int
	}{
		{"simplified", "000000/200000/003010/202333/101002/000010 n", 3},
		{"simplified", "000100/000000/021211/230333/000200/000000 n", 4},
		{"simplified", "000000/220000/332121/003310/001000/000000 n", 4},
	} {
		gs := newGames(t, c.rules, c.depth, 1, 1)
		g := agenttest.Game(t, gs.rules, c.position)
		// The positions were found with these weights.
		const spec = "alphabeta:selective=0,hash=1,weights=testdata/linear.json,depth="
		a := agenttest.New(t, Kind(), spec+strconv.Itoa(c.depth), g)
		var err error
		gs.eval, _, err = eval.Of(a, gs.rules)
		require.NoError(t, err)
		freely := minimax(rules.NewGame(free, g.Position()), gs.eval, c.depth, 0)
		require.NotEqual(t, freely, minimax(g, gs.eval, c.depth, 0), c.position)
		gs.check(t, g, agenttest.Choose(t, a, g, agents.Limits{}))
	}
}

// What was found near the end of a game by its length must not be believed in a game that is
// younger.
func TestLengthIsNotStored(t *testing.T) {
	t.Parallel()
	gs := newGames(t, "simplified:repetition=none,max_plies=24", 3, 24, 2000)
	for met := 0; met < 10; {
		old := gs.next()
		if old.Ply() != 22 { // the moves after the next two are not made
			continue
		}
		met++
		a := agenttest.New(t, Kind(), "alphabeta:selective=0,depth=3,hash=1", old)
		gs.check(t, old, agenttest.Choose(t, a, old, agents.Limits{}))
		young := rules.NewGame(gs.rules, old.Position())
		s := &a.(*player).searches[0]
		s.begin(young, nil, budget{ctx: context.Background()})
		s.rootMove = rules.NoMove
		score := s.alphaBeta(young.Position(), -infinity, infinity, 3, false) // no iteration before, which would write over it
		require.Equal(t, minimax(young, gs.eval, 3, 0), score)
	}
}

// Searched with any window a position gives its score, or a bound on the side where the score lies;
// windows among wins and losses too, and with a table that other windows have filled.
func TestWindows(t *testing.T) {
	t.Parallel()
	gs := newGames(t, "simplified:repetition=none", 3, 25, 2000)
	drawn := []*rules.Game{
		agenttest.Game(t, gs.rules, "000010/030020/120000/203300/310001/000002 n"), // a win in 3
		agenttest.Game(t, gs.rules, "000023/022001/002000/010330/000300/110000 n"), // a loss in 4
	}
	for range 25 {
		drawn = append(drawn, gs.next())
	}
	for _, g := range drawn {
		a := agenttest.New(t, Kind(), "alphabeta:selective=0,hash=1", g).(*player)
		for depth := range 4 {
			score := minimax(g, gs.eval, depth, 0)
			for range 40 {
				spread := []int{2, 4, 8, 200}[gs.rng.IntN(4)]
				alpha := score - agents.Score(gs.rng.IntN(2*spread)-spread/2)
				beta := alpha + 1
				if gs.rng.IntN(3) == 0 {
					beta += agents.Score(gs.rng.IntN(spread))
				}
				a.searches[0].begin(g, nil, budget{ctx: context.Background()})
				a.searches[0].rootMove = rules.NoMove
				got := a.searches[0].alphaBeta(g.Position(), alpha, beta, depth, false)
				what := fmt.Sprintf("%s: depth %d, window %d to %d", gs.rules.FormatPosition(g.Position()), depth, alpha, beta)
				switch {
				case score <= alpha:
					require.LessOrEqual(t, got, alpha, what)
					require.GreaterOrEqual(t, got, score, what)
				case score >= beta:
					require.GreaterOrEqual(t, got, beta, what)
					require.LessOrEqual(t, got, score, what)
				default:
					require.Equal(t, score, got, what)
				}
			}
		}
	}
}
