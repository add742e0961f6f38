package queue

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/record"
)

// smallDisk makes a process of this test one that may mount a small file system, in a mount
// namespace of its own.
const smallDisk = "GYGES_TEST_SMALL_DISK"

// The disk with the embedded server's store is full in the middle of a run: the run ends with a
// message that names the store, and when there is space the same run goes on, to the records of a
// local one. This needs a mount namespace, as root or with the user namespaces that most
// distributions allow everybody.
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
	c := slowConfig("10")
	want := local(t, c)
	c.Out = t.TempDir()
	filler := filepath.Join(disk, "filler")
	games := 0
	play := func() error {
		s, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Store: store})
		require.NoError(t, err)
		defer s.Close()
		nc := connect(t, s)
		defer startWorker(t, nc, nil)()
		c.Executor = testPool(t, nc, func(o *Options) { o.Server, o.window = s, 20 })
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		_, err = tournament.Run(ctx, c, testRegistry(), func(*record.Record) {
			if games++; games == 5 {
				fill(t, filler)
			}
		})
		return err
	}
	err := play()
	require.ErrorContains(t, err, "the embedded server can't write its store "+store+" any more (")
	require.ErrorContains(t, err, "the same command continues the run")
	require.NoError(t, os.Remove(filler))
	require.NoError(t, play())
	require.Equal(t, want, timeless(t, c.Out))
}

// fill writes a file until its disk is full.
func fill(t *testing.T, path string) {
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	for block := make([]byte, 1<<16); err == nil; {
		_, err = f.Write(block)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
}
