package analysis

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/textfmt"
)

// Bounds on what is read ahead.
const (
	maxLine    = 256 << 10 // bytes
	maxWaiting = 1000      // requests that wait; then no more are read
)

// Config is the configuration of [Serve]. What a request doesn't say is taken from it.
type Config struct {
	Version  string // of the program
	Registry *agents.Registry
	Spec     agents.Spec // the agent that searches
	Workers  int         // positions searched at a time, at least 1
	Rules    *rules.Rules
	Limits   agents.Limits // without any: DefaultTime
	Multi    int
	Log      *slog.Logger
}

// answer is a line of output on a position.
type answer struct {
	ID         textfmt.JSON `json:"id"`
	Ply        int          `json:"ply"`
	Partial    bool         `json:"partial,omitempty"`    // the search goes on
	Terminated bool         `json:"terminated,omitempty"` // it was ended by an action
	Position   string       `json:"position"`
	Side       string       `json:"side"`             // to move
	Result     string       `json:"result,omitempty"` // where the game is over
	Reason     string       `json:"reason,omitempty"`
	Lines      []Line       `json:"lines"`
}

// complaint is a line of output on a mistake.
type complaint struct {
	ID    textfmt.JSON `json:"id,omitempty"`
	Line  int          `json:"line,omitempty"` // of the input, where there is no id
	Ply   *int         `json:"ply,omitempty"`  // of a search that failed
	Field textfmt.JSON `json:"field,omitempty"`
	Error textfmt.JSON `json:"error"`
}

// receipt is a line of output on an action.
type receipt struct {
	ID          textfmt.JSON `json:"id"`
	Action      string       `json:"action"`
	TerminateID textfmt.JSON `json:"terminate_id,omitempty"`
	Version     string       `json:"version,omitempty"`
}

// errTerminated is the cause of the end of a search that an action ended.
var errTerminated = errors.New("terminated")

// service answers requests.
type service struct {
	Config
	pool *Pool
	fail context.CancelCauseFunc // called with an error of writing
	outM sync.Mutex
	out  io.Writer

	mu      sync.Mutex
	changed sync.Cond                                    // of what follows
	waiting []*request                                   // with positions whose search has not begun
	open    map[string]*request                          // not answered in full
	running map[*request]map[int]context.CancelCauseFunc // searches, by ply
	ended   bool                                         // no more requests come
}

// Serve reads requests from in, a JSON object a line, and writes answers to out, a line each,
// in the order in which they are found; agents/README.md describes both. A mistake in a line is
// answered and ends nothing. It returns when all requests up to the end of in are answered, or
// with the error of reading, of writing or of ctx.
func Serve(ctx context.Context, in io.Reader, out io.Writer, c Config) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &service{
		Config: c, pool: NewPool(c.Registry, c.Workers, 0, c.Log), fail: cancel, out: out,
		open: map[string]*request{}, running: map[*request]map[int]context.CancelCauseFunc{},
	}
	defer s.pool.Close()
	s.changed.L = &s.mu
	defer context.AfterFunc(ctx, s.wake)()
	var workers sync.WaitGroup
	for range c.Workers {
		workers.Go(func() { s.work(ctx) })
	}
	err := s.read(ctx, in)
	if err != nil {
		cancel(err)
	}
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.wake()
	workers.Wait()
	return cmp.Or(context.Cause(ctx), err)
}

// wake wakes whoever waits for a change.
func (s *service) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// read handles the lines of the input up to its end.
func (s *service) read(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(in, maxLine)
	for n := 1; ctx.Err() == nil; n++ {
		line, err := lines.ReadSlice('\n')
		tooLong := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) { // the rest is skipped
			_, err = lines.ReadSlice('\n')
		}
		switch line = bytes.TrimSpace(line); {
		case tooLong:
			s.write(newComplaint("", n, fmt.Errorf("expected at most %d bytes", maxLine-1)))
		case len(line) > 0:
			s.handle(ctx, n, line)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
	return nil
}

// handle handles a line.
func (s *service) handle(ctx context.Context, number int, line []byte) {
	m, err := readMessage(line)
	if err == nil {
		err = s.act(ctx, m)
	}
	if err != nil {
		s.write(newComplaint(m.ID, number, err))
	}
}

// act does what a message says.
func (s *service) act(ctx context.Context, m message) error {
	done := receipt{ID: textfmt.JSON(m.ID), Action: m.Action}
	switch m.Action {
	case "":
		q, err := s.newRequest(m)
		if err != nil {
			return err
		}
		return s.add(ctx, q)
	case "query_version":
		done.Version = s.Version
	case "terminate":
		if m.TerminateID == "" {
			return &problems.FieldError{Field: "terminate_id", Err: errors.New("expected the id of a request, found none")}
		}
		done.TerminateID = textfmt.JSON(m.TerminateID)
		s.terminate(m.TerminateID)
	case "terminate_all":
		s.mu.Lock()
		all := slices.Collect(maps.Keys(s.open))
		s.mu.Unlock()
		for _, id := range all {
			s.terminate(id)
		}
	default:
		return &problems.FieldError{Field: "action", Err: errors.New(
			textfmt.Unknown("action", m.Action, []string{"query_version", "terminate", "terminate_all"}))}
	}
	s.write(done)
	return nil
}

// add adds a request to those that wait, once there is room.
func (s *service) add(ctx context.Context, q *request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[q.id] != nil {
		return &problems.FieldError{Field: "id", Err: errors.New("a request with this id isn't answered in full yet")}
	}
	for len(s.waiting) >= maxWaiting && ctx.Err() == nil {
		s.changed.Wait()
	}
	s.waiting = append(s.waiting, q)
	s.open[q.id] = q
	s.changed.Broadcast()
	return nil
}

// terminate ends the searches of a request, and answers for those that have not begun.
func (s *service) terminate(id string) {
	s.mu.Lock()
	q := s.open[id]
	if q == nil {
		s.mu.Unlock()
		return
	}
	rest := q.plies
	q.plies = nil
	s.waiting = slices.DeleteFunc(s.waiting, func(r *request) bool { return r == q })
	for _, cancel := range s.running[q] {
		cancel(errTerminated)
	}
	s.changed.Broadcast()
	s.mu.Unlock()
	for _, ply := range rest {
		a := newAnswer(q, ply, q.game(ply))
		a.Terminated = true
		s.write(a)
		s.finish(q, ply)
	}
}

// next returns a position whose search begins now, of the requests with the highest
// priority the one that came first. It blocks until there is one; ok is false when none
// will come.
func (s *service) next(ctx context.Context) (search context.Context, q *request, ply int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) == 0 || ctx.Err() != nil {
		if s.ended || ctx.Err() != nil {
			return nil, nil, 0, false
		}
		s.changed.Wait()
	}
	q = slices.MaxFunc(s.waiting, func(a, b *request) int { return cmp.Compare(a.priority, b.priority) })
	ply, q.plies = q.plies[0], q.plies[1:]
	if len(q.plies) == 0 {
		s.waiting = slices.DeleteFunc(s.waiting, func(r *request) bool { return r == q })
		s.changed.Broadcast()
	}
	search, cancel := context.WithCancelCause(ctx)
	if s.running[q] == nil {
		s.running[q] = map[int]context.CancelCauseFunc{}
	}
	s.running[q][ply] = cancel
	return search, q, ply, true
}

