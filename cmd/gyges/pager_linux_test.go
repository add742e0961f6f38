package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gyges/cmd/gyges/internal/manual"
	"gyges/ratings"
)

// onTerminal runs gyges with a terminal of 60 columns as its standard output, and
// returns the exit code and what was printed there.
func onTerminal(t *testing.T, ctx context.Context, args ...string) (code int, text string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	defer master.Close()
	fd := int(master.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 60}))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	slave, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	read := make(chan string)
	go func() {
		out, _ := io.ReadAll(master) // ends with an error when the other side is closed
		read <- string(out)
	}()
	code = run(ctx, args, strings.NewReader(""), slave, io.Discard)
	require.NoError(t, slave.Close())
	return code, strings.ReplaceAll(<-read, "\r\n", "\n")
}

// On a terminal a rating table is as wide as it, with the leader in bold.
func TestTableOnTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("COLUMNS", "")
	t.Setenv("NO_COLOR", "")
	league := filepath.Join("..", "..", "ratings", "source", "testdata", "league.pgn")
	code, out := onTerminal(t, t.Context(), "rate", league)
	require.Zero(t, code)
	require.Regexp(t, `^ #  Player +Elo +95 % +Games\n-+\n`+
		` \x1b\[1m1\x1b\[0m  \x1b\[1mAda\x1b\[0m .*\n 2  Babbage `, out)
	t.Setenv("NO_COLOR", "1")
	_, out = onTerminal(t, t.Context(), "rate", league)
	require.NotContains(t, out, "\x1b")
	t.Setenv("COLUMNS", "100")
	_, out = onTerminal(t, t.Context(), "rate", league)
	require.Contains(t, out, "Points   Score   Draws\n")
}

func TestPager(t *testing.T) {
	for _, name := range []string{"GYGES_PAGER", "PAGER", "LESS", "COLUMNS", "NO_COLOR"} {
		t.Setenv(name, "") // so that it is as before afterwards
		require.NoError(t, os.Unsetenv(name))
	}
	t.Setenv("TERM", "xterm")
	file := filepath.Join(t.TempDir(), "paged")
	heading, _ := manual.Summary(ratings.Manual)
	title := "\x1b[1m\x1b[4m" + heading + "\x1b[0m\n"
	shown := func(want string, args ...string) {
		t.Helper()
		code, out := onTerminal(t, t.Context(), append([]string{"help", "ratings"}, args...)...)
		require.Zero(t, code)
		require.Equal(t, want, out[:min(len(want), len(out))])
	}
	t.Setenv("PAGER", "echo $LESS; cat")
	shown("FRX\n" + title)
	shown(title, "--no-pager")
	t.Setenv("LESS", "i")
	shown("i\n" + title)
	t.Setenv("GYGES_PAGER", "cat > "+file)
	code, out := onTerminal(t, t.Context(), "help", "ratings")
	require.Zero(t, code)
	require.Empty(t, out)
	paged, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, title, string(paged[:min(len(title), len(paged))]))
	t.Setenv("GYGES_PAGER", "exit 1") // it quits before it has read anything
	code, out = onTerminal(t, t.Context(), "help", "ratings")
	require.Zero(t, code)
	require.Empty(t, out)
	for _, none := range []string{"", " ", "no-such-pager-anywhere 2> " + file} {
		t.Setenv("GYGES_PAGER", none)
		shown(title)
	}
	t.Setenv("NO_COLOR", "1")
	shown("# " + heading + "\n")
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	shown("# " + heading + "\n")

	// A Ctrl-C while the pager runs does not end the program before the pager.
	t.Setenv("GYGES_PAGER", "sleep 0.2; exit 130")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	start := time.Now()
	code, _ = onTerminal(t, ctx, "help", "ratings")
	require.Equal(t, exitInterrupted, code)
	require.GreaterOrEqual(t, time.Since(start), 200*time.Millisecond)
}
