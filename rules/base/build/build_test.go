package build

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestString(t *testing.T) {
	require.Equal(t, "gyges (unknown version)", Info{}.String())
	require.Equal(t, "gyges v1.2.3, revision 0123abcd with changes of 2026-01-02T03:04:05Z, go1.26.0",
		Info{"v1.2.3", "0123abcd", true, "2026-01-02T03:04:05Z", "go1.26.0"}.String())
	require.Equal(t, "gyges v1.2.3, revision 0123abcd, go1.26.0",
		Info{Version: "v1.2.3", Revision: "0123abcd", Go: "go1.26.0"}.String())
	require.NotEmpty(t, Read().Go)
	require.False(t, Info{Revision: "1", Modified: true}.Unmodified())
	require.True(t, Info{Revision: "1"}.Unmodified())
}
