package ugi

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// bindLifetime has the system kill a program when the thread that starts it ends,
// as it does with this process. The environment variable it returns, NAME=VALUE,
// marks the program and, unless they take it off, all processes that it starts.
func bindLifetime(cmd *exec.Cmd) (mark string) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	mark = "GYGES_ENGINE_" + rand.Text() + "=1"
	cmd.Env = append(cmd.Environ(), mark)
	return mark
}

// maxKillRounds bounds the scans for processes that go on starting others.
const maxKillRounds = 100

// killMarked ends all processes with a mark, also those in sessions of their own
// whose parents have ended.
func killMarked(mark string) {
	killed := map[int]bool{}
	again := true
	for round := 0; again && round < maxKillRounds; round++ { // while one is killed it may start another
		again = false
		dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
		for _, dir := range dirs {
			pid, err := strconv.Atoi(filepath.Base(dir))
			if err != nil || killed[pid] || !hasMark(dir, mark) {
				continue
			}
			killed[pid], again = true, true
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have gone already
		}
	}
}

// hasMark reports whether the environment that a process was started with has a
// mark.
func hasMark(dir, mark string) bool {
	env, err := os.ReadFile(filepath.Join(dir, "environ"))
	if err != nil { // it has ended, or is another user's
		return false
	}
	for variable := range bytes.SplitSeq(env, []byte{0}) {
		if string(variable) == mark {
			return true
		}
	}
	return false
}
