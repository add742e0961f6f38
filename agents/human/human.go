// Package human is the agent of a person at the terminal ([Person]), who types moves and commands.
// It also draws the board ([Board]).
package human

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
)

//go:embed help.txt
var help string

// Kind returns the kind "human", which reads moves and commands from in and writes prompts and
// messages to out. All agents of the kind share in. Where in is not a terminal, the lines that are
// read are echoed to out.
func Kind(in io.Reader, out io.Writer) agents.Kind {
	lines := sync.OnceValue(func() <-chan line { return readLines(in) })
	f, ok := in.(*os.File)
	echo := !ok || !term.IsTerminal(int(f.Fd()))
	return agents.Kind{
		Name:        "human",
		Doc:         "a person at the keyboard",
		Interactive: true,
		New: func(agents.Config) (agents.Agent, error) {
			return &Person{lines: lines, out: out, echo: echo}, nil
		},
	}
}

// Person is an agent whose moves a person types.
type Person struct {
	agents.Base

	// Hint gives hints; nil: nobody does.
	Hint agents.Agent
	// Undo ends the game, to play it again without the last move, if there is one; nil: moves stay.
	Undo func() bool
	// Helped reports whether there was a hint, or a move was taken back after the set-up.
	Helped bool

	// lines begins to read when it is called first; both sides of a game may be people.
	lines func() <-chan line
	out   io.Writer
	echo  bool // what is typed isn't seen otherwise
}

func (h *Person) NewGame(context.Context, agents.Setup) error { return nil }

// Choose prompts for a legal move, and passes without a prompt where that is the only one. It
// ignores limits.
func (h *Person) Choose(
	ctx context.Context, g *rules.Game, q agents.Request,
) (agents.Decision, error) {
	if err := q.Check(h.Capabilities()); err != nil {
		return agents.Decision{}, err
	}
	if g.Legal().Contains(rules.Pass) {
		h.printf("%v has no legal move and must pass.\n", g.Position().Side())
		return agents.Decision{Move: rules.Pass}, nil
	}
	for {
		p := g.Position()
		if g.Rules().SettingUp(p) {
			h.printf("%v, place a piece (%s left), or help: ", p.Side(), hand(p, p.Side()))
		} else {
			h.printf("%v, your move, or help: ", p.Side())
		}
		text, err := h.nextLine(ctx)
		if errors.Is(err, files.ErrTooLong) {
			h.printf("  that line is too long.\n")
			continue
		}
		if errors.Is(err, io.EOF) {
			h.printf("\nThe input has ended.\n")
			return agents.Decision{}, agents.ErrResigned
		}
		if err != nil {
			return agents.Decision{}, err
		}
		if h.echo {
			h.printf("%s\n", textfmt.Escape(text))
		}
		m, err := h.answer(ctx, g, text)
		if err != nil || m != rules.NoMove {
			return agents.Decision{Move: m}, err
		}
	}
}

// answer executes one line: a command, or a move, which it returns if it is legal. The error is
// [agents.ErrResigned] to resign, and [context.Canceled] once a move has been taken back.
func (h *Person) answer(ctx context.Context, g *rules.Game, text string) (rules.Move, error) {
	words := strings.Fields(plain.Replace(strings.ToLower(text)))
	if len(words) == 0 {
		return rules.NoMove, nil
	}
	if words[0] == "moves" && len(words) <= 2 {
		h.printf("%s", listMoves(g.Legal(), strings.Join(words[1:], "")))
		return rules.NoMove, nil
	}
	// A move may be typed with blanks, but then it has one of these signs.
	joined := strings.Join(words, "")
	if len(words) > 1 && !strings.ContainsAny(joined, "-@") {
		h.printf("  %.60q is neither a move nor a command; try help\n", text)
		return rules.NoMove, nil
	}
	switch words[0] {
	case "help", "?":
		h.printf("%s", help)
	case "board":
		last := rules.NoMove
		if n := len(g.Moves()); n > 0 {
			last = g.Moves()[n-1]
		}
		h.printf("%s", Board(g.Rules(), g.Position(), last, nil))
	case "quit", "exit", "resign":
		return rules.NoMove, agents.ErrResigned
	case "hint":
		return rules.NoMove, h.hint(ctx, g)
	case "undo":
		return rules.NoMove, h.undo(g)
	default:
		return h.move(g, joined), nil
	}
	return rules.NoMove, nil
}

