//go:build unix

package live

import (
	"net/http"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func makePipe(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, syscall.Mkfifo(path, 0o644))
}

// Where the process has no file descriptors left, pages say so: nothing is taken for missing. No other test runs beside
// this one.
func TestOutOfDescriptors(t *testing.T) { //nolint:paralleltest // the limit is the process's
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "group", "match"), "running", lines(drawPair(0)...))
	require.NotNil(t, s.catalog.roots())
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 3
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	codes := map[string]int{}
	retry := ""
	for _, path := range []string{"/", "/run/group/match", "/run/none/match"} {
		w := s.get(path)
		codes[path], retry = w.Code, w.Header().Get("Retry-After")
	}
	_, _, errRecord := s.Record(t.Context(), "", "group/match", 0)
	_, _, errNone := s.Record(t.Context(), "", "group/match", 9)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	require.Equal(t, map[string]int{"/": 503, "/run/group/match": 503, "/run/none/match": 503}, codes)
	require.NotEmpty(t, retry)
	require.ErrorIs(t, errRecord, syscall.EMFILE)
	require.ErrorIs(t, errNone, syscall.EMFILE)
	for _, path := range []string{"/", "/run/group/match"} {
		w := s.get(path)
		require.Equal(t, http.StatusOK, w.Code, path)
		require.Contains(t, w.Body.String(), "match")
	}
}
