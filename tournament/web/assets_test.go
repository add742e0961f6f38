package web

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	replacement         = regexp.MustCompile(`\.replace(All)?\([^\n]*`)
	constantReplacement = regexp.MustCompile(`^\.replace(All)?\((/(\\.|[^/\\])+/[a-z]*|"[^"]*"), ("[^"]*"|\([^()]*\) =>)`)
)

// What takes the place of a match in the scripts of pages is a constant or a function's result: in any other text $&
// and the like would stand for what was matched.
func TestReplacementsAreConstants(t *testing.T) {
	shared, err := filepath.Glob("assets/*")
	require.NoError(t, err)
	others, err := filepath.Glob("*/assets/*")
	require.NoError(t, err)
	found := 0
	for _, path := range append(shared, others...) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, call := range replacement.FindAllString(string(text), -1) {
			if regexp.MustCompile(`^\.replace\(pageOf`).MatchString(call) { // of a location
				continue
			}
			found++
			require.Regexp(t, constantReplacement, call, path)
		}
	}
	require.NotZero(t, found)
}
