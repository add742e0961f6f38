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
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/tuning/spsa"
	"gyges/agents/ugi"
	"gyges/rules"
)

// TestMain makes the process the engine of these tests if its argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == aiming {
		aim()
		return
	}
	os.Exit(m.Run())
}

const (
	aiming  = "aiming" // the argument of the engine
	bestAim = 70       // with which it is strongest
)

// aim is an engine that overlooks a win the more often the farther its option aim is from the best.
// It draws everything from the position.
func aim() {
	r := rules.MustParse("italian")
	aim := 0.0
	var p rules.Position
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		word, rest, _ := strings.Cut(in.Text(), " ")
		switch word {
		case "ugi":
			fmt.Println("id name aiming\noption aim type spin default 15 min 0 max 100\nugiok")
		case "isready":
			fmt.Println("readyok")
		case "setoption":
			text, ok := strings.CutPrefix(rest, "aim ")
			if !ok {
				continue
			}
			value, err := strconv.Atoi(text)
			if err != nil {
				os.Exit(1)
			}
			aim = float64(value)
		case "setpos":
			var err error
			p, err = r.ParsePosition(strings.TrimPrefix(rest, "data ") + " s")
			if err != nil {
				panic(err)
			}
		case "go":
			sum := fnv.New64a()
			sum.Write([]byte(r.FormatPosition(p)))
			rng := rand.New(rand.NewPCG(sum.Sum64(), 1))
			wins := rng.Float64() > math.Abs(aim-bestAim)/100
			var moves rules.MoveSet
			r.Moves(p, &moves)
			m := moves.At(rng.IntN(moves.Len()))
			for other := range moves.All() {
				if wins && other.IsGoal() {
					m = other
				}
			}
			fmt.Println("bestmove " + moveText(m))
		case "quit":
			return
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

func TestX(t *testing.T) {
	c := DefaultSPSA()
	c.Rules = rules.MustParse("italian:max_plies=60")
	c.Openings.ForMatch(c.Rules)
	path, err := os.Executable()
	require.NoError(t, err)
	c.Agent = spec(t, `ugi:cmd="`+path+`" `+aiming)
	c.Out = filepath.Join(t.TempDir(), "run")
	c.Method.Steps, c.Method.Pairs = 50, 8
	c.Method.Params = []spsa.Param{{Name: "opt.aim", Start: 15, Min: 0, Max: 100, C: 10, R: 0.03, Whole: true}}
	start := time.Now()
	env := testEnv(Observer{Step: func(l []Line) {
		last := l[len(l)-1]
		fmt.Println(last.Step, *last.Score, last.Parameters, time.Since(start))
	}})
	env.Registry = agents.NewRegistry(append(env.Registry.Kinds(), ugi.Kind(nil))...)
	_, err = c.Run(context.Background(), env)
	require.NoError(t, err)
}
