package ugi

import (
	"context"
	"fmt"
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

// goCommand is what followed go.
type goCommand struct {
	limits   agents.Limits   // but for the clock
	clocks   [2]agents.Clock // South's and North's; that of a side runs if it has time left
	infinite bool
}

// goWords are the words of go before numbers.
var goWords = []string{"binc", "btime", "depth", "movestogo", "movetime", "nodes", "winc", "wtime"}

// parseGo reads what follows go. A number out of bounds becomes the nearest one within, one that is
// missing or can't be read the lowest, so that a move comes in time; unknown words are passed over.
// complain is called with what is wrong.
func parseGo(text string, complain func(format string, args ...any)) goCommand {
	var c goCommand
	south, north := &c.clocks[rules.South], &c.clocks[rules.North]
	var unknown []string
	r := goReader{strings.Fields(text), complain}
	for len(r.words) > 0 {
		switch word := r.next(); word {
		case "depth":
			c.limits.Depth = int(r.number(word, 1, maxPly))
		case "nodes":
			c.limits.Nodes = r.number(word, 1, 1e15)
		case "movetime":
			c.limits.MoveTime = r.time(word, 1)
		case "wtime":
			south.Left = max(r.time(word, 0), time.Millisecond)
		case "winc":
			south.Increment = r.time(word, 0)
		case "btime":
			north.Left = max(r.time(word, 0), time.Millisecond)
		case "binc":
			north.Increment = r.time(word, 0)
		case "movestogo":
			south.MovesToGo = int(r.number(word, 0, maxMS))
			north.MovesToGo = south.MovesToGo
		case "infinite":
			c.infinite = true
		default:
			unknown = append(unknown, word)
		}
	}
	if unknown != nil {
		complain("go: %.120q is passed over; expected %s and a number, or infinite",
			strings.Join(unknown, " "), suggest.OneOf(goWords))
	}
	return c
}

// goReader reads the words that follow go.
type goReader struct {
	words    []string
	complain func(format string, args ...any)
}

// next takes the next word off.
func (r *goReader) next() string {
	word := r.words[0]
	r.words = r.words[1:]
	return word
}

// number reads the number after a word, within bounds.
func (r *goReader) number(word string, least, most int64) int64 {
	value := ""
	if len(r.words) > 0 && r.words[0] != "infinite" && !slices.Contains(goWords, r.words[0]) {
		value = r.next()
	}
	x, err := strconv.ParseFloat(value, 64)
	used := float64(least)
	if x > used { // and no NaN
		used = math.Floor(min(x, float64(most)))
	}
	if err != nil || used != x {
		r.complain("go: %s: expected a whole number from %d to %d, found %.60q; %.0f is taken",
			word, least, most, value, used)
	}
	return int64(used)
}

// time reads the milliseconds after a word.
func (r *goReader) time(word string, least int64) time.Duration {
	return time.Duration(r.number(word, least, maxMS)) * time.Millisecond
}

// limitsFor returns the limits of the next move of g, with the given overhead if the mover's clock
// runs.
func (c *goCommand) limitsFor(g *rules.Game, overhead time.Duration) agents.Limits {
	limits := c.limits
	clock := c.clocks[g.Position().Side()]
	if clock.Left > 0 {
		clock.Overhead = overhead
		limits.Clock = clock
	}
	return limits
}

// goSearch answers go: it begins a search in the background.
func (s *server) goSearch(ctx context.Context, text string) {
	command := parseGo(text, s.complain)
	if s.game.Legal().Len() == 0 {
		s.out.line("bestmove %s", null)
		return
	}
	// Limits by options hold beside those behind go, unless it says infinite.
	o := &s.options
	limits := command.limitsFor(s.game, time.Duration(o.MoveOverhead)*time.Millisecond)
	if !command.infinite {
		moveTime := time.Duration(math.Ceil(o.MaxTime * float64(time.Second)))
		byOptions := agents.Limits{Depth: o.MaxPly, Nodes: o.MaxNodes, MoveTime: moveTime}
		limits = limits.Tighter(byOptions)
	}
	none := limits == (agents.Limits{})
	if none && text != "" && !command.infinite { // it may have meant a bound
		limits.MoveTime = lastSearch
		none = false
	}
	if none {
		limits.MoveTime = endless
	}
	s.bounded = !none
	waits := none && command.infinite // for stop: such a search doesn't end by itself

	// The answer comes over a channel to the goroutine that handles the commands.
	ctx, cancel := context.WithCancel(ctx)
	s.cancelSearch.Store(&cancel)
	setup := s.newSetup()
	answer := make(chan string, 1)
	s.move = answer
	go func() {
		found := s.search(ctx, setup, limits)
		if waits {
			<-ctx.Done()
		}
		answer <- found
	}()
}

// newSetup returns the setup of a new game; nil if the agent has it.
func (s *server) newSetup() *agents.Setup {
	if !s.fresh {
		return nil
	}
	setup := &agents.Setup{
		Rules: s.options.Rules,
		Side:  s.game.Position().Side(),
		Seed:  s.options.Seed + s.games,
	}
	s.fresh = false
	s.games++
	return setup
}

// search lets the agent choose, writes what it finds, and returns the move. It runs in the
// background.
func (s *server) search(
	ctx context.Context, setup *agents.Setup, limits agents.Limits,
) (move string) {
	began := time.Now()
	last := ""
	info := func(d agents.Decision) {
		line := d.Line()
		found := fmt.Sprintf("ply %d bestmove %s score %d nodes %d",
			d.Depth, formatMove(line[0]), d.Score, d.Nodes)
		if found == last {
			return
		}
		last = found
		seconds := max(time.Since(began).Seconds(), 1e-6)
		pv := ""
		for _, m := range line {
			pv += " " + formatMove(m)
		}
		s.out.line("info %s nps %.0f time %.6f pv%s", found, float64(d.Nodes)/seconds, seconds, pv)
	}
	d, err := s.choose(ctx, setup, &agents.Request{Limits: limits, Info: info})
	legal := s.game.Legal()
	stopped := ctx.Err() != nil
	switch {
	case legal.Contains(d.Move) && (err == nil || stopped):
	case stopped: // before the agent had found a move
		d = agents.Decision{Move: legal.At(0)}
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

// choose prepares the agent unless setup is nil, and lets it choose a move unless request is nil.
// Its panic is an error.
func (s *server) choose(
	ctx context.Context, setup *agents.Setup, request *agents.Request,
) (d agents.Decision, err error) {
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
	if request == nil {
		return d, nil
	}
	return s.agent.Choose(ctx, s.game, *request)
}
