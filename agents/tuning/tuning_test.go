package tuning

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/eval"
	"gyges/agents/tuning/spsa"
	"gyges/agents/ugi"
	"gyges/rules"
)

func spec(t *testing.T, text string) agents.Spec {
	t.Helper()
	s, err := agents.ParseSpec(text)
	require.NoError(t, err)
	return s
}

func TestFind(t *testing.T) {
	t.Parallel()
	kang := eval.Default(eval.Kang)
	for _, c := range []struct {
		spec, rules, name string
		want              spsa.Param
	}{
		{"mcts:cpuct=0.7", "standard", "cpuct", spsa.Param{Start: 0.7, Max: 100}},
		{"mcts", "standard", "cpuct", spsa.Param{Start: 0.3, Max: 100}},
		{"alphabeta:rfp_margin=90", "standard", "rfp_margin", spsa.Param{Start: 90, Max: 20000, Whole: true}},
		{"alphabeta:weight.near=3.5", "kang", "weight.near", spsa.Param{Start: 3.5, Min: -10000, Max: 10000}},
		{"greedy", "kang", "weight.near", spsa.Param{Start: *kang.Feature("near"), Min: -10000, Max: 10000}},
	} {
		c.want.Name = c.name
		got, err := Find(builtin.Registry(), spec(t, c.spec), rules.MustParse(c.rules), nil, c.name)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

func TestFindRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ spec, name, want string }{
		{"mcts", "d",
			`unknown parameter "d"; expected one of: iterations, hash, cpuct, value_scale, prior_temperature, width_min, width_growth, width_root, final_share, weight.FEATURE`},
		{"mcts", "movetime", "parameter movetime is a duration; expected one of: iterations"},
		{"mcts", "weights", "parameter weights is a text"},
		{"mcts", "weight.", `unknown parameter "weight."`},
		{"mcts", "weight.nearr", `unknown feature "nearr", did you mean "near"?`},
		{"alphabeta", "depth", "parameter depth has no value in alphabeta; expected one to start from, like depth=1"},
		{"nobody", "c", "unknown kind"},
		{"mcts:cpuct=x", "cpuct", "expected a number"},
	} {
		_, err := Find(builtin.Registry(), spec(t, c.spec), rules.MustParse("standard"), nil, c.name)
		require.ErrorContains(t, err, c.want)
	}
}

// What an engine doesn't announce of an option is NaN, or an infinite bound.
func TestFindOptions(t *testing.T) {
	t.Parallel()
	declare := func(name string, kind agents.Type, initial, low, high string, choices ...string) agents.ParamDef {
		d, valid := agents.Declare("opt."+name, kind, initial, low, high, choices)
		require.True(t, valid)
		return d
	}
	announced := []agents.ParamDef{
		declare("reach", agents.Int, "3", "0", "10"), declare("share", agents.Float, "0.25", "-1", "1"),
		declare("open", agents.Int, "", "1", ""), declare("text", agents.Text, "1.75", "", ""),
		declare("bare", agents.Text, "", "", ""), declare("mode", agents.Text, "1", "", "", "1", "2"),
		declare("a,b", agents.Int, "1", "", ""), declare("flag", agents.Bool, "true", "", ""), declare("clear", agents.Button, "", "", ""),
	}
	registry := builtin.Registry(ugi.Kind(nil))
	const list = "opt.reach, opt.share, opt.open, opt.a,b, depth, nodes"
	for _, c := range []struct {
		spec, name string
		announced  []agents.ParamDef
		want       string
	}{
		{"ugi:cmd=e", "opt.reach", announced, "3 0 10 true"},
		{"ugi:cmd=e,opt.reach=7", "opt.reach", announced, "7 0 10 true"},
		{"ugi:cmd=e", "opt.share", announced, "0.25 -1 1 false"},
		{"ugi:cmd=e", "opt.open", announced, "NaN 1 +Inf true"},
		{"ugi:cmd=e", "opt.text", announced, "1.75 -Inf +Inf false"},
		{"ugi:cmd=e,opt.text=a", "opt.text", announced, "NaN -Inf +Inf false"},
		{"ugi:cmd=e", "opt.bare", announced, "NaN -Inf +Inf false"},
		{"ugi:cmd=e,opt.any=2", "opt.any", nil, "2 -Inf +Inf false"},
		{"ugi:cmd=e,depth=3", "depth", announced, "3 1 1000 true"},
		{"ugi:cmd=e,opt.Reach=7", "opt.reach", announced, "expected opt.reach in the agent's spec, found opt.Reach"},
		{"ugi:cmd=e", "opt.raech", announced, `unknown parameter "opt.raech", did you mean "opt.reach"?`},
		{"ugi:cmd=e", "opt.anything", announced, `unknown parameter "opt.anything"; expected one of: ` + list},
		{"ugi:cmd=e", "opt.mode", announced, "parameter opt.mode is a text; expected one of: " + list},
		{"ugi:cmd=e", "opt.flag", announced, "parameter opt.flag is a bool; expected one of: " + list},
		{"ugi:cmd=e", "opt.clear", announced, "parameter opt.clear is a button; expected one of: " + list},
		{"ugi", "opt.a,b", announced, `agent "ugi:opt.a,b=0": expected param=value, found "opt.a,b=0"; ` +
			"a name has no blanks before a dot, and a value with a comma stands in single quotes, like name='a,b'"},
		{"ugi:cmd=e", "cmd", nil, "parameter cmd is a text; expected one of: depth, nodes"},
		{"greedy", "opt.any", nil, `unknown parameter "opt.any"; expected one of: weight.FEATURE`},
	} {
		p, err := Find(registry, spec(t, c.spec), rules.MustParse("standard"), c.announced, c.name)
		got := fmt.Sprint(p.Start, p.Min, p.Max, p.Whole)
		if err != nil {
			got = err.Error()
		}
		require.Equal(t, c.want, got)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	s := spec(t, "mcts:cpuct=0.5,iterations=8")
	got := With(s, []string{"weight.near", "cpuct", "hash"}, []float64{-12.3456789, 1.0 / 3, 32})
	require.Equal(t, "mcts:cpuct=0.333333,iterations=8,weight.near=-12.3457,hash=32", got.String())
	require.Equal(t, "mcts:cpuct=0.5,iterations=8", s.String())
	_, err := builtin.Registry().New(got)
	require.NoError(t, err)
	got = With(spec(t, "alphabeta"), []string{"nodes", "weight.near"}, []float64{2e6, 1e-5})
	require.Equal(t, "alphabeta:nodes=2000000,weight.near=1e-05", got.String())
	_, err = builtin.Registry().New(got)
	require.NoError(t, err)
	got = With(spec(t, "ugi:opt.b=1"), []string{"opt.a", "opt.b", "opt.c"}, []float64{1e-5, 1.0 / 3, -2e7})
	require.Equal(t, "ugi:opt.b=0.333333,opt.a=0.00001,opt.c=-20000000", got.String())
}

func TestWeights(t *testing.T) {
	t.Parallel()
	registry := builtin.Registry()
	r := rules.MustParse("simplified")
	w, err := Weights(registry, spec(t, "greedy:weight.near=7"), r)
	require.NoError(t, err)
	want := eval.Default(eval.Simplified)
	*want.Feature("near") = 7
	require.Equal(t, want.Values, w.Values)
	_, err = Weights(registry, spec(t, "random"), r)
	require.ErrorContains(t, err, `agent "random" has no weights`)
	_, err = Weights(registry, spec(t, "greedy:weights=../eval/weights/standard.json"), r)
	require.ErrorContains(t, err, "weights ../eval/weights/standard.json are for standard rules")
}
