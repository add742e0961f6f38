package tournament

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/ugi"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
	"gyges/tournament/record"
)

// External programs that misbehave lose their games with the right reason, and
// their last words are in the record; the others' games go on.
func TestMisbehavingEngines(t *testing.T) {
	t.Parallel()
	reasons := map[string]record.FaultKind{}
	c := testConfig(t, "random")
	c.Schedule = "gauntlet"
	for habit, kind := range map[string]record.FaultKind{
		"exit": record.FaultCrash, "hang": record.FaultTimeout, "twice": record.FaultProtocol, "illegal": record.FaultIllegal,
		"complains": "", "deaf": "", "good": "",
	} {
		timeouts := "" // short ones where a timeout is expected
		if kind == record.FaultTimeout {
			timeouts = ",move=1s,grace=500ms"
		}
		spec, err := agents.ParseSpec(ugitest.Spec(t, habit, ",name="+habit+timeouts)) // whose seeds are then fixed
		require.NoError(t, err)
		reasons[spec.String()] = kind
		c.Agents = append(c.Agents, spec)
	}
	c.Rules = []*rules.Rules{rules.MustParse("italian:null_move=allow,max_plies=12")}
	c.Pairs, c.Suspend, c.Workers = 1, 0, 16
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.Equal(t, Finished, s.Status)
	require.EqualValues(t, c.Games(), s.Played)
	faults := map[string]int{}
	for _, g := range readGames(t, c.Out) {
		requireSound(t, g)
		engine := g.South
		if engine.Agent == "random" {
			engine = g.North
		}
		if g.Fault == nil {
			require.Empty(t, g.Timing.Trace)
			continue // it may win or lose before it misbehaves
		}
		require.Equal(t, reasons[engine.Agent], g.Fault.Kind, "%s: %s", engine.Agent, g.Fault.Detail)
		require.Equal(t, engine.Agent == g.North.Agent, g.Fault.Side == "north")
		require.NotEmpty(t, g.Timing.Trace)
		faults[engine.Agent]++
	}
	for engine, kind := range reasons {
		require.Equal(t, kind != "", faults[engine] > 0, engine)
	}
}

// startless can't be started.
type startless struct{ picker }

func (*startless) Start(context.Context) error { return errTest }

// An engine that doesn't start plays no game, and leaves no folder behind; one that other games
// were played with before leaves those as they are.
func TestEnginesThatDoNotStart(t *testing.T) {
	t.Parallel()
	config := func(habit, more string) Config {
		c := testConfig(t, "random", ugitest.Spec(t, habit, ",name=mine"+more))
		c.Rules = []*rules.Rules{rules.MustParse("standard:max_plies=10")}
		return c
	}
	refused := func(c Config, want string) {
		t.Helper()
		s, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
		require.Zero(t, s)
	}
	for _, test := range []struct{ habit, more, want string }{
		{"stillborn", "", "the engine ended (exit status 7): no weights found"},
		{"mute", ",start=100ms", "the engine did not send ugiok within 100ms"},
		{"notready", ",ready=100ms", "the engine did not send readyok within 100ms"},
	} {
		c := config(test.habit, test.more)
		c.Out = filepath.Join(c.Out, "new")
		refused(c, test.want)
		require.NoDirExists(t, c.Out)
	}
	c := config("good", "")
	c.Rules = []*rules.Rules{rules.MustParse("simplified")}
	refused(c, "it lacks the option rules")

	c = config("good", "")
	c.Pairs = 100 // so that the run doesn't end before it is cancelled
	c.Workers = 1 // so that no game is ahead of an earlier one
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, c, testRegistry(nil), func(*record.Record) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	before := readGames(t, c.Out)
	kind := ugi.Kind(nil)
	kind.New = func(agents.Config) (agents.Agent, error) { return new(startless), nil }
	broken := withKind(kind)
	_, err = Run(t.Context(), c, broken, nil)
	require.ErrorIs(t, err, errTest)
	require.Equal(t, before, readGames(t, c.Out))
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.EqualValues(t, c.Games(), s.Played)
	s, err = Run(t.Context(), c, broken, nil)
	require.NoError(t, err, "it has ended, so nothing needs to start")
	require.Equal(t, s.Scheduled, s.Kept)
}
