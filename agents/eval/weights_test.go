package eval

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
	"gyges/agents/policy"
	"gyges/rules"
)

func TestDefaultsSuitEveryPreset(t *testing.T) {
	want := map[string]string{
		"standard": Standard, "italian": Standard, "leather": Standard, "turkish-advanced": Standard, "cosmoludo": Standard,
		"simplified": Simplified, "italian-simplified": Simplified, "turkish-basic": Simplified, "russian": Simplified,
		"kang": Kang, "italian-kang": Kang,
	}
	for name, family := range want {
		require.Equal(t, family, Family(rules.MustParse(name)), name)
	}
	for _, preset := range rules.Presets() {
		r := rules.MustParse(preset.Name)
		require.Contains(t, []string{Standard, Simplified, Kang}, Family(r), preset.Name)
		_, err := ForRules(r)
		require.NoError(t, err, preset.Name)
	}
}

// valid returns a weights file for standard rules as JSON fields.
func valid() map[string]any {
	weights := map[string]any{}
	for i, name := range Names() {
		weights[name] = float64(i) + 0.5
	}
	return map[string]any{
		"version":    1,
		"rules":      "standard",
		"weights":    weights,
		"provenance": map[string]any{"method": "test", "run": "r", "parent": "p", "seed": 7},
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

func TestReadRefuses(t *testing.T) {
	change := func(edit func(f, weights map[string]any)) string {
		f := valid()
		edit(f, f["weights"].(map[string]any))
		return encode(t, f)
	}
	text := encode(t, valid())
	for name, c := range map[string]struct{ text, want string }{
		"unknown feature": {change(func(_, w map[string]any) { w["charm"] = 1 }),
			`unknown feature "charm"; expected one of: tempo, only1`},
		"feature twice":  {strings.Replace(text, `"tempo":`, `"tempo":3,"tempo":`, 1), "weights.tempo: given twice"},
		"text as weight": {change(func(_, w map[string]any) { w["near"] = "12" }), "feature near: expected a number"},
		"huge weight": {change(func(_, w map[string]any) { w["near"] = 10001 }),
			"feature near: expected a weight from -10000 to 10000, found 10001"},
		"infinite weight": {strings.Replace(text, `"near":`, `"near":1e999,"nearly":`, 1),
			"feature near: expected a "},
		"NaN":           {strings.Replace(text, `"near":`, `"near":NaN,"nearly":`, 1), "expected JSON"},
		"later version": {change(func(f, _ map[string]any) { f["version"] = 2 }), "expected version 1, found 2"},
		"other rules": {change(func(f, _ map[string]any) { f["rules"] = "chess" }),
			`expected rules standard, simplified or kang, found "chess"`},
		"no weights": {change(func(f, _ map[string]any) { delete(f, "weights") }),
			`expected "weights": {feature: weight, …}`},
		"list of weights": {change(func(f, _ map[string]any) { f["weights"] = []int{1} }), "weights: expected an object"},
		"win scale": {change(func(f, _ map[string]any) { f["win_scale"] = -1 }),
			"win_scale: expected a number from 0 to 10000, found -1"},
		"unknown field":      {change(func(f, _ map[string]any) { f["wights"] = 1 }), `unknown key "wights", did you mean "weights"?`},
		"text after the end": {text + "{}", "after top-level value"},
		"empty file":         {"", "expected JSON"},
		"broken file":        {text[:40], "cut short"},
		"huge file":          {strings.Repeat(" ", maxFile) + text, "expected at most 2097152 bytes"},
	} {
		_, err := Read(strings.NewReader(c.text), "x.json")
		require.ErrorContains(t, err, c.want, name)
		for _, line := range strings.Split(err.Error(), "\n") {
			require.True(t, strings.HasPrefix(line, "weights x.json:"), "%s: %s", name, line)
		}
	}
}

// Rules and weights suffice; a file by hand gets all its mistakes at once, each with its line.
func TestReadByHand(t *testing.T) {
	w, err := Read(strings.NewReader(`{"rules": "kang", "weights": {"near": 12.5}}`), "x.json")
	require.NoError(t, err)
	want := Weights{Rules: Kang, Provenance: Provenance{Method: "hand-set"}, Source: "x.json"}
	*want.Feature("near") = 12.5
	require.Equal(t, want, w)

	_, err = Read(strings.NewReader(`{
  "rules": "checkers",
  "weights": {
    "naer": 3,
    "near": "3",
    "only1": 20000,
    "only2": [
      2
    ],
    "frnt": null,
    "mobility": 5
  },
  "nework": {},
  "version": 3,
  "win_scale": {}
}`), "x.json")
	require.EqualError(t, err, `weights x.json:13: unknown key "nework", did you mean "network"?
weights x.json:15: win_scale: expected a number, found an object
weights x.json:14: expected version 1, found 3
weights x.json:2: expected rules standard, simplified or kang, found "checkers"
weights x.json:10: unknown feature "frnt", did you mean "front"?
weights x.json:4: unknown feature "naer", did you mean "near"?
weights x.json:5: feature near: expected a number, found a text
weights x.json:6: feature only1: expected a weight from -10000 to 10000, found 20000
weights x.json:7: feature only2: expected a number, found a list`)
	_, err = Read(strings.NewReader("{\"weights\": {\n\"near\": 1,\n\"near\": 2}}"), "x.json")
	require.EqualError(t, err, "weights x.json:2: weights.near: given twice")
	_, err = Read(strings.NewReader("{\"weights\": {\n\"near\": 1,\n}}"), "x.json")
	require.ErrorContains(t, err, "weights x.json: expected JSON, found an error in line 3: ")
}

func TestReadRefusesPolicies(t *testing.T) {
	tables := func(edit func(map[string]any)) string {
		f, lists := valid(), map[string]any{}
		for i, name := range policy.Tables() {
			lists[name] = new(policy.Weights).Table(i)
		}
		edit(lists)
		f["policy"] = lists
		return encode(t, f)
	}
	w, err := Read(strings.NewReader(tables(func(l map[string]any) { l["start_end"].([]int16)[5] = -7 })), "x.json")
	require.NoError(t, err)
	require.Equal(t, int16(-7), w.Policy.Table(0)[5])
	w, err = Read(strings.NewReader(tables(func(l map[string]any) {
		maps.DeleteFunc(l, func(name string, _ any) bool { return policy.OfNetwork(name) })
	})), "x.json")
	require.NoError(t, err)
	require.False(t, w.Policy.HasNetwork())
	var written bytes.Buffer
	require.NoError(t, w.Write(&written))
	require.NotContains(t, written.String(), "network_")
	whole := tables(func(map[string]any) {})
	for name, c := range map[string]struct{ text, want string }{
		"no object":     {strings.Replace(whole, `"policy":{`, `"policy":1,"x":{`, 1), "policy: expected an object"},
		"number":        {strings.Replace(encode(t, valid()), `"version"`, `"policy":1,"version"`, 1), `policy: expected an object`},
		"unknown table": {tables(func(l map[string]any) { l["dorp"] = []int{} }), `policy: unknown table "dorp"`},
		"missing table": {tables(func(l map[string]any) { delete(l, "drop") }), "policy: table drop is missing"},
		"missing table of the network": {tables(func(l map[string]any) { delete(l, "network_drops") }),
			"policy: table network_drops is missing"},
		"huge row": {tables(func(l map[string]any) { l["network_ends"].([]int16)[0] = -policy.MaxRow - 1 }),
			"policy: table network_ends: expected numbers from -500 to 500, found -501"},
		"table twice": {strings.Replace(whole, `"drop":`, `"drop":[],"drop":`, 1), "policy.drop: given twice"},
		"short":       {tables(func(l map[string]any) { l["drop"] = []int{1} }), "policy: table drop: expected 648 numbers, found 1"},
		"fraction":    {tables(func(l map[string]any) { l["drop"].([]int16)[0] = 1; l["end"] = []any{0.5} }), "policy: end[0]: expected a whole number"},
		"huge weight": {tables(func(l map[string]any) { l["drop"].([]int16)[0] = policy.MaxWeight + 1 }),
			"policy: table drop: expected numbers from -8191 to 8191, found 8192"},
	} {
		_, err := Read(strings.NewReader(c.text), "x.json")
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestDefaultsHavePolicies(t *testing.T) {
	for _, family := range []string{Standard, Simplified, Kang} {
		w := Default(family)
		require.NotNil(t, w.Policy, family)
		require.True(t, w.Policy.HasNetwork(), family)
		require.Positive(t, w.WinScale, family)
		var text bytes.Buffer
		require.NoError(t, w.Write(&text))
		again, err := Read(&text, "")
		require.NoError(t, err)
		require.Equal(t, len(w.Network.folded()), len(again.Network.folded()))
		again.Network = w.Network // its units may be others
		require.True(t, w.Equal(&again))
		again.Policy[0]++
		require.False(t, w.Equal(&again))
	}
}

func TestLoadReadsFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.json")
	config := agents.Config{Registry: new(agents.Registry), Values: agents.Values{"weights": path}}
	leather := rules.MustParse("leather")
	_, err := Load(config, leather)
	require.ErrorIs(t, err, os.ErrNotExist)
	few := valid()
	few["weights"] = map[string]any{"near": 3, "tempo": 1}
	require.NoError(t, os.WriteFile(path, []byte(encode(t, few)), 0o600))
	w, err := Load(config, leather)
	require.NoError(t, err)
	require.Equal(t, Provenance{Method: "test", Run: "r", Parent: "p", Seed: 7}, w.Provenance)
	require.Equal(t, []float64{3, 1, 0}, []float64{*w.Feature("near"), *w.Feature("tempo"), *w.Feature("front")})
	want := "weights " + path + " are for standard rules; turkish-basic needs weights for simplified rules"
	_, err = Load(config, rules.MustParse("turkish-basic"))
	require.EqualError(t, err, want)
	config.Rules = []*rules.Rules{leather, rules.MustParse("turkish-basic")}
	_, err = FromConfig(config)
	require.EqualError(t, err, want)
}

// FuzzRead checks that whatever is read as weights can be used, and that nothing makes reading
// panic.
func FuzzRead(f *testing.F) {
	// a few kB: the embedded ones have a hundred times as many
	for _, family := range []string{Standard, Simplified, Kang} {
		w := Weights{Rules: family, Provenance: Provenance{Method: "x", Gain: &Gain{Measure: "Elo", Value: 1, Count: 2}}}
		*w.Feature("near"), w.Network = 2.5, &Network{}
		w.Network.W1[3][1] = -MaxW1
		var text bytes.Buffer
		require.NoError(f, w.Write(&text))
		f.Add(text.Bytes())
	}
	f.Add([]byte(`{"version":1,"rules":"kang","weights":{"tempo":1},"provenance":{"method":"x"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := Read(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		preset := map[string]string{Standard: "standard", Simplified: "simplified", Kang: "kang"}[w.Rules]
		_, err = New(w, rules.MustParse(preset))
		require.NoError(t, err)
	})
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Weights{Rules: rapid.SampledFrom([]string{Standard, Simplified, Kang}).Draw(t, "rules"), Source: "x.json"}
		for i := range names {
			w.Values[i] = rapid.Float64Range(-MaxWeight, MaxWeight).Draw(t, "weight")
		}
		w.Provenance = Provenance{Method: "test", Run: rapid.String().Draw(t, "run"), Seed: rapid.Uint64().Draw(t, "seed"),
			Data: "d", Version: "v"}
		if rapid.Bool().Draw(t, "measured") {
			w.Provenance.Gain = &Gain{Measure: "Elo", Value: 12.5, Margin: 7, Count: 400}
		}
		var out bytes.Buffer
		require.NoError(t, w.Write(&out))
		again, err := Read(&out, "x.json")
		require.NoError(t, err)
		require.Equal(t, w, again)
	})
}

func TestWriteRefusesWhatReadWould(t *testing.T) {
	for _, w := range []Weights{
		{Rules: "chess"},
		{Rules: Kang, Values: Vector{math.NaN()}},
		{Rules: Kang, Values: Vector{math.Inf(-1)}},
		{Rules: Kang, Values: Vector{2 * MaxWeight}},
		{Rules: Kang, Provenance: Provenance{Gain: &Gain{Value: math.NaN()}}},
	} {
		var out bytes.Buffer
		require.Error(t, w.Write(&out))
		require.Zero(t, out.Len())
		_, err := New(w, rules.MustParse("kang"))
		require.Equal(t, w.Provenance.Gain == nil, err != nil)
	}
}

func TestSingleWeightsAreChanged(t *testing.T) {
	values := agents.Values{"weights": DefaultName, "weight.near": "-2.5", "weight.tempo": "7", "depth": "3"}
	got, err := Load(agents.Config{Values: values}, rules.MustParse("kang"))
	require.NoError(t, err)
	want := Default(Kang)
	*want.Feature("near"), *want.Feature("tempo") = -2.5, 7
	require.Equal(t, want.Values, got.Values)

	values["weight.nearr"] = "1"
	_, err = FromConfig(agents.Config{Values: values})
	require.ErrorContains(t, err, `parameter weight.nearr: unknown feature "nearr", did you mean "near"?`)
}

// The evaluator of the game before is used again where the rules are the same.
func TestEvaluatorIsKept(t *testing.T) {
	var s Source
	evaluator := func(name string) *Evaluator {
		e, err := s.Evaluator(rules.MustParse(name))
		require.NoError(t, err)
		return e
	}
	first := evaluator("standard")
	require.Same(t, first, evaluator("standard"))
	require.NotSame(t, first, evaluator("standard:max_plies=9"))
	require.Equal(t, "kang", evaluator("kang").rules.String())
	require.Equal(t, first.weights, evaluator("standard").weights)
}

// The tags of the parameters say what the constants do.
func TestParams(t *testing.T) {
	list := Params()
	require.Equal(t, DefaultName, list[0].Default())
	require.True(t, list[0].IsFile("file.json"))
	require.Equal(t, ParamPrefix, list[1].Key)
	low, high := list[1].Bounds()
	require.Equal(t, []float64{-MaxWeight, MaxWeight}, []float64{low, high})
}
