package human_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/human"
)

// A person who had help has a name of its own, whether it had one before or not; a clock stays.
func TestHelped(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"human":                        "human:name='human, helped'",
		"human:name=Ada":               "human:name='Ada, helped'",
		"human:clock=3m0s+2s":          "human:clock=3m0s+2s,name='human, helped'",
		"human:name=Ada,clock=1m0s+1s": "human:name='Ada, helped',clock=1m0s+1s",
	} {
		person, err := agents.ParseSpec(spec)
		require.NoError(t, err)
		require.Equal(t, want, human.Helped(person).String())
	}
}
