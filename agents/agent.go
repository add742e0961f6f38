package agents

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gyges/rules"
)

// Agent plays one side of one game at a time. An agent belongs to one
// goroutine. It may also be an io.Closer, which is called when it is no longer
// needed.
type Agent interface {
	// NewGame prepares for a game, forgetting the one before. After equal
	// setups an agent limited by depth, nodes or iterations makes equal
	// decisions in equal games, whatever it has played before.
	NewGame(ctx context.Context, setup Setup) error

	// Choose picks a legal move in a game that is not over: a placement during
	// set-up, the pass when it is the only move. It must not change g. When
	// ctx is cancelled it returns soon, with the context's error or with the
	// best move so far.
	Choose(ctx context.Context, g *rules.Game, lim Limits) (Decision, error)
}

// Analyst is an agent that can say what it would do without some moves.
type Analyst interface {
	Agent

	// ChooseWithout is Choose without the excluded root moves, fewer than are legal.
	ChooseWithout(ctx context.Context, g *rules.Game, lim Limits, excluded []rules.Move) (Decision, error)
}

// Explorer is an agent that can be made to leave its best move at times.
type Explorer interface {
	Agent

	// ChooseNoisy is Choose, except that it picks the move whose score, found
	// by the same search, and noise have the highest sum. The best move stands
	// where the search proves a win or a loss, and no move is picked that it
	// proves to lose. noise gives hundredths of a point, each time the same for
	// a move. The decision's Score is still the best move's, and its PV empty if
	// another one has been picked.
	ChooseNoisy(ctx context.Context, g *rules.Game, lim Limits, noise func(rules.Move) Score) (Decision, error)
}

// Setup says which game is about to be played.
type Setup struct {
	Rules *rules.Rules
	Side  rules.Side // the side the agent plays
	Seed  uint64     // the only source of randomness it may use

	// OnRepetition is the game's policy for moves that only repeat.
	OnRepetition OnRepetition

	// Info is told what a search has found so far: by searches that deepen after
	// each depth, by others now and then. nil: nobody listens. It is called
	// in Choose, by its goroutine, and must not keep what it is told.
	Info func(Decision)
}

// Rand returns the random source that a setup's seed stands for.
func (s Setup) Rand() *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed, uint64(s.Side)+1))
}

// Limits bound one decision. Zero fields set no bound; the agent's own
// parameters hold beside them, and the tighter one counts. Where nothing sets a
// bound, the kind's default does.
type Limits struct {
	Depth    int           // plies
	Nodes    int64         // positions visited; for MCTS, iterations
	MoveTime time.Duration // wall-clock time for this move
}

// Tighter returns the limits that satisfy both l and m.
func (l Limits) Tighter(m Limits) Limits {
	return Limits{
		Depth:    tighter(l.Depth, m.Depth),
		Nodes:    tighter(l.Nodes, m.Nodes),
		MoveTime: tighter(l.MoveTime, m.MoveTime),
	}
}

func tighter[T int | int64 | time.Duration](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// Score is a position's value for the side that decides, in hundredths of a
// point of the evaluation; a point is about what decides one game in two. Proven
// results lie beyond ±WinScore: see [WinIn].
type Score int32

// Bounds of scores.
const (
	// MaxEval bounds what an evaluation may return.
	MaxEval Score = 20000
	// WinScore is beyond every evaluation. A score s >= WinScore is a proven win
	// in WinTop-s plies; s <= -WinScore a proven loss in WinTop+s plies.
	WinScore Score = 29000
	// WinTop is the score of a game that is won already.
	WinTop Score = 30000
)

// WinIn returns the score of a proven win in the given number of plies, the
// winning move counted: 1 is a win at once.
func WinIn(plies int) Score { return WinTop - Score(plies) }

// Proven returns in how many plies the game is won (positive) or lost
// (negative) if the score is a proven result.
func (s Score) Proven() (plies int, ok bool) {
	switch {
	case s >= WinScore:
		return int(WinTop - s), true
	case s <= -WinScore:
		return -int(WinTop + s), true
	default:
		return 0, false
	}
}

// Text prints the score for people: in points, or in how many plies the game is
// decided.
func (s Score) Text() string {
	plies, proven := s.Proven()
	switch {
	case !proven:
		return fmt.Sprintf("%+.2f", float64(s)/100)
	case plies > 0:
		return fmt.Sprintf("wins in %d", plies)
	default:
		return fmt.Sprintf("loses in %d", -plies)
	}
}

// Decision is a chosen move and what the agent knows about it.
type Decision struct {
	Move   rules.Move
	Scored bool         // Score means something
	Score  Score        // for the side that decides
	Depth  int          // plies searched; 0 if the agent doesn't search
	Nodes  int64        // positions visited; 0 if the agent doesn't count
	PV     []rules.Move // expected line, beginning with Move; may be empty
}

// Sized is an agent with large tables.
type Sized interface {
	// TableBytes returns how much memory its tables take during a game.
	TableBytes() int64
}

// Suiter is an agent that doesn't play by all rules.
type Suiter interface {
	// Suits returns what is missing for a game under r; nil if it can play it.
	Suits(r *rules.Rules) error
}
