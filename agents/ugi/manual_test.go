package ugi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules/base/settings"
)

// The manual names everything that can be sent, set or checked.
func TestManualIsComplete(t *testing.T) {
	t.Parallel()
	manual := ""
	for _, name := range []string{"ugi/README.md", "ugi/PROTOCOL.md"} {
		text, err := agents.Manuals.ReadFile(name)
		require.NoError(t, err)
		manual += string(text)
	}
	code := func(text string) {
		t.Helper()
		require.Regexp(t, "`[^`\n]*\\b"+text+"\\b[^`\n]*`", manual)
	}
	for _, d := range Kind(nil).Params {
		code(strings.TrimSuffix(d.Key, "."))
	}
	for _, p := range checks {
		row := "| " + strings.TrimSuffix(p.name, "maxTime, maxNodes")
		require.Contains(t, manual, "\n"+row)
	}
	for _, f := range settings.Fields(&options{}, "") {
		code(f.Key)
	}
	for _, word := range goWords {
		code(word)
	}
	for _, command := range []string{"ugi", "isready", "setoption", "setpos", "go", "stop", "quit"} {
		code(command)
	}
	for _, kind := range []agents.FailureKind{agents.Crashed, agents.TimedOut, agents.BrokeProtocol, agents.BadMove} {
		require.Contains(t, manual, "\n| `"+string(kind)+"` |")
	}
	for _, policy := range []agents.OnRepetition{agents.Forfeit, agents.AskNext, agents.Allow} {
		require.Contains(t, manual, "\n| `"+string(policy)+"` |")
	}
}

func TestOptionPrefix(t *testing.T) {
	_, ok := Kind(nil).Param(optionPrefix + "x")
	require.True(t, ok)
}
