package queue

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/random"
	"gyges/agents/ugi"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
	"gyges/tournament"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, err := agents.ParseSpec(ugitest.Spec(t, "good", ""))
	require.NoError(t, err)
	options := filepath.Join(t.TempDir(), "options")
	require.NoError(t, os.WriteFile(options, []byte("option wReach\noption scale type real min 0 max 2\n"), 0o600))
	typed, err := agents.ParseSpec(ugitest.Spec(t, options, ""))
	require.NoError(t, err)
	broken, err := agents.ParseSpec(ugitest.Spec(t, "stillborn", ""))
	require.NoError(t, err)
	t.Cleanup(func() { // after all of them
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, entries, "no command from the wire is run")
	})
	for name, test := range map[string]struct {
		agent  string
		pool   func(*Options)
		worker func(*WorkerOptions)
		change func(*tournament.Config)
		why    string
	}{
		"version": {"other", nil, func(o *WorkerOptions) { o.Version = "old" }, nil,
			`it is of version \"test\", this worker of \"old\"`},
		"unknown kind": {"slow", nil, func(o *WorkerOptions) { o.Registry = builtin.Registry() }, nil,
			`unknown kind \"slow\"`},
		"engine": {"ugi:name=other,cmd=touch " + dir + "/made", nil,
			func(o *WorkerOptions) { o.Allow.Engines = map[string]string{"one": "true"} },
			nil, `this worker has no engine \"other\"; its operator named one`},
		"engine that ends": {"ugi:name=mine,cmd=true", nil,
			func(o *WorkerOptions) { o.Allow.Engines = map[string]string{"mine": broken.Get("cmd")} },
			nil, `agent \"ugi:name=mine,cmd=true\": the engine ended (exit status 7): no weights found`},
		"engine's rules": {"ugi:name=mine,cmd=true", nil,
			func(o *WorkerOptions) { o.Allow.Engines = map[string]string{"mine": plain.Get("cmd")} },
			func(c *tournament.Config) { c.Rules = []*rules.Rules{rules.MustParse("kang:max_plies=20")} },
			"the engine can't play kang:max_plies=20: it lacks the option rules"},
		"engine's options": {"ugi:name=mine,cmd=true,opt.wReahc=1,opt.scale=3", nil,
			func(o *WorkerOptions) { o.Allow.Engines = map[string]string{"mine": typed.Get("cmd")} },
			nil, `option scale: expected a number from 0 to 2, found \"3\" agent \"ugi:name=mine,cmd=true,opt.wReahc=1,opt.scale=3\": ` +
				`unknown option \"wReahc\", did you mean \"wReach\"?`},
		"speed": {"other", func(o *Options) { o.Speed = func() float64 { return 1000 } },
			func(o *WorkerOptions) { o.Speed = 12 },
			func(c *tournament.Config) { c.Limits.MoveTime = time.Second }, "its times are for machines of 1000 positions a second, this one makes 12, more than 16 times off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testServer(t)
			startWorker(t, connect(t, s), test.worker)
			var log logged
			c := testConfig(t, 1, "random", test.agent)
			c.Executor = testPool(t, connect(t, s), func(o *Options) {
				o.Log = log.log()
				if test.pool != nil {
					test.pool(o)
				}
			})
			if test.change != nil {
				test.change(&c)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			go func() {
				for sleep(ctx, 10*time.Millisecond) {
					if strings.Contains(log.String(), "a worker doesn't play for this run") {
						cancel()
					}
				}
			}()
			sum, err := tournament.Run(ctx, c, withoutEngines(), nil)
			require.ErrorIs(t, err, context.Canceled, "not the deadline")
			require.Zero(t, sum.Played)
			require.Contains(t, log.String(), test.why)
		})
	}
}

func TestEnginesOfTheOperator(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	spec, err := agents.ParseSpec(ugitest.Spec(t, "good", ""))
	require.NoError(t, err)
	startWorker(t, connect(t, s), func(o *WorkerOptions) { o.Allow.Engines = map[string]string{"mine": spec.Get("cmd")} })
	// Two settings of one program have one entry.
	c := testConfig(t, 1, "ugi:engine=mine,name=a,cmd=true,opt.threads=1", "ugi:name=mine,cmd=true")
	c.Rules = []*rules.Rules{rules.MustParse("standard:max_plies=20")}
	c.OnRepetition = agents.Allow // which it doesn't know
	c.Executor = testPool(t, connect(t, s), nil)
	sum, err := tournament.Run(t.Context(), c, withoutEngines(), nil)
	require.NoError(t, err)
	require.Zero(t, sum.Faults, timeless(t, c.Out))
	require.Contains(t, timeless(t, c.Out), `"ugi:name=mine,cmd=true"`)
	require.Contains(t, timeless(t, c.Out), `"ugi:engine=mine,name=a,cmd=true,opt.threads=1"`)
}

// Workers can find every engine, and none in place of another.
func TestEngineKeys(t *testing.T) {
	for _, test := range []struct{ first, second, want string }{
		{"random", "ugi:cmd=a", `agent "ugi:cmd=a": expected engine=NAME or name=NAME`},
		{"random", "explore:temperature=0,agent='ugi:cmd=a'", "expected engine=NAME or name=NAME"},
		{"ugi:engine=x,name=a,cmd=a", "ugi:engine=x,name=b,cmd=b", `expected an engine=NAME of its own, found "x", by which workers find that with "cmd=a,dir="`},
		{"ugi:engine=x,name=a,cmd=a", "ugi:name=x,cmd=a,dir=b", `found "x", by which workers find`},
		{"ugi:engine=x,name=a,cmd=a", "ugi:engine=x,name=b,cmd=a", ""},
		{"ugi:name=a,cmd=a", "ugi:name=b,cmd=b", ""},
	} {
		c := testConfig(t, 1, test.first, test.second)
		err := Options{Registry: testRegistry()}.Check(&c)
		if test.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, test.want)
	}
}

// withoutEngines is a registry of a coordinator that starts no program: that of cmd isn't the
// worker's.
func withoutEngines() *agents.Registry {
	none := ugi.Kind(nil)
	none.New = random.Kind().New
	return registryOf(none)
}

// Agents that the operator doesn't allow, and files that aren't part of the run, are refused inside
// of others, too.
func TestAllowList(t *testing.T) {
	some := AllowList{Kinds: []string{"random", "explore"}}
	engine := AllowList{Engines: map[string]string{"one": "true"}}
	for _, test := range []struct {
		list       AllowList
		spec, want string
	}{
		{some, "greedy", "this worker's operator allows random, explore only"},
		{AllowList{Kinds: []string{"random"}}, "explore:temperature=0,agent=random", "this worker's operator allows random only"},
		{some, "explore:temperature=0,agent=greedy", "this worker's operator allows random, explore only"},
		{engine, "ugi:engine=other,name=one,cmd=true", `this worker has no engine "other"`},
		{engine, "ugi:name=other,cmd=true", `this worker has no engine "other"; its operator named one`},
		{engine, "explore:temperature=0,agent='ugi:name=other,cmd=true'", `this worker has no engine "other"`},
		{some, "ugi:name=one,cmd=true", "its operator named none"},
		{engine, "greedy:weights=/etc/passwd", `the file "/etc/passwd" is not part of the run`},
		{engine, "explore:temperature=0,agent='greedy:weights=/etc/passwd'", "is not part of the run"},
	} {
		spec, err := agents.ParseSpec(test.spec)
		require.NoError(t, err)
		_, err = test.list.registry(testRegistry(), nil, 1).New(spec)
		require.ErrorContains(t, err, test.want, test.spec)
	}
}
