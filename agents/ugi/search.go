package ugi

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/settings"
)

// endless is how long a search without any limit may take.
const endless = 24 * time.Hour

// goCommand is what may follow go: numbers, by the word before each, of which times are in milliseconds; and infinite.
type goCommand struct {
	MoveTime  int64 `param:"movetime" check:"1..86400000"`
	Depth     int   `param:"depth" check:"1..1000"`
	Nodes     int64 `param:"nodes" check:"1..1000000000000000"`
	WTime     int64 `param:"wtime" check:"0..86400000"` // South's clock; -1: none
	WInc      int64 `param:"winc" check:"0..86400000"`
	BTime     int64 `param:"btime" check:"0..86400000"` // North's clock; -1: none
	BInc      int64 `param:"binc" check:"0..86400000"`
	MovesToGo int   `param:"movestogo" check:"1..86400000"`
	infinite  bool
}

func parseGo(text string) (goCommand, error) {
	c := goCommand{WTime: -1, BTime: -1}
	fields := settings.Fields(&c, "")
	for words := strings.Fields(text); len(words) > 0; {
		if words[0] == "infinite" {
			c.infinite, words = true, words[1:]
			continue
		}
		i := slices.IndexFunc(fields, func(f settings.Field) bool { return f.Key == words[0] })
		if i < 0 || len(words) == 1 {
			return c, fmt.Errorf("expected movetime, depth, nodes, wtime, btime, winc, binc or movestogo and a number, "+
				"or infinite, found %.120q", words[0])
		}
		if err := setWithin(fields[i], words[1], fields[i].Tag.Get("check")); err != nil {
			return c, fmt.Errorf("%s: %w", words[0], err)
		}
		words = words[2:]
	}
	return c, nil
}

// limitsFor returns the limits of the next move of g, with the given overhead if the mover's clock runs.
func (c *goCommand) limitsFor(g *rules.Game, overhead time.Duration) agents.Limits {
	lim := agents.Limits{Depth: c.Depth, Nodes: c.Nodes, MoveTime: time.Duration(c.MoveTime) * time.Millisecond}
	left, increment := c.WTime, c.WInc
	if g.Position().Side() == rules.North {
		left, increment = c.BTime, c.BInc
	}
	if left >= 0 {
		lim.Clock = agents.Clock{
			Left:      time.Duration(max(left, 1)) * time.Millisecond,
			Increment: time.Duration(increment) * time.Millisecond,
			MovesToGo: c.MovesToGo, Overhead: overhead,
		}
	}
	return lim
}

func (s *server) goSearch(ctx context.Context, text string) error {
	command, err := parseGo(text)
	if err != nil {
		return err
	}
	if s.game.Legal().Len() == 0 {
		s.out.line("bestmove %s", null)
		return nil
	}
	o := &s.options
	lim := command.limitsFor(s.game, time.Duration(o.MoveOverhead)*time.Millisecond)
	if !command.infinite {
		moveTime := time.Duration(math.Ceil(o.MaxTime * float64(time.Second)))
		lim = lim.Tighter(agents.Limits{Depth: o.MaxPly, Nodes: o.MaxNodes, MoveTime: moveTime})
	}
	if s.bounded = lim != (agents.Limits{}); !s.bounded {
		lim.MoveTime = endless
	}
	ctx, cancel := context.WithCancel(ctx)
	s.cancelSearch.Store(&cancel)
	setup, move := s.newSetup(), make(chan string, 1)
	s.move = move
	go func() { move <- s.search(ctx, setup, lim) }()
	return nil
}

// newSetup returns the setup of a new game; nil if the agent has it.
func (s *server) newSetup() *agents.Setup {
	if !s.fresh {
		return nil
	}
	setup := &agents.Setup{Rules: s.options.Rules, Side: s.game.Position().Side(), Seed: s.options.Seed + s.games}
	s.fresh = false
	s.games++
	return setup
}

// search lets the agent choose, writes what it finds, and returns the move. It runs in the background.
func (s *server) search(ctx context.Context, setup *agents.Setup, lim agents.Limits) (move string) {
	began := time.Now()
	var last string
	info := func(d agents.Decision) {
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
	d, err := s.choose(ctx, setup, &agents.Request{Limits: lim, Info: info})
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
		info(d)
	}
	return formatMove(d.Move)
}

// choose prepares the agent unless setup is nil, and lets it choose a move unless q is. Its panic is an error.
func (s *server) choose(ctx context.Context, setup *agents.Setup, q *agents.Request) (d agents.Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v, %s", p, debug.Stack())
		}
		if err != nil && ctx.Err() == nil {
			s.fresh = true // its state is unknown
		}
	}()
	if setup != nil {
		if err := s.agent.NewGame(ctx, *setup); err != nil {
			return d, err
		}
	}
	if q == nil {
		return d, nil
	}
	return s.agent.Choose(ctx, s.game, *q)
}
