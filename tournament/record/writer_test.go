package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var errFull = errors.New("disk full")

// smallDisk takes so many bytes and then fails, as a full disk does.
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

func (d *smallDisk) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart || offset != int64(d.Len()) {
		return 0, errors.New("expected a seek to the end")
	}
	return offset, nil
}

// However little room there is, whole lines remain and are counted.
func TestWriterOnFullDisk(t *testing.T) {
	g := sample()
	line := len(line(t, &g))
	for room := range 4*line + 1 {
		d := &smallDisk{room: room}
		w := NewWriter(d)
		var err error
		for range 5 {
			err = errors.Join(err, w.Write(&g))
			err = errors.Join(err, w.Flush())
		}
		require.ErrorIs(t, err, errFull)
		require.NoError(t, w.Close())
		require.EqualValues(t, room/line, w.Written())
		require.Equal(t, room/line*line, d.Len())
	}
}

// A disk that was full takes the next games after whole lines, even if the line
// that was cut could be taken off only later.
func TestWriterAfterFullDisk(t *testing.T) {
	g := sample()
	line := line(t, &g)
	for _, failures := range []int{0, 1} {
		for room := range 2*len(line) + 1 {
			d := &stubbornDisk{smallDisk{room: room}, failures}
			w := NewWriter(d)
			require.NoError(t, errors.Join(w.Write(&g), w.Write(&g)))
			if err := w.Flush(); room < 2*len(line) {
				require.ErrorIs(t, err, errFull)
			}
			d.room = 1 << 20
			require.NoError(t, errors.Join(w.Write(&g), w.Close()))
			want := room/len(line) + 1
			require.EqualValues(t, want, w.Written())
			require.Equal(t, bytes.Repeat(line, want), d.Bytes())
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
	g := sample()
	for w.Written() == 0 {
		require.NoError(t, w.Write(&g))
		require.Less(t, w.buf.Len(), flushAt)
	}
	require.Equal(t, w.Written(), int64(bytes.Count(out.Bytes(), []byte{'\n'})))
}

func TestCloseEndsTheWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.jsonl")
	f, err := os.Create(path)
	require.NoError(t, err)
	w, g := Append(f, 0, 0), sample()
	require.NoError(t, w.Write(&g))
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.Write(&g), os.ErrClosed)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, line(t, &g), text)
}
