//go:build unix

package ugi

import (
	"errors"
	"os/exec"
	"syscall"
)

// isolate makes a program lead a process group of its own, so that whatever it starts can be ended
// with it.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a program and all that it started.
func killGroup(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) { // there is none any more
		return nil
	}
	return err
}
