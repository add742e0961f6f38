package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"gyges/rules/base/jsonl"
	"gyges/tournament"
	"gyges/tournament/record"
)

// tail reads the records of a run as they are appended, in complete lines.
type tail struct {
	folder fs.FS
	offset int64 // of the first byte not read
	size   int64 // of the file
	most   int64 // maximum bytes to read in one call, plus the rest of a line
	behind bool  // the file had more
	half   bool  // the last line read is the first game of a pair
}

// readAtOnce is the maximum bytes read in one call: processing them lasts some 0.2 s.
const readAtOnce = 4 << 20

// errReplaced is returned if the file no longer begins with the bytes read.
var errReplaced = errors.New("the records have been replaced")

// open opens the records and notes their size; nil if there are none.
func (t *tail) open() (*os.File, error) {
	opened, err := t.folder.Open(tournament.GamesFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.offset == 0:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, errReplaced
	case err != nil:
		return nil, err
	}
	f := opened.(*os.File) // as those of folder are
	info, err := f.Stat()
	if err == nil && info.Size() < t.offset {
		err = errReplaced
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.size = info.Size()
	return f, nil
}

// read passes the lines that were appended to take and reports whether there were
// any. Unless the file is final, the first game of a pair at its end is left until
// the second has been written: the two are rated as one.
func (t *tail) read(ctx context.Context, final bool, take func(io.Reader) error) (bool, error) {
	f, err := t.open()
	if f == nil || err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // it was only read
	end, err := lastLine(f, t.offset, t.size)
	if err != nil || end == t.offset {
		return false, err
	}
	start, err := lastLine(f, t.offset, end-1)
	if err != nil {
		return false, err
	}
	half, err := beginsPair(f, start, end)
	if err != nil {
		return false, err
	}
	if half && !final {
		end, half = start, false
	}
	t.behind = false
	for most := t.most; end-t.offset > most && !t.behind; most *= 2 {
		stop, err := lastLine(f, t.offset, t.offset+most)
		if err != nil {
			return false, err
		}
		if t.behind = stop > t.offset; t.behind {
			end, half = stop, false
		}
	}
	if end == t.offset {
		return false, nil
	}
	if err := take(io.NewSectionReader(f, t.offset, end-t.offset)); err != nil {
		return true, err
	}
	t.offset, t.half = end, half
	return true, ctx.Err()
}

// lastLine returns the end of the last complete line between two offsets; low if there is none.
func lastLine(f io.ReaderAt, low, high int64) (int64, error) {
	end, err := jsonl.LastEnd(f, low, high, record.MaxLine)
	if errors.Is(err, jsonl.ErrTooLong) {
		err = fmt.Errorf("%s: expected lines of at most %d bytes, found a longer one", tournament.GamesFile, record.MaxLine)
	}
	return end, err
}

// beginsPair reports whether a line is the first game of a pair: runs number games
// and pairs together.
func beginsPair(f io.ReaderAt, start, end int64) (bool, error) {
	line := make([]byte, end-start)
	if n, err := f.ReadAt(line, start); n < len(line) {
		return false, err
	}
	g, err := record.NewReader(bytes.NewReader(line), "").Read()
	return err == nil && g.Game == 2*g.Pair, nil
}
