//go:build unix

package files

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pipes and devices are written in place.
func TestCreateInPlace(t *testing.T) {
	require.NoError(t, Replace(os.DevNull, []byte("gone")))

	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := Open(path) // which doesn't block
	require.ErrorIs(t, err, errNotRegular)
	read := make(chan string)
	go func() {
		in, err := os.Open(path)
		if err != nil {
			close(read)
			return
		}
		content, _ := io.ReadAll(in) // compared below
		_ = in.Close()
		read <- string(content)
	}()
	require.NoError(t, Replace(path, []byte("content")))
	require.Equal(t, "content", <-read)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeNamedPipe)

	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	require.NoError(t, Replace(fmt.Sprint("/dev/fd/", w.Fd()), []byte("stream")))
	require.NoError(t, w.Close())
	content, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "stream", string(content))
}

// A private file is never readable by others, whatever the umask and the file before it.
func TestReplacePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o666))
	f, err := create(path, private)
	require.NoError(t, err)
	for _, now := range []string{f.Name(), path} {
		info, err := os.Stat(now)
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm(), now)
		require.NoError(t, ReplacePrivate(path, "new"))
	}
	require.NoError(t, f.Discard())
	require.NoError(t, os.Chmod(path, 0o644))
	require.NoError(t, Replace(path, []byte("old")))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 0o644, info.Mode().Perm(), "as before")
}
