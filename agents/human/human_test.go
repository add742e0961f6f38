package human

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
	"gyges/agents/greedy"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

const start = "321123/000000/000000/000000/000000/321123 s"

// ask plays one decision in a position: what the person types, and what comes of it.
func ask(t testing.TB, ruleText, position, typed string) (agents.Decision, string, error) {
	t.Helper()
	return askIn(t, agenttest.Game(t, rules.MustParse(ruleText), position), typed)
}

func askIn(t testing.TB, g *rules.Game, typed string) (agents.Decision, string, error) {
	t.Helper()
	var out bytes.Buffer
	a, err := Kind(strings.NewReader(typed), &out).New(agents.Config{})
	require.NoError(t, err)
	require.NoError(t, a.NewGame(t.Context(), agents.SetupOf(g, 0)))
	d, err := a.Choose(t.Context(), g, agents.Request{})
	return d, out.String(), err
}

func TestMovesInEitherNotationAndSloppyTyping(t *testing.T) {
	for typed, want := range map[string]string{
		"c1-c2\n":                   "c1-c2",
		"  C1 - C2 \r":              "c1-c2",
		"c1–c2":                     "c1-c2",
		"c1 – c2":                   "c1-c2",
		"a1-(a2-a3)-a4":             "a1-a4",
		"b1-(b2)-b3":                "b1-b3",
		"c1-d1-(d2)-d3\n":           "",
		"\n\n   \nc1-c2":            "c1-c2",
		"nonsense\nz\x1b[2J\nc1-c2": "c1-c2",
	} {
		d, _, err := ask(t, "standard", start, typed) // the last line without an end
		if want == "" {
			require.ErrorIs(t, err, agents.ErrResigned, typed)
			continue
		}
		require.NoError(t, err, typed)
		require.Equal(t, want, d.Move.String(), typed)
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	const threat = "202110/000330/000000/000200/000100/030123 s"
	for typed, want := range map[string]string{
		"d1-":                       `"d1-", column 4: expected a square or goal, a1 to f6, found the end`,
		"b2-b3":                     "column 1: there is no piece on b2",
		"b6-b5":                     "b6-b5 is not legal: South must move a piece of row 1",
		"a1-f6":                     "a1-f6 is not legal",
		"pass":                      "pass is not legal: there is a move to make",
		"a1-(a2)-(b2)":              "column 9: expected a landing between",
		"d1 c3":                     `"d1 c3" is neither a move nor a command; try help`,
		"quit now":                  `neither a move nor a command`,
		"moves a1 b1":               `neither a move nor a command`,
		"+1-a1":                     "South holds no piece of height 1",
		"2@a2":                      "the set-up is over",
		strings.Repeat("d1-", 1000): "that line is too long",
		"\x1b]0;title\x07-":         `"\x1b]0;title\a-", column 1`,
	} {
		_, out, err := ask(t, "standard", threat, typed+"\n")
		require.ErrorIs(t, err, agents.ErrResigned, "the input ended before a legal move")
		require.Contains(t, out, want, typed)
		require.Equal(t, 2, strings.Count(out, "South, your move"), typed)
		require.NotContains(t, out, "\x1b", typed)
		require.NotContains(t, out, "\a", typed)
	}
}

// A line without an end in sight is one line, whatever follows in it.
func TestEndlessLine(t *testing.T) {
	for n, quits := range map[int]bool{1000: true, maxLine: false, 1 << 20: false} {
		d, out, err := ask(t, "standard", start, strings.Repeat(" ", n)+"quit\nc1-c2")
		if quits {
			require.ErrorIs(t, err, agents.ErrResigned)
			continue
		}
		require.NoError(t, err, n)
		require.Equal(t, "c1-c2", d.Move.String(), n)
		require.Equal(t, 1, strings.Count(out, "that line is too long"), n)
	}
}

func TestCommands(t *testing.T) {
	r := rules.MustParse("standard")
	_, out, err := ask(t, "standard", start, "moves\nMOVES c1\nmoves c2\nhelp\n?\nboard\nquit\nc1-c2\n")
	require.ErrorIs(t, err, agents.ErrResigned)
	require.EqualError(t, err, "resigned")
	require.Contains(t, out, "help: MOVES c1\n  c1-    a2 c2 d2 f2 b3 e3\n  c1xb1@ c1 a2")
	require.Contains(t, out, `There are no legal moves from "c2"`)
	require.Equal(t, 2, strings.Count(out, help))
	require.Contains(t, out, Board(r, agenttest.Game(t, r, start).Position(), rules.NoMove, nil))
}

// A hint is a legal move, and taking a move back ends the game; either is help. Before play begins
// there is no hint.
func TestHintAndUndo(t *testing.T) {
	r := rules.MustParse("standard")
	asked := func(g *rules.Game, typed string, undo func() bool) (*Person, string, error) {
		var out bytes.Buffer
		a, err := Kind(strings.NewReader(typed), &out).New(agents.Config{})
		require.NoError(t, err)
		p := a.(*Person)
		p.Hint, p.Undo = agenttest.New(t, greedy.Kind(), "greedy", g), undo
		_, err = p.Choose(t.Context(), g, agents.Request{})
		return p, out.String(), err
	}
	g := agenttest.Game(t, r, start)
	p, out, err := asked(g, "hint\nquit\n", nil)
	require.ErrorIs(t, err, agents.ErrResigned)
	require.Regexp(t, `help: hint\n  [a-f]1[-x]\S+  [+-]\d`, out)
	require.True(t, p.Helped)

	p, out, err = asked(g, "undo\nquit\n", func() bool { return false })
	require.ErrorIs(t, err, agents.ErrResigned)
	require.Contains(t, out, "There is no move to take back")
	require.False(t, p.Helped)
	p, _, err = asked(g, "undo\nquit\n", func() bool { return true })
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, p.Helped)

	p, out, err = asked(rules.NewGame(r, r.Start()), "hint\nundo\n", func() bool { return true })
	require.ErrorIs(t, err, context.Canceled)
	require.Contains(t, out, "before all pieces are placed")
	require.False(t, p.Helped, "who places pieces anew has had no help")

	_, out, err = ask(t, "standard", start, "hint\nundo\n")
	require.ErrorIs(t, err, agents.ErrResigned)
	require.Equal(t, 2, strings.Count(out, "There is no move"))
}

