package training

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/random"
	"gyges/agents/tuning/spsa"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// smallSPSA is a run of three steps.
func smallSPSA(t *testing.T) SPSA {
	c := DefaultSPSA()
	c.Rules = rules.MustParse("simplified")
	c.Openings.ForMatch(c.Rules)
	c.Agent = spec(t, "alphabeta:depth=1,hash=1")
	c.Out = filepath.Join(t.TempDir(), "run")
	c.Method.Steps, c.Method.Pairs = 3, 3
	c.Method.Params = []spsa.Param{{Name: "lmp_share", Start: 60, Min: 5, Max: 200, C: 10, Whole: true}}
	return c
}

// Each step has openings of its own, and a step always the same.
func TestStepsDiffer(t *testing.T) {
	t.Parallel()
	env := testEnv(Observer{})
	config := smallSPSA(t)
	require.NoError(t, os.MkdirAll(config.Out, 0o755))
	c := &spsaRun{SPSA: &config, env: &env, names: []string{"weight.mobility", "lmp_share"}}
	better, worse := c.with([]float64{90, 60}), c.with([]float64{-900, 60})
	openings := map[string]bool{}
	for k := 1; k <= 2; k++ {
		score, err := c.score(t.Context(), k, better, worse)
		require.NoError(t, err)
		require.Positive(t, score, "the better weight wins")
		back, err := c.score(t.Context(), k+10, worse, better)
		require.NoError(t, err)
		require.Negative(t, back)
		f, err := os.Open(filepath.Join(config.Out, stepFolder(k), tournament.GamesFile))
		require.NoError(t, err)
		g, err := record.NewReader(f, f.Name()).Read()
		require.NoError(t, errors.Join(err, f.Close()))
		openings[g.Opening] = true
	}
	require.Len(t, openings, 2)
}

// The manifest says how a run stands: in progress, stopped by its user, and finished.
func TestTuningStatus(t *testing.T) {
	t.Parallel()
	config := smallSPSA(t)
	status := func() tournament.Status { return manifestOf(t, config.Out).Status }
	ctx, cancel := context.WithCancel(t.Context())
	_, err := config.Run(ctx, testEnv(Observer{Step: func([]Line) {
		require.Equal(t, tournament.Running, status())
		cancel()
	}}))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, tournament.Interrupted, status())
	_, err = config.Run(t.Context(), testEnv(Observer{Step: func([]Line) { require.Equal(t, tournament.Running, status()) }}))
	require.NoError(t, err)
	require.Equal(t, tournament.Finished, status())
}

// programmed plays at random as an external program.
type programmed struct {
	agents.Agent
	program *agents.Program
}

func (a *programmed) Program() *agents.Program { return a.program }

// A tuning goes on with the engine that it began with, in each step and when it is resumed.
func TestTunedEngines(t *testing.T) {
	t.Parallel()
	was := &agents.Program{Name: "a", Files: map[string]string{"engine": "1"}}
	now := &agents.Program{Name: "a", Files: map[string]string{"engine": "2"}}
	found := was
	kind := random.Kind()
	kind.Name = "program"
	kind.Params = agents.ParamsOf(&struct {
		X int `param:"x" default:"60" check:"0..1000"`
	}{})
	kind.New = func(c agents.Config) (agents.Agent, error) {
		agent, err := random.Kind().New(c)
		return &programmed{agent, found}, err
	}
	c := smallSPSA(t)
	c.Agent, c.Engine, c.Method.Params[0].Name = spec(t, "program"), was, "x"
	env := testEnv(Observer{Step: func([]Line) { found = now }}) // built anew after the first step
	env.Registry = agents.NewRegistry(kind)
	_, err := c.Run(t.Context(), env)
	require.ErrorContains(t, err, `the engine of "tuned" has changed since the run began: the SHA-256 of engine was "1", now "2"`)
	text, err := os.ReadFile(filepath.Join(c.Out, ManifestFile))
	require.NoError(t, err)
	require.Regexp(t, `"engine": \{\s*"name": "a",\s*"files": \{\s*"engine": "1"`, string(text))
	require.NoDirExists(t, filepath.Join(c.Out, stepFolder(2)))

	c.Engine = now
	_, err = c.Run(t.Context(), env)
	require.ErrorContains(t, err, `the engine has changed since the run began: the SHA-256 of engine was "1", now "2"; put the old one back`)
	require.ErrorAs(t, err, new(*FolderError))
	found = was
	c.Engine = was
	env.Step = func([]Line) {}
	_, err = c.Run(t.Context(), env)
	require.NoError(t, err)
}
