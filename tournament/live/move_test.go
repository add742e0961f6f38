package live

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/training"
	"gyges/tournament/web"
)

// requireConflict requires an error that refuses a request, with this text.
func requireConflict(t *testing.T, err error, text string) {
	t.Helper()
	e, ok := errors.AsType[web.Error](err)
	require.True(t, ok, "%v", err)
	require.Contains(t, []int{http.StatusConflict, http.StatusUnprocessableEntity}, e.Status)
	require.Contains(t, e.Text, text)
}

// A run gets another name, also in a folder of its own, and its page goes with it.
func TestRename(t *testing.T) {
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "old"), "finished", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, "other"), "finished", lines(drawPair(1)...))
	require.Equal(t, http.StatusOK, s.get("/run/old").Code)
	require.NoError(t, s.Rename("old", "tests/new-1"))
	require.NoDirExists(t, filepath.Join(s.results, "old"))
	require.Equal(t, http.StatusNotFound, s.get("/run/old").Code)
	require.Equal(t, http.StatusOK, s.get("/run/tests/new-1").Code)
	require.Contains(t, s.get("/").Body.String(), "/run/tests/new-1")

	require.NoError(t, s.Rename("other", "old"))
	page := s.get("/run/old").Body.String()
	require.Contains(t, page, `"1.2"`, "not the run that had the name before")
	requireConflict(t, s.Rename("old", "tests/new-1"), "tests/new-1 exists already")
	requireConflict(t, s.Rename("old", "tests"), "tests exists already")
	require.NoError(t, os.WriteFile(filepath.Join(s.results, "file"), nil, 0o600))
	requireConflict(t, s.Rename("old", "file"), "file exists already")
	requireConflict(t, s.Rename("old", "file/x"), "old can't be moved")
	require.DirExists(t, filepath.Join(s.results, "old"))
}

// A run that is removed is in the trash, which isn't listed, and can be moved back.
func TestRemove(t *testing.T) {
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "tests", "match"), "finished", lines(drawPair(0)...))
	dir, err := s.Remove("tests/match")
	require.NoError(t, err)
	trashed, err := filepath.Rel(s.results, dir)
	require.NoError(t, err)
	require.Regexp(t, `^\.trash/\d{8}-\d{6}\.\d{3}/tests/match$`, filepath.ToSlash(trashed))
	require.FileExists(t, filepath.Join(dir, tournament.GamesFile))
	require.NotContains(t, s.get("/").Body.String(), "/run/")
	for _, id := range []string{filepath.ToSlash(trashed), "tests/match"} {
		_, err := s.Remove(id)
		requireConflict(t, err, "expected a run below the results")
		require.Equal(t, http.StatusNotFound, s.get("/run/"+id).Code)
	}
	require.NoError(t, os.Rename(dir, filepath.Join(s.results, "back")))
	require.Equal(t, http.StatusOK, s.get("/run/back").Code)
}

// A run that a process has stays where it is, and so does one with such a run in it, and one in another run.
func TestMoveRunsInProgress(t *testing.T) {
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "now"), "running", lines(drawPair(0)...))
	dir := filepath.Join(s.results, "train")
	match := filepath.FromSlash(training.MatchFolder(1))
	writeTraining(t, dir)
	requireConflict(t, s.Rename("train/"+training.MatchFolder(1), "match"), "train/"+training.MatchFolder(1)+" belongs to a run")
	require.NoError(t, s.Rename("train", "done"))
	writeRun(t, filepath.Join(s.results, "done", match), "running", lines(drawPair(0)...))
	for _, id := range []string{"now", "done"} {
		_, err := s.Remove(id)
		requireConflict(t, err, id+" is in progress; stop it first")
		requireConflict(t, s.Rename(id, "other"), id+" is in progress; stop it first")
		require.DirExists(t, filepath.Join(s.results, id))
	}
	writeRun(t, filepath.Join(s.results, "old"), "finished", lines(drawPair(0)...))
	requireConflict(t, s.Rename("old", "now/old"), "now/old belongs to a run")
	requireConflict(t, s.Rename("old", "old/old"), "old/old belongs to a run")
}

// Names lead to runs below the results, and nowhere else; a run that the operator has named is left alone.
func TestMoveHostileNames(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	writeRun(t, outside, "finished", lines(drawPair(0)...))
	s := newTestServer(t, outside)
	writeRun(t, filepath.Join(s.results, "run"), "finished", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, ".hidden"), "finished", lines(drawPair(0)...))
	require.NoError(t, os.Symlink(outside, filepath.Join(s.results, "out")))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(s.results, "up")))
	require.NoError(t, os.Symlink("run", filepath.Join(s.results, "link")))
	long := strings.Repeat("a", 65)
	for _, to := range []string{"", ".", "..", "../x", "a/../b", "/tmp/x", ".x", "a/.x", "a//b", "a/", "a\\b", "a\x00b", "a b",
		"a\nb", "é", "-x", long, "a/b/c/d/e/f", strings.Repeat("a/", 300) + "a", ".trash/x", "C:x", "<b>"} {
		requireConflict(t, s.Rename("run", to), "to: expected a name below the results")
	}
	requireConflict(t, s.Rename("run", "up/x"), "run can't be moved")
	require.NoDirExists(t, filepath.Join(filepath.Dir(outside), "x"))
	for _, id := range []string{"", ".", "..", "../outside", "/run", ".hidden", "out", "up/outside", "outside", "none", outside, "run/."} {
		requireConflict(t, s.Rename(id, "new"), "expected a run below the results, found")
		_, err := s.Remove(id)
		requireConflict(t, err, "expected a run below the results, found")
	}
	_, err := s.Remove("link")
	requireConflict(t, err, "expected a folder, found the link link")
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(s.results, ".trash")))
	_, err = s.Remove("run")
	requireConflict(t, err, "run can't be moved")
	for _, dir := range []string{outside, filepath.Join(s.results, "run"), filepath.Join(s.results, ".hidden")} {
		require.FileExists(t, filepath.Join(dir, tournament.GamesFile))
	}
}
