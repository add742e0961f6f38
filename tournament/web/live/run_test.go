package live

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/files"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
	"gyges/tournament/training"
	"gyges/tournament/web"
)

// A tail passes each line once and whole, in order, wherever the writer is cut short.
func TestTail(t *testing.T) {
	t.Parallel()
	text := ""
	for pair := range int64(3) {
		text += lines(drawPair(pair)...)
	}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 5))
		dir := t.TempDir()
		path := filepath.Join(dir, tournament.GamesFile)
		require.NoError(t, os.WriteFile(path, nil, 0o644))
		taken, at := "", 0
		tail := &tail{folder: os.DirFS(dir), most: []int64{1, 1500, readAtOnce}[seed%3]}
		for at < len(text) {
			n := min(1+rng.IntN(3000), len(text)-at)
			appendTo(t, path, text[at:at+n])
			at += n
			before := taken
			for any := true; any; {
				any = readTail(t, tail, &taken)
				require.True(t, any || !tail.behind)
			}
			require.True(t, strings.HasPrefix(taken, before))
			require.Equal(t, text[:strings.LastIndexByte(text[:at], '\n')+1], taken)
		}
		require.Equal(t, text, taken)
	}
}

// readTail reads what was appended and adds it to text.
func readTail(t *testing.T, tail *tail, text *string) bool {
	t.Helper()
	any, err := tail.read(func(r io.Reader) error {
		b, err := io.ReadAll(r)
		*text += string(b)
		return err
	})
	require.NoError(t, err)
	return any
}

func TestTailOfOtherFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, tournament.GamesFile)
	for _, text := range []string{"\n", "x\n", "\x00\n\n\n", `{"game":0}` + "\n", strings.Repeat("x", 3<<20) + "\n"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		got := ""
		readTail(t, &tail{folder: os.DirFS(dir), most: readAtOnce}, &got)
		require.Equal(t, text, got)
	}
	require.NoError(t, os.WriteFile(path, make([]byte, record.MaxLine+2<<20), 0o644))
	require.NoError(t, os.Truncate(path, 5*record.MaxLine)) // a hole: it takes no room
	_, err := (&tail{folder: os.DirFS(dir), most: readAtOnce}).read(nil)
	require.ErrorContains(t, err, "expected lines of at most")
}

// requireSame compares the page of run-y with that of run-x.
func requireSame(t *testing.T, x, y snapshot[*page]) {
	t.Helper()
	for name, p := range x.parts {
		require.Equal(t, strings.ReplaceAll(p.text, "run-x", "run-y"), y.parts[name].text, name)
	}
}

// eventsOf reads the events of a page until stop says that it has enough.
func eventsOf(t *testing.T, url string, each func(id string, parts map[string]json.RawMessage) (more bool)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Header.Set(web.PageHeader, "1")
	w, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = w.Body.Close() }()
	require.Equal(t, "text/event-stream", w.Header.Get("Content-Type"))
	in := bufio.NewReader(w.Body)
	for {
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var c struct {
				Version int64
				Parts   map[string]json.RawMessage
			}
			require.NoError(t, json.Unmarshal([]byte(data), &c))
			if !each(fmt.Sprint(c.Version), c.Parts) {
				return
			}
		}
	}
}

// Events hold what has changed and nothing else; who has missed some gets all
// that changed since, and who knows another server gets everything.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	s.Waits.Max = 2
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", lines(drawPair(0)...))
	url := listen(t, s) + "/run-events/match?after="
	first := ""
	eventsOf(t, url+"other-7", func(id string, parts map[string]json.RawMessage) bool {
		if first == "" {
			first = id
			require.Contains(t, parts, "section standings")
			require.Contains(t, parts, "section reproducibility")
			require.Contains(t, string(parts["facts"]), `{"Name":"games","Value":"2"}`)
			require.NotContains(t, string(parts["section standings"]), "<script>")
			appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(drawPair(1)...))
			return true
		}
		require.NotEqual(t, first, id)
		require.Contains(t, string(parts["facts"]), `{"Name":"games","Value":"4"}`)
		require.Contains(t, parts, "section standings")
		require.Contains(t, string(parts["section reproducibility"]), "4 of 100")
		require.NotContains(t, parts, "running", "it still runs")
		require.NotContains(t, parts, "contents")
		var latest []boardGame
		require.NoError(t, json.Unmarshal(parts["latest"], &latest))
		require.Len(t, latest, 4)
		require.Equal(t, "1.3", latest[0].Game.ID)
		require.Equal(t, "b", latest[0].South)
		return false
	})
	eventsOf(t, url+first, func(_ string, parts map[string]json.RawMessage) bool {
		require.Contains(t, string(parts["facts"]), `"4"`)
		require.NotContains(t, parts, "running")
		return false
	})
	for range s.Waits.Max { // both have ended
		require.Eventually(t, func() bool { return s.Waits.Acquire("127.0.0.1") }, time.Minute, 5*time.Millisecond)
	}
}