// finish notes that a position is answered.
func (s *service) finish(q *request, ply int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[q][ply]; cancel != nil {
		cancel(nil)
		delete(s.running[q], ply)
	}
	if q.open--; q.open == 0 {
		delete(s.running, q)
		delete(s.open, q.id)
	}
}

// work searches positions until there are no more.
func (s *service) work(ctx context.Context) {
	for {
		search, q, ply, ok := s.next(ctx)
		if !ok {
			return
		}
		a, err := s.analyse(search, q, ply)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			c := newComplaint(q.id, 0, err)
			c.Ply = &ply
			s.write(c)
		default:
			s.write(a)
		}
		s.finish(q, ply)
	}
}

// analyse searches a position and returns the answer. Intermediate ones are written.
func (s *service) analyse(ctx context.Context, q *request, ply int) (answer, error) {
	g := q.game(ply)
	a := newAnswer(q, ply, g)
	if a.Result != "" {
		return a, nil
	}
	partial := newReporter(s, q.every, a)
	defer partial.stop()
	err := s.pool.Use(ctx, s.Spec, func(ctx context.Context, agent agents.Agent) error {
		err := Search(ctx, agent, Request{Game: g, Limits: q.limits, Multi: q.multi}, func(_ Line, all []Line) {
			a.Lines = all
			partial.set(all)
		})
		if errors.Is(err, errTerminated) {
			a.Terminated = true
			return nil
		}
		return err
	})
	switch {
	case errors.Is(err, errTerminated): // before it had begun
		a.Terminated, err = true, nil
	case errors.Is(err, ErrMulti):
		err = &problems.FieldError{Field: "multi", Err: err}
	}
	return a, err
}

// newAnswer returns the answer on a position, without lines.
func newAnswer(q *request, ply int, g *rules.Game) answer {
	a := answer{
		ID: textfmt.JSON(q.id), Ply: ply, Position: g.Rules().FormatPosition(g.Position()),
		Side: strings.ToLower(g.Position().Side().String()), Lines: []Line{},
	}
	if outcome, reason := g.Outcome(); outcome != rules.Undecided {
		a.Result, a.Reason = outcome.String(), string(reason)
	}
	return a
}

// newComplaint returns the answer on an error in a line.
func newComplaint(id string, line int, err error) complaint {
	c := complaint{ID: textfmt.JSON(id), Error: textfmt.JSON(err.Error())}
	if id == "" {
		c.Line = line
	}
	if e, ok := errors.AsType[*problems.FieldError](err); ok {
		c.Field, c.Error = textfmt.JSON(e.Field), textfmt.JSON(e.Err.Error())
	}
	return c
}

// write writes a line of output.
func (s *service) write(value any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	s.outM.Lock()
	defer s.outM.Unlock()
	if err == nil {
		_, err = s.out.Write(b.Bytes())
	}
	if err != nil {
		s.fail(err)
	}
}

// reporter writes intermediate answers at an interval, if there is something new.
type reporter struct {
	mu    sync.Mutex
	lines []Line // nil: nothing new
	done  chan struct{}
	work  sync.WaitGroup
}

// newReporter begins to write answers like a, at an interval; 0: none.
func newReporter(s *service, every time.Duration, a answer) *reporter {
	r := &reporter{done: make(chan struct{})}
	if every == 0 {
		return r
	}
	a.Partial = true
	r.work.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-r.done:
				return
			}
			r.mu.Lock()
			a.Lines, r.lines = r.lines, nil
			r.mu.Unlock()
			if a.Lines != nil {
				s.write(a)
			}
		}
	})
	return r
}

func (r *reporter) set(lines []Line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = lines
}

// stop ends the writing.
func (r *reporter) stop() {
	close(r.done)
	r.work.Wait()
}
