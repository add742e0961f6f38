package ugi

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gyges/agents"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
	"gyges/rules/base/files"
)

// An engine that ignores the end of its input is gone when its host is killed.
func TestEngineEndsWithKilledHost(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	require.NoError(t, err)
	server := exec.CommandContext(t.Context(), path, "server", ugitest.Spec(t, "deaf", ""))
	in, err := server.StdinPipe()
	require.NoError(t, err)
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	_, err = in.Write([]byte("setpos start\nisready\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "readyok\n", line)
	children := childrenOf(t, server.Process.Pid)
	require.Len(t, children, 1)
	t.Cleanup(func() { _ = syscall.Kill(children[0], syscall.SIGKILL) })
	require.True(t, alive(children[0]))

	require.NoError(t, server.Process.Signal(syscall.SIGKILL))
	require.Error(t, server.Wait())
	require.Eventually(t, func() bool { return !alive(children[0]) }, time.Minute, 10*time.Millisecond)
}

// childrenOf returns the numbers of a process's children.
func childrenOf(t *testing.T, pid int) (list []int) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	require.NoError(t, err)
	for _, path := range threads {
		text, _ := os.ReadFile(path) // the thread may have ended
		for _, word := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(word)
			require.NoError(t, err)
			list = append(list, child)
		}
	}
	return list
}

// A process in a session of its own ends with the engine that started it, however the engine ends.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		h := newTestHost(t, "session", "")
		require.NoError(t, h.NewGame(t.Context(), agents.Setup{Rules: rules.MustParse("italian")}))
		if crash {
			require.NoError(t, h.proc.cmd.Process.Kill())
			<-h.proc.exited
		}
		require.NoError(t, h.Close())
		requireGone(t, h.Trace())
	}
}

// A host that lacks file descriptors fails by itself, and its engine does not.
func TestHostLacksDescriptors(t *testing.T) {
	h := newTestHost(t, "good", "")
	setup := agents.Setup{Rules: rules.MustParse("italian")}
	var usual unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &usual))
	few := usual
	few.Cur = 3
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &few))
	err := h.NewGame(t.Context(), setup)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &usual))
	var lack *agents.HostFailure
	require.ErrorAs(t, err, &lack)
	require.ErrorContains(t, err, "too many open files")
	require.NoError(t, h.NewGame(t.Context(), setup), "once there are some")

	for errno, want := range map[syscall.Errno]bool{
		syscall.EMFILE: true, syscall.ENFILE: true, syscall.EAGAIN: true, syscall.ENOMEM: true,
		syscall.ENOENT: false, syscall.EACCES: false, syscall.ENOEXEC: false,
	} {
		require.Equal(t, want, files.HostLacks(&os.PathError{Op: "fork/exec", Path: "engine", Err: errno}), "%v", errno)
	}
}

// An engine has the environment of its host without the credentials of the program, whatever their case.
func TestEngineEnvironment(t *testing.T) {
	for _, name := range []string{"GYGES_NATS_PASSWORD", "GYGES_NATS_CREDS", "gyges_tls_key", "GYGES_OTHER", "MY_GYGES_NATS_X"} {
		t.Setenv(name, "x-"+name)
	}
	p, err := launch([]string{"env"}, t.TempDir(), new(trace))
	require.NoError(t, err)
	seen := map[string]bool{}
	for line := range p.lines {
		if name, value, _ := strings.Cut(line.text, "="); value == "x-"+name {
			seen[name] = true
		}
		seen[line.text] = true
	}
	require.NoError(t, p.kill())
	require.True(t, seen["GYGES_OTHER"] && seen["MY_GYGES_NATS_X"] && seen["PATH="+os.Getenv("PATH")])
	require.False(t, seen["GYGES_NATS_PASSWORD"] || seen["GYGES_NATS_CREDS"] || seen["gyges_tls_key"])
}
