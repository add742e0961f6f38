package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/progress"
	"gyges/tournament/record"
)

// meterTest is a meter with a clock and an output of its own.
type meterTest struct {
	*meter
	clock time.Time
	out   bytes.Buffer
}

// newMeterTest returns a meter of a number of games.
func newMeterTest(total int64) *meterTest {
	m := new(meterTest)
	m.measure(newMeter(&env{err: &output{w: &m.out}}, total))
	return m
}

// measure lets the test's clock be the meter's.
func (m *meterTest) measure(of *meter) {
	m.meter = of
	m.clock = of.start
	of.now = func() time.Time { return m.clock }
}

// play counts games, each of which takes a time.
func (m *meterTest) play(games int, each time.Duration) {
	for range games {
		m.clock = m.clock.Add(each)
		m.game(nil)
	}
}

// The speed of a run that goes on is that of its new games.
func TestProgressLines(t *testing.T) {
	m := newMeterTest(3600)
	m.play(250, 100*time.Millisecond)
	require.Equal(t, "100 of 3,600 games, 10 games/s, 5m50s left\n"+
		"200 of 3,600 games, 10 games/s, 5m40s left\n", m.out.String())

	m = newMeterTest(3600)
	m.reading = true
	m.play(595, time.Millisecond)
	m.resume(595, nil)
	m.play(100, 100*time.Millisecond)
	require.Equal(t, "resuming: 595 of 3,600 games done\n"+
		"695 of 3,600 games, 10 games/s, 4m51s left\n", m.out.String())
}

// In the first moments, and until each worker has played, nobody knows how long a run takes. Games
// that an earlier run left behind a gap are no part of its speed.
func TestProgressTimeLeft(t *testing.T) {
	m := newMeterTest(3600)
	m.bar = true
	m.few = 4
	m.resume(600, func(game int64) bool { return game < 600 })
	for _, c := range []struct {
		after time.Duration
		game  int64
		want  string
	}{
		{200 * time.Millisecond, 600, "601 of 3,600 games, 5 games/s, time left: unknown"},
		{4 * time.Second, 601, "602 of 3,600 games, 0.476 games/s, time left: unknown"},
		{time.Second, 599, "602 of 3,600 games, 0.476 games/s, time left: unknown"},
		{time.Second, 602, "603 of 3,600 games, 0.484 games/s, time left: unknown"},
		{1800 * time.Millisecond, 603, "604 of 3,600 games, 0.5 games/s, 1h39m52s left"},
	} {
		m.clock = m.clock.Add(c.after)
		m.game(&record.Record{Game: c.game})
		lines := strings.Split(strings.TrimSpace(m.out.String()), "\n")
		require.Contains(t, lines[len(lines)-1], c.want)
	}
}

// While a run goes on, a fault of its own games is a line.
func TestFaultsWhileARunGoesOn(t *testing.T) {
	m := newMeterTest(100)
	m.reading = true
	lost := func(game int64) {
		fault := &record.Fault{Side: "south", Kind: record.FaultCrash, Detail: "it ended\n"}
		player := record.Player{Agent: "ugi:cmd=x,name=A\x1b[2J"}
		m.game(&record.Record{Game: game, South: player, Fault: fault})
	}
	lost(0)
	m.resume(2, func(game int64) bool { return game == 0 || game == 7 })
	lost(1)
	lost(7)
	require.Equal(t, "resuming: 2 of 100 games done\n"+
		"A\\x1b[2J lost game 1 by a fault (crash): it ended\\n\n", m.out.String())
	require.Equal(t, 3, m.faults.Sorted()[0].Games, "all are counted")
}

// What a test takes is its forecast, not the most games that may be played.
func TestProgressOfATest(t *testing.T) {
	m := new(meterTest)
	config := tournament.DefaultMatch()
	config.SPRT = sprt.Default()
	config.Pairs = 100_000
	config.Agents = []agents.Spec{{Kind: "random"}, {Kind: "greedy"}}
	f := newObserver(&env{err: &output{w: &m.out}}, 0, &config, progress.Match)
	m.measure(f.meter)
	config.OnBegin(0, nil)
	for _, pairs := range []sprt.Pairs{{5, 5, 5, 5, 5}, {50, 150, 350, 180, 60}} {
		f.Run.Pairs = pairs
		m.done = 2*pairs.N() - 1
		m.play(1, lineEvery)
	}
	require.Equal(t, "50 games, 5 games/s, games left: unknown\n"+
		"LLR -0.01 (-2.94 to 2.94), Elo 0.0 ± 96.3 (95 %), pairs 5, 5, 5, 5, 5\n"+
		"1,580 games, 79 games/s, about 14,930 games, 3m9s left\n"+
		"LLR 0.87 (-2.94 to 2.94), Elo 11.0 ± 11.9 (95 %), pairs 50, 150, 350, 180, 60\n",
		m.out.String())
}

// On a terminal a bar and lines are drawn, and give way to what else is printed.
func TestBar(t *testing.T) {
	m := newMeterTest(4)
	m.bar = true
	m.state = func(int64) (string, int64) { return "a leads with 3 of 4 points", 4 }
	m.play(2, drawEvery)
	m.w.printf("a warning\n")
	m.end()
	const erase = "\r\x1b[K\x1b[1A\x1b[K\x1b[1A\x1b[K"
	const rest = " games, 10 games/s, time left: unknown\na leads with 3 of 4 points"
	parts := strings.Split(m.out.String(), erase)
	require.Len(t, parts, 3)
	require.Regexp(t, `^  25% \|█{17} {54}\|\n1 of 4`+rest, parts[0])
	require.Regexp(t, `^  50% \|█{35} {36}\|\n2 of 4`+rest, parts[1])
	require.Equal(t, "a warning\n", parts[2])
	require.Equal(t, " 100% |█|", barLine(5, 4, 9))
	require.Less(t, textfmt.Width(barLine(1, 2, 200)), 81)
}

// A run that goes on after step 50.
func TestStepsLines(t *testing.T) {
	var m meterTest
	for _, total := range []int64{300, 0} {
		v := learningView{e: &env{err: &output{w: &m.out}}}
		v.step(50, total, "steps, loss 0.5")
		m.measure(v.meter)
		for k := range int64(110) {
			m.clock = m.clock.Add(100 * time.Millisecond)
			v.step(51+k, total, "steps, loss 0.5")
		}
		v.end()
	}
	require.Equal(t, "150 of 300 steps, loss 0.5, 15s left\n150 steps, loss 0.5\n", m.out.String())
}
