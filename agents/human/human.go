package human

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"

	"gyges/agents"
	"gyges/rules"
)

// ErrResigned is the error of Choose when the person gives up or the input ends.
var ErrResigned = errors.New("resigned")

const help = `  A move is where it starts and where it ends:   d1-c3, b5-goal
  or with the piece displaced and its new place: d1xc3@e5
  or with every square, crossed ones in (...):   d2-(c2-b2)-b3-c3
  or brings a piece in from the hand (Kang):     +2-c2, +1xc1@d4, +3-goal
  or places a piece before play:                 2@c1
  Commands:
  moves   lists your legal moves; moves d1 those of the piece on d1
  board   draws the board again
  help    prints this
  quit    resigns
`

// Kind returns the kind "human", which reads moves and commands from in and
// writes questions and explanations to out. All agents of the kind share in.
//
// Where in is not a terminal, which shows what is typed, the lines that are read
// are written to out.
func Kind(in io.Reader, out io.Writer) agents.Kind {
	input := newLines(in)
	f, ok := in.(*os.File)
	echo := !ok || !term.IsTerminal(int(f.Fd()))
	return agents.Kind{
		Name:        "human",
		Doc:         "a person at the terminal",
		Interactive: true,
		New: func(agents.Values) (agents.Agent, error) {
			return &human{in: input, out: out, echo: echo}, nil
		},
	}
}

// human asks a person for every move.
type human struct {
	in   *lines
	out  io.Writer
	echo bool
}

var _ agents.Agent = (*human)(nil)

// NewGame implements [agents.Agent].
func (h *human) NewGame(context.Context, agents.Setup) error { return nil }

// Choose implements [agents.Agent]. It asks until it has a legal move, and
// passes without asking where that is the only move. Limits don't bind a person.
func (h *human) Choose(ctx context.Context, g *rules.Game, _ agents.Limits) (agents.Decision, error) {
	if g.Legal().Contains(rules.Pass) {
		h.say("%v has no legal move and must pass.\n", g.Position().Side())
		return agents.Decision{Move: rules.Pass}, nil
	}
	for {
		h.say("%s", prompt(g))
		text, err := h.in.next(ctx)
		switch {
		case errors.Is(err, errTooLong):
			h.say("  %v.\n", err)
			continue
		case errors.Is(err, io.EOF):
			h.say("\n")
			return agents.Decision{}, fmt.Errorf("%w: the input ended", ErrResigned)
		case err != nil:
			return agents.Decision{}, err
		case h.echo:
			h.say("%s\n", strings.Map(printable, text))
		}
		m, err := h.answer(g, g.Legal(), text)
		if err != nil {
			return agents.Decision{}, err
		}
		if m != rules.NoMove {
			return agents.Decision{Move: m}, nil
		}
	}
}

func prompt(g *rules.Game) string {
	p := g.Position()
	if g.Rules().SettingUp(p) {
		return fmt.Sprintf("%v, place a piece (%s left), or help: ", p.Side(), held(p, p.Side()))
	}
	return fmt.Sprintf("%v, your move, or help: ", p.Side())
}

// answer acts on one line. It returns the move, if the line is a legal one, and
// an error if the person gives up.
func (h *human) answer(g *rules.Game, ms *rules.MoveSet, text string) (rules.Move, error) {
	words := strings.Fields(plain.Replace(strings.ToLower(text)))
	if len(words) == 0 {
		return rules.NoMove, nil
	}
	switch {
	case words[0] == "moves" && len(words) <= 2:
		h.list(ms, words[1:])
	case len(words) > 1 && !strings.ContainsAny(text, "-@"):
		h.refuse(fmt.Errorf("%.60q is neither a move nor a command; try help", text))
	case words[0] == "help" || words[0] == "?":
		h.say("%s", help)
	case words[0] == "board":
		h.say("%s", Board(g.Rules(), g.Position(), lastMove(g)))
	case words[0] == "quit" || words[0] == "exit" || words[0] == "resign":
		return rules.NoMove, ErrResigned
	default:
		m, err := g.Rules().ParseMove(g.Position(), strings.Join(words, ""))
		if err == nil {
			err = g.Check(m)
		}
		if err == nil {
			return m, nil
		}
		h.refuse(err)
	}
	return rules.NoMove, nil
}

// printable replaces what a terminal would act on.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
}

// plain turns signs that people type or paste into those of the notation.
var plain = strings.NewReplacer("×", "x", "–", "-", "—", "-", "−", "-")

func (h *human) list(ms *rules.MoveSet, from []string) {
	start := ""
	if len(from) == 1 {
		start = from[0]
	}
	list := listMoves(ms, start)
	if list == "" {
		h.say("  There are no legal moves from %.60q.\n", start)
		return
	}
	h.say("%s", list)
}

func (h *human) refuse(err error) { h.say("  %v\n", err) }

// say writes to the person. An error of the output shows where the program
// checks its output; a person who can't read can still type.
func (h *human) say(format string, args ...any) { _, _ = fmt.Fprintf(h.out, format, args...) }

func lastMove(g *rules.Game) rules.Move {
	if moves := g.Moves(); len(moves) > 0 {
		return moves[len(moves)-1]
	}
	return rules.NoMove
}
