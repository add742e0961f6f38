package tournament

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
	"gyges/tournament/record"
)

// programmed plays as an external program would that is what the test says.
type programmed struct {
	picker
	program *agents.Program
}

func (a *programmed) Program() *agents.Program { return a.program }

// programs has the kind "program", whose agents are these programs by their name.
func programs(found map[string]*agents.Program) *agents.Registry {
	return withKind(agents.Kind{Name: "program", New: func(c agents.Config) (agents.Agent, error) {
		return &programmed{program: found[c.Values["name"]]}, nil
	}})
}

// built is a program whose file has another content in each version.
func built(version string) *agents.Program {
	return &agents.Program{Name: "engine", Files: map[string]string{"engine": agents.Sum([]byte(version))}, Options: []string{"Hash"}}
}

// A run keeps what its engines are, and goes on with the same only: those of players who join are
// added, and one whose games are played anew replaces what it was.
func TestChangedEngines(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "program:name=a", "program:name=b")
	c.Rules, c.Pairs = []*rules.Rules{rules.MustParse("simplified")}, 2
	found := map[string]*agents.Program{"a": built("1"), "b": built("1")}
	run := func(c Config) (Summary, error) { return Run(t.Context(), c, programs(found), nil) }
	_, err := run(c)
	require.NoError(t, err)
	require.Equal(t, found, readManifest(t, c.Out).Engines)

	// Rebuilt.
	found = map[string]*agents.Program{"a": built("1"), "b": built("2")}
	before := tree(t, c.Out)
	_, err = run(c)
	require.ErrorContains(t, err, `the engine of "b" has changed`, "also where no game is missing")
	require.Equal(t, before, tree(t, c.Out))
	more := c
	more.Extend, more.Pairs = true, 3
	s, err := run(more)
	require.EqualError(t, err, `the engine of "b" has changed since the run began: the SHA-256 of engine was "6b86b273ff34fce1", `+
		`now "d4735e3a265e16ee"; put the old one back, or play the new one under another name= in another folder, `+
		"or its games anew with --again b")
	require.Equal(t, Running, s.Status, "it has not begun")
	require.Equal(t, before, tree(t, c.Out))
	again := c
	again.Again = []int{1} // the other one
	_, err = run(again)
	require.ErrorContains(t, err, `the engine of "b" has changed`)
	require.Equal(t, before, tree(t, c.Out))

	// Played anew.
	again.Again = []int{2}
	_, err = run(again)
	require.NoError(t, err)
	require.Equal(t, found, readManifest(t, c.Out).Engines)
	_, err = run(more)
	require.NoError(t, err)

	// One more joins.
	found["c"] = built("3")
	more = testConfig(t, "random", "program:name=a", "program:name=b", "program:name=c")
	more.Rules, more.Pairs, more.Out, more.Extend = c.Rules, 3, c.Out, true
	_, err = run(more)
	require.NoError(t, err)
	require.Equal(t, found, readManifest(t, c.Out).Engines)
}

// What isn't known of an engine, as in the manifest of an earlier version, is no reason to refuse it.
func TestUnknownEngines(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "program:name=a")
	found := map[string]*agents.Program{}
	run := func() error {
		_, err := Run(t.Context(), c, programs(found), nil)
		return err
	}
	require.NoError(t, run())
	require.Nil(t, readManifest(t, c.Out).Engines)
	c.Extend = true
	for _, known := range []string{"1", ""} {
		c.Pairs++
		found["a"] = built(known)
		if known == "" {
			delete(found, "a")
		}
		require.NoError(t, run())
	}

	// A config says which ones it expects.
	found["a"] = built("2")
	c.Out, c.Extend, c.Engines = filepath.Join(c.Out, "new"), false, map[string]*agents.Program{"a": built("1")}
	require.ErrorContains(t, run(), `the engine of "a" has changed`)
	require.NoDirExists(t, c.Out)
	c.Engines["a"] = built("2")
	require.NoError(t, run())
}

// An engine inside of another agent counts, too.
func TestEngineInsideAnAgent(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", ugitest.Spec(t, "good", ",name=mine"))
	c.Rules, c.Pairs = []*rules.Rules{rules.MustParse("standard:max_plies=6")}, 1
	c.Agents[1] = agents.Spec{Kind: "inside"}.With("agent", c.Agents[1].String())
	inside := agents.Kind{
		Name: "inside",
		Params: agents.ParamsOf(&struct {
			Agent string `param:"agent" names:"agent"`
		}{}),
		New: func(c agents.Config) (agents.Agent, error) {
			spec, err := agents.ParseSpec(c.Values["agent"])
			require.NoError(t, err)
			agent, err := c.Registry.New(spec, c.Rules...)
			return struct{ agents.Agent }{agent}, err
		},
	}
	_, err := Run(t.Context(), c, withKind(inside), nil)
	require.NoError(t, err)
	engine := readManifest(t, c.Out).Engines[c.Agents[1].Label()]
	require.Equal(t, "tester", engine.Name)
	require.Equal(t, []string{"maxPly", "maxTime", "maxNodes", "threads"}, engine.Options)
	path, err := os.Executable()
	require.NoError(t, err)
	require.Len(t, engine.Files[filepath.Base(path)], 64)
}

// changing is another program from some game on, as one that was built anew and starts for every game.
type changing struct {
	picker
	games *atomic.Int64
}

func (a *changing) Program() *agents.Program {
	if a.games.Load() > 0 {
		return built("1")
	}
	return built("2")
}

// A run stops at the first game of an engine that isn't the one that it began with.
func TestEngineThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "changing")
	c.Workers = 1
	games := new(atomic.Int64)
	games.Store(3)
	registry := withKind(agents.Kind{Name: "changing", New: func(agents.Config) (agents.Agent, error) {
		return &changing{games: games}, nil
	}})
	s, err := Run(t.Context(), c, registry, func(*record.Record) { games.Add(-1) })
	require.ErrorContains(t, err, `the engine of "changing" has changed since the run began: the SHA-256 of engine was`)
	require.ErrorContains(t, err, "are safe")
	require.Equal(t, Failed, s.Status)
	require.GreaterOrEqual(t, s.Played, int64(3))
	require.Less(t, s.Played, s.Scheduled)
	require.Equal(t, built("1"), readManifest(t, c.Out).Engines["changing"])
}
