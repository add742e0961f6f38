package configs

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/tuning/spsa"
)

func TestTuningReportsEverything(t *testing.T) {
	const names = "tempo, only1, only2, only3"
	for _, c := range []struct {
		method, text string
		want         []string // beginnings of the lines
	}{
		{"texel", "data: d\n", nil},
		{"texel",
			"name: ..\nrules: chess\nweights: default\nfeatures: [near, charm, near]\npositions: -1\nquiet: 1\nlambda: 0\nl2: -1\nscale: 3\niterations: many\nout: 5\nwidth: 1\n", []string{
				"1: name: expected 1 to 64 letters",
				"1: data: expected a folder of training positions, found none",
				"2: rules: unknown rules",
				`4: features[1]: unknown feature "charm"; expected one of: ` + names,
				"4: features[2]: near is listed twice",
				"5: positions: expected a number from 0 (all) to 1000000000, found -1",
				`6: quiet: expected true or false, found "1"`,
				"7: lambda: expected a number above 0, at most 1, found 0",
				"8: l2: expected a number from 0 to 1000, found -1",
				"9: scale: expected a number from 0 (it is fitted) to 2, found 3",
				`10: iterations: expected a whole number, found "many"`,
				`11: out: expected a folder, in quotes if it is a number, found "5"`,
				`12: unknown key "width" in a Texel tuning, expected one of: name, rules, data`,
			}},
		{"texel", "data: d\nleaves: true\nnetwork: {epochs: 5, rate: 0.01}\n", nil},
		{"texel", "data: d\nleaves: 2\nnetwork: {epochs: 0, batch: -1, rate: 2, decay: -1, seed: -1, layers: 7}\n", []string{
			`2: leaves: expected true or false, found "2"`,
			"3: network.seed: expected a whole number from 0",
			`3: network: unknown key "layers" in network, expected one of: units, epochs, batch, rate, decay, seed`,
			"3: network.epochs: expected a number from 1 to 10000, found 0",
			"3: network.batch: expected a number from 0 (for 512) to 1048576, found -1",
			"3: network.rate: expected a number from 0 (for 0.004) to 1, found 2",
			"3: network.decay: expected a number from 0 to 10, found -1",
		}},
		{"texel", "data: d\nnetwork: 5\n", []string{`2: network: expected network as keys and values, found "5"`}},
		{"texel", "rules: kang\ndata: d\nweights: ../agents/eval/weights/standard.json\n",
			[]string{"3: weights: weights ../agents/eval/weights/standard.json are for standard rules; kang needs weights for kang rules"}},
		{"texel", "data: d\nweights: no/file.json\n", []string{"2: weights: weights no/file.json"}},
		{"texel", "data: d\nlambda: .nan\nscale: .inf\n", []string{`2: lambda: expected a number, found ".nan"`,
			`3: scale: expected a number, found ".inf"`}},
		{"spsa", "agent: mcts\nparameters: {cpuct: {c: 0.1}}\n", nil},
		{"spsa", "steps: 5\n", []string{"1: parameters: expected some, found none",
			"1: agent: expected an agent spec, like alphabeta:depth=2, found none"}},
		{"spsa",
			"agent: mcts\nparameters:\n  d: {c: 1}\n  weights: {c: 1}\n  cpuct: {c: 0, start: -1, r: 11}\n  hash: {c: 0.2, max: 9999}\n  iterations: {c: 5}\n  weight.near: 4\n", []string{
				`3: parameters.d: unknown parameter "d"; expected one of: iterations, `,
				"4: parameters.weights: parameter weights is a text",
				"5: parameters.cpuct: expected a start from 0 to 100, found -1",
				"5: parameters.cpuct: expected a c above 0, at most max - min, found 0",
				"5: parameters.cpuct: expected an r from 0 (for 0.002) to 10, found 11",
				"6: parameters.hash: expected min and max from 1 to 4096, found 1 and 9999",
				"7: parameters.iterations: parameter iterations has no value in mcts; expected one to start from",
				`8: parameters.weight.near: expected a parameter as keys and values, found "4"`,
			}},
		{"spsa",
			"agent: mcts\nparameters:\n  cpuct: {c: 0, start: -1, r: 11}\n  hash: {c: 0.2}\nsteps: 0\npairs: -1\nalpha: 7\n", []string{
				"3: parameters.cpuct: expected a start from 0 to 100, found -1",
				"3: parameters.cpuct: expected a c above 0, at most max - min, found 0",
				"3: parameters.cpuct: expected an r from 0 (for 0.002) to 10, found 11",
				"4: parameters.hash: expected a c of at least 0.5 for whole numbers, found 0.2",
				"5: steps: expected a number from 1 to 1000000, found 0",
				"6: pairs: expected a number from 1 to 1000000, found -1",
				"7: alpha: expected a number from 0 (for 0.602) to 2, found 7",
			}},
		{"spsa", "agent: random\nparameters: {c: {c: 1}}\n",
			[]string{`1: agent: expected an agent with parameters to tune, found "random"`}},
		{"spsa",
			"agent: mcts:cpuct=x\nparameters: {cpuct: {c: 1}}\nverification: {every: -1, pairs: -2, sprt: 1}\nopenings: {plies: 99}\nseed: -1\nworkers: -1\n", []string{
				`1: agent: agent "mcts:cpuct=x": parameter cpuct: expected a number`,
				`3: verification: unknown key "sprt" in verification, expected one of: every, pairs`,
				"3: verification.every: expected a number from 0",
				"3: verification.pairs: expected a number from 0",
				"4: openings.plies: expected a number from 0 to 40, found 99",
				"5: seed: expected a whole number",
				"6: workers: expected a number from 0 (all cores)",
			}},
	} {
		path := write(t, c.text)
		if err := loadKind(c.method, path); len(c.want) > 0 {
			requireProblems(t, path, err, c.want...)
		} else {
			require.NoError(t, err)
		}
	}
}

