package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"gyges/tournament"
	"gyges/tournament/record"
)

// tail reads the records of a run as they come. It takes whole lines only: what
// a writer is in the middle of is left for the next time.
type tail struct {
	fsys   fs.FS
	offset int64 // of the first byte not handed on

	// Both games of a pair are rated as one, so the first is left until the second
	// has come, or none has for so long.
	half    int64 // number of the pair of which one game was handed on alone; -1: none
	changed time.Time
	size    int64
	chunk   int64 // bytes to read at a time
	most    int64 // bytes to hand on in one call, but for the last chunk
	behind  bool  // there was more in the file than that
}

// patience is how long the first game of a pair waits for the second.
const patience = 5 * time.Second

// chunk is how many bytes are read at a time, readAtOnce how many in one call:
// what is made of them takes some 0.2 s.
const (
	chunk      = 1 << 20
	readAtOnce = 8 << 20
)

// errAgain says that what was handed on is no beginning of the file any more, or
// was parted in the wrong place: all is to be read again.
var errAgain = errors.New("the records have changed")

func newTail(fsys fs.FS) *tail { return &tail{fsys: fsys, half: -1, chunk: chunk, most: readAtOnce} }

// read hands the lines that have come to take, many at a time. It reports whether
// there were any. final says that nobody writes any more. While t.behind is set
// after it, the last line handed on may be the first of a pair.
func (t *tail) read(ctx context.Context, final bool, now time.Time, take func(io.Reader) error) (bool, error) {
	f, err := t.fsys.Open(tournament.GamesFile)
	if errors.Is(err, fs.ErrNotExist) {
		if t.offset > 0 {
			return false, errAgain
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	t.grown(info.Size(), now)
	if t.size < t.offset {
		return false, errAgain
	}
	from, ok := f.(io.ReaderAt)
	if !ok {
		return false, fmt.Errorf("%s: expected a file that can be read anywhere", tournament.GamesFile)
	}
	final = final || now.Sub(t.changed) > patience
	end, err := t.lastLine(from)
	if err != nil {
		return false, err
	}
	any, stop := false, t.offset+t.most
	for t.behind = false; t.offset < end && ctx.Err() == nil; {
		if t.offset >= stop {
			t.behind = true
			break
		}
		lines, err := t.next(from, end)
		if err != nil {
			return any, err
		}
		if lines, err = t.whole(lines, t.offset+int64(len(lines)) < end, final); err != nil {
			return any, err
		}
		if len(lines) == 0 {
			return any, nil
		}
		if err := take(bytes.NewReader(lines)); err != nil {
			return any, err
		}
		t.offset += int64(len(lines))
		any = true
	}
	return any, ctx.Err()
}

// grown notes the size of the file.
func (t *tail) grown(size int64, now time.Time) {
	if size != t.size {
		t.size, t.changed = size, now
	}
}

// lastLine returns where the last whole line ends.
func (t *tail) lastLine(from io.ReaderAt) (int64, error) {
	const block = 64 << 10
	for end := t.size; end > t.offset; {
		start := max(t.offset, end-block)
		buf := make([]byte, end-start)
		if n, err := from.ReadAt(buf, start); err != nil && (n < len(buf) || !errors.Is(err, io.EOF)) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		if end = start; t.size-end > record.MaxLine {
			return 0, errLongLine
		}
	}
	return t.offset, nil
}

var errLongLine = fmt.Errorf("%s: expected lines of at most %d bytes, found a longer one", tournament.GamesFile, record.MaxLine)

// next reads whole lines from the offset on, up to end, where one ends.
func (t *tail) next(from io.ReaderAt, end int64) ([]byte, error) {
	for size := t.chunk; ; size *= 2 {
		buf := make([]byte, min(size, end-t.offset))
		if n, err := from.ReadAt(buf, t.offset); err != nil && (n < len(buf) || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			return buf[:i+1], nil
		}
		switch {
		case len(buf) > record.MaxLine:
			return nil, errLongLine
		case int64(len(buf)) == end-t.offset: // there was a line's end a moment ago
			return nil, errAgain
		}
	}
}

// whole leaves the first game of a pair at the end of lines for later. more says
// that others follow in the file: then a cut between the two does no harm, for
// nothing is rated in between. final says that the second won't come.
func (t *tail) whole(lines []byte, more, final bool) ([]byte, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	if t.half >= 0 {
		if i := bytes.IndexByte(lines, '\n'); isOf(lines[:i+1], t.half) {
			return nil, errAgain
		}
		t.half = -1
	}
	start := bytes.LastIndexByte(lines[:len(lines)-1], '\n') + 1
	pair, first := beginsPair(lines[start:])
	if !first || more {
		return lines, nil
	}
	if !final {
		return lines[:start], nil
	}
	t.half = pair
	return lines, nil
}

// isOf reports whether the game on a line is one of a pair.
func isOf(line []byte, pair int64) bool {
	var o record.GameResult
	return record.NewReader(bytes.NewReader(line), "").ReadResult(&o) == nil && o.Pair == pair
}

// beginsPair returns the pair of the game on a line, and whether it is the first
// of the two: runs number games and pairs together.
func beginsPair(line []byte) (pair int64, first bool) {
	var o record.GameResult
	if record.NewReader(bytes.NewReader(line), "").ReadResult(&o) != nil {
		return -1, false
	}
	return o.Pair, o.Game == 2*o.Pair
}
