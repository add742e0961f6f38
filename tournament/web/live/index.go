package live

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"sync"

	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/web"
)

// index tells in which blocks of a run's records a game can be, so that the others needn't be read
// again.
type index struct {
	mu     sync.Mutex
	tail   tail
	games  int64
	blocks []block
}

// block is the lines between two offsets, which were read at once. The numbers of their games are
// from first to last.
type block struct{ start, end, first, last int64 }

// numbers matches the numbers of games in lines, also where the end between two lines is lost.
var numbers = regexp.MustCompile(`"game":\s*(\d+)`)

// read reads some of the records that were appended, or of all if they were replaced. It returns
// how many bytes it read, and whether there are more.
func (x *index) read() (size int64, behind bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	// What is read at once becomes a block.
	b := block{start: x.tail.offset, first: math.MaxInt64}
	found, err := x.tail.read(func(lines io.Reader) error {
		text, err := io.ReadAll(lines)
		for _, number := range numbers.FindAllSubmatch(text, -1) {
			n, _ := strconv.ParseInt(string(number[1]), 10, 64) // if it is too large, the largest
			b.first = min(b.first, n)
			b.last = max(b.last, n)
			x.games++
		}
		return err
	})
	if errors.Is(err, errReplaced) {
		x.tail.offset, x.games, x.blocks = 0, 0, nil
		return 0, true
	}
	if err != nil || !found {
		return 0, false
	}
	b.end = x.tail.offset
	x.blocks = append(x.blocks, b)
	return b.end - b.start, x.tail.behind
}

// errNoGame is the error of a number that no game has.
var errNoGame = web.Error{Status: http.StatusNotFound, Text: "there is no such game"}

// find returns the record of a game among those that were read.
func (x *index) find(game int64) (*record.Record, error) {
	file, err := x.tail.folder.Open(tournament.GamesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoGame
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	x.mu.Lock()
	defer x.mu.Unlock()
	// The ranges of blocks overlap, as games end in any order.
	for _, b := range x.blocks {
		if game < b.first || game > b.last {
			continue
		}
		// io.EOF says that the block has no such game.
		lines := io.NewSectionReader(file.(io.ReaderAt), b.start, b.end-b.start)
		g, _, err := record.Find(lines, tournament.GamesFile, game)
		if !errors.Is(err, io.EOF) {
			return g, err
		}
	}
	return nil, errNoGame
}

// Record returns the record of a game of a run, and the folder of the run. The error is a
// [web.Error] if there is none, or a [*jsonl.LineError] if its line can't be read.
func (p *Pages) Record(
	ctx context.Context, client, run string, game int64,
) (g *record.Record, folder fs.FS, err error) {
	f, err := p.catalog.find(run)
	if err != nil {
		return nil, nil, err
	}
	x := p.catalog.index(f)
	// What was appended is read first, some of it in each of the client's turns.
	for behind := true; behind; {
		end, err := p.server.Reads.Turn(ctx, client)
		if err != nil {
			return nil, nil, err
		}
		_, behind = x.read()
		end()
	}
	g, err = x.find(game)
	return g, f, err
}
