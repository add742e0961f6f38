package gameindex

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents/analysis"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/gamestats"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
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
func drawRun(set string, seed uint64, pairs int) (games []*record.Game) {
	rng := rand.New(rand.NewPCG(seed, 1))
	r := rules.MustParse(set)
	setups := [2]rules.Position{r.RandomSetup(rng), r.RandomSetup(rng)}
	for n := range 2 * pairs {
		if n%2 == 0 {
			setups[0], setups[1] = setups[1], setups[0].Mirror()
		}
		game := rules.NewGame(r, setups[0])
		g := &record.Game{
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

// slowRow is a row that is counted without an index.
type slowRow struct {
	results [3]int64
	pairs   map[int64][2]float64 // points and games
}

// slowly returns what was played in a position, as a text, by move or opening; the mirror images of openings count with
// whichever comes first.
func slowly(t *testing.T, games []*record.Game, set, position string) map[string]*slowRow {
	rows := map[string]*slowRow{}
	image := mirroredText(position)
	for _, g := range games {
		if g.Rules != set {
			continue
		}
		seen := map[string]bool{}
		take := func(move string, side rules.Side) {
			if seen[move] {
				return
			}
			seen[move] = true
			r := rows[move]
			if r == nil {
				r = &slowRow{pairs: map[int64][2]float64{}}
				rows[move] = r
			}
			points := record.HalfPoints(g.Result, side)
			r.results[points]++
			pair := r.pairs[g.Pair]
			r.pairs[g.Pair] = [2]float64{pair[0] + float64(points)/2, pair[1] + 1}
		}
		if position == "" {
			take(min(g.Opening, mirroredText(g.Opening)), rules.South)
			continue
		}
		game, err := record.Replay(g)
		require.NoError(t, err)
		p := game.Start()
		for i := 0; i <= len(g.Moves); i++ {
			move := ""
			if i < len(g.Moves) {
				move = g.Moves[i]
			} else if o, _ := game.Outcome(); o != rules.Undecided {
				break
			}
			switch text := game.Rules().FormatPosition(p); {
			case text == position && text == image:
				take(min(move, mirroredText(move)), p.Side())
			case text == position:
				take(move, p.Side())
			case text == image:
				take(mirroredText(move), p.Side())
			}
			if i < len(g.Moves) {
				p = game.Rules().Apply(p, game.Moves()[i])
			}
		}
	}
	return rows
}

const ended = "(ended)"

// write makes the folder of a run.
func write(t *testing.T, dir string, games []*record.Game) Run {
	runtest.WriteRun(t, dir, "finished", runtest.Lines(games...))
	return Run{Name: filepath.Base(dir), Path: filepath.Join(dir, tournament.GamesFile)}
}

// updated brings the indexes of a set up to date and returns how many games it has read.
func updated(t *testing.T, s *Set, runs ...Run) int {
	t.Helper()
	n, err := s.Update(t.Context(), runs, func(string, int64, int64) {})
	require.NoError(t, err)
	return n
}

// ask asks for all moves in a position.
func ask(t *testing.T, s *Set, set, position string, change ...func(*Query)) (*Answer, error) {
	t.Helper()
	g, err := analysis.Replay(rules.MustParse(set), position, nil)
	require.NoError(t, err)
	q := Query{Game: g, Games: 3}
	for _, f := range change {
		f(&q)
	}
	return s.Find(context.Background(), q)
}

// requireSame compares an answer with the slow one.
func requireSame(t *testing.T, games []*record.Game, set, position string, a *Answer) {
	t.Helper()
	want, total := slowly(t, games, set, position), int64(0)
	require.Len(t, a.Rows, len(want), position)
	for _, row := range a.Rows {
		text := row.Move
		switch {
		case position == "":
			text = min(text, mirroredText(text))
		case text == ended:
			text = ""
		case want[text] == nil && position == mirroredText(position):
			text = mirroredText(text)
		}
		r := want[text]
		require.NotNil(t, r, "%s: %s", position, text)
		require.Equal(t, r.results, row.Results, "%s: %s", position, text)
		var m gamestats.Moments
		for _, pair := range r.pairs {
			m.Add(pair[0], pair[1])
		}
		low, high := m.ShareInterval()
		require.InDeltaSlice(t, []float64{m.Ratio(), low, high}, []float64{row.Points, row.Low, row.High}, 1e-9)
		require.Len(t, row.Games, int(min(3, row.Total())))
		for _, g := range row.Games {
			played := games[slices.IndexFunc(games, func(o *record.Game) bool { return o.Game == g.Number })].Moves
			if position != "" && row.Move != ended {
				require.Contains(t, []string{row.Move, mirroredText(row.Move)}, played[g.Ply-1])
			}
		}
		total += row.Total()
	}
	require.Equal(t, total, a.Games)
}

func TestAgainstSlow(t *testing.T) {
	for _, set := range []string{"simplified", "standard", "simplified:repetition=none,max_plies=60"} {
		games := drawRun(set, 5, 60)
		run := write(t, filepath.Join(t.TempDir(), "run"), games)
		s := &Set{segmentBytes: 12_000}
		require.Equal(t, len(games), updated(t, s, run))
		require.Greater(t, len(s.indexes[0].Segments), 2)
		a, err := ask(t, s, set, "")
		require.NoError(t, err)
		requireSame(t, games, set, "", a)
		joined, mirrored := 0, 0
		for n, g := range games {
			game, err := record.Replay(g)
			require.NoError(t, err)
			p := game.Start()
			for i := range min(6, len(g.Moves)) {
				for k, q := range []rules.Position{p, p.Mirror()} {
					text := game.Rules().FormatPosition(q)
					a, err := ask(t, s, set, text)
					require.NoError(t, err)
					requireSame(t, games, set, text, a)
					if a.Games > 1 && i > 1 {
						joined++
						mirrored += k
					}
				}
				p = game.Rules().Apply(p, game.Moves()[i])
			}
			if n > 6 {
				break
			}
		}
		require.Greater(t, min(joined, mirrored), 10, "the games must transpose")
	}
}

// A position that is its own image joins a move and the move's image.
func TestSymmetric(t *testing.T) {
	r := rules.MustParse("simplified")
	var games []*record.Game
	for n, move := range []string{"c1-c4", "d1-d4", "c1-c4"} {
		games = append(games, &record.Game{
			Game: int64(n), Pair: int64(n), Rules: r.String(), Opening: "123321/000000/000000/000000/000000/123321 s", Policy: "x",
			South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"}, Moves: []string{move}, Plies: 1,
			Result: "1-0", Reason: record.Resignation,
		})
	}
	s := new(Set)
	updated(t, s, write(t, filepath.Join(t.TempDir(), "run"), games))
	a, err := ask(t, s, r.String(), games[0].Opening)
	require.NoError(t, err)
	requireSame(t, games, r.String(), games[0].Opening, a)
	require.Len(t, a.Rows, 1)
	require.Equal(t, [3]int64{0, 0, 3}, a.Rows[0].Results)
}

// An index is used again, extended, and made anew whenever it or the records are others.
func TestIndexOnDisk(t *testing.T) {
	const set = "simplified"
	dir := filepath.Join(t.TempDir(), "[run]")
	games := drawRun(set, 6, 40)
	run := write(t, dir, games[:60])
	records := filepath.Join(dir, tournament.GamesFile)
	again := func(want int) {
		t.Helper()
		s := &Set{segmentBytes: 9_000}
		require.Equal(t, want, updated(t, s, run))
		a, err := ask(t, s, set, "")
		require.NoError(t, err)
		require.EqualValues(t, 60, a.Games)
		require.Empty(t, s.Notes())
	}
	again(60)
	again(0)

	// appended records, the last one without an end at first
	s := &Set{segmentBytes: 9_000}
	updated(t, s, run)
	more := runtest.Lines(games[60:]...)
	runtest.AppendTo(t, records, more[:len(more)-5])
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := s.Update(ended, []Run{run}, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 19, updated(t, s, run))
	require.Zero(t, updated(t, s, run))
	runtest.AppendTo(t, records, more[len(more)-5:])
	require.Equal(t, 1, updated(t, s, run))
	a, err := ask(t, s, set, "")
	require.NoError(t, err)
	requireSame(t, games, set, "", a)

	// other records
	write(t, dir, games[:60])
	again(60)
	text, err := os.ReadFile(records)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(records, text, 0o644))
	require.NoError(t, os.Chtimes(records, time.Time{}, time.Unix(1, 0)))
	again(60)
	write(t, dir, append(slices.Clone(games[:59]), games[70]))
	again(60)

	// damaged files: no byte of them can be another one unnoticed
	index := filepath.Join(dir, "."+tournament.GamesFile+".index")
	entries, err := os.ReadDir(index)
	require.NoError(t, err)
	require.Greater(t, len(entries), 3)
	file := func(i int) string { return filepath.Join(index, entries[i].Name()) }
	for _, i := range []int{0, len(entries) - 1} {
		path := file(i)
		good, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, at := range []int{8, min(4085, len(good)/2), len(good) - 20, len(good) - 7} {
			bad := slices.Clone(good)
			bad[at] ^= 4
			for _, text := range [][]byte{bad, good[:at], nil} {
				require.NoError(t, os.WriteFile(path, text, 0o644))
				requireRepaired(t, run, set, games[0].Opening, append(slices.Clone(games[:59]), games[70]))
				require.NoError(t, os.WriteFile(path, good, 0o644)) // doesn't fit the others
				requireRepaired(t, run, set, games[0].Opening, append(slices.Clone(games[:59]), games[70]))
			}
		}
	}
	require.NoError(t, os.Remove(file(1)))
	requireRepaired(t, run, set, games[0].Opening, append(slices.Clone(games[:59]), games[70]))
}

// An index that somebody made to do harm, with right checksums, gives wrong answers or is made anew, and no more.
func TestHostileIndex(t *testing.T) {
	games := drawRun("simplified", 6, 10)
	run := write(t, filepath.Join(t.TempDir(), "run"), games)
	updated(t, new(Set), run)
	list := filepath.Join(filepath.Dir(run.Path), "."+tournament.GamesFile+".index", listFile)
	text, err := os.ReadFile(list)
	require.NoError(t, err)
	_, good, _ := strings.Cut(string(text), "\n")
	for key, values := range map[string][]string{
		"From": {"-1", "7", "9223372036854775807"}, "To": {"-1", "0", "7", "9223372036854775807"},
		"Turns": {"-1", "0", "1", "9223372036854775807"}, "ID": {"0"},
		"Segments": {"null", "[null]", "[{}]", "{}"}, "Pairings": {"null", `{"":5,"\n\n":99999999999}`, "[]"},
	} {
		for _, value := range values {
			bad := regexp.MustCompile(`"`+key+`":(\[.*\]|\{[^}]*\}|-?\d+)`).ReplaceAllLiteralString(good, `"`+key+`":`+value)
			require.NotEqual(t, good, bad)
			require.NoError(t, os.MkdirAll(filepath.Dir(list), 0o755))
			require.NoError(t, os.WriteFile(list, []byte(listSum([]byte(bad))+"\n"+bad), 0o644))
			s := new(Set)
			for range 3 {
				updated(t, s, run)
				least := -1000.
				_, err := ask(t, s, "simplified", games[0].Opening, func(q *Query) { q.MinElo = &least })
				if err != nil {
					require.ErrorIs(t, err, ErrDamaged)
				}
			}
		}
	}
}

// requireRepaired asks for openings and a position until the index is whole.
func requireRepaired(t *testing.T, run Run, set, opening string, games []*record.Game) {
	t.Helper()
	s := &Set{segmentBytes: 9_000}
	for _, position := range []string{"", opening} {
		for try := 0; ; try++ {
			updated(t, s, run)
			a, err := ask(t, s, set, position)
			if try == 0 && err != nil {
				require.ErrorIs(t, err, ErrDamaged)
				continue
			}
			require.NoError(t, err)
			requireSame(t, games, set, position, a)
			break
		}
	}
}

// Where nothing can be written an error says so.
func TestIndexNotWritten(t *testing.T) {
	games := drawRun("simplified", 7, 20)
	dir := filepath.Join(t.TempDir(), "run")
	run := write(t, dir, games)
	path := filepath.Join(dir, strings.Repeat("x", 250)) // the index's name would be too long
	require.NoError(t, os.Rename(run.Path, path))
	run.Path = path
	s := new(Set)
	_, err := s.Update(t.Context(), []Run{run}, func(string, int64, int64) {})
	require.ErrorContains(t, err, "run: the index can't be written beside the records: ")
	a, err := ask(t, s, "simplified", "")
	require.NoError(t, err)
	require.Zero(t, a.Games)
}

func TestFilters(t *testing.T) {
	games := append(drawRun("simplified", 8, 20), drawRun("standard", 9, 10)...)
	for i, g := range games {
		if g.Game = int64(i); i < 20 { // c always loses
			g.South.Agent, g.North.Agent, g.Result, g.Reason = "c", "a", "0-1", record.Resignation
		}
	}
	for i := range 20 { // the games had other ends
		n := max(0, len(games[i].Moves)-1)
		games[i].Moves, games[i].Plies = games[i].Moves[:n], n
	}
	dir := t.TempDir()
	runs := []Run{write(t, filepath.Join(dir, "run"), games), write(t, filepath.Join(dir, "copy"), games[:30]), {
		Name: "none", Path: filepath.Join(dir, "none"),
	}}
	s := new(Set)
	updated(t, s, runs...)
	require.Equal(t, []string{"simplified", "standard"}, s.RuleSets())
	require.Len(t, s.Notes(), 1)
	all, err := ask(t, s, "simplified", "")
	require.NoError(t, err)
	requireSame(t, games, "simplified", "", all)
	least := -1000.
	for _, want := range []int64{40, 20} {
		a, err := ask(t, s, "simplified", "", func(q *Query) { q.MinElo, q.Rows = &least, 1 })
		require.NoError(t, err)
		require.Equal(t, want, a.Games)
		require.Len(t, a.Rows, 1)
		least = -100
	}
	g, err := analysis.Replay(rules.MustParse("standard"), "", []string{"1@a1"})
	require.NoError(t, err)
	_, err = s.Find(t.Context(), Query{Game: g})
	require.ErrorIs(t, err, ErrPlacing)
}

// Runs are copies if all of their first records is the same.
func TestCopies(t *testing.T) {
	dir := t.TempDir()
	games := drawRun("simplified", 8, 2)
	games[0].South.Agent = strings.Repeat("a", 5000)
	runs := []Run{write(t, filepath.Join(dir, "run"), games), write(t, filepath.Join(dir, "copy"), games[:2])}
	games[0].Timing.Start = games[0].Timing.Start.Add(time.Second)
	runs = append(runs, write(t, filepath.Join(dir, "repeated"), games))
	s := new(Set)
	updated(t, s, runs...)
	a, err := ask(t, s, "simplified", "")
	require.NoError(t, err)
	require.EqualValues(t, 8, a.Games)
}

// A record that can't be read is named by where it is in the file, whatever the segment.
func TestUnreadableRecord(t *testing.T) {
	games := drawRun("simplified", 4, 20)
	run := write(t, filepath.Join(t.TempDir(), "run"), games)
	info, err := os.Stat(run.Path)
	require.NoError(t, err)
	runtest.AppendTo(t, run.Path, "{}\n")
	s := &Set{segmentBytes: 5_000}
	require.Equal(t, len(games), updated(t, s, run))
	require.Len(t, s.Notes(), 1)
	require.Contains(t, s.Notes()[0], fmt.Sprintf("of run that can't be replayed, 1; the first: the record at byte %d: ", info.Size()))
}

// An interruption keeps what was read; games that can't be replayed are counted.
func TestInterrupted(t *testing.T) {
	games := drawRun("simplified", 4, 40)
	games[3].Moves[0] = "a1-f6"
	run := write(t, filepath.Join(t.TempDir(), "run"), games)
	ctx, cancel := context.WithCancel(t.Context())
	s := new(Set)
	calls := 0
	_, err := s.Update(ctx, []Run{run}, func(string, int64, int64) {
		if calls++; calls == 10 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	a, err := ask(t, s, "simplified", "")
	require.NoError(t, err)
	require.EqualValues(t, 9, a.Games)
	updated(t, s, run)
	a, err = ask(t, s, "simplified", "")
	require.NoError(t, err)
	require.EqualValues(t, 79, a.Games)
	require.Contains(t, fmt.Sprint(s.Notes()), "can't be replayed, 1; the first: game 3: move 1")
}
