package training

import (
	"bufio"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/tuning/spsa"
	"gyges/agents/ugi"
	"gyges/rules"
	"gyges/tournament/record"
)

// TestMain makes the process the engine of these tests if its first argument says so. The second is
// the file that gets a line from each process.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != aiming {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile(os.Args[2], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	if _, err := f.WriteString("started\n"); err != nil {
		panic(err)
	}
	playAiming()
}

const (
	aiming  = "aiming" // the argument of the engine
	bestAim = 70       // the value of its option aim with which it is strongest
)

// playAiming is an engine that overlooks a win the more often the farther its option aim is from
// the best. All that it draws depends on the position.
func playAiming() {
	r := rules.MustParse("italian")
	aim := 0
	var p rules.Position
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		word, rest, _ := strings.Cut(in.Text(), " ")
		var err error
		switch word {
		case "ugi":
			fmt.Println("id name aiming\noption maxPly\noption aim type spin default 15 min 0 max 100\nugiok")
		case "isready":
			fmt.Println("readyok")
		case "setoption":
			aim, err = strconv.Atoi(strings.TrimPrefix(rest, "aim "))
		case "setpos":
			p, err = r.ParsePosition(strings.TrimPrefix(rest, "data ") + " s")
		case "go":
			sum := fnv.New64a()
			_, err = sum.Write([]byte(r.FormatPosition(p)))
			rng := rand.New(rand.NewPCG(sum.Sum64(), 1))
			overlooks := 100*rng.Float64() < math.Abs(float64(aim-bestAim))
			var moves rules.MoveSet
			r.Moves(p, &moves)
			m := moves.At(rng.IntN(moves.Len()))
			for other := range moves.All() {
				if other.IsGoal() && !overlooks {
					m = other
				}
			}
			fmt.Println("bestmove " + moveText(m))
		case "quit":
			return
		}
		if err != nil {
			panic(err)
		}
	}
}

// moveText returns a move of South in the numbers of the protocol.
func moveText(m rules.Move) string {
	switch {
	case m.IsGoal():
		return fmt.Sprintf("%d|36", m.From())
	case m.Drop() == rules.NoSquare:
		return fmt.Sprintf("%d|%d", m.From(), m.To())
	default:
		return fmt.Sprintf("%d|%d|%d", m.From(), m.To(), m.Drop())
	}
}

// engineSPSA is a run of 50 steps of 16 games that tunes the engine, whose option begins far from
// the best. more goes into the engine's spec; starts is the file with a line for each process.
func engineSPSA(t *testing.T, more string) (c SPSA, starts string) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	starts = filepath.Join(dir, "starts")
	c = DefaultSPSA()
	c.Rules = rules.MustParse("italian:max_plies=60")
	c.Openings.ForMatch(c.Rules)
	c.Agent = spec(t, fmt.Sprintf(`ugi:cmd="%s" %s "%s"`, program, aiming, starts)+more)
	c.Out = filepath.Join(dir, "run")
	c.Workers = 2
	c.Method.Steps, c.Method.Pairs = 50, 8
	c.Method.Params = []spsa.Param{{Name: "opt.aim", Start: 15, Min: 0, Max: 100, C: 10, R: 0.03, Whole: true}}
	return c, starts
}

// engineEnv is testEnv with external programs.
func engineEnv(o Observer) Env {
	env := testEnv(o)
	env.Registry = agents.NewRegistry(append(env.Registry.Kinds(), ugi.Kind(nil))...)
	return env
}

// countLines returns the number of lines of a file.
func countLines(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Count(string(text), "\n")
}

// From a wrong start, 800 games bring an engine's option near the best value, always by the same
// steps, also if the run was stopped within one. Its four processes serve all games.
func TestSPSATunesAnEngine(t *testing.T) {
	t.Parallel()
	config, starts := engineSPSA(t, "")
	tuned, err := config.Run(t.Context(), engineEnv(Observer{}))
	require.NoError(t, err)
	require.InDelta(t, bestAim, tuned.After[0], 5)
	require.Equal(t, 800, tuned.Games)
	require.Equal(t, tuned.Agent.Get("opt.aim"), fmt.Sprint(math.Round(tuned.After[0])))
	require.LessOrEqual(t, countLines(t, starts), 4)

	again, _ := engineSPSA(t, "")
	again.Workers = 1
	ctx, stop := context.WithCancel(t.Context())
	games := 0
	_, err = again.Run(ctx, engineEnv(Observer{Game: func(*record.Record) {
		games++
		if games == 325 { // the fifth one of a step
			stop()
		}
	}}))
	require.ErrorIs(t, err, context.Canceled)
	_, err = again.Run(t.Context(), engineEnv(Observer{}))
	require.NoError(t, err)
	history := func(c SPSA) string {
		text, err := os.ReadFile(filepath.Join(c.Out, HistoryFile))
		require.NoError(t, err)
		return string(text)
	}
	require.Equal(t, history(config), history(again))
}

// With restart=game each game has processes of its own, to which all options are told.
func TestSPSARestartsEngines(t *testing.T) {
	t.Parallel()
	one, other := "", ""
	for _, c := range []struct {
		more    string
		history *string
	}{{"", &one}, {",restart=game", &other}} {
		config, starts := engineSPSA(t, c.more)
		config.Method.Steps, config.Method.Pairs = 3, 2
		_, err := config.Run(t.Context(), engineEnv(Observer{}))
		require.NoError(t, err)
		if c.more != "" {
			require.GreaterOrEqual(t, countLines(t, starts), 2*3*4)
		}
		text, err := os.ReadFile(filepath.Join(config.Out, HistoryFile))
		require.NoError(t, err)
		*c.history = string(text)
	}
	require.Equal(t, one, other)
}

// The players of a step keep the key by which workers find their program.
func TestSPSANamesEngines(t *testing.T) {
	t.Parallel()
	env := engineEnv(Observer{})
	r := &spsaRun{env: &env}
	for agent, want := range map[string]string{
		"ugi:cmd=e":                    "ugi:cmd=e,name=tuned",
		"ugi:cmd=e,name=mine":          "ugi:cmd=e,name=tuned,engine=mine",
		"ugi:engine=e,cmd=e,name=mine": "ugi:engine=e,cmd=e,name=tuned",
		"greedy:name=mine":             "greedy:name=tuned",
	} {
		require.Equal(t, want, r.player(spec(t, agent), "tuned").String())
	}
}