// engine is an agent that announces options, or doesn't start.
type engine struct {
	nobody
	announced []agents.ParamDef
	err       error
}

func (e engine) Start(context.Context) error { return e.err }

func (e engine) Announced() []agents.ParamDef { return e.announced }

// The parameters of a tuning may be options of the agent's program, as it announces them.
func TestTuningOfEngines(t *testing.T) {
	reach, valid := agents.Declare("opt.reach", agents.Int, "3", "0", "10", nil)
	require.True(t, valid)
	free, valid := agents.Declare("opt.free", agents.Text, "", "", "", nil)
	require.True(t, valid)
	load := func(e engine, text string) (string, []spsa.Param, error) {
		options := agents.ParamsOf(&struct {
			Option string `param:"opt."`
		}{})
		made := func(agents.Config) (agents.Agent, error) { return e, nil }
		path := write(t, text)
		c, err := LoadSPSA(t.Context(), path, nil,
			agents.NewRegistry(agents.Kind{Name: "engine", Params: options, New: made}))
		return path, c.Method.Params, err
	}
	two := engine{announced: []agents.ParamDef{reach, free}}

	_, params, err := load(two, "agent: engine:opt.reach=5\nparameters:\n"+
		"  opt.reach: {c: 2, max: 8}\n  opt.free: {c: 1, start: 2, min: 1, max: 4, whole: true}\n")
	require.NoError(t, err)
	require.Equal(t, []spsa.Param{
		{Name: "opt.reach", Start: 5, Min: 0, Max: 8, C: 2, Whole: true},
		{Name: "opt.free", Start: 2, Min: 1, Max: 4, C: 1, Whole: true},
	}, params)
	_, params, err = load(engine{}, "agent: engine\nparameters: {opt.any: {c: 1, start: 0.5, min: 0, max: 1}}\n")
	require.NoError(t, err)
	require.Equal(t, []spsa.Param{{Name: "opt.any", Start: 0.5, Max: 1, C: 1}}, params)

	path, _, err := load(two, "agent: engine\nparameters:\n  opt.raech: {c: 1}\n  opt.reach: {c: 1, max: 11}\n"+
		"  opt.free: {c: 1, start: 1, min: 0}\n")
	requireProblems(t, path, err, `3: parameters.opt.raech: unknown parameter "opt.raech", did you mean "opt.reach"?`,
		"4: parameters.opt.reach: expected min and max from 0 to 10, found 0 and 11",
		"5: parameters.opt.free: expected numbers as start, min and max, found 1, 0 and +Inf; give what the engine doesn't announce")
	path, _, err = load(two, "agent: engine\nparameters: {opt.reach: {c: 1, whole: false}}\n")
	requireProblems(t, path, err, "2: parameters.opt.reach: expected whole: true, as its type is int")
	path, _, err = load(two, "rules: chess\nagent: engine\nparameters: {opt.raech: {c: 1}}\n")
	requireProblems(t, path, err, "1: rules: unknown rules")
	broken := engine{err: errors.Join(errors.New("no file a"), errors.New("no file b"))}
	path, _, err = load(broken, "steps: 5\nagent: engine\nparameters: {opt.reach: {c: 1}}\n")
	requireProblems(t, path, err, `2: agent: agent "engine": no file a`, `2: agent: agent "engine": no file b`)
}
