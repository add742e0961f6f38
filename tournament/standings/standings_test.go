package standings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/tournament"
	"gyges/tournament/record"
)

// recorded returns a line of records: a game of a pair, in which the first player has
// South if the number is even.
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
func begun(id string, format tournament.Format) *Standings {
	s := New()
	s.Begin(&tournament.Manifest{ID: id, Config: tournament.ManifestConfig{Schedule: format}})
	return s
}

func TestReader(t *testing.T) {
	t.Parallel()
	var r Reader
	s := begun("x", "")
	require.NoError(t, r.Read(t.Context(), strings.NewReader(games(0, 60)), "a", s))
	s.Begin(&tournament.Manifest{ID: "x"})
	require.NoError(t, r.Read(t.Context(), strings.NewReader(games(0, 62)), "copy of a", s))
	s.Begin(&tournament.Manifest{ID: "y"})
	require.NoError(t, r.Read(t.Context(), strings.NewReader(games(0, 2)), "b", s))
	s.Begin(nil)
	require.NoError(t,
		r.Read(t.Context(), strings.NewReader("white,black,result\nrandom,greedy:name=g,1-0\nrandom,x,*\nx,y\n"), "c.csv", s))
	require.Equal(t, []string{"standard", "kang", ""}, r.RuleSets)
	require.Equal(t, Skipped{
		Unreadable: 1, Errors: []string{"c.csv:4: expected at least 3 fields, found 2"}, Duplicate: 60, Again: "copy of a:1", Unfinished: 1,
	}, r.Skipped)
	d := s.Data()
	require.Equal(t, []string{"alphabeta:depth=2", "g", "random"}, d.Players())
	require.Equal(t, 60+2+2+1, d.Games())
	require.Equal(t, 30+1+1, d.Pairs())

	fitted, err := s.Fit(t.Context(), ratings.Options{Anchors: []ratings.Anchor{{Name: "g"}}}, true)
	require.NoError(t, err)
	require.Equal(t, []string{"Rules standard", "Rules kang", "Rules not named"},
		[]string{fitted.Parts[0].Title, fitted.Parts[1].Title, fitted.Parts[2].Title})
	require.Equal(t, 65, fitted.All.Ratings.Games)

	only, part := Reader{Rules: map[string]bool{"kang": true}}, New()
	require.NoError(t, only.Read(t.Context(), strings.NewReader(games(0, 62)), "a", part))
	require.Equal(t, 30, part.Data().Games())
	strict := Reader{Strict: true}
	err = strict.Read(t.Context(), strings.NewReader(games(0, 2)+"{}\n"), "a", New())
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
	require.Equal(t, map[string]string{"mcts:name=b": "b"}, func() map[string]string { s.Data(); return s.Labels() }())
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
	kang := Reader{Rules: map[string]bool{"kang": true}}
	swiss, both := begun("", tournament.Swiss), begun("", tournament.RoundRobin)
	require.NoError(t, kang.Read(t.Context(), strings.NewReader(games(0, 62)), "b", swiss))
	require.Equal(t, []ratings.PriorCause{ratings.PriorAdaptive}, causes(swiss))
	require.NoError(t, new(Reader).Read(t.Context(), strings.NewReader(games(0, 30)), "a", both))
	both.Begin(&tournament.Manifest{Config: tournament.ManifestConfig{Schedule: tournament.Swiss}})
	require.NoError(t, kang.Read(t.Context(), strings.NewReader(games(0, 62)), "b", both))
	require.Equal(t, []ratings.PriorCause{"", ratings.PriorAdaptive}, causes(both))
}

// The line of an unreadable record is counted from the beginning of the file.
func TestRunCountsLines(t *testing.T) {
	t.Parallel()
	var r Reader
	for range 3 {
		require.NoError(t, r.Append(t.Context(), strings.NewReader("{}\n{}\n"), tournament.GamesFile, New()))
	}
	require.Equal(t, 6, r.Skipped.Unreadable)
	for i, text := range r.Skipped.Errors {
		require.Contains(t, text, fmt.Sprintf("%s:%d: ", tournament.GamesFile, i+1))
	}
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

// What is left out of an import is named as it is of what is rated.
func TestGamesNamesDuplicates(t *testing.T) {
	var r Reader
	text := "id,white,black,result\n1,a,b,1-0\n2,b,a,1-0\n1,a,b,1-0\n"
	games := 0
	_, err := r.Games(t.Context(), source.CSV, strings.NewReader(text), "x.csv", "", func(*record.Record) error {
		games++
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 2, games)
	require.Equal(t, []string{"left out: 1 game whose id had come before; each id is counted once; the first is x.csv:4"},
		r.Skipped.Notes())
}
