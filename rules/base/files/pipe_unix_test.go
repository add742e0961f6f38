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
