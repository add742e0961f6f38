//go:build unix

package ugi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
)

// started returns what is found of the program of a spec.
func started(t *testing.T, spec string) *agents.Program {
	t.Helper()
	s, err := agents.ParseSpec(spec)
	require.NoError(t, err)
	agent, err := agents.NewRegistry(Kind(nil)).Start(t.Context(), s)
	require.NoError(t, err)
	program := agent.Program()
	require.NoError(t, agent.Close())
	return program
}

// The program, and the files among its words, are summed as they are where it is started; a log is
// no part of it, nor is a pipe that would block.
func TestProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := "#!/bin/sh\necho started >>log\n" + `while read -r line; do
	case $line in
	ugi) printf 'id name mine\033 one\n` + strings.Repeat("option x type string default", 300) + `\noption Hash\nugiok\n' ;;
	isready) echo readyok ;;
	quit) exit ;;
	esac
done
`
	for name, text := range map[string]string{"engine": script, "net": "weights", "more": "data", "log": "before\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Now().Add(-time.Minute)))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	spec := `ugi:dir=` + dir + `,cmd=./engine net more log folder none /dev/zero ` + filepath.Join(dir, "net")
	p := started(t, spec)
	require.Equal(t, `mine\x1b one`, p.Name)
	require.Equal(t, map[string]string{
		"engine": agents.Sum([]byte(script)), "net": agents.Sum([]byte("weights")), "more": agents.Sum([]byte("data")),
	}, p.Files)
	require.Len(t, p.Options, 2)
	require.Len(t, p.Options[0], maxInfo)
	require.Equal(t, "Hash", p.Options[1])
	require.Empty(t, started(t, spec).Difference(p))

	// Built anew.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "engine"), []byte(script+"\n"), 0o755))
	require.Contains(t, started(t, spec).Difference(p), "the SHA-256 of engine was")

	// Of two files with one name both are known.
	other := filepath.Join(dir, "folder", "net")
	require.NoError(t, os.WriteFile(other, []byte("others"), 0o755))
	require.NoError(t, os.Chtimes(other, time.Time{}, time.Now().Add(-time.Minute)))
	p = started(t, "ugi:dir="+dir+",cmd=./engine net folder/net")
	require.Equal(t, agents.Sum([]byte("weights")), p.Files["net"])
	require.Equal(t, agents.Sum([]byte("others")), p.Files["net (word 3)"])

	// An interpreter is found in the search path.
	p = started(t, "ugi:dir="+dir+",cmd=sh ./engine net")
	require.Equal(t, agents.Sum([]byte("weights")), p.Files["net"])
	require.Len(t, p.Files["sh"], 64)
}

// Of thousands of options the first ones are kept.
func TestManyOptionsAreBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engine")
	script := "#!/bin/sh\nfor i in $(seq 2000); do echo option o$i; done\necho ugiok\n" +
		"while read -r line; do test \"$line\" = isready && echo readyok; done\n"
	require.NoError(t, os.WriteFile(path, []byte(script), 0o755))
	require.Len(t, started(t, "ugi:cmd="+path).Options, maxOptions)
}

// The log of a program that can't be started doesn't stay open.
func TestLogOfNoProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "engine")
	require.NoError(t, os.WriteFile(path, []byte("\x00"), 0o755))
	log := new(Log)
	require.NoError(t, log.Open(filepath.Join(dir, "logs")))
	s, err := agents.ParseSpec("ugi:cmd=" + path)
	require.NoError(t, err)
	a, err := agents.NewRegistry(Kind(log)).New(s)
	require.NoError(t, err)
	require.ErrorContains(t, a.Start(t.Context()), "can't start")
	require.ErrorIs(t, a.(*host).trace.file.Close(), os.ErrClosed)
	require.NoError(t, a.Close())
}
