// Package analysis searches positions for their best moves by any agent: [Search] reports a [Line]
// for each move found.
package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules"
	"gyges/rules/base/problems"
)

const (
	MaxDepth    = 64              // plies of a search at most
	DefaultTime = 5 * time.Second // how long to search where nothing else bounds it
)

// ErrMulti is the error of a search for several moves by an agent that can't exclude any.
var ErrMulti = errors.New("expected an agent that can exclude moves, like alphabeta")

// Request is a position to search.
type Request struct {
	Game   *rules.Game   // not over, with all pieces placed; it is not changed
	Limits agents.Limits // of the whole search; some agents need depth, nodes or time
	Multi  int           // best moves to find, at least 1; there may be fewer legal ones
}

// Line is a result: one of the best moves, and what follows it.
type Line struct {
	Depth   int           `json:"depth"` // plies; 0 if the agent doesn't search
	Rank    int           `json:"rank"`  // from 1
	Score   *agents.Score `json:"score,omitempty"`
	Proven  int           `json:"proven,omitempty"`          // plies to a win, negative to a loss
	Win     *float64      `json:"win_probability,omitempty"` // by the score, see [eval.WinProbability]
	Nodes   int64         `json:"nodes"`                     // of the search so far
	Seconds float64       `json:"seconds"`                   // since it began
	Moves   []string      `json:"line"`                      // in long notation
}

// ScoreText returns the score in points, or of a proven result its distance; "-" for none.
func (l Line) ScoreText() string {
	if l.Score == nil {
		return "-"
	}
	return l.Score.Text()
}

type search struct {
	Request
	agent  agents.Agent
	report func(found Line, all []Line)
	began  time.Time
	nodes  int64 // of what has been completed
	lines  []Line
}

// Search searches with an agent. It calls report with each result, and with all so far, the best
// first, which are not changed later. Agents that can exclude moves search depth by depth for the
// number of moves asked for, others once. It ends at a limit or when all is proven, with the
// agent's error, its panic included, or the cause of ctx's end.
func Search(
	ctx context.Context, a agents.Agent, q Request, report func(found Line, all []Line),
) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v, %s", p, debug.Stack())
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	excludes := a.Capabilities().Exclude
	if !excludes && q.Multi > 1 {
		return ErrMulti
	}
	s := &search{Request: q, agent: a, report: report, began: time.Now()}
	s.Multi = min(q.Multi, q.Game.Legal().Len())
	if err := a.NewGame(ctx, agents.SetupOf(q.Game, 1)); err != nil {
		return err
	}
	if excludes {
		return s.deepen(ctx)
	}
	info := func(d agents.Decision) { s.add(1, d) }
	d, err := a.Choose(ctx, q.Game, agents.Request{Limits: q.Limits, Info: info})
	if err != nil {
		return err
	}
	s.add(1, d)
	return nil
}

// deepen searches depth by depth.
func (s *search) deepen(ctx context.Context) error {
	last := MaxDepth
	if s.Limits.Depth > 0 {
		last = min(last, s.Limits.Depth)
	}
	for depth := 1; depth <= last; depth++ {
		more, err := s.searchDepth(ctx, depth)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// searchDepth searches for the best moves at one depth. It reports whether a deeper search may find
// other ones: not where a limit was reached, nor where all results are proven.
func (s *search) searchDepth(ctx context.Context, depth int) (more bool, err error) {
	var better []rules.Move
	for rank := 1; rank <= s.Multi; rank++ {
		rest, ok := s.rest(depth)
		if !ok {
			return false, nil
		}
		d, err := s.agent.Choose(ctx, s.Game, agents.Request{Limits: rest, Exclude: better})
		if err != nil || ctx.Err() != nil {
			return false, err
		}
		_, proven := d.Score.Proven()
		if !proven && d.Depth < depth { // stopped on the way
			if len(s.lines) == 0 {
				s.add(rank, d)
			}
			return false, nil
		}
		if !proven {
			more = true
		}
		s.add(rank, d)
		s.nodes += d.Nodes
		better = append(better, d.Move)
	}
	return more, nil
}

// rest returns what is left of the limits, for a search to some depth; ok says whether anything is.
func (s *search) rest(depth int) (rest agents.Limits, ok bool) {
	rest.Depth = depth
	if s.Limits.Nodes > 0 {
		rest.Nodes = s.Limits.Nodes - s.nodes
		if rest.Nodes <= 0 {
			return rest, false
		}
	}
	if s.Limits.MoveTime > 0 {
		rest.MoveTime = s.Limits.MoveTime - time.Since(s.began)
		if rest.MoveTime <= 0 {
			return rest, false
		}
	}
	return rest, true
}

// add reports a result. It replaces the results of lower depths for the same rank and for the same
// move.
func (s *search) add(rank int, d agents.Decision) {
	found := Line{
		Depth:   d.Depth,
		Rank:    rank,
		Nodes:   s.nodes + d.Nodes,
		Seconds: time.Since(s.began).Seconds(),
		Moves:   LongLine(s.Game, d.Line()),
	}
	if d.Scored {
		found.Score = &d.Score
		found.Proven, _ = d.Score.Proven()
		win := eval.WinProbability(d.Score, s.Game.Rules())
		found.Win = new(math.Round(1e4*win) / 1e4)
	}
	better := s.lines[:min(rank-1, len(s.lines))]
	all := append(slices.Clone(better), found)
	// By score: where moves were pruned, one found later may be the better one.
	slices.SortStableFunc(all, func(a, b Line) int {
		if a.Score == nil || b.Score == nil {
			return 0
		}
		return cmp.Compare(*b.Score, *a.Score)
	})
	for i := range all {
		all[i].Rank = i + 1
	}
	// The lines of lower depths follow.
	for _, old := range s.lines[len(better):] {
		if len(all) < s.Multi && old.Moves[0] != found.Moves[0] {
			old.Rank = len(all) + 1
			all = append(all, old)
		}
	}
	s.lines = all
	s.report(found, all)
}

// LongLine returns moves played in a game in long notation.
func LongLine(g *rules.Game, moves []rules.Move) []string {
	line := []string{} // in JSON a list, also of no moves
	p := g.Position()
	for _, m := range moves {
		line = append(line, g.Rules().LongText(p, m))
		p = g.Rules().Apply(p, m)
	}
	return line
}

// Replay returns the game that moves lead to, in short or long notation, from a position; an empty
// text is the beginning under the rules. The error is a [problems.FieldError] of "position" or
// "moves".
func Replay(r *rules.Rules, position string, moves []string) (*rules.Game, error) {
	start := r.Start()
	if position != "" {
		parsed, err := r.ParsePosition(position)
		if err != nil {
			return nil, &problems.FieldError{Field: "position", Err: err}
		}
		start = parsed
	}
	g := rules.NewGame(r, start)
	for i, text := range moves {
		m, err := r.ParseMove(g.Position(), text)
		if err == nil {
			err = g.Play(m)
		}
		if err != nil {
			err = fmt.Errorf("move %d: %w", i+1, err)
			return nil, &problems.FieldError{Field: "moves", Err: err}
		}
	}
	return g, nil
}
