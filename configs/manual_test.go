package configs

import (
	"io/fs"
	"os"
	"path"
	"testing"

	"github.com/stretchr/testify/require"
)

// The manual lists every file that ships.
func TestManual(t *testing.T) {
	count := 0
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".yaml" {
			count++
			require.Contains(t, Manual, "\n| ["+name+"]("+name+") | ")
		}
		return err
	}))
	require.NotZero(t, count)
}