// A run whose records are replaced is read anew.
func TestReplacedRecords(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", lines(append(drawPair(0), drawPair(1)...)...))
	games := func() string {
		return s.run("match").feed.now(0).page.Facts[0].Value
	}
	require.Equal(t, "4", games())
	writeRun(t, dir, "running", lines(drawPair(2)...))
	require.Equal(t, "2", games())
	writeRun(t, dir, "running", "")
	require.Equal(t, "0", games())
	writeRun(t, dir, "running", "nonsense\n"+lines(drawPair(2)...))
	require.Equal(t, "2", games())
	require.NoError(t, os.Remove(filepath.Join(dir, tournament.GamesFile)))
	require.Equal(t, "0", games())
}

// Of a large run the page says how much is read, until the page is the same as that of a run read at once.
func TestLargeRunIsReadInParts(t *testing.T) {
	t.Parallel()
	text := ""
	for pair := range int64(20) {
		text += lines(drawPair(pair)...)
	}
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "run-x"), "running", text)
	writeRun(t, filepath.Join(s.results, "run-y"), "running", text)
	whole := s.run("run-x").feed.now(0)

	s.maxRead = 1000
	r := s.run("run-y")
	for range 2 { // so that nothing more is read
		end, err := s.Reads.Turn(t.Context(), "")
		require.NoError(t, err)
		defer end()
	}
	require.Contains(t, s.get("/").Body.String(), "run-y", "the list doesn't wait")
	first := r.feed.now(s.pollInterval)
	require.Contains(t, first.parts["summary"].text, "Reading the records: ")
	require.Equal(t, "true", first.parts["reading"].text)
	require.Equal(t, `[{"id":"games","title":"Games"}]`, first.parts["contents"].text)
	var now snapshot[*page]
	require.Eventually(t, func() bool {
		now = r.feed.now(s.pollInterval)
		return now.parts["reading"].text == "false"
	}, time.Minute, time.Millisecond)
	requireSame(t, whole, now)
}

// The list counts the games of large files bit by bit.
func TestListCountsLargeFilesLater(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "large")
	const game = `{"game":1234567,"moves":[]}`
	writeRun(t, dir, "", strings.Repeat(game+strings.Repeat(" ", 100)+"\n", 9))
	s.maxRead = 64 // a line each time
	writeRun(t, filepath.Join(s.results, "small"), "", lines(drawPair(0)...))
	counts := func() []string {
		list := s.entries()
		var text []string
		for _, e := range list {
			text = append(text, fmt.Sprint(e.ID, " ", e.Games, " ", e.Counting))
		}
		return text
	}
	require.ElementsMatch(t, []string{"large 8 true", "small 2 false"}, counts())
	require.ElementsMatch(t, []string{"large 9 false", "small 2 false"}, counts())
	require.Regexp(t, `(?s)href="/run/large">.*<td>9</td>`, s.get("/").Body.String())
}

// Curves of a tuning without games are shown, and follow their file.
func TestTuningWithoutGames(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "tuning")
	require.NoError(t, os.Mkdir(dir, 0o755))
	path := filepath.Join(dir, training.HistoryFile)
	require.NoError(t, os.WriteFile(path, []byte(`{"step":1,"loss":0.7,"parameters":{"<b>tempo</b>":1}}`+"\n"), 0o644))
	list := s.get("/").Body.String()
	require.Contains(t, list, "/run/tuning")
	require.Contains(t, list, `badge tuning"`)
	first := s.run("tuning").feed.now(0).parts["section history"].text
	require.Contains(t, first, "Loss")
	appendTo(t, path, `{"step":2,"loss":0.6,"parameters":{"<b>tempo</b>":3}}`+"\n")
	second := s.run("tuning").feed.now(0).parts["section history"].text
	require.NotEqual(t, first, second)
	page := s.get("/run/tuning")
	require.Equal(t, http.StatusOK, page.Code)
	require.NotContains(t, page.Body.String(), "<b>tempo")
}

