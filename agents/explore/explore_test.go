package explore

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/eval"
	"gyges/agents/greedy"
	"gyges/agents/internal/agenttest"
	"gyges/agents/random"
	"gyges/rules"
)

// fixed is an explorer for which the i-th legal move is worth -10·i, and which proves a win where
// it is told to.
type fixed struct {
	agents.Base
	proves bool
}

func (*fixed) Capabilities() agents.Capabilities { return agents.Capabilities{Noise: true} }

func (*fixed) NewGame(context.Context, agents.Setup) error { return nil }

func (f *fixed) Choose(_ context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	noise := q.Noise
	if noise == nil {
		noise = func(rules.Move) agents.Score { return 0 }
	}
	if f.proves {
		return agents.Decision{Move: g.Legal().At(0), Scored: true, Score: agents.WinIn(3)}, nil
	}
	best, move := agents.Score(math.MinInt32), rules.NoMove
	for i := range g.Legal().Len() {
		m := g.Legal().At(i)
		if s := agents.Score(-10*i) + noise(m); s > best {
			best, move = s, m
		}
	}
	return agents.Decision{Move: move, Scored: true, Depth: 1, Nodes: 1}, nil
}

func registry() *agents.Registry {
	fixedKind := func(name string, proves bool) agents.Kind {
		return agents.Kind{Name: name, New: func(agents.Config) (agents.Agent, error) { return &fixed{proves: proves}, nil }}
	}
	return agents.NewRegistry(Kind(), fixedKind("fixed", false), fixedKind("sure", true), alphabeta.Kind(), greedy.Kind(),
		random.Kind(),
		agents.Kind{Name: "person", Interactive: true, New: func(agents.Config) (agents.Agent, error) { return nil, nil }})
}

func start(t *testing.T, spec string, g *rules.Game) agents.Agent {
	t.Helper()
	s, err := agents.ParseSpec(spec)
	require.NoError(t, err)
	a, err := registry().New(s)
	require.NoError(t, err)
	require.NoError(t, a.NewGame(t.Context(), agents.SetupOf(g, 1)))
	return a
}

// The evaluation is that of the agent it plays like.
func TestEvaluation(t *testing.T) {
	r := rules.MustParse("standard")
	p, err := r.ParsePosition("202110/000330/000000/000200/000100/030123 s")
	require.NoError(t, err)
	g := rules.NewGame(r, p)
	inner := agenttest.New(t, alphabeta.Kind(), "alphabeta:hash=1,weight.near=150", g)
	want, ok, err := eval.Of(inner, r)
	require.NoError(t, err)
	require.True(t, ok)
	got, ok, err := eval.Of(start(t, "explore:agent='alphabeta:hash=1,weight.near=150'", g), r)
	require.NoError(t, err)
	require.True(t, ok)
	embedded, ok, err := eval.Of(start(t, "explore:agent=random,temperature=0", g), r)
	require.NoError(t, err)
	require.False(t, ok)
	require.Equal(t, want.Score(g.Position()), got.Score(g.Position()))
	require.NotEqual(t, embedded.Score(g.Position()), got.Score(g.Position()))
}

// chiSquare returns the p-value of counts against probabilities.
func chiSquare(counts, p []float64) float64 {
	expected := slices.Clone(p)
	floats.Scale(floats.Sum(counts), expected)
	return distuv.ChiSquared{K: float64(len(counts) - 1)}.Survival(stat.ChiSquare(counts, expected))
}

// Moves are played with probabilities in proportion to exp(score/temperature).
// The seeds are fixed; a correct program would fail with one seed in 10,000.
func TestTemperature(t *testing.T) {
	g := rules.NewGame(rules.MustParse("simplified"), rules.MustParse("simplified").RandomSetup(rand.New(rand.NewPCG(1,
		1))))
	n := g.Legal().Len()
	for temperature, points := range map[string]float64{"0.1": 0.1, "0.5": 0.5, "3": 3} {
		p := make([]float64, n)
		for i := range p {
			p[i] = math.Exp(-0.1 * float64(i) / points)
		}
		floats.Scale(1/floats.Sum(p), p)
		a := start(t, "explore:agent=fixed,temperature="+temperature, g)
		counts := make([]float64, n)
		index := map[rules.Move]int{}
		for i := range n {
			index[g.Legal().At(i)] = i
		}
		for range 20_000 {
			d := agenttest.Ask(t, a, g, agents.Request{})
			counts[index[d.Move]]++
		}
		// Those that are hardly ever played count as one.
		for len(p) > 2 && p[len(p)-1] < 0.001 {
			k := len(p) - 1
			p[k-1] += p[k]
			counts[k-1] += counts[k]
			p, counts = p[:k], counts[:k]
		}
		require.Greater(t, chiSquare(counts, p), 1e-4, "temperature %s", temperature)
	}
}

