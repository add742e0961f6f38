package jsonl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/files"
)

var errFull = errors.New("disk full")

// smallDisk takes a number of bytes and then fails, as a full disk does.
type smallDisk struct {
	bytes.Buffer
	room int
}

func (d *smallDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.room -= n
	d.Buffer.Write(p[:n])
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func (d *smallDisk) Truncate(size int64) error {
	d.Buffer.Truncate(int(size))
	return nil
}

func (d *smallDisk) Sync() error  { return nil }
func (d *smallDisk) Close() error { return nil }

func (d *smallDisk) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart || offset != int64(d.Len()) {
		return 0, errors.New("expected a seek to the end")
	}
	return offset, nil
}

// entry is a line, and text is what the file has of it.
var (
	entry = map[string]any{"game": 17, "moves": []string{"a4-goal"}}
	text  = []byte(`{"game":17,"moves":["a4-goal"]}` + "\n")
)

// However little room there is, whole lines remain and are counted. The disk takes the next lines
// after them, even if the line that was cut could be taken off only later.
func TestWriterOnFullDisk(t *testing.T) {
	for _, failures := range []int{0, 1} {
		for room := range 2*len(text) + 1 {
			d := &stubbornDisk{smallDisk{room: room}, failures}
			w := NewWriter(d)
			require.NoError(t, errors.Join(w.Write(entry), w.Write(entry)))
			if err := w.Flush(); room < 2*len(text) {
				require.ErrorIs(t, err, errFull)
			}
			require.EqualValues(t, room/len(text), w.Written())
			d.room = 1 << 20
			require.NoError(t, errors.Join(w.Write(entry), w.Close()))
			want := room/len(text) + 1
			require.EqualValues(t, want, w.Written())
			require.Equal(t, bytes.Repeat(text, want), d.Bytes())
			require.EqualValues(t, d.Len(), w.Size())
		}
	}
}

// stubbornDisk fails to be truncated for some times.
type stubbornDisk struct {
	smallDisk
	failures int
}

func (d *stubbornDisk) Truncate(size int64) error {
	if d.failures--; d.failures >= 0 {
		return errFull
	}
	return d.smallDisk.Truncate(size)
}

func TestWriterFlushesLargeBuffers(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	for w.Written() == 0 {
		require.NoError(t, w.Write(entry))
		require.Less(t, w.buf.Len(), flushAt)
	}
	require.Equal(t, w.Written(), int64(bytes.Count(out.Bytes(), []byte{'\n'})))
}

// A file that is cut anywhere goes on after its last whole line; one of something else stays as it
// is.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	for cut := range 3*len(text) + 1 {
		require.NoError(t, os.WriteFile(path, bytes.Repeat(text, 3)[:cut], 0o600))
		n := 0
		w, err := Open(path, len(text), func(line []byte) error {
			require.Equal(t, string(text), string(line)+"\n")
			n++
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, cut/len(text), n)
		if cut == 0 { // it takes a while
			_, err = Open(path, len(text), nil)
			require.ErrorIs(t, err, files.ErrInUse)
		}
		require.NoError(t, errors.Join(w.Append(entry), w.Close()))
		require.ErrorIs(t, w.Append(entry), os.ErrClosed)
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, bytes.Repeat(text, n+1), whole)
	}
	refuse := func([]byte) error { return errors.New("refused") }
	for content, want := range map[string]string{
		"Dear":                   ": expected an empty file or lines from { on, found \"D\"",
		string(text):             ":1: refused",
		string(text) + `{"gam`:   ":1: refused",
		"x" + string(text) + "{": ":1: expected at most 32 bytes, found a longer line",
	} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := Open(path, len(text), refuse)
		require.EqualError(t, err, path+want)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(kept))
	}
}

func TestCutTorn(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log.jsonl"))
	require.NoError(t, err)
	long := bytes.Repeat([]byte("x"), 3*bufferSize)
	for _, c := range []struct {
		whole, rest []byte
		want        string
	}{
		{nil, nil, ""}, {text, nil, ""}, {nil, text[:5], ""}, {text, text[:5], ""}, {text, long, ""},
		{text, append(long, long...), "the line is too long"},
	} {
		require.NoError(t, f.Truncate(0))
		_, err := f.WriteAt(append(bytes.Clone(c.whole), c.rest...), 0)
		require.NoError(t, err)
		size, err := CutTorn(f, 5*bufferSize)
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		require.EqualValues(t, len(c.whole), size)
		info, err := f.Stat()
		require.NoError(t, err)
		require.Equal(t, size, info.Size())
	}
	require.NoError(t, f.Close())
}
