//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gyges/rules/base/textfmt"
)

// openTerminal returns both ends of a terminal of so many columns.
func openTerminal(t *testing.T, columns uint16) (screen, terminal *os.File) {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns}))
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return screen, terminal
}

// No line on a terminal is wider than it: manuals, help, messages and results are broken at blanks.
func TestLinesFitTheTerminal(t *testing.T) {
	t.Setenv("COLUMNS", "")
	for _, columns := range []uint16{40, 80} {
		for _, args := range []string{"help tournament", "help extend", "train --help", "--help", "rate --explain",
			"rate none --rules nothing", "rules kang", "rate ../../ratings/source/testdata/league.pgn --columns x",
			"rate ../../ratings/source/testdata/league.pgn --crosstable",
			"rate ../../ratings/source/testdata/league.pgn --los --compare Ada"} {
			screen, terminal := openTerminal(t, columns)
			shown := make(chan string)
			go func() {
				text, _ := io.ReadAll(screen) // which ends with an error as the terminal is closed
				shown <- string(text)
			}()
			run(t.Context(), strings.Fields(args), strings.NewReader(""), terminal, terminal)
			terminal.Close()
			lines := strings.Split(<-shown, "\r\n")
			require.Greater(t, len(lines), 1, args)
			for _, line := range lines {
				if strings.Contains(strings.TrimSpace(line), " ") {
					require.LessOrEqual(t, textfmt.Width(line), int(columns), "%s: %s", args, line)
				}
			}
		}
	}
}
