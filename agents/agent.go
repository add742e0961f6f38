// Package agents defines players: the [Agent] interface, what is asked of one ([Request]) and what
// it answers ([Decision]), the [Spec] text that names one with its parameters, and the [Registry]
// of the kinds that can be made. Each kind is a package below this one; agents/builtin lists the
// kinds that ship.
//
// Begin with [Agent]. The registry checks the parameters of a spec ([Registry.Values]) and makes
// the agent of its kind ([Registry.New]). For each game the agent is told the rules and its side
// ([Setup]), and for each move it is asked for a decision within limits ([Limits], [Clock]).
package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"gyges/rules"
	"gyges/rules/base/settings"
)

// Agent plays one side of one game at a time. An agent belongs to one goroutine. An agent that
// needs no more than NewGame and Choose embeds [Base]; an agent that wraps another one embeds it.
type Agent interface {
	// NewGame prepares for a game and clears the state of the one before. After equal setups an
	// agent limited by depth, nodes or iterations makes equal decisions in equal games, whatever
	// it has played before.
	NewGame(ctx context.Context, setup Setup) error

	// Choose picks a legal move in a game that is not over: a placement during set-up, the pass
	// when it is the only move. It must not change g. When ctx is cancelled it returns soon, with
	// ctx's error or with the best move so far. For a request of more than the agent can do it
	// returns the error of [Request.Check].
	Choose(ctx context.Context, g *rules.Game, q Request) (Decision, error)

	// Capabilities returns what Choose can do besides keeping to limits; always the same.
	Capabilities() Capabilities

	// Start makes ready what the agent needs of the machine, such as a program, for games under
	// the rules that it was made for. The error says what is missing. Without it the first NewGame
	// does the same.
	Start(ctx context.Context) error

	// Program returns what Start found of the external program that the agent is; nil: it is none,
	// or wasn't started.
	Program() *Program

	// Announced returns the parameters that the program which Start has started says it has, by
	// their names in specs.
	Announced() []ParamDef

	// Trace returns the last messages between the agent and an external program, for the record of
	// a game that ended with a fault: bounded, and with control characters escaped.
	Trace() []string

	// Close frees what Start or NewGame took of the machine.
	Close() error
}

// Base has the methods of an agent that keeps to limits, and needs nothing of the machine. Agents
// embed it.
type Base struct{}

// Capabilities returns none.
func (Base) Capabilities() Capabilities { return Capabilities{} }

// Start does nothing.
func (Base) Start(context.Context) error { return nil }

// Program returns none.
func (Base) Program() *Program { return nil }

// Announced returns none.
func (Base) Announced() []ParamDef { return nil }

// Trace returns nothing.
func (Base) Trace() []string { return nil }

// Close does nothing.
func (Base) Close() error { return nil }

// Request is what is asked of an agent for one decision. The zero value is a move without limits.
type Request struct {
	Limits Limits

	// Exclude are legal moves, not all, that are not searched and not chosen.
	Exclude []rules.Move

	// Noise, if not nil, has the agent choose the move with the highest sum of score and noise,
	// which is in hundredths of a point and always the same for a move; the best one where a
	// result is proven, never one that is proven to lose.
	Noise func(rules.Move) Score

	// Sample is how many of the positions that the search visits below the root are returned at
	// most.
	Sample int

	// Info, if not nil, is called with the result of the search so far: after each depth of
	// iterative deepening, by other searches now and then. It is called in Choose, by its
	// goroutine, and must not keep the decision's PV.
	Info func(Decision)
}

// Capabilities are the parts of a [Request] that not every agent can do.
type Capabilities struct{ Exclude, Noise, Sample bool }

// Check returns an error that wraps [errors.ErrUnsupported] if q asks for more than c allows.
func (q *Request) Check(c Capabilities) error {
	var lacks string
	switch {
	case len(q.Exclude) > 0 && !c.Exclude:
		lacks = "exclude moves"
	case q.Noise != nil && !c.Noise:
		lacks = "add noise to scores"
	case q.Sample > 0 && !c.Sample:
		lacks = "sample the positions of its search"
	default:
		return nil
	}
	return fmt.Errorf("the agent can't %s: %w", lacks, errors.ErrUnsupported)
}

