package inputs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMirrored(t *testing.T) {
	for i := range Num {
		m := Mirrored[i]
		require.EqualValues(t, i, Mirrored[m])
		name := []byte(Names[i])
		if i < inMoves {
			file := &name[len(name)-2]
			*file = 'a' + 'f' - *file
		}
		require.Equal(t, string(name), Names[m])
	}
}

func TestMoveStep(t *testing.T) {
	for n := range 3000 {
		step := moveBucket(n)
		if step < moveBuckets-1 {
			require.Greater(t, 1<<(step+1), (n+1)*(n+1))
		}
		require.LessOrEqual(t, 1<<step, (n+1)*(n+1))
	}
	require.Equal(t, moveBuckets-1, moveBucket(1<<20))
}
