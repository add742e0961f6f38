package ugi

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bindLifetime has the system kill a program when the thread that starts it ends, as it does with
// this process. The environment variable it returns marks the program and, unless they take it off,
// all processes that it starts.
func bindLifetime(cmd *exec.Cmd) (mark string) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	mark = "GYGES_ENGINE_" + rand.Text() + "=1"
	cmd.Env = append(cmd.Environ(), mark)
	return mark
}

// processorTime returns the time that a process has used; 0 if that isn't known.
func processorTime(pid int) time.Duration {
	var t unix.Timespec
	// The number of its clock is made as in clock_getcpuclockid(3). It may have ended.
	_ = unix.ClockGettime(int32(^pid<<3|2), &t)
	return time.Duration(t.Nano())
}

// killMarked ends all processes with a mark, also those in sessions of their own whose parents have
// ended, and reports whether there were any. A process may start another while it is being killed,
// so the scan is repeated, a bounded number of times, until it finds none.
func killMarked(mark string) bool {
	const maxScans = 100
	killed := map[string]bool{}
	for range maxScans {
		found := false
		dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
		for _, dir := range dirs {
			pid, err := strconv.Atoi(filepath.Base(dir))
			if err != nil || killed[dir] || !hasMark(dir, mark) {
				continue
			}
			found = true
			killed[dir] = true
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended already
		}
		if !found {
			break
		}
	}
	return len(killed) > 0
}

// hasMark reports whether the environment that a process was started with has a mark.
func hasMark(dir, mark string) bool {
	// The file is empty if the process has ended, or is another user's.
	env, _ := os.ReadFile(filepath.Join(dir, "environ"))
	return slices.Contains(strings.Split(string(env), "\x00"), mark)
}
