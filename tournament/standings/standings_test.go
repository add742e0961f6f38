package standings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/ratings"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/runs"
	"gyges/tournament/schedule"
)

// recorded returns a line of records: a game of a pair, in which the first player has South if the
// number is even.
func recorded(number int64, rules, first, second, result string) string {
	g := record.Record{
		Game: number, Pair: number / 2, Rules: rules, Opening: "o", Policy: "random", Moves: []string{}, Result: result, Reason: "goal",
		South: record.Player{Agent: first}, North: record.Player{Agent: second},
	}
	if number%2 == 1 {
		g.South, g.North = g.North, g.South
	}
	text, err := record.Lines(&g)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// games returns records of three players under two rule sets.
func games(from, to int64) string {
	var b strings.Builder
	players := []string{"random", "greedy:name=g", "alphabeta:depth=2"}
	for i := from; i < to; i++ {
		rules := []string{"standard", "kang"}[i/30%2]
		b.WriteString(recorded(i, rules, players[i/2%3], players[(i/2+1)%3],
			[]string{"1-0", "0-1", "1/2-1/2", "1-0", "1-0"}[i%5]))
	}
	return b.String()
}

// begun returns standings in which a run with this id and schedule is begun.
func begun(id string, format schedule.Name) *Standings {
	s := New()
	s.Begin(&tournament.Manifest{ID: id, Inputs: tournament.Inputs{Config: tournament.Config{Schedule: format}}})
	return s
}

// read reads games as those of the run begun last.
func (s *Standings) read(t *testing.T, in *runs.Stream, text, name string) error {
	f := &runs.File{In: strings.NewReader(text), Name: name, Manifest: &s.run().manifest}
	return s.Read(t.Context(), in, f, nil)
}

func TestRead(t *testing.T) {
	t.Parallel()
	r, s := new(runs.Stream), begun("x", "")
	require.NoError(t, s.read(t, r, games(0, 60), "a"))
	s.Begin(&tournament.Manifest{ID: "x"})
	require.NoError(t, s.read(t, r, games(0, 62), "copy of a"))
	s.Begin(&tournament.Manifest{ID: "y"})
	require.NoError(t, s.read(t, r, games(0, 2), "b"))
	s.Begin(nil)
	require.NoError(t, s.read(t, r, "white,black,result\nrandom,greedy:name=g,1-0\nrandom,x,*\nx,y\n", "c.csv"))
	require.Equal(t, []string{
		"left out: 1 game that can't be read; the first is c.csv:4: expected at least 3 fields, found 2",
		"left out: 60 games whose id had come before; copies are counted once; the first is game 0",
		"left out: 1 game without a result yet",
	}, r.Notes())
	d := s.Data()
	require.Equal(t, []string{"alphabeta:depth=2", "g", "random"}, d.Players())
	require.Equal(t, 60+2+2+1, d.Games())
	require.Equal(t, 30+1+1, d.Pairs())

	fitted, err := s.Fit(t.Context(), ratings.Options{Anchors: []ratings.Anchor{{Name: "g"}}}, true)
	require.NoError(t, err)
	require.Equal(t, []string{"Rules not named", "Rules kang", "Rules standard"},
		[]string{fitted.Parts[0].Title, fitted.Parts[1].Title, fitted.Parts[2].Title})
	require.Equal(t, 65, fitted.All.Ratings.Games)

	part := New()
	part.Only = map[string]bool{"kang": true}
	require.NoError(t, part.read(t, new(runs.Stream), games(0, 62), "a"))
	require.Equal(t, 30, part.Data().Games())
	require.Equal(t, []string{"standard"}, part.Others)
	err = New().read(t, &runs.Stream{Strict: true}, games(0, 2)+"{}\n", "a")
	require.ErrorContains(t, err, "a:3: ")
}

// Players with one label are shown by their specs.
func TestLabels(t *testing.T) {
	t.Parallel()
	s := New()
	for i, name := range []string{"random", "greedy:name=random", "alphabeta:name=a", "mcts:name=a", "mcts:name=b"} {
		s.Add(&record.Record{Game: int64(i), Pair: int64(i), Rules: "standard", South: record.Player{Agent: name},
			North: record.Player{Agent: "x"}, Result: "1-0"})
	}
	require.Equal(t, agents.Names{"mcts:name=b": "b"}, s.Names())
}

// Runs whose pairings followed the results are rated with the prior for these, under
// the rule sets that they were played under, also with other runs.
func TestAdaptive(t *testing.T) {
	t.Parallel()
	causes := func(s *Standings) []ratings.PriorCause {
		rated, err := s.Fit(t.Context(), ratings.Options{}, false)
		require.NoError(t, err)
		var list []ratings.PriorCause
		for _, p := range rated.Parts {
			list = append(list, p.Ratings.Prior.Cause)
		}
		return list
	}
	kang := map[string]bool{"kang": true}
	swiss, both := begun("", "swiss"), begun("", schedule.RoundRobin)
	swiss.Only = kang
	require.NoError(t, swiss.read(t, new(runs.Stream), games(0, 62), "b"))
	require.Equal(t, []ratings.PriorCause{ratings.PriorAdaptive}, causes(swiss))
	require.NoError(t, both.read(t, new(runs.Stream), games(0, 30), "a"))
	both.Begin(&tournament.Manifest{Inputs: tournament.Inputs{Config: tournament.Config{Schedule: "swiss"}}})
	both.Only = kang
	require.NoError(t, both.read(t, new(runs.Stream), games(0, 62), "b"))
	require.Equal(t, []ratings.PriorCause{ratings.PriorAdaptive, ""}, causes(both)) // kang first
}

// Games that a fault decided are counted, also with each side taken for a player.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := New()
	for i := range int64(6) {
		g := &record.Record{
			Game: i, Pair: i / 2, Rules: "standard", South: record.Player{Agent: "ugi:cmd=x,name=mine"},
			North: record.Player{Agent: "random"}, Result: "0-1",
		}
		if i%2 == 1 {
			g.South, g.North, g.Result = g.North, g.South, "1-0"
		}
		if i < 3 {
			g.Fault = &record.Fault{Side: "south", Kind: record.FaultCrash}
		}
		s.Add(g)
	}
	fitted, err := s.Fit(t.Context(), ratings.Options{}, true)
	require.NoError(t, err)
	for name, want := range map[string]ratings.Faults{"mine": {Lost: 3}, "random": {Won: 3}} {
		p, _ := fitted.All.Ratings.Player(name)
		require.Equal(t, want, p.Faults)
	}
}
