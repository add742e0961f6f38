package files

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// list returns the names in a folder.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func text(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

// The earlier file is there until the new one is whole, and nothing else remains.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	require.NoError(t, os.Chmod(path, 0o640))

	f, err := Create(path)
	require.NoError(t, err)
	_, err = io.WriteString(f, "half")
	require.NoError(t, err)
	require.Equal(t, "old", text(t, path))
	require.NoError(t, f.Discard())
	require.Equal(t, "old", text(t, path))
	require.Equal(t, []string{"out"}, list(t, dir))

	f, err = Create(path)
	require.NoError(t, err)
	_, err = io.WriteString(f, "new")
	require.NoError(t, err)
	require.NoError(t, f.Commit())
	require.NoError(t, f.Discard(), "it does nothing")
	require.Equal(t, "new", text(t, path))
	require.Equal(t, []string{"out"}, list(t, dir))
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		require.EqualValues(t, 0o640, info.Mode().Perm(), "those of the earlier file")
	}

	_, err = Create(filepath.Join(dir, "none", "out"))
	require.ErrorContains(t, err, filepath.Join(dir, "none", "out")+":")
}

// The folder is synced after the file has its name: before, a power failure may bring the earlier
// file back.
func TestCommitSyncsTheFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	f, err := Create(path)
	require.NoError(t, err)
	failed := errors.New("not synced")
	require.ErrorIs(t, f.commit(func(synced string) error {
		require.Equal(t, dir, synced)
		require.Equal(t, []string{"out"}, list(t, dir))
		return failed
	}), failed)
	require.NoError(t, syncDir(dir))
	require.ErrorIs(t, syncDir(filepath.Join(dir, "none")), os.ErrNotExist)
}

// A link stays a link, also one to a file that is missing.
func TestCreateThroughALink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("file", link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for _, content := range []string{"first", "second"} {
		require.NoError(t, Replace(link, []byte(content)))
		require.Equal(t, content, text(t, filepath.Join(dir, "file")))
		to, err := os.Readlink(link)
		require.NoError(t, err)
		require.Equal(t, "file", to)
	}
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink("link", link))
	require.Error(t, Replace(link, nil), "it leads nowhere")
}

// What a process that was killed left is removed by the next one, and what one that runs is writing
// stays.
func TestLeftovers(t *testing.T) {
	if dir := os.Getenv("GYGES_TEST_FILES"); dir != "" {
		_, err := Create(filepath.Join(dir, "out"))
		require.NoError(t, err)
		folder, _, err := TempDir(dir, "work")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "content"), nil, 0o644))
		_, _ = os.Stdout.WriteString("ready\n")
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		return
	}
	t.Run("Clean", func(t *testing.T) { leftovers(t, Clean) })
	t.Run("TempDir", func(t *testing.T) {
		leftovers(t, func(dir string) {
			_, remove, err := TempDir(dir, "work")
			require.NoError(t, err)
			require.NoError(t, remove())
		})
	})
}

func leftovers(t *testing.T, clean func(dir string)) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestLeftovers$")
	cmd.Env = append(os.Environ(), "GYGES_TEST_FILES="+dir)
	_, err := cmd.StdinPipe() // which Wait closes
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.ReadFull(out, make([]byte, len("ready\n")))
	require.NoError(t, err)

	other := filepath.Join(dir, "out.tmp-file")
	require.NoError(t, os.WriteFile(other, nil, 0o644))
	live := list(t, dir)
	require.Len(t, live, 4, "a temporary file, a lock, its folder and a file of others")
	work := func() {
		t.Helper()
		require.NoError(t, Replace(filepath.Join(dir, "out"), nil))
		clean(dir)
	}
	work()
	require.Subset(t, list(t, dir), live)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	work()
	require.Equal(t, []string{"out", "out.tmp-file"}, list(t, dir))
}

// A temporary file that is taken for a leftover before its process has locked it is made again.
func TestCreateWhileOthersClean(t *testing.T) {
	dir := t.TempDir()
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				Clean(dir)
			}
		}
	}()
	for range 50 {
		require.NoError(t, Replace(filepath.Join(dir, "out"), []byte("text")))
	}
	close(stop)
	<-done
	require.Equal(t, []string{"out"}, list(t, dir))
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("12345"), 0o644))
	content, err := Read(path, 5)
	require.NoError(t, err)
	require.Equal(t, "12345", string(content))
	_, err = Read(path, 4)
	require.ErrorContains(t, err, path+": expected at most 4 bytes, found more")
	_, err = Read(filepath.Dir(path), 4)
	require.ErrorContains(t, err, "is a directory")
	_, err = Read(os.DevNull, 4)
	require.ErrorContains(t, err, "expected a regular file, found a pipe or a device")
}

func TestForeign(t *testing.T) {
	dir := t.TempDir()
	found, err := Foreign(filepath.Join(dir, "none"))
	require.NoError(t, err)
	require.Empty(t, found)
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	write("history", "")
	write("manifest.tmp-123", "{")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "queue"), 0o755))
	found, err = Foreign(dir, "history", "queue")
	require.NoError(t, err)
	require.Empty(t, found)
	found, err = Foreign(dir, "history")
	require.NoError(t, err)
	require.Equal(t, "queue", found)
	write("history", "a step")
	found, err = Foreign(dir, "history", "queue")
	require.NoError(t, err)
	require.Equal(t, "history", found)
}

// An error of writing has the path that the file is to take, not the temporary one.
func TestErrorsHaveThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	f, err := Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = f.Write([]byte("x"))
	require.EqualError(t, err, "write "+path+": file already closed")
	require.ErrorContains(t, f.Commit(), "sync "+path+": file already closed")
	require.Empty(t, list(t, filepath.Dir(path)))
}

// A lock that is held for some moments, as by a process that is being started, is waited for.
func TestLockWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	held, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, Lock(held))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	require.ErrorIs(t, Lock(f), ErrInUse)
	released := make(chan error)
	go func() {
		time.Sleep(30 * time.Millisecond)
		released <- held.Close()
	}()
	require.NoError(t, Lock(f))
	require.NoError(t, <-released)
}
