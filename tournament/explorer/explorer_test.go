package explorer

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents/analysis"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

// mirroredText returns a position or move as text in the mirror: rows backwards, a for f and so on.
func mirroredText(text string) string {
	if board, rest, ok := strings.Cut(text, " "); ok {
		rows := strings.Split(board, "/")
		for i, row := range rows {
			letters := []byte(row)
			slices.Reverse(letters)
			rows[i] = string(letters)
		}
		return strings.Join(rows, "/") + " " + rest
	}
	if text == "pass" || text == "" {
		return text
	}
	text, goal := strings.CutSuffix(text, "-goal")
	text = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'f' {
			return 'a' + 'f' - r
		}
		return r
	}, text)
	if goal {
		text += "-goal"
	}
	return text
}

// drawRun draws games that transpose and mirror each other often: few openings, and few of the legal moves are played.
func drawRun(set string, seed uint64, pairs int) (games []*record.Record) {
	rng := rand.New(rand.NewPCG(seed, 1))
	r := rules.MustParse(set)
	setups := [2]rules.Position{r.RandomSetup(rng), r.RandomSetup(rng)}
	for n := range 2 * pairs {
		if n%2 == 0 {
			setups[0], setups[1] = setups[1], setups[0].Mirror()
		}
		game := rules.NewGame(r, setups[0])
		g := &record.Record{
			Game: int64(n), Pair: int64(n / 2), Rules: set, Opening: r.FormatPosition(setups[0]), Policy: "file:x",
			South: record.Player{Agent: string("ab"[n%2])}, North: record.Player{Agent: string("ba"[n%2])}, Moves: []string{},
			Timing: record.Timing{Start: time.Unix(int64(seed), 0).UTC()},
		}
		for {
			outcome, reason := game.Outcome()
			g.Result, g.Reason = outcome.String(), string(reason)
			if outcome != rules.Undecided {
				break
			}
			if rng.IntN(20) == 0 {
				g.Result, g.Reason = "0-1", record.Resignation
				break
			}
			m := game.Legal().At(rng.IntN(min(2, game.Legal().Len())))
			if image := m.Mirror(); rng.IntN(2) == 0 && game.Legal().Contains(image) {
				m = image
			}
			g.Moves = append(g.Moves, m.String())
			game.PlayLegal(m)
		}
		if g.Plies = game.Ply(); n%5 == 4 { // the whole game in the mirror
			g.Opening = mirroredText(g.Opening)
			for i, m := range g.Moves {
				g.Moves[i] = mirroredText(m)
			}
		}
		games = append(games, g)
	}
	return games
}

// slowly returns the results in a position by move or opening, counted by texts. Mirror images of openings count with
// whichever comes first as a text.
func slowly(t *testing.T, games []*record.Record, set, position string) map[string][3]int64 {
	rows := map[string][3]int64{}
	image := mirroredText(position)
	for _, g := range games {
		if g.Rules != set || len(g.Moves) == 0 {
			continue
		}
		seen := map[string]bool{}
		take := func(move string, side rules.Side) {
			if !seen[move] {
				seen[move] = true
				r := rows[move]
				r[record.HalfPoints(g.Result, side)]++
				rows[move] = r
			}
		}
		if position == "" {
			take(min(g.Opening, mirroredText(g.Opening)), rules.South)
			continue
		}
		game, err := record.Replay(g)
		require.NoError(t, err)
		p := game.Start()
		for i, move := range g.Moves {
			switch text := game.Rules().FormatPosition(p); {
			case text == position && text == image:
				take(min(move, mirroredText(move)), p.Side())
			case text == position:
				take(move, p.Side())
			case text == image:
				take(mirroredText(move), p.Side())
			}
			p = game.Rules().Apply(p, game.Moves()[i])
		}
	}
	return rows
}

// write makes the folder of a run.
func write(t *testing.T, dir string, games []*record.Record) Run {
	runtest.WriteRun(t, dir, "finished", runtest.Lines(games...))
	return runAt(t, filepath.Join(dir, tournament.GamesFile))
}

// runAt is a run as its file is now.
func runAt(t *testing.T, path string) Run {
	info, err := os.Stat(path)
	require.NoError(t, err)
	return Run{Name: filepath.Base(filepath.Dir(path)), Path: path, Size: info.Size(), Written: info.ModTime()}
}

