//go:build !unix

package ugi

import (
	"errors"
	"os"
	"os/exec"
)

// isolate does nothing: the system knows no process groups.
func isolate(*exec.Cmd) {}

// killGroup ends a program. What it has started is not found here.
func killGroup(cmd *exec.Cmd) error {
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
