package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/progress"
	"gyges/tournament/record"
)

func TestRulesList(t *testing.T) {
	for text, want := range map[string][]string{
		"standard":      {"standard"},
		"standard,kang": {"standard", "kang"},
		"standard:null_move=allow,repetition=none,kang":   {"standard:null_move=allow,repetition=none", "kang"},
		"kang,standard:null_move=allow,italian:kang=true": {"kang", "standard:null_move=allow", "italian:kang=true"},
		"": nil, ",standard,": nil, "repetition=no": nil,
	} {
		var list rulesList
		err := list.UnmarshalText([]byte(text))
		require.Equal(t, want == nil, err != nil, text)
		require.Equal(t, strings.Join(want, ","), list.String(), text)
	}
}

func TestChangedRulesAreNamedAsTheyParse(t *testing.T) {
	for _, c := range []struct {
		base    string
		changes []string
		want    string
	}{
		{"standard", nil, "standard"},
		{"standard", []string{"null_move=allow"}, "standard:null_move=allow"},
		{"standard:max_plies=9", []string{"null_move=allow"}, "standard:null_move=allow,max_plies=9"},
		{"standard:max_plies=9", []string{"max_plies=400"}, "standard"},
		{"standard", []string{"max_plies=9", "max_plies=8"}, "standard:max_plies=8"},
	} {
		r, err := rules.MustParse(c.base).With(c.changes...)
		require.NoError(t, err)
		require.Equal(t, c.want, r.String())
		require.Equal(t, rules.MustParse(c.want).Options(), r.Options())
	}
}

func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := newMeter(&output{w: &out}, 300)
	now := p.start
	p.now = func() time.Time { return now }
	for range 250 {
		now = now.Add(100 * time.Millisecond)
		p.game(nil)
	}
	p.end()
	require.Equal(t, "100 of 300 games, 10 games/s, 20s left\n200 of 300 games, 10 games/s, 10s left\n", out.String())
}

// Rates are whole numbers with commas, however high they are.
func TestProgressRates(t *testing.T) {
	for games, want := range map[int64]string{5: "0.5 games/s", 1234: "123 games/s", 27_000: "2,700 games/s"} {
		var out bytes.Buffer
		m := newMeter(&output{w: &out}, 0)
		m.now = func() time.Time { return m.start.Add(lineEvery) }
		m.done = games
		m.show()
		require.Contains(t, out.String(), " games, "+want+", ")
	}
}

// The rate of a run that goes on is that of its new games.
func TestProgressOfAResumedRun(t *testing.T) {
	var out bytes.Buffer
	p := newMeter(&output{w: &out}, 3600)
	now := p.start
	p.now = func() time.Time { return now }
	p.reading = true
	for range 595 {
		now = now.Add(time.Millisecond)
		p.game(nil)
	}
	p.resume(595, nil)
	for range 100 {
		now = now.Add(100 * time.Millisecond)
		p.game(nil)
	}
	require.Equal(t, "resuming: 595 of 3,600 games done\n695 of 3,600 games, 10 games/s, 4m51s left\n", out.String())
}

// In the first moments, and until each worker has played, nobody knows how long a run takes. Games that an earlier run left
// behind a gap are no part of its speed.
func TestProgressTimeLeft(t *testing.T) {
	var out bytes.Buffer
	p := newMeter(&output{w: &out}, 3600)
	p.bar, p.few = true, 4
	now := p.start
	p.now = func() time.Time { return now }
	p.resume(600, func(game int64) bool { return game < 600 })
	last := func(after time.Duration, game int64) string {
		now = now.Add(after)
		p.game(&record.Record{Game: game})
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		return lines[len(lines)-1]
	}
	require.Contains(t, last(200*time.Millisecond, 600), "601 of 3,600 games, 5 games/s, time left: unknown")
	require.Contains(t, last(4*time.Second, 601), "602 of 3,600 games, 0.476 games/s, time left: unknown")
	require.Contains(t, last(time.Second, 599), "602 of 3,600 games, 0.476 games/s, time left: unknown")
	last(0, 602)
	require.Contains(t, last(2800*time.Millisecond, 603), "604 of 3,600 games, 0.5 games/s, 1h39m52s left")
}

// While a run goes on, a fault is a line that says whose and why, and so is a suspension; not those of an earlier run.
func TestFaultsWhileARunGoesOn(t *testing.T) {
	var out bytes.Buffer
	p := newMeter(&output{w: &out}, 100)
	p.reading = true
	lost := func(game int64, kind record.FaultKind, detail string) {
		p.game(&record.Record{Game: game, South: record.Player{Agent: "ugi:cmd=x,name=A\x1b[2J"},
			Fault: &record.Fault{Side: "south", Kind: kind, Detail: detail}})
	}
	lost(0, record.FaultCrash, "it ended")
	p.resume(2, func(game int64) bool { return game == 0 || game == 7 })
	require.Equal(t, "resuming: 2 of 100 games done\n", out.String())
	out.Reset()
	lost(1, record.FaultCrash, "it ended\n")
	lost(7, record.FaultCrash, "it ended")
	lost(8, record.FaultTimeout, "overran its clock")
	for game := range int64(5) {
		lost(9+game, record.FaultSuspended, "after 3 faults in a row")
	}
	require.Equal(t, "A\\x1b[2J lost game 1 by a fault (crash): it ended\\n\n"+
		"A\\x1b[2J lost game 8 by a fault (timeout): overran its clock\n"+
		"A\\x1b[2J was suspended after 3 faults in a row and plays no more, from game 9 on\n", out.String())
	faults := p.faults.Sorted()
	require.Len(t, faults, 3)
	require.Equal(t, 3, faults[1].Games, "all are counted")
	out.Reset()
	for game := range int64(50) {
		lost(20+game, record.FaultError, "no")
	}
	require.Equal(t, 10, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), "A\\x1b[2J lost game 29 by a fault (error): no; further ones are counted at the end\n")
}