func TestReadErrorIsReported(t *testing.T) {
	broken := errors.New("the terminal is gone")
	a, err := Kind(iotest.ErrReader(broken), io.Discard).New(agents.Config{})
	require.NoError(t, err)
	g := agenttest.Game(t, rules.MustParse("standard"), start)
	_, err = a.Choose(t.Context(), g, agents.Request{})
	require.ErrorIs(t, err, broken)
}

func TestPassIsMadeWithoutAsking(t *testing.T) {
	d, out, err := ask(t, "kang", "000000/000000/000000/000000/000000/000000 s 000/444 0-0 -", "")
	require.NoError(t, err)
	require.Equal(t, rules.Pass, d.Move)
	require.Contains(t, out, "South has no legal move and must pass.")
}

func TestSetupIsPlayedThrough(t *testing.T) {
	r := rules.MustParse("standard")
	g := rules.NewGame(r, r.Start())
	_, out, err := askIn(t, g, "c1-c2\n2@c3\n4@c1\nmoves 2\nboard\n")
	require.ErrorIs(t, err, agents.ErrResigned)
	require.Contains(t, out, "South, place a piece (1 1 2 2 3 3 left)")
	require.Contains(t, out, "column 1: there is no piece on c1")
	require.Contains(t, out, "2@c3 is not legal: c3 is outside South's set-up zone")
	require.Contains(t, out, `"4@c1", column 1: expected`)
	require.Contains(t, out, "  2@     a1 b1 c1 d1 e1 f1\n")
	require.Contains(t, out, "North   still to place: 1 1 2 2 3 3\n")
	d, _, err := askIn(t, g, "2@c1\n")
	require.NoError(t, err)
	require.Equal(t, "2@c1", d.Move.String())
}

func TestKangEntry(t *testing.T) {
	d, out, err := ask(t, "kang", "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -", "moves +2\nboard\n+2-c2\n")
	require.NoError(t, err)
	require.Equal(t, "+2-c2", d.Move.String())
	require.Contains(t, out, "\n  +2-    a1 b1 c1 d1 e1 f1 a2 b2 c2 d2 e2 f2\n")
	require.NotContains(t, out, "+1-")
	require.Contains(t, out, "South   in hand: 1 1 2 2 3 3, goals: 0 of 3\n")
}

