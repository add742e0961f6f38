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
	// maxCommand is in bytes: the history of the longest game that the rules allow fits in a line.
	maxCommand = 1 << 20
	maxInfo    = 240 // bytes in an info string, and of what is kept of a line

	// lastSearch is how long a search may take whose limits can't be read, and how long one may go
	// on when the input has ended.
	lastSearch = time.Second
)

// ServerConfig describes an engine.
type ServerConfig struct {
	Name     string // the engine's, with its version
	Author   string
	Spec     agents.Spec // the agent that chooses the moves
	Registry *agents.Registry
	Rules    *rules.Rules // until setoption rules changes them
}

// Serve answers the commands of a host on in until quit, the end of input or ctx's cancellation. A
// command that is not valid is answered by an info string, and changes nothing. Serve returns an
// error if there is no such agent, or writing fails. One goroutine may be left in in's Read when it
// returns before the end of input.
func Serve(ctx context.Context, in io.Reader, out io.Writer, config ServerConfig) (err error) {
	agent, err := config.Registry.Start(ctx, config.Spec, config.Rules)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{ServerConfig: config, agent: agent, out: &replies{to: out, fail: cancel}}
	s.options = s.defaults()
	defer func() { err = errors.Join(err, s.agent.Close()) }()
	s.setRules(config.Rules)
	// Commands, the end of a search, and an error of writing are handled one after the other.
	lines := make(chan textLine)
	go readCommands(ctx, in, lines, s.cancelEarly)
	for {
		select {
		case <-ctx.Done():
			s.stop()
			return context.Cause(ctx)
		case move := <-s.move:
			s.reply(move)
		case line, open := <-lines:
			if !open {
				s.finish()
				return context.Cause(ctx)
			}
			if line.err != nil {
				s.complain("%v", line.err)
				continue
			}
			if quit := s.handle(ctx, line.text); quit {
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

// line writes a line.
func (r *replies) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...) + "\n"
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.WriteString(r.to, text); err != nil {
		r.fail(err)
	}
}

// server is the state behind the commands, of the goroutine that handles them; a search has agent
// and game.
type server struct {
	ServerConfig

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

// complain answers a host that asks for something that can't be done.
func (s *server) complain(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.out.line("info string %s", printable(text))
}

// printable returns a line for messages and files, bounded and escaped.
func printable(text string) string { return textfmt.Escape(textfmt.Cut(text, maxInfo)) }

// handle runs a command. It reports whether it was quit.
func (s *server) handle(ctx context.Context, line string) (quit bool) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	name := words[0]
	rest := strings.TrimSpace(line[len(name):])
	var err error
	switch name {
	case "ugi":
		s.introduce()
	case "isready":
		s.ready(ctx)
	case "setoption":
		err = s.setOption(rest)
	case "setpos":
		s.stop()
		err = s.setPosition(rest)
	case "go":
		s.stop()
		s.goSearch(ctx, rest)
	case "stop":
		s.stop()
	case "quit":
		return true
	default:
		s.complain("unknown command %.120q; expected "+
			"ugi, isready, setoption, setpos, go, stop or quit", name)
	}
	if err != nil {
		s.complain("%s: %v", name, err)
	}
	return false
}

// introduce answers ugi: who the engine is, and its options.
func (s *server) introduce() {
	s.out.line("id name %s", s.Name)
	s.out.line("id author %s", s.Author)
	// An option is introduced with its type, its default and, if it is a number, its bounds.
	defaults := s.defaults()
	for _, f := range settings.Fields(&defaults, "") {
		bounds := ""
		low, high, ok := strings.Cut(s.bounds(f), "..")
		if ok {
			bounds = " min " + low + " max " + high
		}
		s.out.line("option %s type %s default %s%s", f.Key, f.Form(), f.Texts()[0], bounds)
	}
	s.out.line("ugiok")
}

// ready answers isready. It prepares the agent for the game, so that the search
// that follows can be stopped at once. If that fails the search will, and report it.
func (s *server) ready(ctx context.Context) {
	begins := s.placed && s.fresh && s.game.Legal().Len() > 0
	if begins && s.move == nil {
		games := s.games
		if _, err := s.choose(ctx, s.newSetup(), nil); err != nil {
			s.fresh = true
			s.games = games
		}
	}
	s.out.line("readyok")
}

// reply answers go with the move that the search has chosen.
func (s *server) reply(move string) {
	s.cancelEarly()
	s.move = nil
	s.out.line("bestmove %s", move)
}

// cancelEarly cancels the context of the search, if there is one. It may be called by another
// goroutine.
func (s *server) cancelEarly() {
	cancel := s.cancelSearch.Load()
	if cancel != nil {
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

// finish, at the end of input, lets a search end by itself if it does so soon: commands can be
// piped in.
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
