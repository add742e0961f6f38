//go:build unix

package queue

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// What has a run's key or the tokens of its jobs is its owner's alone, whatever the umask, also if
// others made it.
func TestSecretFiles(t *testing.T) {
	old := syscall.Umask(0)
	dir, store := t.TempDir(), filepath.Join(t.TempDir(), "run", "queue")
	path := filepath.Join(dir, identityFile)
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	first, _, err := identify(dir, &runConfig{Version: "1"}, false)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, mode(path))
	for _, version := range []string{"1", "2"} { // resumed, and replaced
		require.NoError(t, os.Chmod(path, 0o666))
		next, _, err := identify(dir, &runConfig{Version: version}, false)
		require.NoError(t, err)
		require.Equal(t, version == "1", next.Key == first.Key)
		require.EqualValues(t, 0o600, mode(path))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(store, "jetstream"), 0o777))
	s, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Store: store})
	syscall.Umask(old)
	require.NoError(t, err)
	defer s.Close()
	require.EqualValues(t, 0o777, mode(store), "the user's")
	require.EqualValues(t, 0o700, mode(filepath.Join(store, "jetstream")))
}