func TestTwoPeopleShareTheInput(t *testing.T) {
	var out bytes.Buffer
	k := Kind(strings.NewReader("c1-c2\nc6-c5\n"), &out)
	g := agenttest.Game(t, rules.MustParse("standard"), start)
	for range 2 {
		a, err := k.New(agents.Config{})
		require.NoError(t, err)
		d, err := a.Choose(t.Context(), g, agents.Request{})
		require.NoError(t, err)
		require.NoError(t, g.Play(d.Move))
	}
	require.Equal(t, "[c1-c2 c6-c5]", fmt.Sprint(g.Moves()))
}

func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typing := io.Pipe()
		a, err := Kind(in, io.Discard).New(agents.Config{})
		require.NoError(t, err)
		g := agenttest.Game(t, rules.MustParse("standard"), start)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := a.Choose(ctx, g, agents.Request{})
			done <- err
		}()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)

		// What was typed too late is not lost.
		go func() { _, _ = io.WriteString(typing, "c1-c2\n"); _ = typing.Close() }()
		d, err := a.Choose(t.Context(), g, agents.Request{})
		require.NoError(t, err)
		require.Equal(t, "c1-c2", d.Move.String())
	})
}

// TestListIsComplete reads every move back from the list that people see.
func TestListIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rules.MustParse(rapid.SampledFrom([]string{"standard", "simplified", "kang", "cosmoludo"}).Draw(t, "rules"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		p := r.RandomSetup(rng)
		if rapid.Bool().Draw(t, "from the set-up") {
			p = r.Start()
		}
		g := rules.NewGame(r, p)
		var ms rules.MoveSet
		for range rapid.IntRange(0, 30).Draw(t, "plies") {
			if g.LegalMoves(&ms); ms.Len() == 0 {
				return
			}
			g.PlayLegal(ms.At(rng.IntN(ms.Len())))
		}
		g.LegalMoves(&ms)
		if ms.Len() == 0 || ms.Contains(rules.Pass) {
			return
		}
		read := map[string]bool{}
		for line := range strings.Lines(listMoves(&ms, "")) {
			words := strings.Fields(line)
			for _, tail := range words[1:] {
				read[words[0]+tail] = true
			}
		}
		if len(read) != ms.Len() {
			t.Fatalf("%d moves listed, %d legal", len(read), ms.Len())
		}
		for m := range ms.All() {
			if !read[m.String()] {
				t.Fatalf("%v is not listed", m)
			}
		}
	})
}

func TestBoard(t *testing.T) {
	r := rules.MustParse("standard")
	g := agenttest.Game(t, r, "202110/000330/000000/000200/000100/030123 s")
	m, err := r.ParseMove(g.Position(), "e1xe2@a4")
	require.NoError(t, err)
	require.NoError(t, g.Play(m))
	require.Equal(t, strings.TrimLeft(`
          North
    ┌────── goal ──────┐
  6 │ ·  3  ·  1  2  3 │ 6
  5 │ ·  ·  ·  1  ·  · │ 5
  4 │[3] ·  ·  2  ·  · │ 4
  3 │ ·  ·  ·  ·  ·  · │ 3
  2 │ ·  ·  ·  3 [1] · │ 2
  1 │ 2  ·  2  1 (·) · │ 1
    └────── goal ──────┘
      a  b  c  d  e  f
          South
`, "\n"), Board(r, g.Position(), m, nil))

	k := rules.MustParse("kang")
	p := agenttest.Game(t, k, "000000/000000/123103/123123/000000/000000 s 010/000 0-1 n").Position()
	require.Equal(t, strings.TrimLeft(`
          North   in hand: none, goals: 1 of 3, took a piece out last turn
    ┌──────────────────┐
  6 │ ·  ·  ·  ·  ·  · │ 6
  5 │ ·  ·  ·  ·  ·  · │ 5
  4 │ 1  2  3  1  2  3 │ 4
  3 │ 1  2  3  1  ·  3 │ 3
  2 │ ·  ·  ·  ·  ·  · │ 2
  1 │ ·  ·  ·  ·  ·  · │ 1
    └──────────────────┘
      a  b  c  d  e  f
          South   in hand: 2, goals: 0 of 3
`, "\n"), Board(k, p, rules.NoMove, nil))
}