// ask asks what was played in a position.
func ask(t *testing.T, s *Set, set, position string) ([]*Row, int) {
	t.Helper()
	g, err := analysis.Replay(rules.MustParse(set), position, nil)
	require.NoError(t, err)
	return s.Find(g)
}

// requireSame compares an answer with the slow one.
func requireSame(t *testing.T, s *Set, games []*record.Record, set, position string) (count int) {
	t.Helper()
	rows, count := ask(t, s, set, position)
	want, total := slowly(t, games, set, position), int64(0)
	require.Len(t, rows, len(want), position)
	most := rows[0].games()
	for _, row := range rows {
		text := row.Move
		if _, ok := want[text]; !ok && (position == "" || position == mirroredText(position)) {
			text = mirroredText(text)
		}
		require.Equal(t, want[text], row.Results, "%s: %s", position, text)
		require.LessOrEqual(t, row.games(), most)
		most, total = row.games(), total+row.games()
		played := games[slices.IndexFunc(games, func(o *record.Record) bool { return o.Game == row.Game })].Moves
		if position != "" {
			require.Contains(t, []string{row.Move, mirroredText(row.Move)}, played[row.Ply-1])
		}
	}
	require.EqualValues(t, total, count)
	return count
}

func TestAgainstSlow(t *testing.T) {
	for _, set := range []string{"simplified", "standard", "simplified:repetition=none,max_plies=60"} {
		others := drawRun("leather", 6, 1)
		others[0].Game, others[1].Game = 1000, 1001
		games := append(drawRun(set, 5, 60), others...)
		s := new(Set)
		s.Update(t.Context(), []Run{write(t, filepath.Join(t.TempDir(), "run"), games)})
		require.Equal(t, []string{set, "leather"}, s.RuleSets)
		requireSame(t, s, games, set, "")
		joined, mirrored := 0, 0
		for _, g := range games[:8] {
			game, err := record.Replay(g)
			require.NoError(t, err)
			p := game.Start()
			for i := range min(6, len(g.Moves)) {
				for k, q := range []rules.Position{p, p.Mirror()} {
					if requireSame(t, s, games, set, game.Rules().FormatPosition(q)) > 1 && i > 1 {
						joined++
						mirrored += k
					}
				}
				p = game.Rules().Apply(p, game.Moves()[i])
			}
		}
		require.Greater(t, min(joined, mirrored), 10, "the games must transpose")
	}
}

// A position that is its own image joins a move and the move's image.
func TestSymmetric(t *testing.T) {
	var games []*record.Record
	for n, move := range []string{"c1-c4", "d1-d4", "c1-c4"} {
		games = append(games, &record.Record{
			Game: int64(n), Pair: int64(n), Rules: "simplified", Opening: "123321/000000/000000/000000/000000/123321 s",
			Policy: "x", South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"}, Moves: []string{move}, Plies: 1,
			Result: "1-0", Reason: record.Resignation,
		})
	}
	s := new(Set)
	s.Update(t.Context(), []Run{write(t, filepath.Join(t.TempDir(), "run"), games)})
	requireSame(t, s, games, "simplified", games[0].Opening)
	rows, _ := ask(t, s, "simplified", games[0].Opening)
	require.Len(t, rows, 1)
	require.Equal(t, [3]int64{0, 0, 3}, rows[0].Results)
}

