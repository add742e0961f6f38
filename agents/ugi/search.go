package ugi

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/suggest"
)

// endless is how long a search without any limit may take.
const endless = 24 * time.Hour

// maxMS is the longest time of a command, a day, in milliseconds.
const maxMS = 86_400_000

// goBounds are the words of go before numbers, with their bounds. Times are in milliseconds; w is South, b North.
var goBounds = map[string][2]int64{
	"movetime": {1, maxMS}, "depth": {1, 1000}, "nodes": {1, 1e15}, "wtime": {0, maxMS}, "winc": {0, maxMS},
	"btime": {0, maxMS}, "binc": {0, maxMS}, "movestogo": {0, maxMS},
}

// goCommand is what followed go: the numbers by their words, within goBounds, and 1 for infinite.
type goCommand map[string]int64

// parseGo reads what follows go. A number out of bounds becomes the nearest one within, one that is missing or can't be
// read the lowest, so that a move comes in time; unknown words are passed over. complain is called with what is wrong.
func parseGo(text string, complain func(format string, args ...any)) goCommand {
	c, unknown := goCommand{}, ""
	for words := strings.Fields(text); len(words) > 0; words = words[1:] {
		word, value := words[0], ""
		bounds, known := goBounds[word]
		if word == "infinite" {
			c[word] = 1
			continue
		} else if !known {
			unknown += " " + word
			continue
		}
		if len(words) > 1 && words[1] != "infinite" && goBounds[words[1]] == [2]int64{} {
			value, words = words[1], words[1:]
		}
		x, err := strconv.ParseFloat(value, 64)
		used := float64(bounds[0])
		if x > used { // and no NaN
			used = math.Floor(min(x, float64(bounds[1])))
		}
		if c[word] = int64(used); err != nil || used != x {
			complain("go: %s: expected a whole number from %d to %d, found %.60q; %.0f is taken",
				word, bounds[0], bounds[1], value, used)
		}
	}
	if unknown != "" {
		complain("go: %.120q is passed over; expected %s and a number, or infinite",
			unknown[1:], suggest.OneOf(slices.Sorted(maps.Keys(goBounds))))
	}
	return c
}

// limitsFor returns the limits of the next move of g, with the given overhead if the mover's clock runs.
func (c goCommand) limitsFor(g *rules.Game, overhead time.Duration) agents.Limits {
	mover := [2]string{"w", "b"}[g.Position().Side()]
	lim := agents.Limits{
		Depth: int(c["depth"]), Nodes: c["nodes"], MoveTime: time.Duration(c["movetime"]) * time.Millisecond,
	}
	if left, timed := c[mover+"time"]; timed {
		lim.Clock = agents.Clock{
			Left:      time.Duration(max(left, 1)) * time.Millisecond,
			Increment: time.Duration(c[mover+"inc"]) * time.Millisecond,
			MovesToGo: int(c["movestogo"]), Overhead: overhead,
		}
	}
	return lim
}

func (s *server) goSearch(ctx context.Context, text string) error {
	command := parseGo(text, s.complain)
	infinite := command["infinite"] > 0
	if s.game.Legal().Len() == 0 {
		s.out.line("bestmove %s", null)
		return nil
	}
	o := &s.options
	lim := command.limitsFor(s.game, time.Duration(o.MoveOverhead)*time.Millisecond)
	if !infinite {
		moveTime := time.Duration(math.Ceil(o.MaxTime * float64(time.Second)))
		lim = lim.Tighter(agents.Limits{Depth: o.MaxPly, Nodes: o.MaxNodes, MoveTime: moveTime})
	}
	if lim == (agents.Limits{}) && text != "" && !infinite { // it may have meant a bound
		lim.MoveTime = lastSearch
	}
	if s.bounded = lim != (agents.Limits{}); !s.bounded {
		lim.MoveTime = endless
	}
	ctx, cancel := context.WithCancel(ctx)
	s.cancelSearch.Store(&cancel)
	setup, move := s.newSetup(), make(chan string, 1)
	s.move = move
	go func() {
		found := s.search(ctx, setup, lim)
		if infinite && lim.MoveTime == endless {
			<-ctx.Done() // by stop: such a search doesn't end by itself
		}
		move <- found
	}()
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
