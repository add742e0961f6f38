package problems

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestList(t *testing.T) {
	var l List
	require.NoError(t, l.Err())
	l.Expect(true, "pairs", "not added")
	l.Expect(false, "pairs", "expected %d, found %d", 1, 2)
	cause := errors.New("no such file")
	l.Add("agents[2]", cause)
	require.EqualError(t, l.Err(), "pairs: expected 1, found 2\nagents[2]: no such file")
	require.ErrorIs(t, l.Err(), cause)

	require.Empty(t, Split(nil))
	require.Equal(t, []error{cause}, Split(cause))
	require.Equal(t, []error{l[0], l[1], cause}, Split(errors.Join(l.Err(), cause)))
}
