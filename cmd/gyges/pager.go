package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
)

// pager returns the shell command that shows a text by pages, "" if there is none.
func pager() string {
	for _, name := range []string{"GYGES_PAGER", "PAGER"} {
		if command, ok := os.LookupEnv(name); ok {
			return command
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

// page shows a text by the pager if the output is a terminal. Else, or if the pager
// can't be started, it prints it.
func page(ctx context.Context, e *env, text string) error {
	command := pager()
	f := e.out.terminal()
	if f == nil || strings.TrimSpace(command) == "" {
		_, err := io.WriteString(e.out, text)
		return err
	}
	// Ctrl-C is the pager's: this process waits for it, however often that is pressed.
	// An ignored signal would be ignored by the pager, too.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	terminated, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()

	cmd := exec.CommandContext(terminated, "sh", "-c", command)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), f, os.Stderr
	cmd.Env = os.Environ()
	if _, ok := os.LookupEnv("LESS"); !ok {
		cmd.Env = append(cmd.Env, "LESS=FRX") // quit if it fits on a page, take styles, leave the text on the screen
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case terminated.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &exit), exit.ExitCode() == 126, exit.ExitCode() == 127: // not started, by us or by the shell
		_, err := io.WriteString(e.out, text)
		return err
	default:
		return ctx.Err() // nil unless it was interrupted
	}
}
