package ugi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
)

const (
	maxCommand = 1 << 20     // bytes in a line from a host: the history of the longest game the rules allow fits
	maxInfo    = 240         // bytes in an info string
	lastSearch = time.Second // how long one may take whose limits can't be read, or go on when the input has ended
)

// ServerConfig describes an engine.
type ServerConfig struct {
	Name     string // the engine's, with its version
	Author   string
	Spec     agents.Spec // the agent that chooses the moves
	Registry *agents.Registry
	Rules    *rules.Rules // until setoption rules changes them
}

// Serve answers the commands of a host on in until quit, the end of input or ctx's cancellation. A command that is not
// valid is answered by an info string, and changes nothing. Serve returns an error if there is no such agent, or
// writing fails. One goroutine may be left in in's Read when it returns before the end of input.
func Serve(ctx context.Context, in io.Reader, out io.Writer, config ServerConfig) (err error) {
	agent, err := config.Registry.Start(ctx, config.Spec, config.Rules)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{config: config, agent: agent, out: &replies{to: out, fail: cancel}}
	s.options = s.defaults()
	defer func() { err = errors.Join(err, s.agent.Close()) }()
	s.setRules(config.Rules)
	lines := make(chan textLine)
	go readCommands(ctx, in, lines, s.cancelEarly)
	for {
		select {
		case <-ctx.Done():
			s.stop()
			return context.Cause(ctx)
		case move := <-s.move:
			s.reply(move)
		case c, open := <-lines:
			switch {
			case !open:
				s.finish()
				return context.Cause(ctx)
			case c.err != nil:
				s.complain("%v", c.err)
			case s.handle(ctx, c.text):
				s.stop()
				return context.Cause(ctx)
			}
		}
	}
}

// readCommands sends the lines of in. Before a stop it calls cancelEarly: waking
// another goroutine up takes milliseconds where the search has all processors.
func readCommands(ctx context.Context, in io.Reader, to chan<- textLine, cancelEarly func()) {
	defer close(to)
	lines := files.NewLineReader(in, maxCommand+len("\r\n"))
	lines.MaxRead = math.MaxInt
	for text, err := range lines.All() {
		text = strings.TrimSpace(text)
		if text == "stop" {
			cancelEarly()
		}
		if errors.Is(err, files.ErrTooLong) {
			err = fmt.Errorf("expected a line of at most %d bytes", maxCommand)
		}
		select {
		case to <- textLine{text: text, err: err}:
		case <-ctx.Done():
			return
		}
	}
}

// replies writes lines whole, from several goroutines.
type replies struct {
	mu   sync.Mutex
	to   io.Writer
	fail context.CancelCauseFunc // called with an error of writing
}

func (r *replies) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...) + "\n"
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.WriteString(r.to, text); err != nil {
		r.fail(err)
	}
}

// server is the state behind the commands, of the goroutine that handles them; a search has agent and game.
type server struct {
	config  ServerConfig
	agent   agents.Agent
	out     *replies
	options options
	games   uint64 // begun since the seed was set

	game     *rules.Game
	position string // of the setpos that the game comes from, if moves can follow it; or ""
	fresh    bool   // the agent has not been prepared for this game
	placed   bool   // a position has been set since the rules and the seed were

	// The search that runs in the background.
	move         chan string // receives what it chooses; nil: no search
	bounded      bool        // it ends by itself
	cancelSearch atomic.Pointer[context.CancelFunc]
}

func (s *server) complain(format string, args ...any) {
	s.out.line("info string %s", textfmt.Escape(textfmt.Cut(fmt.Sprintf(format, args...), maxInfo)))
}

// commands are those of the protocol but for quit. An exclusive one ends a search under way, which answers first.
var commands = []struct {
	name      string
	exclusive bool
	run       func(s *server, ctx context.Context, rest string) error
}{
	{"ugi", false, (*server).introduce},
	{"isready", false, (*server).ready},
	{"setoption", false, (*server).setOption},
	{"setpos", true, (*server).setPosition},
	{"go", true, (*server).goSearch},
	{"stop", false, func(s *server, _ context.Context, _ string) error { s.stop(); return nil }},
}

// handle runs a command. It reports whether it was quit.
func (s *server) handle(ctx context.Context, line string) (quit bool) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] == "quit" {
		return len(words) > 0
	}
	name, rest := words[0], strings.TrimSpace(line[len(words[0]):])
	var names []string
	for _, c := range commands {
		if c.name != name {
			names = append(names, c.name)
			continue
		}
		if c.exclusive {
			s.stop()
		}
		if err := c.run(s, ctx, rest); err != nil {
			s.complain("%s: %v", name, err)
		}
		return false
	}
	s.complain("unknown command %.120q; expected %s or quit", name, strings.Join(names, ", "))
	return false
}

func (s *server) introduce(context.Context, string) error {
	s.out.line("id name %s", s.config.Name)
	s.out.line("id author %s", s.config.Author)
	defaults := s.defaults()
	for _, f := range settings.Fields(&defaults, "") {
		bounds := ""
		if low, high, ok := strings.Cut(s.bounds(f), ".."); ok {
			bounds = " min " + low + " max " + high
		}
		s.out.line("option %s type %s default %s%s", f.Key, f.Form(), f.Texts()[0], bounds)
	}
	s.out.line("ugiok")
	return nil
}

// ready answers isready. It prepares the agent for the game, so that the search
// that follows can be stopped at once. If that fails the search will, and report it.
func (s *server) ready(ctx context.Context, _ string) error {
	if s.placed && s.move == nil && s.fresh && s.game.Legal().Len() > 0 {
		games := s.games
		if _, err := s.choose(ctx, s.newSetup(), nil); err != nil {
			s.fresh, s.games = true, games
		}
	}
	s.out.line("readyok")
	return nil
}

func (s *server) reply(move string) {
	s.cancelEarly()
	s.move = nil
	s.out.line("bestmove %s", move)
}

// cancelEarly cancels the context of the search, if there is one. It may be called by another goroutine.
func (s *server) cancelEarly() {
	if cancel := s.cancelSearch.Load(); cancel != nil {
		(*cancel)()
	}
}

// stop ends the search, which answers first.
func (s *server) stop() {
	if s.move != nil {
		s.cancelEarly()
		s.reply(<-s.move)
	}
}

// finish, at the end of input, lets a search end by itself if it does so soon: commands can be piped in.
func (s *server) finish() {
	if s.move != nil && s.bounded {
		select {
		case move := <-s.move:
			s.reply(move)
		case <-time.After(lastSearch):
		}
	}
	s.stop()
}