// What is appended or removed is seen, and copies count once.
func TestUpdate(t *testing.T) {
	const set = "simplified"
	dir := t.TempDir()
	games := slices.DeleteFunc(drawRun(set, 6, 40), func(g *record.Record) bool { return len(g.Moves) == 0 })
	run, other := write(t, filepath.Join(dir, "run"), games[:60]), write(t, filepath.Join(dir, "copy"), games[:30])
	s := new(Set)
	updated := func(want int, runs ...Run) {
		t.Helper()
		for i := range runs {
			runs[i] = runAt(t, runs[i].Path)
		}
		s.Update(t.Context(), runs)
		_, count := ask(t, s, set, "")
		require.Equal(t, want, count)
	}
	updated(0)
	updated(60, run, other)
	first := &s.turns[0]
	more := runtest.Lines(games[60:]...)
	runtest.AppendTo(t, run.Path, more[:len(more)-5]) // the last one has no end
	updated(len(games)-1, run, other)
	runtest.AppendTo(t, run.Path, more[len(more)-5:])
	updated(len(games), run, other)
	requireSame(t, s, games, set, "")
	require.Equal(t, *first, s.turns[0])

	updated(30, other)
	write(t, filepath.Join(dir, "copy"), games[:20])
	updated(20, other)
	require.NoError(t, os.Remove(other.Path))
	s.Update(t.Context(), []Run{other, run})
	require.Equal(t, []string{"left out: copy: no such file or directory"}, s.Notes())
	_, count := ask(t, s, set, "")
	require.Equal(t, len(games), count, "the others are read")
	gone := other
	write(t, filepath.Join(dir, "copy"), games[:20])
	s.Update(t.Context(), []Run{gone, run}) // which are as they were, as far as they say
	require.Empty(t, s.Notes())
}

// Under Kang, where nothing is set up, openings are listed if games began elsewhere than on the empty board.
func TestKangOpenings(t *testing.T) {
	r := rules.MustParse("kang")
	play := func(plies int, seed uint64) rules.Position {
		rng, g := rand.New(rand.NewPCG(seed, 2)), rules.NewGame(r, r.Start())
		for range plies {
			g.PlayLegal(g.Legal().At(rng.IntN(g.Legal().Len())))
		}
		return g.Position()
	}
	var games []*record.Record
	add := func(opening rules.Position) {
		g := rules.NewGame(r, opening)
		games = append(games, &record.Record{
			Game: int64(len(games)), Pair: int64(len(games)), Rules: "kang", Opening: r.FormatPosition(opening), Policy: "x",
			South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"}, Moves: []string{g.Legal().At(0).String()},
			Plies: 1, Result: rules.WinFor(opening.Side()).String(), Reason: record.Resignation,
		})
	}
	add(r.Start())
	s, path := new(Set), filepath.Join(t.TempDir(), "run")
	s.Update(t.Context(), []Run{write(t, path, games)})
	rows, count := ask(t, s, "kang", "")
	require.Equal(t, 1, count)
	require.Equal(t, games[0].Moves[0], rows[0].Move, "all began on the empty board")

	add(play(2, 1))
	add(play(2, 2))
	s.Update(t.Context(), []Run{write(t, path, games)})
	rows, count = ask(t, s, "kang", "")
	require.Equal(t, 3, count)
	require.Len(t, rows, 3)
	for i, row := range rows {
		require.Contains(t, row.Move, "/", "%d", i)
		require.EqualValues(t, 0, row.Ply)
	}
}

// The number of positions is bounded, and what is left out is told.
func TestFull(t *testing.T) {
	dir, games := t.TempDir(), drawRun("simplified", 6, 40)
	run, other := write(t, filepath.Join(dir, "run"), games), write(t, filepath.Join(dir, "other"), games[40:])
	s := &Set{most: 100}
	for range 2 {
		s.Update(t.Context(), []Run{run})
		require.LessOrEqual(t, len(s.turns), 100)
		require.Greater(t, len(s.turns), 50)
		require.Len(t, s.Notes(), 1)
		require.Regexp(t, `^only the first \d games were read, which have \d\d positions; the rest is left out$`, s.Notes()[0])
	}
	s.most = 0
	s.Update(t.Context(), []Run{run})
	require.NotEmpty(t, s.Notes(), "there is nothing new")
	s.Update(t.Context(), []Run{other, run})
	require.Empty(t, s.Notes())
	require.Equal(t, "other", s.games[0].run, "a new run makes room for itself")
}

// Games that can't be read or replayed are counted.
func TestUnreadable(t *testing.T) {
	games := drawRun("simplified", 4, 20)
	games[3].Moves[0] = "a1-f6"
	s, text := new(Set), runtest.Lines(games...)
	require.NoError(t, s.Read(t.Context(), &runs.File{In: strings.NewReader(text + "{}\n"), Name: "run"}))
	skipped := s.Reader.Skipped
	require.Equal(t, 2, skipped.Count(runs.Unreadable))
	require.Contains(t, skipped.Errors[0], "run: game 3: move 1: ")
	require.Contains(t, skipped.Errors[1], "run:41: ")
}
