package agents

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func parse(t require.TestingT, text string) Spec {
	s, err := ParseSpec(text)
	require.NoError(t, err)
	return s
}

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]Spec{
		"random":                   {Kind: "random"},
		"alphabeta:depth=4":        {Kind: "alphabeta", Params: []Param{{"depth", "4"}}},
		"mcts:iterations=5,c=0.5":  {Kind: "mcts", Params: []Param{{"iterations", "5"}, {"c", "0.5"}}},
		"ugi:cmd='a, b''c',opt.x=": {Kind: "ugi", Params: []Param{{"cmd", "a, b'c"}, {"opt.x", ""}}},
		"ugi:opt.Move Overhead=3,opt.Größe (MB)=,a=1": {Kind: "ugi", Params: []Param{{"opt.Move Overhead", "3"},
			{"opt.Größe (MB)", ""}, {"a", "1"}}},
		"ugi:cmd=a=b:c": {Kind: "ugi", Params: []Param{{"cmd", "a=b:c"}}},
	} {
		require.Equal(t, want, parse(t, text))
		require.Equal(t, text, want.String())
	}
}

func TestBadSpecs(t *testing.T) {
	for text, reason := range map[string]string{
		"":                         "expected kind",
		":depth=4":                 "expected kind",
		"alpha beta":               "expected kind",
		"7up":                      "expected kind",
		"alphabeta:":               "expected param=value",
		"alphabeta:depth":          "expected param=value",
		"alphabeta:depth=1,":       "expected param=value",
		"alphabeta:depth=1,depth=": "depth is given twice",
		"alphabeta:x='a":           `expected a closing single quote, found the end of "'a"`,
		"alphabeta:x='a'b":         "expected a comma",
		"alphabeta:x=a'b":          `single quotes around a value with a quote, which is doubled, like name='it''s'; found "a'b"`,
		`alphabeta:x="a,b"`:        `found "b\""; a name has no blanks before a dot, and a value with a comma stands in single quotes`,
		"ugi:op t.a=3":             `expected param=value, found "op t.a=3"; a name has no blanks before a dot, and`,
		"ugi:opt.a  b=3":           "expected param=value",
		"ugi:opt. a=3":             "expected param=value",
		"ugi:opt.a =3":             "expected param=value",
		"ugi:opt.a\tb=3":           "expected param=value",
		"ugi:opt.a\u00a0b=3":       "expected param=value",
		"ugi:opt.a\x1b=3":          "expected param=value",
		"ugi:opt.a\xff=3":          "expected param=value",
		"ugi:opt.a'b=3":            "expected param=value",
		strings.Repeat("a", 5000):  "at most 4096",
	} {
		_, err := ParseSpec(text)
		require.ErrorContains(t, err, reason, text)
	}
}

func TestSpecRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Spec{Kind: "kind"}
		for _, name := range []string{"a", "b.c", rapid.StringMatching(`opt\.[^\pC\pZ=,'"]( ?[^\pC\pZ=,'"\x{FFFD}]){0,30}`).Draw(t, "name")} {
			s.Params = append(s.Params, Param{name, rapid.String().Draw(t, name)})
		}
		require.Equal(t, s, parse(t, s.String()))
	})
}

func TestRegistry(t *testing.T) {
	made := Values{}
	r := NewRegistry(
		Kind{Name: "z"},
		Kind{Name: "a", Params: ParamsOf(&struct {
			Depth    int           `param:"depth" default:"2" check:"1..99"`
			C        float64       `param:"c" default:"0.5" check:"0..10"`
			MoveTime time.Duration `param:"movetime" check:"1ms..1h"`
			Mode     string        `param:"mode" default:"fast" choices:"fast|slow"`
			File     string        `param:"file"`
		}{}), New: func(c Config) (Agent, error) { made = c.Values; return nil, nil }},
	)
	require.Equal(t, "a", r.Kinds()[0].Name)
	_, err := r.New(Spec{"a", []Param{{"depth", "4"}, {"movetime", "1.5s"}}})
	require.NoError(t, err)
	require.Equal(t, Values{"depth": "4", "c": "0.5", "movetime": "1.5s", "mode": "fast"}, made)
	require.Equal(t, 4, made.Int("depth"))
	require.Equal(t, 0.5, made.Float("c"))

	for text, reason := range map[string]string{
		"b":               `unknown kind "b"; expected one of: a, z`,
		"z:x=1":           `unknown parameter "x"; z takes name, clock`,
		"a:dep=1":         `unknown parameter "dep", did you mean "depth"?`,
		"a:dpe=1":         "a takes depth, c, movetime, mode, file",
		"a:depth=0":       `parameter depth: expected a whole number from 1 to 99, found "0"`,
		"a:depth=1e3":     "expected a whole number",
		"a:depth=":        "expected a whole number",
		"a:c=NaN":         "expected a number from 0 to 10",
		"a:c=+Inf":        "expected a number from 0 to 10",
		"a:movetime=5":    "expected a time with its unit from 1ms to 1h",
		"a:mode=quick":    "expected fast, slow",
		"a:file=":         "expected text",
		"a:depth=x,c=y":   "parameter c",
		"a:depth=3,foo=z": "unknown parameter",
	} {
		_, err := r.New(parse(t, text))
		require.ErrorContains(t, err, reason, text)
	}
	require.Panics(t, func() { NewRegistry(Kind{Name: "a"}, Kind{Name: "a"}) })
}

// A parameter whose name ends in a dot stands for all that begin with it.
func TestPrefixParameters(t *testing.T) {
	r := NewRegistry(Kind{Name: "x", Params: ParamsOf(&struct {
		Any  string `param:"opt."`
		Deep int    `param:"opt.deep" check:"0..3"`
	}{})})
	for text, want := range map[string]Values{
		"x":                          {},
		"x:opt.a=1,opt.b.c=2":        {"opt.a": "1", "opt.b.c": "2"},
		"x:opt.deep=3,opt.deeper=99": {"opt.deep": "3", "opt.deeper": "99"},
	} {
		got, err := r.Values(parse(t, text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"x:opt=1", "x:opt.=1", "x:optic=1", "x:opt.deep=4", "x:other.a=1", "x:opt.a="} {
		_, err := r.Values(parse(t, text))
		require.Error(t, err, text)
	}
}

func TestScores(t *testing.T) {
	for score, want := range map[Score]int{WinIn(3): 3, -WinIn(2): -2, WinScore: 1000, MaxEval: 0, -MaxEval: 0} {
		plies, proven := score.Proven()
		require.Equal(t, want, plies)
		require.Equal(t, want != 0, proven)
	}
}

func TestTighterLimits(t *testing.T) {
	require.Equal(t, Limits{Depth: 2, Nodes: 5, MoveTime: 7},
		Limits{Depth: 3, Nodes: 5}.Tighter(Limits{Depth: 2, MoveTime: 7}))
}

func TestSpecWith(t *testing.T) {
	s := parse(t, "alphabeta:depth=4,threads=2,hash=1")
	require.Equal(t, "alphabeta:depth=4,threads=3,hash=1", s.With("threads", "3").String())
	require.Equal(t, "alphabeta:depth=4,threads=2,hash=1,nodes=9", s.With("nodes", "9").String())
	require.Equal(t, "alphabeta:depth=4,threads=2,hash=1", s.String())
}
