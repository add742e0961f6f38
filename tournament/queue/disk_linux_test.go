package queue

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/record"
)

// smallDisk makes a process of this test one that may mount a small file system, in
// a mount namespace of its own.
const smallDisk = "GYGES_TEST_SMALL_DISK"

// The disk with the embedded server's store is full in the middle of a run: the
// coordinator says so, and the run goes on when there is space again, with the
// records of a local one. This needs a mount namespace, as root or with the user
// namespaces that most distributions allow everybody.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getenv(smallDisk) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), smallDisk+"=yes")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		text, err := cmd.CombinedOutput()
		if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
			t.Skipf("no user namespace with a small file system can be made here: %v", err)
		}
		require.NoError(t, err, "%s", text)
		require.Contains(t, string(text), "--- PASS: TestFullDisk")
		return
	}
	disk := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"))
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }) // it goes with the namespace
	store := filepath.Join(disk, "queue")
	s, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Store: store})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	startWorker(t, connect(t, s), nil)
	c := slowConfig("10")
	want := local(t, c)
	c.Out = t.TempDir()
	var log logged
	p := testPool(t, connect(t, s), func(o *Options) { o.Log, o.Stalled, o.Window = log.log(), s.Stalled, 20 })
	c.Executor = p
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	filler := filepath.Join(disk, "filler")
	fills := 0
	fill := func() {
		fills++
		f, err := os.Create(filler)
		require.NoError(t, err)
		defer f.Close()
		for block := make([]byte, 1<<16); err == nil; {
			_, err = f.Write(block)
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	games := 0
	freed := whileRunning(t, func(ctx context.Context) (n int) {
		const warning = `level=WARN msg="the queue can't be stored; the run waits until it can"`
		for sleep(ctx, 10*time.Millisecond) {
			if strings.Count(log.String(), warning) > n {
				n++
				_ = os.Remove(filler) // if it can't be, the run doesn't end
			}
		}
		return n
	}, func() {
		_, err = tournament.Run(ctx, c, testRegistry(), func(*record.Game) {
			if games++; games == 5 || games == 45 {
				fill()
			}
		})
	})
	require.NoError(t, err, log.String())
	require.Equal(t, 2, fills)
	require.Equal(t, 2, freed)
	require.Contains(t, log.String(), "store "+store+": ")
	require.Contains(t, log.String(), "no space left on device")
	require.Contains(t, log.String(), `level=INFO msg="the queue is stored again"`)
	require.Equal(t, want, timeless(t, c.Out))
	requireEmpty(t, p)
}