// What a test takes is its forecast, not the most games that may be played.
func TestProgressOfATest(t *testing.T) {
	var out bytes.Buffer
	config := tournament.DefaultConfig()
	config.SPRT, config.Pairs = sprt.Default(), 100_000
	for _, text := range []string{"random:name=a", "random:name=b"} {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		config.Agents = append(config.Agents, spec)
	}
	f := newObserver(&env{err: &output{w: &out}}, 0, &config, progress.Match)
	p := f.meter
	now := p.start
	p.now = func() time.Time { return now }
	config.OnBegin(0, nil)
	play := func(pairs sprt.Pairs) {
		f.Run.Pairs = pairs
		p.done = 2*pairs.N() - 1
		now = now.Add(lineEvery)
		p.game(nil)
	}
	play(sprt.Pairs{5, 5, 5, 5, 5})
	play(sprt.Pairs{50, 150, 350, 180, 60})
	require.Equal(t, "50 games, 5 games/s, games left: unknown\n"+
		"LLR -0.01 (-2.94 to 2.94), Elo 0.0 ± 96.3 (95 %), pairs 5, 5, 5, 5, 5\n"+
		"1,580 games, 79 games/s, about 14,930 games, 3m9s left\n"+
		"LLR 0.87 (-2.94 to 2.94), Elo 11.0 ± 11.9 (95 %), pairs 50, 150, 350, 180, 60\n", out.String())
}

// On a terminal a bar and lines are drawn, and give way to what else is printed.
func TestBar(t *testing.T) {
	var out bytes.Buffer
	o := &output{w: &out}
	p := newMeter(o, 300)
	p.bar = true
	p.state = func(int64) (string, int64) { return "a leads with 3 of 4 points", 300 }
	now := p.start
	p.now = func() time.Time { return now }
	for range 2 {
		now = now.Add(drawEvery)
		p.game(nil)
	}
	o.printf("a warning\n")
	p.end()
	const erase = "\r\x1b[K\x1b[1A\x1b[K\x1b[1A\x1b[K"
	parts := strings.Split(out.String(), erase)
	require.Len(t, parts, 3)
	require.Regexp(t, `^   0% \|█* +\|\n1 of 300 games, 10 games/s, time left: unknown\na leads with 3 of 4 points$`, parts[0])
	require.Equal(t, "a warning\n", parts[2])
	for _, line := range strings.Split(parts[1], "\n") {
		require.Less(t, textfmt.Width(line), 80)
	}
}

func TestStepsLines(t *testing.T) {
	var out bytes.Buffer
	for _, total := range []int64{300, 0} {
		v := learningView{e: &env{err: &output{w: &out}}}
		v.step(50, total, "steps, loss 0.5") // a run that goes on after step 50
		now := v.meter.start
		v.meter.now = func() time.Time { return now }
		for k := range int64(110) {
			now = now.Add(100 * time.Millisecond)
			v.step(51+k, total, "steps, loss 0.5")
		}
		v.end()
	}
	require.Equal(t, "150 of 300 steps, loss 0.5, 15s left\n150 steps, loss 0.5\n", out.String())
}

func TestComplain(t *testing.T) {
	var out bytes.Buffer
	complain(&output{w: &out}, errString("one\n\ntwo \x1b[2J\u202e é\r\n"))
	require.Equal(t, "gyges: one\ngyges: two \\x1b[2J\\u202e é\\r\n", out.String())
}

type errString string

func (e errString) Error() string { return string(e) }

// The command that starts a worker can be copied from the terminal.
func TestInvitation(t *testing.T) {
	var players []agents.Spec
	for _, text := range []string{"random", "ugi:name=mine,cmd=./mine --fast"} {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		players = append(players, spec)
	}
	require.Equal(t, "The NATS server listens at nats://127.0.0.1:4222. To start a worker:\n"+
		"  gyges worker --nats nats://127.0.0.1:4222 --engine 'mine=./mine --fast'\n",
		(&queueFlags{}).invitation("nats://127.0.0.1:4222", players))
	f := queueFlags{accessFlags: accessFlags{User: "player", Cert: "cert.pem"}}
	name, err := os.Hostname()
	require.NoError(t, err)
	require.Equal(t, "The NATS server listens at tls://0.0.0.0:4222. To start a worker:\n"+
		"  gyges worker --nats tls://"+name+":4222 --tls-ca cert.pem\n"+
		"It needs GYGES_NATS_USER=player and GYGES_NATS_PASSWORD in its environment.\n",
		f.invitation("tls://0.0.0.0:4222", players[:1]))
}
