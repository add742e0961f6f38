//go:build unix

package live

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func makePipe(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, syscall.Mkfifo(path, 0o644))
}
