package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/random"
	"gyges/rules"
)

// stubborn is a kind whose agents always choose the same move, which is seldom legal.
func stubborn() agents.Kind {
	return agents.Kind{Name: "stubborn", Doc: "passes", New: func(agents.Config) (agents.Agent, error) {
		return passer{},
			nil
	}}
}

type passer struct{ agents.Base }

func (passer) NewGame(context.Context, agents.Setup) error { return nil }
func (passer) Choose(context.Context, *rules.Game, agents.Request) (agents.Decision, error) {
	return agents.Decision{Move: rules.Pass}, nil
}

// broken is a kind whose agents fail, with a text that a terminal would obey.
func broken() agents.Kind {
	return agents.Kind{Name: "broken", Doc: "fails", New: func(agents.Config) (agents.Agent, error) {
		return failer{},
			nil
	}}
}

type failer struct{ passer }

func (failer) Choose(context.Context, *rules.Game, agents.Request) (agents.Decision, error) {
	return agents.Decision{}, errors.New("no idea \x1b[31m")
}

// with runs a command with a registry of those kinds and the random agent.
func with(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	e := newEnv(bytes.NewReader(nil), &out, &errOut)
	e.registry = agents.NewRegistry(stubborn(), broken(), random.Kind())
	err := runCommand(t.Context(), e, args)
	return exitCode(t.Context(), err), out.String(), errOut.String()
}

func TestPlayShowsFaults(t *testing.T) {
	code, out, _ := with(t, "play", "--south", "stubborn", "--north", "random", "--seed", "1", "--quiet")
	require.Equal(t, exitOK, code, "the game has a result")
	require.Contains(t, out,
		"\nSouth lost by a fault (illegal): pass is not legal: there is a move to make\nresult 0-1 illegal 0 plies\n")

	code, out, _ = with(t, "play", "--south", "random", "--north", "broken", "--seed", "1", "--quiet")
	require.Equal(t, exitOK, code)
	require.Contains(t, out, "\nNorth lost by a fault (error): no idea \\x1b[31m\nresult 1-0 error 1 plies\n")
}

func TestTournamentCountsFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	code, out, errText := with(t, "tournament", "--agent", "stubborn", "--agent", "random", "--agent", "broken",
		"--rules", "simplified", "--pairs", "2")
	require.Equal(t, exitNo, code)
	require.Equal(t, 12, strings.Count(errText, "\n"), "a line for each")
	require.Contains(t, errText,
		"stubborn lost game 0 by a fault (illegal): pass is not legal: there is a move to make\n")
	require.Contains(t, out, "Rules simplified\n")
	require.Contains(t, out, "\n12 games in ")
	require.Contains(t, out, "\nbroken lost 6 games by a fault (error), first in game ")
	require.Contains(t, out, "no idea \\x1b[31m\n")
	require.Contains(t, out,
		"\nstubborn lost 6 games by a fault (illegal), first in game 0: pass is not legal: there is a move to make\n")
	require.NotContains(t, out, "Stopped")
}

func TestTournamentInterruptedAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, out, errText := gyges(ctx, "", "tournament", "--agent", "random", "--agent", "greedy", "--out", "run")
	require.Equal(t, exitInterrupted, code)
	require.Empty(t, out)
	require.Equal(t, "Stopped before the first game was over.\n", errText)
}

func TestPlayInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, errText := gyges(ctx, "", "play", "--south", "human", "--north", "random", "--position",
		"321123/000000/000000/000000/000000/321123 s")
	require.Equal(t, exitInterrupted, code)
	require.Equal(t, "\ngyges: interrupted; --position '321123/000000/000000/000000/000000/321123 s' resumes it\n",
		errText)
}

// cancelling cancels a context when a text is written.
type cancelling struct {
	text   string
	cancel context.CancelFunc
}

func (c cancelling) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.text) {
		c.cancel()
	}
	return len(p), nil
}

// An interrupted game is kept as PGN that has no result, which ratings leave out.
func TestInterruptedGameIsKept(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"game.pgn", "game.jsonl"} {
		ctx, cancel := context.WithCancel(t.Context())
		in, typing := io.Pipe()
		go func() { _, _ = io.WriteString(typing, "e1-c3\n") }()
		var errText bytes.Buffer
		e := newEnv(in, cancelling{"2. North", cancel}, &errText)
		err := runCommand(ctx, e, []string{"play", "--south", "human", "--north", "greedy", "--rules", "simplified", "--seed", "3",
			"--out", name})
		require.Equal(t, exitInterrupted, exitCode(ctx, err))
		path := strings.TrimSuffix(name, ".pgn") + ".pgn"
		require.Contains(t, errText.String(), "gyges: the moves so far are in "+path+"\ngyges: interrupted; --position ")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(text), "[Result \"*\"]")
		require.Contains(t, string(text), "1. e1-c3 1... c6-d5 *\n")
		_, _, said := gyges(t.Context(), "", "rate", path)
		require.Contains(t, said, "expected games, found none")
		require.NoFileExists(t, "game.jsonl")
		require.NoError(t, typing.Close())
	}
}
