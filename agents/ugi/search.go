package ugi

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
)

const (
	endless   = 24 * time.Hour // of a search without any limit
	maxMillis = int64(maxSeconds * 1000)
)

// goNumbers are the numbers that followed go, by the word before each; infinite is
// one without a number.
type goNumbers map[string]int64

// goRanges are the least and the highest number after each word.
var goRanges = map[string][2]int64{
	"movetime": {1, maxMillis}, "depth": {1, maxPly}, "nodes": {1, maxNodes}, "movestogo": {1, maxMillis},
	"wtime": {0, maxMillis}, "btime": {0, maxMillis}, "winc": {0, maxMillis}, "binc": {0, maxMillis},
}

func parseGo(text string) (goNumbers, error) {
	found := goNumbers{}
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		name := words[i]
		if name == "infinite" {
			found[name] = 1
			continue
		}
		bounds, ok := goRanges[name]
		if !ok || i+1 == len(words) {
			return nil, fmt.Errorf("expected movetime, depth, nodes, wtime, btime, winc, binc or movestogo and a number, "+
				"or infinite, found %.120q", name)
		}
		i++
		n, err := wholeNumber(words[i], bounds[0], bounds[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		found[name] = n
	}
	return found, nil
}

// limitsFor returns the limits of the next move of g, with the given overhead if
// the mover's clock runs.
func (n goNumbers) limitsFor(g *rules.Game, overhead time.Duration) agents.Limits {
	millis := func(name string) time.Duration { return time.Duration(n[name]) * time.Millisecond }
	lim := agents.Limits{Depth: int(n["depth"]), Nodes: n["nodes"], MoveTime: millis("movetime")}
	left, increment := "wtime", "winc"
	if g.Position().Side() == rules.North {
		left, increment = "btime", "binc"
	}
	if _, ok := n[left]; !ok {
		return lim
	}
	lim.Clock = agents.Clock{
		Left: max(millis(left), time.Millisecond), Increment: millis(increment),
		MovesToGo: int(n["movestogo"]), Overhead: overhead,
	}
	return lim
}

func (s *server) goSearch(ctx context.Context, text string) error {
	numbers, err := parseGo(text)
	if err != nil {
		return err
	}
	if s.game.Legal().Len() == 0 {
		s.out.line("bestmove %s", null)
		return nil
	}
	lim := numbers.limitsFor(s.game, s.overhead)
	if numbers["infinite"] == 0 {
		lim = lim.Tighter(s.limits)
	}
	bounded := lim != agents.Limits{}
	if !bounded {
		lim.MoveTime = endless
	}
	ctx, cancel := context.WithCancel(ctx)
	s.cancelSearch.Store(&cancel)
	setup, move := s.newSetup(), make(chan string, 1)
	s.move, s.bounded = move, bounded
	go func() { move <- s.search(ctx, setup, lim) }()
	return nil
}

// newSetup returns the setup of a new game; nil if the agent has it.
func (s *server) newSetup() *agents.Setup {
	if !s.fresh {
		return nil
	}
	setup := &agents.Setup{Rules: s.rules, Side: s.game.Position().Side(), Seed: s.seed + s.games}
	s.fresh = false
	s.games++
	return setup
}

// search lets the agent choose, writes what it finds, and returns the move. It
// runs in the background.
func (s *server) search(ctx context.Context, setup *agents.Setup, lim agents.Limits) (move string) {
	began := time.Now()
	var last string
	s.info = func(d agents.Decision) {
		line := d.Line()
		found := fmt.Sprintf("ply %d bestmove %s score %d nodes %d", d.Depth, formatMove(line[0]), d.Score, d.Nodes)
		if found != last {
			seconds, pv := max(time.Since(began).Seconds(), 1e-6), ""
			for _, m := range line {
				pv += " " + formatMove(m)
			}
			s.out.line("info %s nps %.0f time %.6f pv%s", found, float64(d.Nodes)/seconds, seconds, pv)
		}
		last = found
	}
	d, err := s.choose(ctx, setup, &lim)
	switch stopped := ctx.Err() != nil; {
	case s.game.Legal().Contains(d.Move) && (err == nil || stopped):
	case stopped: // before the agent had found a move
		d = agents.Decision{Move: s.game.Legal().At(0)}
	default:
		if err == nil {
			err = s.game.Check(d.Move)
		}
		s.complain("the agent failed: %v", err)
		d = agents.Decision{}
	}
	if d.Scored {
		s.info(d)
	}
	return formatMove(d.Move)
}

// choose prepares the agent unless setup is nil, and lets it choose a move unless
// lim is. Its panic is an error.
func (s *server) choose(ctx context.Context, setup *agents.Setup, lim *agents.Limits) (d agents.Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v, %s", p, debug.Stack())
		}
		if err != nil && ctx.Err() == nil {
			s.fresh = true // its state is unknown
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
	return s.agent.Choose(ctx, s.game, agents.Request{Limits: *lim})
}
