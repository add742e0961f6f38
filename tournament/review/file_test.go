package review

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/tournament/record"
)

// randomGames returns records of games of random moves, at most 50.
func randomGames(t *testing.T, ruleSet string, n int) []*record.Record {
	t.Helper()
	r, rng := rules.MustParse(ruleSet), rand.New(rand.NewPCG(4, 5))
	var list []*record.Record
	for i := range n {
		g := rules.NewGame(r, r.RandomSetup(rng))
		for o := rules.Undecided; o == rules.Undecided && g.Ply() < 50; o, _ = g.Outcome() {
			g.PlayLegal(g.Legal().At(rng.IntN(g.Legal().Len())))
		}
		var moves []string
		for _, m := range g.Moves() {
			moves = append(moves, m.String())
		}
		rec := played(t, ruleSet, r.FormatPosition(g.Start()), moves...)
		rec.Game = int64(i)
		list = append(list, rec)
	}
	return list
}

// collect reviews a list and returns the reviews, in the order in which they came.
func collect(t *testing.T, workers int, list []*record.Record) (games []*Review) {
	t.Helper()
	reviews := make([]*Review, len(list))
	require.NoError(t, Run(t.Context(), 300, workers, list, reviews, func(g *Review) error {
		games = append(games, g)
		return nil
	}))
	require.Equal(t, games, reviews)
	return games
}

// Reviews and their order are the same with any number of workers.
func TestWorkersDontMatter(t *testing.T) {
	list := randomGames(t, "simplified", 8)
	one := collect(t, 1, list)
	require.Len(t, one, 8)
	require.Equal(t, one, collect(t, 3, list))
	for i, g := range one {
		require.Equal(t, int64(i), g.Game)
	}
}

