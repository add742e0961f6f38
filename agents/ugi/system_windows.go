package ugi

import (
	"errors"
	"os"
	"os/exec"
)

// isolate does nothing: there are no process groups as on Unix.
func isolate(*exec.Cmd) {}

// killGroup ends a program, but not what it started.
func killGroup(cmd *exec.Cmd) error {
	err := cmd.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
