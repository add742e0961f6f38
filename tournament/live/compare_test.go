package live

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two runs are shown side by side, with links to the game in which they differ. The form has all runs.
func TestComparePage(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "one"), "finished", lines(drawPair(0)...))
	other := drawPair(0)
	other[1].Moves[2] = "pass"
	writeRun(t, filepath.Join(s.results, "group", "two é"), "finished", lines(other...))
	for path, want := range map[string][]string{
		"/":        {`href="/compare"`},
		"/run/one": {`href="/compare?a=one"`},
		"/compare": {"<option>one</option>", "<option>group/two é</option>"},
		"/compare?a=one&b=group/two+%C3%A9": {"<option selected>one</option>", "Elo under standard, from that of",
			`<a href="/run/one">one</a>`, `href="/game/group/two%20%C3%A9/1#ply=3">B</a>`},
	} {
		w := s.get(path)
		require.Equal(t, 200, w.Code, path)
		for _, text := range want {
			require.Contains(t, w.Body.String(), text, path)
		}
	}
	for _, path := range []string{"/compare?a=one&b=none", "/compare?a=../one&b=one", "/compare?a=one&b=/etc"} {
		w := s.get(path)
		require.Equal(t, 404, w.Code, path)
		require.Contains(t, w.Body.String(), "no such run")
	}
}