const notYet = "  There is no move to take back, or to hint at before all pieces are placed.\n"

// hint prints the move that the agent for hints would make.
func (h *Person) hint(ctx context.Context, g *rules.Game) error {
	p := g.Position()
	if h.Hint == nil || g.Rules().SettingUp(p) {
		h.printf(notYet)
		return nil
	}
	h.Helped = true
	if err := h.Hint.NewGame(ctx, agents.SetupOf(g, 1)); err != nil {
		return err
	}
	d, err := h.Hint.Choose(ctx, g, agents.Request{})
	if err != nil {
		return err
	}
	h.printf("  %s  %s\n", g.Rules().LongText(p, d.Move), d.Info(textfmt.Thousands))
	return nil
}

// undo takes the last move back, which ends the game.
func (h *Person) undo(g *rules.Game) error {
	if h.Undo == nil || !h.Undo() {
		h.printf(notYet)
		return nil
	}
	if !g.Rules().SettingUp(g.Position()) {
		h.Helped = true
	}
	return context.Canceled
}

// move returns the legal move that a text names. Without one it prints why, and returns NoMove.
func (h *Person) move(g *rules.Game, text string) rules.Move {
	m, err := g.Rules().ParseMove(g.Position(), text)
	if err == nil {
		err = g.Check(m)
	}
	if err != nil {
		h.printf("  %v\n", err)
		return rules.NoMove
	}
	return m
}

// plain replaces what people type, or copy, for the signs of moves.
var plain = strings.NewReplacer("×", "x", "–", "-", "—", "-", "−", "-")

// printf writes to the person. Errors are ignored: the program checks its output at the end.
func (h *Person) printf(format string, args ...any) { _, _ = fmt.Fprintf(h.out, format, args...) }

// listMoves writes the legal moves in short notation, but each start, or piece
// displaced, only once, with all the squares that can follow it:
//
//	d1-    c2 d3 goal
//	d1xc3@ a1 b1 d2
//
// With a start (a square, +height or height@) it lists those moves alone.
func listMoves(ms *rules.MoveSet, start string) string {
	list := ""
	heading := "" // of the line under way
	for m := range ms.All() {
		text := m.String()
		cut := strings.LastIndexAny(text, "-@") + 1
		head, tail := text[:cut], text[cut:]
		if !strings.HasPrefix(head, start) {
			continue
		}
		if head != heading {
			heading = head
			list += fmt.Sprintf("\n  %-6s", head)
		}
		list += " " + tail
	}
	if list == "" {
		return fmt.Sprintf("  There are no legal moves from %.60q.\n", start)
	}
	return list[1:] + "\n"
}

// maxLine bounds an input line, in bytes, its end included. No move is longer.
const maxLine = 1024

type line struct {
	text string
	err  error
}

// readLines sends the lines of a reader that can't be interrupted, such as a terminal, without
// their ends.
func readLines(in io.Reader) <-chan line {
	read := make(chan line)
	go func() {
		defer close(read)
		lines := files.NewLineReader(in, maxLine)
		lines.MaxRead = math.MaxInt
		for text, err := range lines.All() {
			read <- line{strings.TrimRight(text, "\r"), err}
		}
	}()
	return read
}

// nextLine blocks until there is a line, the input ends (io.EOF), or ctx is cancelled; then the
// next call returns the line that comes later.
func (h *Person) nextLine(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	select {
	case got, ok := <-h.lines():
		if !ok {
			return "", io.EOF
		}
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
