package ugi

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules"
)

const (
	endless   = 24 * time.Hour // of a search without any limit
	maxPerft  = 12             // plies
	maxMillis = int64(maxSeconds * 1000)
)

// goWords are the numbers that may follow go.
type goWords struct {
	limits   agents.Limits
	left     [2]time.Duration // clocks, by side
	more     [2]time.Duration // what they gain a move
	moves    int64            // to the next time control
	infinite bool
}

// parseGo reads what follows go.
func parseGo(text string) (goWords, error) {
	var w goWords
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		if words[i] == "infinite" {
			w.infinite = true
			continue
		}
		if i+1 == len(words) {
			return w, fmt.Errorf("expected movetime, depth, nodes, wtime, btime, winc, binc or movestogo and a number, or infinite, found %q", escape(words[i], maxShown))
		}
		if err := w.set(words[i], words[i+1]); err != nil {
			return w, err
		}
		i++
	}
	return w, nil
}

func (w *goWords) set(name, value string) (err error) {
	var n int64
	read := func(low, high int64) int64 {
		n, err = wholeNumber(value, low, high)
		return n
	}
	millis := func(low int64) time.Duration { return time.Duration(read(low, maxMillis)) * time.Millisecond }
	switch name {
	case "movetime":
		w.limits.MoveTime = millis(1)
	case "depth":
		w.limits.Depth = int(read(1, maxPly))
	case "nodes":
		w.limits.Nodes = read(1, maxNodes)
	case "wtime":
		w.left[rules.South] = max(millis(0), time.Millisecond)
	case "btime":
		w.left[rules.North] = max(millis(0), time.Millisecond)
	case "winc":
		w.more[rules.South] = millis(0)
	case "binc":
		w.more[rules.North] = millis(0)
	case "movestogo":
		w.moves = read(1, maxMillis)
	default:
		return fmt.Errorf("expected movetime, depth, nodes, wtime, btime, winc, binc, movestogo or infinite, found %q", escape(name, maxShown))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// limitsFor returns the limits of the next move of g, with the given overhead if
// the mover's clock runs.
func (w *goWords) limitsFor(g *rules.Game, overhead time.Duration) agents.Limits {
	side := g.Position().Side()
	if w.left[side] == 0 {
		return w.limits
	}
	clock := agents.Clock{Left: w.left[side], Increment: w.more[side], MovesToGo: int(w.moves), Overhead: overhead}
	return w.limits.Tighter(agents.Limits{MoveTime: clock.MoveTime(g)})
}

// goSearch obeys go.
func (s *server) goSearch(ctx context.Context, text string) error {
	words, err := parseGo(text)
	if err != nil {
		return err
	}
	if s.game.Legal().Len() == 0 {
		s.out.line("bestmove %s", null)
		return nil
	}
	lim := words.limitsFor(s.game, s.overhead)
	if !words.infinite {
		lim = lim.Tighter(s.limits)
	}
	bounded := lim != agents.Limits{}
	if !bounded {
		lim.MoveTime = endless
	}
	setup := s.newSetup()
	s.start(ctx, bounded, func(ctx context.Context) string { return "bestmove " + s.search(ctx, setup, lim) })
	return nil
}

// newSetup returns the game to prepare the agent for; nil if it goes on with the
// one it has.
func (s *server) newSetup() *agents.Setup {
	if !s.fresh {
		return nil
	}
	setup := &agents.Setup{Rules: s.rules, Side: s.game.Position().Side(), Seed: s.seed + s.games}
	s.fresh = false
	s.games++
	return setup
}

// prepare readies the agent for the game, so that the search that follows can be
// stopped at once. If that fails the search will, and say so.
func (s *server) prepare(ctx context.Context) {
	if !s.placed || s.busy() || !s.fresh || s.game.Legal().Len() == 0 {
		return
	}
	games := s.games
	if _, err := s.choose(ctx, s.newSetup(), nil); err != nil {
		s.fresh, s.games = true, games
	}
}

// search lets the agent choose, tells what it finds, and returns the move. It
// runs as a task.
func (s *server) search(ctx context.Context, setup *agents.Setup, lim agents.Limits) (move string) {
	began := time.Now()
	var last string
	tell := func(d agents.Decision) {
		about := s.about(d)
		if about != last {
			s.tell(about, d, began)
		}
		last = about
	}
	s.info = tell
	d, err := s.choose(ctx, setup, &lim)
	switch stopped := ctx.Err() != nil; {
	case s.game.Legal().Contains(d.Move) && (err == nil || stopped):
	case stopped: // before the agent had an idea
		d = agents.Decision{Move: s.game.Legal().At(0)}
	default:
		if err == nil {
			err = s.game.Check(d.Move)
		}
		s.complain("the agent failed: %v", err)
		d = agents.Decision{}
	}
	if d.Scored {
		tell(d)
	}
	return formatMove(d.Move)
}

// choose prepares the agent if setup isn't nil, and asks it if lim isn't. Its
// panic is an error.
func (s *server) choose(ctx context.Context, setup *agents.Setup, lim *agents.Limits) (d agents.Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v, %s", p, debug.Stack())
		}
		if err != nil && ctx.Err() == nil {
			s.fresh = true // whatever is left of it, begin anew
		}
	}()
	if setup != nil {
		setup.Info = func(d agents.Decision) { s.info(d) }
		if err := s.agent.NewGame(ctx, *setup); err != nil {
			return d, err
		}
	}
	if lim == nil {
		return d, nil
	}
	return s.agent.Choose(ctx, s.game, *lim)
}

