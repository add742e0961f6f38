package tournament

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/agents/ugi"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
	"gyges/tournament/internal/agenttest"
	"gyges/tournament/record"
)

// Arguments that make the test binary an engine that answers at once or at the end of its move
// time, or a program that computes until it is killed.
const (
	promptEngine = "prompt-engine"
	busyProgram  = "busy-program"
)

// runPromptEngine obeys UGI commands: it plays a random legal move, and reads only the moves that
// are new. The nodes that it tells are the nanoseconds between a go and its answer.
func runPromptEngine() {
	rng := rand.New(rand.NewPCG(1, uint64(os.Getpid())))
	r, known := rules.MustParse("standard"), ""
	var g *rules.Game
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<20)
	for in.Scan() {
		line := in.Text()
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "ugi":
			fmt.Print("id name prompt\noption rules\noption seed\nugiok\n")
		case "isready":
			fmt.Print("readyok\n")
		case "setoption":
			if name, ok := strings.CutPrefix(rest, "rules "); ok {
				r, known = rules.MustParse(name), ""
			}
		case "setpos":
			added, ok := strings.CutPrefix(line, known)
			if !ok || known == "" {
				position, moves, _ := strings.Cut(strings.TrimPrefix(rest, "pos "), " moves")
				p, err := r.ParsePosition(position)
				if err != nil {
					panic(err)
				}
				g, added = rules.NewGame(r, p), moves
			}
			for _, text := range strings.Fields(added) {
				m, err := r.ParseMove(g.Position(), text)
				if err != nil {
					panic(err)
				}
				g.PlayLegal(m)
			}
			known = line
		case "go":
			began, moves, ms := time.Now(), g.Legal(), 0
			if n, _ := fmt.Sscanf(rest, "movetime %d", &ms); n == 1 {
				time.Sleep(time.Duration(ms) * time.Millisecond)
			}
			m := moves.At(rng.IntN(moves.Len()))
			fmt.Printf("bestmove %s nodes %d\n", m, time.Since(began).Nanoseconds())
		case "quit":
			return
		}
	}
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case promptEngine:
			runPromptEngine()
			return
		case busyProgram:
			for i := uint(1); i != 0; i += 2 {
			}
		}
	}
	ugitest.Main()
	goleak.VerifyTestMain(m)
}

// The agents of tests.
type (
	picker      = agenttest.Picker
	faulty      = agenttest.Faulty
	brokenStart = agenttest.BrokenStart
)

var errTest = agenttest.ErrTest

// first plays the first move, or in one of some games at random.
type first struct {
	picker
	seldom, random int
}

func (a *first) NewGame(ctx context.Context, s agents.Setup) error {
	err := a.picker.NewGame(ctx, s)
	a.random = 1
	if a.seldom > 0 {
		a.random = a.Rand.IntN(a.seldom)
	}
	return err
}

func (a *first) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	d, err := a.picker.Choose(ctx, g, q)
	if a.random > 0 {
		d.Move = a.Moves.At(0)
	}
	return d, err
}

// closer counts how often agents are made and closed.
type closer struct {
	faulty
	open *atomic.Int64
	err  error
}

func (c *closer) Close() error { c.open.Add(-1); return c.err }

// testRegistry has kinds: random, scored, first, seldom, one for each of [agenttest.Wrongs], and
// brokenstart, broken, human and leaky, which counts in open.
func testRegistry(open *atomic.Int64) *agents.Registry {
	after := agents.ParamsOf(&struct {
		After int `param:"after" default:"2" check:"0..1000"`
	}{})
	id := agents.ParamsOf(&struct {
		ID int `param:"id" default:"0" check:"0..1000"`
	}{})
	kinds := []agents.Kind{
		{Name: "random", Params: id, New: func(agents.Config) (agents.Agent, error) {
			return &picker{},
				nil
		}},
		{Name: "scored", New: func(agents.Config) (agents.Agent, error) { return &picker{Scored: true}, nil }},
		{Name: "first", Params: id, New: func(agents.Config) (agents.Agent, error) {
			return &first{}, nil
		}},
		{Name: "seldom", New: func(agents.Config) (agents.Agent, error) { return &first{seldom: 60}, nil }},
		{Name: "brokenstart", New: func(agents.Config) (agents.Agent, error) { return &brokenStart{}, nil }},
		ugi.Kind(nil),
		{Name: "broken", New: func(agents.Config) (agents.Agent, error) { return nil, errTest }},
		{Name: "human", Interactive: true},
		{Name: "leaky", Params: after, New: func(c agents.Config) (agents.Agent, error) {
			open.Add(1)
			return &closer{faulty: faulty{After: c.Int("after"), Wrong: agenttest.Wrongs["panic"]}, open: open}, nil
		}},
		{Name: "unclosable", New: func(agents.Config) (agents.Agent, error) {
			a := &closer{faulty: faulty{After: 1e9}, open: new(atomic.Int64)}
			if open != nil && open.Add(1) > 1 { // the first one is made by Validate
				a.err = errTest
			}
			return a, nil
		}},
	}
	for name, wrong := range agenttest.Wrongs {
		kinds = append(kinds, agents.Kind{Name: name, Params: after,
			New: func(c agents.Config) (agents.Agent, error) {
				return &faulty{After: c.Int("after"), Wrong: wrong}, nil
			}})
	}
	return agents.NewRegistry(kinds...)
}

// testConfig is a config of the given agents under quick variants of all kinds of rules.
func testConfig(t testing.TB, specs ...string) Config {
	c := DefaultConfig()
	c.Rules = []*rules.Rules{rules.MustParse("simplified"), rules.MustParse("kang:max_plies=30"),
		rules.MustParse("standard:max_plies=20")}
	c.Pairs = 2
	c.Workers = 2
	c.Out = t.TempDir()
	for _, text := range specs {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		c.Agents = append(c.Agents, spec)
	}
	return c
}

// requireSound checks that a record can be replayed.
func requireSound(t require.TestingT, g *record.Record) {
	_, err := record.Replay(g)
	require.NoError(t, err)
}
