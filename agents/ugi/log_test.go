package ugi

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
)

// loggedHost returns an engine of the tests whose host has a log with a folder, "" for none, and
// the notes.
func loggedHost(t *testing.T, dir, habit, more string) (*host, *bytes.Buffer) {
	t.Helper()
	notes := new(bytes.Buffer)
	plain := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}
	log := &Log{Notes: slog.New(slog.NewTextHandler(notes, plain))}
	require.NoError(t, log.Open(dir))
	spec, err := agents.ParseSpec(ugitest.Spec(t, habit, more))
	require.NoError(t, err)
	a, err := agents.NewRegistry(Kind(log)).New(spec)
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })
	return a.(*host), notes
}

// move has a host choose one move in a new game.
func (h *host) move(t *testing.T) error {
	t.Helper()
	r := rules.MustParse("italian")
	require.NoError(t, h.NewGame(t.Context(), agents.Setup{Rules: r}))
	_, err := h.Choose(t.Context(), rules.NewGame(r, opening(r)), agents.Request{})
	return err
}

// logs returns the files of a folder by name, without the times and the numbers of processes.
func logs(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	list := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		times := regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\S+ |process \d+: .*/`)
		list[e.Name()] = string(times.ReplaceAll(text, nil))
	}
	return list
}

// A log has what is said to and by an engine, a file for each process, and what it can't show is
// escaped. Names of files have no character that a system refuses.
func TestEngineLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "logs")
	h, notes := loggedHost(t, dir, "exit", ",name=../a b:*")
	require.NoError(t, h.move(t))
	require.Error(t, h.move(t))
	require.NoError(t, h.move(t), "it is started anew")
	require.NoError(t, h.Close())
	require.Empty(t, notes.String())

	const start = "> ugi\n< id name tester\n< id author nobody\n< option maxPly\n< option maxTime\n" +
		"< option maxNodes\n< option threads\n< ugiok\n"
	const ask = "> setpos data 213132/000000/000000/000000/000000/112233\n> isready\n> go\n< readyok\n"
	const ready = "> isready\n< readyok\n"
	const answer = "< info ply 1 bestmove 0|7 score 12 nodes 34 nps 1000 time 0.034 pv 0|7\n< bestmove 0|7\n"
	const complaint = "! out of \\amemory\n"
	first := start + ready + ask + answer + ready + ask
	second := start + ready + ask + answer + "> quit\n"
	var found []string
	complaints := 0
	for name, text := range logs(t, dir) {
		require.Regexp(t, `^\.\.%2Fa\+b%3A%2A-\d+\.log$`, name)
		head, rest, _ := strings.Cut(text, "\n")
		require.Regexp(t, `^= ugi\.test(\.exe)? exit$`, head)
		// Its stderr is read by itself, so that its place among the other lines isn't known.
		found = append(found, strings.Replace(rest, complaint, "", 1))
		complaints += strings.Count(rest, complaint)
	}
	require.Equal(t, 1, complaints)
	require.ElementsMatch(t, []string{first, second}, found)

	h, _ = loggedHost(t, "", "good", "")
	require.NoError(t, h.move(t))
	require.Nil(t, h.trace.file, "without a folder")
}

// Long lines are cut, and so is a file. An error in writing is noted, and the engine plays on.
func TestBoundsOfEngineLogs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, notes := loggedHost(t, dir, "longinfo", ",name=long")
	require.NoError(t, h.move(t))
	require.NoError(t, h.move(t))
	h.trace.written = maxLogFile
	require.NoError(t, h.move(t))
	require.NoError(t, h.Close())
	for _, text := range logs(t, dir) {
		require.Regexp(t, `(?m)^< info pv [0|1 ]+…$`, text)
		require.Less(t, len(text), 3*maxLogLine)
		require.True(t, strings.HasSuffix(text, "\n> isready\n= the log ends here: it is full\n"), text)
	}
	require.Empty(t, notes.String())

	h, notes = loggedHost(t, dir, "good", ",name=full,restart=game")
	for range 3 {
		require.NoError(t, h.move(t))
		require.NoError(t, h.trace.file.Close())
	}
	require.NoError(t, h.move(t))
	require.NoError(t, h.Close())
	require.Equal(t, "msg=\"the engine has no complete log: file already closed\" engine=full\n", notes.String())

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.Error(t, new(Log).Open(filepath.Join(dir, "file")))
	h, notes = loggedHost(t, filepath.Join(dir, "gone"), "good", ",name=none")
	require.NoError(t, os.Remove(filepath.Join(dir, "gone")))
	require.NoError(t, h.move(t))
	require.NoError(t, h.Close())
	require.Contains(t, notes.String(), "the engine has no complete log: ")
}

// Bad habits that lose no game are noted once, however many processes have them.
func TestHabits(t *testing.T) {
	t.Parallel()
	for habit, note := range map[string]string{
		"good": "", "complains": "", "exit": "",
		"deaf":    "the engine did not end within a second of quit and was killed",
		"session": "the engine left processes of its own behind, which were killed",
		"orphans": "the engine left processes of its own behind, which were killed",
		"ponders": "the engine went on computing after bestmove",
	} {
		t.Run(habit, func(t *testing.T) {
			t.Parallel()
			if note != "" && habit != "deaf" && runtime.GOOS != "linux" {
				t.Skip("only Linux tells the processes of an engine and their time")
			}
			h, notes := loggedHost(t, "", habit, ",name=mine")
			processes := 2
			if habit == "ponders" { // which takes a second
				processes = 1
			}
			for range processes {
				for h.proc == nil || habit == "ponders" && h.proc.computed <= time.Second {
					_ = h.move(t)
					time.Sleep(10 * time.Millisecond) // of its opponent
				}
				_ = h.move(t)
				_ = h.move(t)
				require.NoError(t, h.Close())
			}
			want := ""
			if note != "" {
				want = fmt.Sprintf("msg=%q engine=mine\n", note)
			}
			require.Equal(t, want, notes.String())
		})
	}
}
