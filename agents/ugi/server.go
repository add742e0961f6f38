package ugi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gyges/agents"
	"gyges/rules"
)

const (
	// maxCommand bounds a line from a host, in bytes: the history of the longest
	// game the rules allow fits.
	maxCommand = 1 << 20
	// maxShown bounds what is quoted of a line from outside, in bytes.
	maxShown = 120
	// lastSearch is how long a bounded search may go on when the input has ended.
	lastSearch = time.Second
)

// ServerConfig says who answers.
type ServerConfig struct {
	Name     string // the engine's, with its version
	Author   string
	Spec     agents.Spec // the agent that chooses the moves
	Registry *agents.Registry
	Rules    *rules.Rules // until setoption rules changes them
}

// Serve answers the commands of a host on in until quit, the end of input or
// ctx's cancellation. What it doesn't understand it answers by an info string,
// and changes nothing. It returns an error if there is no such agent, or
// reading or writing fails. One goroutine may be left in in's Read when it
// returns before the end of input.
func Serve(ctx context.Context, in io.Reader, out io.Writer, config ServerConfig) (err error) {
	agent, err := config.Registry.New(config.Spec)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{config: config, agent: agent, out: &replies{to: out, fail: cancel}, overhead: agents.DefaultMoveOverhead}
	defer func() { err = errors.Join(err, closeAgent(s.agent)) }()
	s.setRules(config.Rules)
	lines := make(chan command)
	go readCommands(ctx, in, lines, s.stopEarly)
	for {
		select {
		case <-ctx.Done():
			s.stop()
			return context.Cause(ctx)
		case c, ok := <-lines:
			if !ok {
				s.finish()
				return s.out.error()
			}
			if c.err != nil {
				s.complain("%v", c.err)
			} else if s.handle(ctx, c.text) {
				s.stop()
				return s.out.error()
			}
		}
	}
}

// command is a line from the host, or why there is none.
type command struct {
	text string
	err  error
}

// readCommands hands over the lines of in. A stop goes to stopEarly first: waking
// another goroutine up takes milliseconds where the search has all processors.
func readCommands(ctx context.Context, in io.Reader, to chan<- command, stopEarly func()) {
	defer close(to)
	lines := newLineReader(in, maxCommand)
	for {
		line, err := lines.next()
		c := command{text: string(line)}
		switch {
		case errors.Is(err, errLongLine):
			c.err = fmt.Errorf("expected a line of at most %d bytes", maxCommand)
		case errors.Is(err, io.EOF):
			if c.text = string(lines.rest()); c.text == "" {
				return
			}
		case err != nil:
			return
		}
		if strings.TrimSpace(c.text) == "stop" {
			stopEarly()
		}
		select {
		case to <- c:
		case <-ctx.Done():
			return
		}
		if err != nil && c.err == nil {
			return
		}
	}
}

// replies writes lines whole, from several goroutines.
type replies struct {
	to   io.Writer
	fail context.CancelCauseFunc // called with the first error
	mu   sync.Mutex
	err  error
}

func (r *replies) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...) + "\n"
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if _, r.err = io.WriteString(r.to, text); r.err != nil {
		r.fail(r.err)
	}
}

func (r *replies) error() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// server is the state behind the commands. It belongs to the goroutine that
// handles them; a task has the agent and the game while it runs.
type server struct {
	config ServerConfig
	agent  agents.Agent
	out    *replies
	rules  *rules.Rules
	limits agents.Limits // by setoption
	seed   uint64
	games  uint64 // begun since the seed was set

	overhead time.Duration // of a move on the clock, by setoption

	game   *rules.Game
	words  []string              // the moves that were given to get there
	fresh  bool                  // the agent doesn't know yet that this is another game
	placed bool                  // a position has been set since the rules and the seed were
	info   func(agents.Decision) // what the search under way is to tell
	task   *task

	cancelTask atomic.Pointer[context.CancelFunc] // of the last task
}

// task is what the server is busy with.
type task struct {
	cancel  context.CancelFunc
	done    chan struct{}
	bounded bool        // it ends by itself
	ending  atomic.Bool // it is about to answer, and does nothing after it
}

// complain says what is wrong with a command.
func (s *server) complain(format string, args ...any) {
	s.out.line("info string %s", escape(fmt.Sprintf(format, args...), 2*maxShown))
}

// handle obeys a command. It reports whether it was quit.
func (s *server) handle(ctx context.Context, line string) (quit bool) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "":
	case "ugi":
		s.introduce()
	case "isready":
		s.prepare(ctx)
		s.out.line("readyok")
	case "stop":
		s.stop()
	case "quit":
		return true
	case "showpos":
		s.out.line("pos %s", s.rules.FormatPosition(s.game.Position()))
	case "setoption", "setpos", "go", "eval", "perft":
		if s.busy() {
			s.complain("%s: a search is under way; stop it first", name)
		} else if err := s.change(ctx, name, rest); err != nil {
			s.complain("%s: %v", name, err)
		}
	default:
		s.complain("unknown command %q; expected ugi, isready, setoption, setpos, go, stop, showpos, eval, perft or quit", escape(name, maxShown))
	}
	return false
}

func (s *server) change(ctx context.Context, name, rest string) error {
	switch name {
	case "setoption":
		return s.setOption(rest)
	case "setpos":
		return s.setPosition(rest)
	case "eval":
		return s.eval()
	case "perft":
		return s.perft(ctx, rest)
	default:
		return s.goSearch(ctx, rest)
	}
}

// introduce answers ugi.
func (s *server) introduce() {
	s.out.line("id name %s", s.config.Name)
	s.out.line("id author %s", s.config.Author)
	for _, o := range s.options() {
		s.out.line("option %s %s", o.name, o.about)
	}
	s.out.line("ugiok")
}

func (s *server) busy() bool {
	if s.task == nil {
		return false
	}
	if s.task.ending.Load() {
		<-s.task.done
	}
	select {
	case <-s.task.done:
		s.task = nil
	default:
	}
	return s.task != nil
}

// start runs work in the background, and says its answer.
func (s *server) start(ctx context.Context, bounded bool, work func(ctx context.Context) (answer string)) {
	ctx, cancel := context.WithCancel(ctx)
	t := &task{cancel: cancel, done: make(chan struct{}), bounded: bounded}
	s.task = t
	s.cancelTask.Store(&cancel)
	go func() {
		defer close(t.done)
		defer cancel()
		answer := work(ctx)
		t.ending.Store(true) // whoever has heard the answer must not find us busy
		s.out.line("%s", answer)
	}()
}

// stopEarly cancels the task, if there is one, from another goroutine. Stop is
// to follow.
func (s *server) stopEarly() {
	if cancel := s.cancelTask.Load(); cancel != nil {
		(*cancel)()
	}
}

// stop ends the task, which answers first.
func (s *server) stop() {
	if s.task != nil {
		s.task.cancel()
		<-s.task.done
		s.task = nil
	}
}

// finish is what happens at the end of input: a search that ends by itself may
// do so soon, so that a few commands can be piped in.
func (s *server) finish() {
	if s.task != nil && s.task.bounded {
		select {
		case <-s.task.done:
		case <-time.After(lastSearch):
		}
	}
	s.stop()
}
