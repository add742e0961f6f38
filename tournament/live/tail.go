package live

import (
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
	most   int64 // maximum bytes to read in one call, if a line ends in them
	behind bool  // the file had more
}

// readAtOnce is the maximum bytes read in one call: processing them lasts some 0.2 s.
const readAtOnce = 4 << 20

// errReplaced is returned if the file no longer begins with the bytes read.
var errReplaced = errors.New("the records have been replaced")

// read passes the lines that were appended to take and reports whether there were any.
func (t *tail) read(take func(io.Reader) error) (bool, error) {
	opened, err := t.folder.Open(tournament.GamesFile)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && t.offset == 0:
		return false, nil
	case missing:
		return false, errReplaced
	case err != nil:
		return false, err
	}
	f := opened.(*os.File)           // as those of folder are
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if t.size = info.Size(); t.size < t.offset {
		return false, errReplaced
	}
	end := t.offset
	for most := t.most; end == t.offset; most *= 2 {
		high := min(t.size, t.offset+most)
		t.behind = high < t.size
		end, err = jsonl.LastEnd(f, t.offset, high, record.MaxLine)
		if errors.Is(err, jsonl.ErrTooLong) {
			err = fmt.Errorf("%s: expected lines of at most %d bytes, found a longer one", tournament.GamesFile, record.MaxLine)
		}
		if err != nil || end == t.offset && !t.behind {
			return false, err
		}
	}
	err = take(io.NewSectionReader(f, t.offset, end-t.offset))
	if err == nil {
		t.offset = end
	}
	return true, err
}
