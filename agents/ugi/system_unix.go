//go:build unix

package ugi

import (
	"errors"
	"os/exec"
	"syscall"
)

// isolate makes a program lead a process group of its own, so that whatever it starts can be ended with it.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a program and all that it started.
func killGroup(cmd *exec.Cmd) error {
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
