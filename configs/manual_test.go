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
	manual, err := Manuals.ReadFile("README.md")
	require.NoError(t, err)
	count := 0
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".yaml" {
			count++
			require.Contains(t, string(manual), "\n| ["+name+"]("+name+") | ")
		}
		return err
	}))
	require.NotZero(t, count)
}