// about is what an info line says of a decision, but for clocks.
func (s *server) about(d agents.Decision) string {
	return fmt.Sprintf("ply %d bestmove %s score %d nodes %d", d.Depth, formatMove(d.Move), d.Score, d.Nodes)
}

func (s *server) tell(about string, d agents.Decision, began time.Time) {
	seconds := max(time.Since(began).Seconds(), 1e-6)
	var pv strings.Builder
	for _, m := range d.PV {
		pv.WriteString(" " + formatMove(m))
	}
	if pv.Len() == 0 {
		pv.WriteString(" " + formatMove(d.Move))
	}
	s.out.line("info %s nps %.0f time %.6f pv%s", about, float64(d.Nodes)/seconds, seconds, pv.String())
}

// eval answers with the evaluation of the position, for the side to move.
func (s *server) eval() error {
	switch p := s.game.Position(); {
	case s.rules.SettingUp(p):
		return errors.New("expected a position with all pieces placed")
	case s.rules.Outcome(p) != rules.Undecided:
		return errors.New("the game is over")
	}
	weights, err := eval.Load("default")
	if err != nil {
		return err
	}
	e, err := weights.Evaluator(s.rules)
	if err != nil {
		return err
	}
	s.out.line("eval %d", e.Score(s.game.Position()))
	return nil
}

// perft counts the sequences of so many plies, in the background. The
// repetition rule is off, as usual.
func (s *server) perft(ctx context.Context, text string) error {
	depth, err := wholeNumber(text, 0, maxPerft)
	if err != nil {
		return err
	}
	o := s.rules.Options()
	o.Repetition = rules.NoRepetition
	r, err := rules.New(s.rules.String(), o)
	if err != nil {
		return err
	}
	p := s.game.Position()
	s.start(ctx, true, func(ctx context.Context) string {
		nodes := uint64(0)
		if depth == 0 {
			nodes = 1
		}
		splits, err := rules.Perft(ctx, r, p, int(depth), rules.PerftConfig{})
		for _, split := range splits {
			nodes += split.Nodes
		}
		if err != nil {
			return fmt.Sprintf("info string perft %d was stopped", depth)
		}
		return fmt.Sprintf("perft %d nodes %d", depth, nodes)
	})
	return nil
}