// The share of random moves is as given, they are drawn uniformly, and none lets
// the opponent reach the goal. A correct program would fail with one seed in 10,000.
func TestRandomMoves(t *testing.T) {
	r := rules.MustParse("simplified")
	rng := rand.New(rand.NewPCG(4, 1))
	g := agenttest.RandomGame(r, rng, 6)
	harmless := map[rules.Move]int{}
	for m := range g.Legal().All() {
		if next := r.Apply(g.Position(), m); !r.CanReachGoal(next, next.Side()) {
			harmless[m] = len(harmless)
		}
	}
	require.Greater(t, len(harmless), 2)
	require.Less(t, len(harmless), g.Legal().Len())
	a := start(t, "explore:agent=fixed,temperature=0,random=0.25", g)
	counts, unscored := make([]float64, len(harmless)), 0
	const total = 20_000
	for range total {
		d := agenttest.Ask(t, a, g, agents.Request{})
		if d.Scored {
			require.Equal(t, g.Legal().At(0), d.Move)
			continue
		}
		unscored++
		require.Contains(t, harmless, d.Move)
		counts[harmless[d.Move]]++
	}
	require.InDelta(t, 0.25*total, unscored, 3.9*math.Sqrt(total*0.25*0.75))
	p := make([]float64, len(harmless))
	for i := range p {
		p[i] = 1 / float64(len(p))
	}
	require.Greater(t, chiSquare(counts, p), 1e-4)
}

func TestProvenResultsAndLatePliesArePlayedBest(t *testing.T) {
	r := rules.MustParse("standard")
	g := agenttest.RandomGame(r, rand.New(rand.NewPCG(1, 2)), 6)
	require.GreaterOrEqual(t, g.Ply(), 2)
	for _, spec := range []string{"explore:agent=sure,temperature=5,random=1",
		"explore:agent=fixed,temperature=5,random=1,plies=2"} {
		a := start(t, spec, g)
		for range 50 {
			d := agenttest.Ask(t, a, g, agents.Request{})
			require.Equal(t, g.Legal().At(0), d.Move)
		}
	}
}

func TestSpec(t *testing.T) {
	inner, err := agents.ParseSpec("alphabeta:depth=2,hash=1")
	require.NoError(t, err)
	for want, o := range map[string]Options{
		"explore:agent='alphabeta:depth=2,hash=1',temperature=0":                       {},
		"explore:agent='alphabeta:depth=2,hash=1',temperature=0.25,random=0.1,plies=7": {0.25, 0.1, 7},
	} {
		spec := Spec(inner, o)
		require.Equal(t, want, spec.String())
		back, err := agents.ParseSpec(want)
		require.NoError(t, err)
		require.Equal(t, spec, back)
		a, err := registry().New(spec)
		require.NoError(t, err)
		require.Equal(t, o, a.(*player).Options)
	}
	like, err := agents.ParseSpec("mcts:name=Ada,cpuct=1,clock=1m") // the name and the clock are those of the outer one
	require.NoError(t, err)
	require.Equal(t, "explore:agent=mcts:cpuct=1,temperature=0.5,name=Ada,clock=1m",
		Spec(like, Options{Temperature: 0.5}).String())
}

func TestBadSpecs(t *testing.T) {
	for spec, want := range map[string]string{
		"explore":                                   "expected agent=SPEC, the agent to play like",
		"explore:agent=":                            "expected text, found",
		"explore:agent=nobody":                      `unknown kind "nobody"`,
		"explore:agent=explore":                     "expected agent=SPEC",
		"explore:agent=greedy":                      "greedy does not explore by temperature; expected an agent that does, like alphabeta, or",
		"explore:agent=person,temperature=0":        `expected an agent that plays by itself, found "person"`,
		"explore:agent=random,temperature=11":       "parameter temperature: expected a number from 0 to 10",
		"explore:agent='alphabeta:depth=0'":         "parameter depth: expected a whole number from 1 to 64",
		"explore:agent=random,random=2":             "parameter random: expected a number from 0 to 1",
		"explore:agent=random,temperature=0,plies=": "parameter plies: expected a whole number",
	} {
		s, err := agents.ParseSpec(spec)
		require.NoError(t, err, spec)
		_, err = registry().New(s)
		require.ErrorContains(t, err, want, spec)
	}
}
