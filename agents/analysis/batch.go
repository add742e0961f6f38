package analysis

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/problems"
	"gyges/rules/base/strictjson"
	"gyges/rules/base/textfmt"
)

// Bounds on a line of input; its time is in seconds.
const (
	maxLine    = 256 << 10 // bytes
	maxNodes   = 1_000_000_000_000
	minSeconds = 0.001
	maxSeconds = 24 * 60 * 60
)

// Batch searches positions that come as lines of JSON. A line that leaves out rules, limits or the
// number of moves has those given here.
type Batch struct {
	Registry *agents.Registry
	Spec     agents.Spec // the agent that searches
	Workers  int         // positions searched at a time, at least 1
	Rules    *rules.Rules
	Limits   agents.Limits // without any: DefaultTime
	Multi    int
	Log      *slog.Logger
}

// question is a line of input.
type question struct {
	ID       string   `json:"id"`
	Rules    string   `json:"rules"`
	Position string   `json:"position"`
	Moves    []string `json:"moves"`
	Nodes    *int64   `json:"nodes"`
	Time     *float64 `json:"time"` // seconds
	Depth    *int     `json:"depth"`
	Multi    *int     `json:"multi"`
}

// answer is a line of output.
type answer struct {
	Line     int          `json:"line"` // of the input, from 1
	ID       textfmt.JSON `json:"id,omitempty"`
	Position string       `json:"position,omitempty"` // after the moves
	Side     string       `json:"side,omitempty"`     // to move
	Result   string       `json:"result,omitempty"`   // where the game is over
	Reason   string       `json:"reason,omitempty"`
	Lines    []Line       `json:"lines,omitempty"`
	Error    textfmt.JSON `json:"error,omitempty"`
}

// Run answers each line of in by a line of out, in the order in which the answers are found;
// agents/README.md describes both. A mistake in a line is answered and ends nothing. It returns
// when all are answered, or with the error of reading, of writing or of ctx.
func (b *Batch) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	pool := NewPool(b.Registry, b.Workers, b.Workers, 0, b.Log)
	defer pool.Close()
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(b.Workers) // no more lines are read until one is answered
	var writing sync.Mutex
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	input := jsonl.NewReader(in, maxLine)
	var end error
	for ctx.Err() == nil {
		line, err := input.Next()
		if errors.Is(err, jsonl.ErrTooLong) {
			err = fmt.Errorf("expected at most %d bytes, found a longer line", maxLine)
		} else if err != nil {
			if !errors.Is(err, io.EOF) {
				end = fmt.Errorf("line %d: %w", input.Line(), err)
			}
			break
		}
		text := bytes.Clone(bytes.TrimSpace(line))
		if err == nil && len(text) == 0 {
			continue
		}
		a := answer{Line: input.Line()}
		work.Go(func() error {
			reason := err
			if reason == nil {
				reason = b.answer(ctx, pool, text, &a)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			} else if reason != nil {
				a.Error = textfmt.JSON(reason.Error())
			}
			writing.Lock()
			defer writing.Unlock()
			return lines.Encode(a)
		})
	}
	return cmp.Or(work.Wait(), end)
}

// answer searches the position of a line. It sets the answer's ID also if it returns an error.
func (b *Batch) answer(ctx context.Context, pool *Pool, text []byte, a *answer) error {
	var q question
	err := strictjson.Unmarshal(text, maxLine, &q)
	a.ID = textfmt.JSON(q.ID)
	if err != nil {
		return err
	}
	r, err := b.request(&q)
	if err != nil {
		return err
	}
	p := r.Game.Position()
	a.Position, a.Side = r.Game.Rules().FormatPosition(p), strings.ToLower(p.Side().String())
	if o, reason := r.Game.Outcome(); o != rules.Undecided {
		a.Result, a.Reason = o.String(), string(reason)
		return nil
	}
	return pool.Use(ctx, "", b.Spec, func(ctx context.Context, agent agents.Agent) error {
		return Search(ctx, agent, r, func(_ Line, all []Line) { a.Lines = all })
	})
}

// request checks a question.
func (b *Batch) request(q *question) (r Request, err error) {
	r = Request{Limits: b.Limits, Multi: b.Multi}
	var wrong problems.List
	bounded(&wrong, "nodes", q.Nodes, &r.Limits.Nodes, maxNodes)
	bounded(&wrong, "depth", q.Depth, &r.Limits.Depth, MaxDepth)
	bounded(&wrong, "multi", q.Multi, &r.Multi, MaxMulti)
	if q.Time != nil {
		r.Limits.MoveTime = time.Duration(*q.Time * float64(time.Second))
		problems.InRange(&wrong, "time", "seconds from 0.001", *q.Time, minSeconds, maxSeconds)
	}
	if r.Limits == (agents.Limits{}) {
		r.Limits.MoveTime = DefaultTime
	}
	set := b.Rules
	if q.Rules != "" {
		if set, err = rules.Parse(q.Rules); err != nil {
			wrong.Add("rules", err)
			return r, wrong.Err()
		}
	}
	if r.Game, err = Replay(set, q.Position, q.Moves); err != nil {
		return r, err
	}
	wrong.Expect(!set.SettingUp(r.Game.Position()), "position", "expected one in which all pieces are placed")
	return r, wrong.Err()
}

// bounded sets a number from 1 to high that a question has.
func bounded[T int | int64](wrong *problems.List, field string, from, to *T, high T) {
	if from != nil {
		*to = *from
		problems.InRange(wrong, field, "1", *from, 1, high)
	}
}
