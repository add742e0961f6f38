package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gyges/rules/base/files"
)

// flushAt is how many bytes a writer holds in memory before it writes them.
const flushAt = 256 << 10

// Writer appends lines to a file. It writes whole lines only, so that a file is cut between two
// lines wherever its writer was stopped, short of the machine's own failure. An error drops the
// lines in memory; what it left of a line in the file is removed before the next one is written. A
// writer belongs to one goroutine.
type Writer struct {
	// If not nil, Finish returns an encoded line, without its end, as it is to be written.
	Finish func(line []byte) []byte

	to      io.Writer
	file    File // what to is, if Close closes it
	buf     bytes.Buffer
	json    *json.Encoder // to buf
	written int64         // whole lines of the file
	size    int64         // bytes of these lines
	torn    bool          // the file may have a part of a line beyond size
}

// NewWriter returns a writer that appends to w, which is to be empty. Close doesn't close w.
func NewWriter(w io.Writer) *Writer {
	writer := &Writer{to: w}
	writer.json = json.NewEncoder(&writer.buf)
	writer.json.SetEscapeHTML(false)
	return writer
}

// File is what [Resume] writes to, like an *[os.File].
type File interface {
	io.WriteSeeker
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// Resume returns a writer that goes on with an open file, which has these lines and size and stands
// at its end.
func Resume(f File, lines, size int64) *Writer {
	w := NewWriter(f)
	w.file = f
	w.written = lines
	w.size = size
	return w
}

// Open opens a file to append to, makes it if there is none, and locks it. each is called with the
// lines that it has; after its error the file is left as it is. The error is [files.ErrInUse] if
// another process appends to the file.
func Open(path string, maxLine int, each func(line []byte) error) (*Writer, error) {
	lines := int64(0)
	f, size, err := OpenFile(path, "{", maxLine, func(line []byte) error {
		lines++
		return each(line)
	})
	if err != nil {
		return nil, err
	}
	return Resume(f, lines, size), nil
}

// OpenFile is [Open] for a file of other lines, which stands at its end. The first of them has this
// beginning.
func OpenFile(
	path, beginning string, maxLine int, each func(line []byte) error,
) (f *os.File, size int64, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) // which blocks on no pipe
	if err != nil {
		return nil, 0, err
	}
	size, err = lockAndRead(f, beginning, maxLine, each)
	if err == nil {
		err = cut(f, size)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, size, nil
}

// lockAndRead locks a file and reads its lines, whose size it returns.
func lockAndRead(
	f *os.File, beginning string, maxLine int, each func(line []byte) error,
) (int64, error) {
	if err := files.Lock(f); err != nil {
		return 0, fmt.Errorf("%s: %w", f.Name(), err)
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s: expected a regular file", f.Name())
	}
	size, err := Read(f, f.Name(), maxLine, each)
	if err != nil || size > 0 {
		return size, err
	}

	// Without lines there may be a part of the first one, or a file of another kind.
	found := make([]byte, min(len(beginning), int(info.Size())))
	if _, err := f.ReadAt(found, 0); err != nil {
		return 0, err
	}
	if !strings.HasPrefix(beginning, string(found)) {
		return 0, fmt.Errorf("%s: expected an empty file or lines from %s on, found %.60q",
			f.Name(), beginning, found)
	}
	return 0, nil
}

// CutTorn removes what follows the last line end of a file and moves to the new end, which it
// returns.
func CutTorn(f *os.File, maxLine int) (size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size, err = LastEnd(f, 0, info.Size(), maxLine)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return size, cut(f, size)
}

// cut cuts a file to a size and moves to its end.
func cut(f File, size int64) error {
	if err := f.Truncate(size); err != nil {
		return err
	}
	_, err := f.Seek(size, io.SeekStart)
	return err
}

// Write appends a value, if it can be encoded, as a line, which may stay in memory until Flush or
// Close.
func (w *Writer) Write(v any) error {
	start := w.buf.Len()
	if err := w.json.Encode(v); err != nil {
		return err
	}
	if w.Finish != nil {
		line := w.Finish(w.buf.Bytes()[start : w.buf.Len()-1])
		w.buf.Truncate(start)
		w.buf.Write(append(line, '\n'))
	}
	return w.flushIfFull()
}

// WriteLine is Write of a line that was written before, with its end.
func (w *Writer) WriteLine(line []byte) error {
	w.buf.Write(line)
	return w.flushIfFull()
}

func (w *Writer) flushIfFull() error {
	if w.buf.Len() < flushAt {
		return nil
	}
	return w.Flush()
}

// Append appends a value as a line, which is in the file when Append returns.
func (w *Writer) Append(v any) error {
	if err := w.Write(v); err != nil {
		return err
	}
	return w.Flush()
}

// Flush writes what is in memory. After an error whole lines of it are in the file, which
// [Writer.Written] counts.
func (w *Writer) Flush() error {
	if w.buf.Len() == 0 {
		return nil
	}
	defer w.buf.Reset()
	if w.torn {
		if err := w.truncate(); err != nil {
			return err
		}
	}
	lines := w.buf.Bytes()
	n, err := w.to.Write(lines)
	whole := bytes.LastIndexByte(lines[:n], '\n') + 1
	w.written += int64(bytes.Count(lines[:whole], []byte{'\n'}))
	w.size += int64(whole)
	w.torn = n > whole
	if w.torn {
		_ = w.truncate() // the next call tries again
	}
	return err
}

// truncate removes what the file has beyond its whole lines.
func (w *Writer) truncate() error {
	f, ok := w.to.(File)
	if !ok {
		return errors.New("the last line is cut short and can't be taken off")
	}
	err := cut(f, w.size)
	w.torn = err != nil
	return err
}

// Clear removes all lines.
func (w *Writer) Clear() error {
	w.buf.Reset()
	w.written = 0
	w.size = 0
	return w.truncate()
}

// Written returns how many lines are whole in the file: those that are safe even if the program
// ends now.
func (w *Writer) Written() int64 { return w.written }

// Size returns how many bytes the lines counted by Written take in the file.
func (w *Writer) Size() int64 { return w.size }

// End returns how many bytes the file has when all lines are in it, those in memory included.
func (w *Writer) End() int64 { return w.size + int64(w.buf.Len()) }

// Close flushes, and closes the file, synced to the disk, if the writer owns it.
func (w *Writer) Close() error {
	err := w.Flush()
	if w.file == nil {
		return err
	}
	return errors.Join(err, w.file.Sync(), w.file.Close())
}
