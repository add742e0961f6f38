package record

import (
	"bytes"
	"errors"
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

// However little room there is, whole lines remain and are counted.
func TestWriterOnFullDisk(t *testing.T) {
	g := sample()
	line := len(g.AppendJSON(nil)) + 1
	for room := range 4*line + 1 {
		d := &smallDisk{room: room}
		w := NewWriter(d)
		var err error
		for range 5 {
			err = errors.Join(err, w.Write(&g))
			err = errors.Join(err, w.Flush())
		}
		require.ErrorIs(t, err, errFull)
		require.ErrorIs(t, w.Close(), errFull)
		require.EqualValues(t, room/line, w.Written())
		require.Equal(t, room/line*line, d.Len())
	}
}

func TestWriterFlushesLargeBuffers(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	g := sample()
	for w.Written() == 0 {
		require.NoError(t, w.Write(&g))
		require.LessOrEqual(t, len(w.buf), flushAt)
	}
	require.Equal(t, w.Written(), int64(bytes.Count(out.Bytes(), []byte{'\n'})))
}

func TestCreateRefusesAnExistingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.jsonl")
	w, err := Create(path)
	require.NoError(t, err)
	g := sample()
	require.NoError(t, w.Write(&g))
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.Write(&g), os.ErrClosed)

	_, err = Create(path)
	require.ErrorIs(t, err, os.ErrExist)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, append(g.AppendJSON(nil), '\n'), text)
}
