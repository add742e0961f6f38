package game

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

// Each ending is found by its name, and an adjudication by its option, too. The name of an
// adjudication says that it is one, since readers of records go by that.
func TestEndingsAreDistinct(t *testing.T) {
	names, options := map[string]bool{}, map[string]bool{}
	for _, e := range endings {
		require.False(t, names[e.Name], e.Name)
		names[e.Name] = true
		require.NotEmpty(t, e.Text, e.Name)
		if e.Name != record.Imported { // another program ended it
			require.NotEmpty(t, e.Termination, e.Name)
		}
		require.Equal(t, e.adjudication != nil, strings.HasPrefix(e.Name, record.Adjudicated), e.Name)
		if e.adjudication != nil {
			require.False(t, options[e.adjudication.option], e.adjudication.option)
			options[e.adjudication.option] = true
		}
	}
}