// The page of a Swiss tournament has its standings, also while it is played and after the records were read in parts.
func TestSwissPage(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "swiss")
	writeSwiss(t, dir)
	path := filepath.Join(dir, tournament.GamesFile)
	all, err := os.ReadFile(path)
	require.NoError(t, err)
	first := len(lines(drawPair(0)...))
	require.NoError(t, os.WriteFile(path, all[:first], 0o644))
	standings := func() string { return s.run("swiss").feed.now(0).parts["section standings"].text }
	require.Contains(t, standings(), "Swiss, standings after round 1 of 2")
	require.NotContains(t, standings(), "final table")
	appendTo(t, path, string(all[first:]))
	require.Contains(t, standings(), "Swiss, final table after 2 rounds")
	require.Contains(t, s.get("/run/swiss").Body.String(), "the Swiss tournament with")
}

// The page says what is wrong with the records, and which games are missing.
func TestDamagedRunPage(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for name, c := range map[string]struct {
		damage func(records string) string
		want   []string
	}{
		"whole": {func(text string) string { return text }, nil},
		"joined": {func(text string) string { return strings.Replace(text, "\n", "", 1) }, []string{
			"games.jsonl:1: expected a game record: another one begins in byte",
			"games.jsonl has 2 of the 4 games that were played by its manifest.json"}},
	} {
		dir := filepath.Join(s.results, name)
		writeSwiss(t, dir)
		path := filepath.Join(dir, tournament.GamesFile)
		records, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, []byte(c.damage(string(records))), 0o644))
		page := s.get("/run/" + name).Body.String()
		for _, want := range c.want {
			require.Contains(t, page, want, name)
		}
		if c.want == nil {
			require.NotContains(t, page, "left out")
			require.NotContains(t, page, "checksums")
		}
	}
	require.NoError(t, os.Truncate(filepath.Join(s.results, "whole", tournament.ManifestFile), 9))
	require.Eventually(t, func() bool {
		return strings.Contains(s.get("/run/whole").Body.String(), "manifest.json of whole: expected a manifest: unexpected end")
	}, 10*time.Second, 10*time.Millisecond)
}