// Setup describes a game that is about to be played.
type Setup struct {
	Rules *rules.Rules
	Side  rules.Side // the side the agent plays
	Seed  uint64     // the only source of randomness it may use

	// OnRepetition is the game's policy for moves that only repeat.
	OnRepetition OnRepetition
}

// SetupOf returns the setup for the side to move in g.
func SetupOf(g *rules.Game, seed uint64) Setup {
	return Setup{Rules: g.Rules(), Side: g.Position().Side(), Seed: seed}
}

// Rand returns the random source seeded by the setup.
func (s Setup) Rand() *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed, uint64(s.Side)+1))
}

// Limits bound one decision. A field of 0 sets no bound. An agent's parameters are
// limits, too, of which the tighter ones apply; without any the kind's default does.
type Limits struct {
	// Depth is in plies.
	Depth int `yaml:"depth" check:"0..1000" zero:"no limit" name:"depth" group:"Limits and time:" placeholder:"N" help:"Let agents search at most N plies."`
	// Nodes are positions visited; for MCTS, iterations.
	Nodes int64 `yaml:"nodes" check:"0..1000000000000" zero:"no limit" name:"nodes" group:"Limits and time:" placeholder:"N" help:"Let agents visit at most N positions for a move (MCTS: iterations)."`
	// MoveTime is the wall-clock time for this move.
	MoveTime time.Duration `yaml:"movetime" check:"0s..24h" zero:"no limit" name:"movetime" group:"Limits and time:" placeholder:"TIME" help:"Let agents think at most so long for a move, like 500ms. Results may differ from run to run."`
	Clock    Clock         `kong:"-"` // of the side to move
}

// Tighter returns the limits that satisfy both l and m. The clock is l's if it has one.
func (l Limits) Tighter(m Limits) Limits {
	return Limits{
		Depth:    tighter(l.Depth, m.Depth),
		Nodes:    tighter(l.Nodes, m.Nodes),
		MoveTime: tighter(l.MoveTime, m.MoveTime),
		Clock:    cmp.Or(l.Clock, m.Clock),
	}
}

// Times returns how long the search for the next move of g should take, and how long it may if it
// needs more time. Both are the move time, if no clock allows less; 0 without either.
func (l Limits) Times(g *rules.Game) (soft, hard time.Duration) {
	if l.Clock == (Clock{}) {
		return l.MoveTime, l.MoveTime
	}
	soft, hard = l.Clock.times(g)
	return tighter(l.MoveTime, soft), tighter(l.MoveTime, hard)
}

// tighter returns the lower of two bounds, of which 0 is none.
func tighter[T int | int64 | time.Duration](a, b T) T {
	return cmp.Or(min(a, b), max(a, b))
}

// Score is a position's value for the side that decides, in hundredths of a point of the
// evaluation; a point is about what decides one game in two. Proven results lie beyond ±WinScore:
// see [WinIn].
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

// Evaluated returns a number of hundredths of a point as the score of an evaluation: rounded, and
// within ±MaxEval.
func Evaluated(x float64) Score {
	const bound = float64(MaxEval)
	return Score(min(max(math.Round(x), -bound), bound))
}

// WinIn returns the score of a proven win in the given number of plies, the winning move counted:
// 1 is a win at once.
func WinIn(plies int) Score { return WinTop - Score(plies) }

// Proven returns in how many plies the game is won (positive) or lost (negative) if the score is a
// proven result.
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

// Text returns the score in points, "+1.25", or of a proven result its distance, "wins in 3".
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