// A cancelled run passes on what was finished, and returns the context's error; an error of added ends it, too: it gets
// no other review, so that a full disk is told once.
func TestRunEnds(t *testing.T) {
	list := randomGames(t, "simplified", 6)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := Run(ctx, 300, 2, list, make([]*Review, 6), func(*Review) error {
		n++
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Positive(t, n)
	require.Less(t, n, 6)
	failed := errors.New("the disk is full")
	list = randomGames(t, "simplified", 60)
	for _, workers := range []int{1, 4} {
		n = 0
		err = Run(t.Context(), 1, workers, list, make([]*Review, len(list)), func(*Review) error {
			n++
			if n == 2 {
				time.Sleep(50 * time.Millisecond) // in which others are reviewed
				return failed
			}
			return nil
		})
		require.Equal(t, failed, err)
		require.Equal(t, 2, n)
	}
}

// What was added is found again, for the same record only, and an incomplete line is removed.
func TestFile(t *testing.T) {
	list := randomGames(t, "simplified", 2)
	games := collect(t, 0, list)
	path := filepath.Join(t.TempDir(), FileName)
	f, err := Open(t.Context(), path, 300, "test", nil)
	require.NoError(t, err)
	_, err = Open(t.Context(), path, 300, "test", nil)
	require.ErrorIs(t, err, files.ErrInUse)
	require.NoError(t, f.Append(games[0]))
	require.NoError(t, f.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(whole, `{"game":1,"rec`...), 0o600))

	other := *list[1]
	other.Game = 0 // another game has this number by now
	f, err = Open(t.Context(), path, 300, "another", []*record.Record{list[0], list[1], &other})
	require.NoError(t, err)
	require.Equal(t, []*Review{games[0], nil, nil}, f.Find(list[0], list[1], &other))
	require.NoError(t, f.Append(games[1]))
	require.NoError(t, f.Append(games[0]))
	require.NoError(t, f.Close())
	read, err := ReadFS(t.Context(), os.DirFS(filepath.Dir(path)))
	require.NoError(t, err)
	require.Equal(t, Header{formatVersion, 300, "test"}, read.Header)
	require.Equal(t, games, read.Games)
	read, err = ReadFS(t.Context(), os.DirFS(filepath.Dir(path)), list[1], &other)
	require.NoError(t, err)
	require.Equal(t, []*Review{games[1], nil}, read.Find(list[1], &other))
	require.Len(t, read.Games, 1, "those of a list alone")

	_, err = Open(t.Context(), path, 400, "test", nil)
	require.ErrorContains(t, err, "holds reviews with 300 nodes, found 400")
	f, err = Open(t.Context(), path, 0, "test", list[1:])
	require.NoError(t, err)
	require.EqualValues(t, 300, f.Nodes)
	require.Len(t, f.Games, 1)
	require.NoError(t, f.Close())

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = Open(ended, path, 300, "test", list)
	require.ErrorIs(t, err, context.Canceled)
	_, err = ReadFS(ended, os.DirFS(filepath.Dir(path)))
	require.ErrorIs(t, err, context.Canceled)
}

// A damaged or hostile file is refused with its line.
func TestBadFile(t *testing.T) {
	const header = `{"reviews":1,"nodes":300,"program":"x"}` + "\n"
	move := func(change string) string {
		m := `{"game":1,"record":"x","rules":"standard","south":"a","north":"b","result":"1-0","plies":1,"moves":[` +
			`{"ply":1,"side":"south","move":"a1-goal","mark":"best","before":1,"after":1,"loss":0,"best_score":1,"score":1,` +
			`"depth":1}],"south_moves":{},"north_moves":{}}` + "\n"
		old, replacement, _ := strings.Cut(change, "=>")
		require.Contains(t, m, old)
		return header + strings.Replace(m, old, replacement, 1)
	}
	read, err := Read(t.Context(), strings.NewReader(move("x=>y")), "f")
	require.NoError(t, err)
	require.Len(t, read.Games, 1)
	text := move("x=>y")
	text += strings.Repeat(text[len(header):], maxFile/(len(text)-len(header)))
	read, err = Read(t.Context(), strings.NewReader(text), "f", &record.Record{Game: 2})
	require.NoError(t, err)
	require.True(t, read.More)
	require.Empty(t, read.Games)
	for text, want := range map[string]string{
		strings.Repeat("0", maxLine+1):           "f:1: expected at most 8388608 bytes",
		"{}\n":                                   "f:1: expected the first line",
		"x\n":                                    "f:1: expected the first line",
		`{"reviews":2}` + "\n":                   "f:1: expected reviews of version 1, found 2",
		header + "{\n":                           "f:2: expected the review of a game",
		header + `{"evil":1}` + "\n":             "f:2: expected the review of a game",
		move(`"best","before"=>"evil","before"`): "f:2: expected the review of a game: move 1",
		move(`a1-goal=><script>`):                "move 1",
		move(`"before":1=>"before":7`):           "move 1",
		move(`"side":"south"=>"side":"east"`):    "move 1",
		move(`{"ply":1=>{"ply":-3`):              "move 1",
		move(`1-0=>2-0`):                         "a result",
	} {
		_, err := Read(t.Context(), strings.NewReader(text), "f")
		require.ErrorContains(t, err, want, text)
	}
}

// The loser's worst move since it was last expected to win is the decisive one; games lost by a fault have none.
func TestSummary(t *testing.T) {
	move := func(ply int, side string, before, after float64) Move {
		m := Move{Ply: ply, Side: side, Move: "a1-a2", Mark: Good, Before: before, After: after, Loss: before - after, Height: 2}
		if m.Loss >= Inaccurate {
			m.Mark, m.Kind = Mistake, Judgement
		}
		return m
	}
	g := &Review{South: "a", North: "b", Result: "0-1", Plies: 9, Moves: []Move{
		move(1, "south", 0.9, 0.2), move(2, "north", 0.8, 0.4), move(3, "south", 0.6, 0.55), move(4, "north", 0.5, 0.48),
		move(5, "south", 0.55, 0.3), move(6, "north", 0.7, 0.7), move(7, "south", 0.3, 0.22),
	}}
	g.summarize()
	require.Equal(t, 5, g.Decisive)
	require.Equal(t, []int{1, 2, 5}, g.Turning)
	s := new(Summary)
	s.Add(0, g)
	fault := &Review{South: "a", North: "b", Result: "0-1", Fault: true}
	fault.summarize()
	s.Add(0, fault)
	require.Equal(t, 2, s.Games)
	a, b := s.Players[0], s.Players[1]
	require.Equal(t, []any{"a", 2, 1, [3]int{0, 1, 0}, [4]int{0, 0, 1, 0}}, []any{a.Agent, a.Games, a.Lost, a.Thirds, a.Heights})
	require.Equal(t, []any{"b", 2, 0}, []any{b.Agent, b.Games, b.Lost})
	require.Equal(t, map[Kind]int{Judgement: 1}, a.Kinds)
	tables := s.Tables(strings.ToUpper)
	var cells []string
	for _, c := range tables[1].Rows[0] {
		cells = append(cells, c.Text)
	}
	require.Equal(t, []string{"A", "1", "0", "1", "0", "0", "0", "1", "0"}, cells)
	require.Equal(t, 4, a.Judged)
}

// Whatever a file holds, reading it ends without a panic, and games that it accepts can be counted.
func FuzzRead(f *testing.F) {
	const header = `{"reviews":1,"nodes":300,"program":"x"}` + "\n"
	f.Add(header)
	f.Add(header + `{"game":1,"record":"x","rules":"standard","south":"a","north":"b","result":"0-1","plies":1,"moves":[` +
		`{"ply":1,"side":"south","move":"a1-(a2)-a3","height":2,"mark":"blunder","kind":"judgement","before":0.9,"after":0.1,` +
		`"loss":0.8,"best_score":1,"score":1,"depth":1,"line":["a1-goal"]}],"south_moves":{},"north_moves":{}}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := Read(t.Context(), strings.NewReader(text), "f")
		if err != nil {
			return
		}
		require.False(t, read.More)
		s := new(Summary)
		for _, g := range read.Games {
			s.Add(0, g)
		}
		for _, table := range s.Tables(strings.Clone) {
			require.NoError(t, table.Write(io.Discard, grid.Text, grid.Options{}))
		}
	})
}