// Names of folders, agents and rules are texts and nothing else, on every page.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	name := strings.ReplaceAll(hostile, "/", "|")
	g := drawGame("standard", 0, hostile, "b")
	g.Fault, g.Reason, g.Result = &record.Fault{Side: "south", Kind: record.FaultError, Detail: hostile}, "error", "0-1"
	dir := filepath.Join(s.results, strings.ReplaceAll(name, `\`, "")+strings.Repeat("n", 100))
	writeRun(t, dir, "", lines(g, drawGame("standard", 1, "b", hostile)))
	manifest, err := json.Marshal(map[string]any{"status": hostile,
		"config": map[string]any{"agents": []string{hostile}, "rules": []string{hostile}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, tournament.ManifestFile), manifest, 0o644))
	id := filepath.Base(dir)
	for _, path := range []string{"/", "/run/" + web.RunPath(id)} {
		w := s.get(path)
		require.Equal(t, http.StatusOK, w.Code, path)
		require.NotContains(t, w.Body.String(), "<script>alert", path)
		require.NotContains(t, w.Body.String(), "<img", path)
		require.Contains(t, w.Body.String(), "alert(1)", path)
	}
	for _, part := range s.run(id).feed.now(0).page.Sections {
		require.NotContains(t, part.HTML, "<script>", part.ID)
		require.NotContains(t, part.HTML, "<img", part.ID)
	}
}

// A run that nobody has looked at for a while is not kept in memory.
func TestRunsAreForgotten(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, name := range []string{"old", "recent", "new"} {
		writeRun(t, filepath.Join(s.results, name), "finished", lines(drawPair(0)...))
	}
	s.run("old").used.Store(time.Now().Add(-2 * idleTime).UnixNano())
	s.run("recent")
	s.run("new")
	require.ElementsMatch(t, []string{"recent", "new"}, slices.Collect(maps.Keys(s.catalog.runs)))
}

// The list of runs has the players' names, and says of games played in the browser, without a manifest, what they are.
func TestAbout(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	require.Contains(t, s.get("/").Body.String(), "No runs yet in "+s.results+"/. Start one with ")
	writeRun(t, filepath.Join(s.results, "play-20261101-120000"), "", lines(drawGame("standard", 0, "a", "b")))
	list := s.entries()
	require.Len(t, list, 1)
	require.Equal(t, []string{"games played in the browser", "a, b", "standard"},
		[]string{list[0].Format, list[0].About, strings.Join(list[0].Rules, " ")})

	var m tournament.Manifest
	m.Config = runtest.Config(`{"agents": ["alphabeta:depth=4,name=Ida", "random"], "rules": ["standard"]}`)
	require.Equal(t, "Ida, random", summarize(&m))
	imported := tournament.Manifest{Status: tournament.Imported, From: "league.pgn"}
	require.Equal(t, "from league.pgn", summarize(&imported))
	m.Config.Agents = append(m.Config.Agents, m.Config.Agents[1], m.Config.Agents[1], m.Config.Agents[1])
	require.Equal(t, "5 players: Ida, random, random, random, …", summarize(&m))
}

// Games of which only the result is known count, but have no last position that could be shown.
func TestGamesWithoutMovesAreNoBoards(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	games := drawPair(0)
	games[1].Reason, games[1].Moves, games[1].Rules = record.Imported, []string{}, ""
	writeRun(t, filepath.Join(s.results, "league"), "imported", lines(games...))
	eventsOf(t, listen(t, s)+"/run-events/league?after=0", func(_ string, parts map[string]json.RawMessage) bool {
		var latest []boardGame
		require.NoError(t, json.Unmarshal(parts["latest"], &latest))
		require.Len(t, latest, 1)
		require.Equal(t, "1.0", latest[0].Game.ID)
		require.Contains(t, string(parts["facts"]), `{"Name":"games","Value":"2"}`)
		require.JSONEq(t, `"imported"`, string(parts["status"]), "its games have days, but not when they ended")
		return false
	})
}

// A run that its manifest says is running, but that no process has, is stopped, on the list and on its page, with how
// it goes on; once a process has it again, it runs.
func TestStoppedRun(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, one := range [][2]string{
		{"match", "`gyges tournament --rules standard --agent random --agent greedy --pairs 3 --openings random --seed 1 --out %s`"},
		{"played", "`gyges match random greedy --rules standard --pairs 3 --openings random --seed 1 --out %s`"},
		{"training", "the same command with `--out %s`"}, {"training/gen-001/match", "the same command with `--out %s`"},
	} {
		id, want := one[0], one[1]
		dir := filepath.Join(s.results, filepath.FromSlash(id))
		writeRun(t, dir, "", lines(drawPair(0)...))
		writeManifest(t, dir, `{"rules":["standard"],"agents":["random","greedy"],"schedule":"round-robin","pairs":3,"seed":"1",
			"openings":{"policy":"random"},"on_repetition":"forfeit","stall_timeout":"10m0s","suspend":10}`)
		manifest := filepath.Join(dir, tournament.ManifestFile)
		text, err := os.ReadFile(manifest)
		require.NoError(t, err)
		text = bytes.Replace(text, []byte("finished"), []byte("running"), 1)
		name := map[string]string{"played": tournament.MatchName}[id]
		text = bytes.Replace(text, []byte(`"config":{`), []byte(`"config":{"name":"`+name+`",`), 1)
		require.NoError(t, os.WriteFile(manifest, text, 0o644))
		file := filepath.Join(dir, tournament.GamesFile)
		if id == "training" {
			require.NoError(t, os.Remove(manifest))
			file = filepath.Join(dir, training.HistoryFile)
			require.NoError(t, os.WriteFile(file, nil, 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, training.ManifestFile),
				[]byte(`{"method":"train","status":"running","config":{}}`), 0o644))
		}
		owner, _, _ := strings.Cut(id, "/")
		goesOn := "stopped without an end; " + fmt.Sprintf(want, filepath.ToSlash(filepath.Join(s.results, owner))) + " goes on"
		now := func() (list, status, running string) {
			p := s.run(id).feed.now(0).page
			s.list.now(0)
			_, list, _ = strings.Cut(s.get("/?q=t").Body.String(), `href="/run/`+id+`"`)
			list, _, _ = strings.Cut(list, "</tr>")
			return list, p.Status, fmt.Sprint(p.Running)
		}
		list, status, running := now()
		require.Contains(t, html.UnescapeString(list), goesOn, id)
		require.Contains(t, list, `"badge stopped"`, id)
		require.True(t, strings.HasPrefix(status, goesOn), "%s: %s", id, status)
		require.Equal(t, "false", running, id)

		f, err := os.OpenFile(file, os.O_RDWR, 0)
		require.NoError(t, err)
		require.NoError(t, files.Lock(f))
		list, status, running = now()
		require.NotContains(t, html.UnescapeString(list), goesOn, id)
		require.NotContains(t, status, "stopped", id)
		require.Equal(t, "true", running, id)
		require.NoError(t, f.Close())
	}
}