// Decision is a chosen move and the result of the search for it.
type Decision struct {
	Move   rules.Move   // to be played
	Best   rules.Move   // of the search, like Score and PV, if noise chose another one; else NoMove
	Scored bool         // Score is defined
	Score  Score        // for the side that decides
	Depth  int          // plies searched; 0 if the agent doesn't search
	Nodes  int64        // positions visited; 0 if the agent doesn't count
	PV     []rules.Move // expected line, beginning with the best move; may be empty

	// Answered is when the answer of an external program arrived. The zero time is when Choose
	// returns.
	Answered time.Time

	// Sample has positions that the search visited, drawn at random, none with a win at once. They
	// may repeat.
	Sample []rules.Position
}

// Line returns the expected line, of at least the best move.
func (d *Decision) Line() []rules.Move {
	if len(d.PV) > 0 {
		return d.PV
	}
	return []rules.Move{cmp.Or(d.Best, d.Move)}
}

// Info returns what is known of score, depth and nodes, with numbers formatted so: "+1.25, depth
// 4, 1234 nodes".
func (d *Decision) Info(number func(int64) string) string {
	var list []string
	if d.Scored {
		list = append(list, d.Score.Text())
	}
	if d.Depth > 0 {
		list = append(list, "depth "+number(int64(d.Depth)))
	}
	if d.Nodes > 0 {
		list = append(list, number(d.Nodes)+" nodes")
	}
	return strings.Join(list, ", ")
}

// Play sets the move that is played. If the search has chosen another one, that becomes Best.
func (d *Decision) Play(m rules.Move) {
	if m != d.Move {
		d.Best = d.Move
		d.Move = m
	}
}

// ErrResigned is the error of Choose when the agent resigns, which loses the game and is no
// failure.
var ErrResigned = errors.New("resigned")

// FailureKind is the way in which an agent failed, and the reason of the game's end in records.
type FailureKind string

// The ways to fail. An error that is no [Failure] is an agent's internal error.
const (
	Crashed       FailureKind = "crash"    // its program could not be started, or exited
	TimedOut      FailureKind = "timeout"  // no answer in time
	BrokeProtocol FailureKind = "protocol" // a message that is malformed or out of turn
	BadMove       FailureKind = "illegal"  // a move that does not exist on any board
)

// Failure is an error with the way in which an agent failed.
type Failure struct {
	Kind FailureKind
	Err  error // the text for records and messages
}

// Error returns the error without its kind.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns Err.
func (f *Failure) Unwrap() error { return f.Err }

// HostFailure is an error of the machine that the agent runs on, such as a lack of file
// descriptors or memory. It is no fault of the agent, so that the game under way has no result.
type HostFailure struct{ Err error }

// Error returns the error of the machine.
func (f *HostFailure) Error() string { return f.Err.Error() }

// Unwrap returns Err.
func (f *HostFailure) Unwrap() error { return f.Err }

// OnRepetition is what happens to a move that only the rules on repetition and null moves forbid.
// A program that receives positions without history can't apply those rules.
type OnRepetition string

// The policies. The zero value is the same as Forfeit.
const (
	Forfeit OnRepetition = "forfeit"  // it is an illegal move like any other
	AskNext OnRepetition = "ask-next" // an agent with a second choice plays that; else as Forfeit
	Allow   OnRepetition = "allow"    // it is played
)

// Choices lists the policies.
func (OnRepetition) Choices() []settings.Choice {
	return []settings.Choice{
		{Name: string(Forfeit), Doc: "the game"},
		{Name: string(AskNext), Doc: "an external engine's choice before"},
		{Name: string(Allow)},
	}
}

// MixSeed derives a seed from another by mixing numbers in, one after another, each by one step of
// SplitMix64 (Steele, Lea and Flood: Fast Splittable Pseudorandom Number Generators, 2014):
//
//	for each part x: seed = finish(seed XOR x + 0x9e3779b97f4a7c15)
//
// A step is a bijection of the seed for a given x and of x for a given seed, so
// different seeds, or parts that differ in one place, never give the same result.
func MixSeed(seed uint64, parts ...uint64) uint64 {
	for _, x := range parts {
		z := (seed ^ x) + 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9 // from here on: finish
		z = (z ^ z>>27) * 0x94d049bb133111eb
		seed = z ^ z>>31
	}
	return seed
}
