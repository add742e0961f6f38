// Package gameindex finds the games of runs that came to a position, and what was played there.
//
// Each file of records has an index in the hidden folder ".NAME.index" beside it: segments, each of which covers a part
// of the records and has their turns sorted by a hash of the position, the same for mirror images. Records that were
// appended are added; after any other change the index is made anew. Making and searching it holds one segment in
// memory, however many games there are.
package gameindex

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

const (
	maxTurns  = 1 << 18   // of a segment before its last game: some 6 MB
	markBytes = 4096      // of the records that are compared
	maxMemory = 256 << 20 // bytes of an index that can't be written
)

// Run is a file of records.
type Run struct {
	Name   string // for people and links
	Folder fs.FS  // whose files are each an [os.File]
	File   string // in the folder
}

func (r *Run) open() (*os.File, fs.FileInfo, error) {
	opened, err := r.Folder.Open(r.File)
	if err != nil {
		return nil, nil, err
	}
	f := opened.(*os.File)
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil, errors.Join(err, fmt.Errorf("%s: expected a regular file", f.Name()), f.Close())
	}
	return f, info, nil
}

// index is the index of a run.
type index struct {
	Run
	segments []*segment
	maxTurns int                   // constant but in tests
	elo      map[[2]string]float64 // ratings by rule set and player; nil: not known
	inMemory error                 // why it could not be written
}

// end returns how many bytes of the records are covered.
func (x *index) end() int64 {
	if len(x.segments) == 0 {
		return 0
	}
	return x.segments[len(x.segments)-1].To
}

// update reads the records that are new, and returns how many games these are. progress gets the bytes read and all.
func (x *index) update(ctx context.Context, progress func(done, all int64)) (games int, err error) {
	f, info, err := x.open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // it was only read
	dir := filepath.Join(filepath.Dir(f.Name()), "."+filepath.Base(f.Name())+".index")
	if len(x.segments) == 0 {
		x.load(dir)
	}
	if !x.fits(f, info) {
		x.remove()
	}
	end, err := jsonl.LastEnd(f, x.end(), min(info.Size(), maxOffset), record.MaxLine)
	if n := len(x.segments); n > 0 && end > x.end() && x.segments[n-1].Turns < x.maxTurns {
		games, x.segments = -x.segments[n-1].Games, x.segments[:n-1] // it is read again, with those that follow
	}
	for err == nil && x.end() < end {
		b := &builder{numbers: map[[3]string]int{}, segment: &segment{
			Version: version, ID: rand.Uint32(), From: x.end(), To: x.end(), Size: info.Size(), Time: info.ModTime().UnixNano(),
		}}
		err = b.read(ctx, f, end, x.maxTurns, progress)
		if games += b.Games; err == nil && b.To > b.From {
			err = x.add(f, dir, b)
		}
		err = cmp.Or(err, ctx.Err()) // what was read until an interruption is kept
	}
	return games, err
}

// load finds the segments on the disk, which it removes unless they follow each other.
func (x *index) load(dir string) {
	entries, _ := os.ReadDir(dir) // in the order of their names
	for _, e := range entries {
		s, err := readSegment(filepath.Join(dir, e.Name()))
		if err != nil || s.From != x.end() {
			x.segments = nil
			_ = os.RemoveAll(dir) // if it stays, it is found to be wrong again
			return
		}
		x.segments = append(x.segments, s)
	}
}

// fits reports whether the records are those that were read, or begin with them.
func (x *index) fits(f io.ReaderAt, info fs.FileInfo) bool {
	if len(x.segments) == 0 {
		return false
	}
	last := x.segments[len(x.segments)-1]
	if info.Size() == last.Size {
		return info.ModTime().UnixNano() == last.Time
	}
	first, end := marks(f, last.To)
	return info.Size() >= last.To && first == last.First && end == last.Last
}

// marks returns checksums of the first line of the records, which copies of a run share, and of the bytes before to.
func marks(f io.ReaderAt, to int64) (first, last uint32) {
	var b [markBytes]byte
	n, _ := f.ReadAt(b[:], 0) // other bytes, other checksum
	line, _, _ := bytes.Cut(b[:n], []byte{'\n'})
	first = crc32.Checksum(line, castagnoli)
	n, _ = f.ReadAt(b[:min(markBytes, to)], max(0, to-markBytes))
	return first, crc32.Checksum(b[:n], castagnoli)
}

// remove removes the index. Files that stay are found not to fit again.
func (x *index) remove() {
	for _, s := range x.segments {
		_ = os.Remove(s.path)
	}
	x.segments, x.elo, x.inMemory = nil, nil, nil
}

// add writes a segment, or keeps it in memory.
func (x *index) add(f io.ReaderAt, dir string, b *builder) error {
	slices.SortFunc(b.turns, func(s, t turn) int { return slices.Compare(s[:], t[:]) })
	b.First, b.Last = marks(f, b.To)
	b.Turns, b.path = len(b.turns), filepath.Join(dir, fmt.Sprintf("%016d.segment", b.From))
	data, err := b.encode(b.turns)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(dir, 0o755); err == nil {
		err = files.Replace(b.path, data)
	}
	if err != nil {
		x.inMemory, b.data = err, data
	}
	x.segments, x.elo = append(x.segments, b.segment), nil
	held := 0
	for _, s := range x.segments {
		held += len(s.data)
	}
	if held > maxMemory {
		return fmt.Errorf("%w; in memory the index would take more than %d MB", x.inMemory, maxMemory>>20)
	}
	return nil
}

// builder makes a segment.
type builder struct {
	*segment
	numbers map[[3]string]int // of the pairings

	mu    sync.Mutex
	turns []turn
}

// read reads records until there are enough turns or ctx ends, at most to an offset.
func (b *builder) read(ctx context.Context, f *os.File, end int64, enough int, progress func(done, all int64)) error {
	from := b.To
	in := record.NewReader(io.NewSectionReader(f, from, end-from), f.Name())
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for b.To < end && b.size() < enough && ctx.Err() == nil {
		g, err := in.Read()
		switch bad, ok := errors.AsType[*record.LineError](err); {
		case ok:
			b.skip(bad)
		case err != nil:
			return errors.Join(err, group.Wait())
		case !g.NotPlayed() && (len(g.Moves) > 0 || g.Reason != record.Imported):
			b.Games++
			place := uint64(b.To)<<pairingBits | uint64(b.number([3]string{g.Rules, g.South.Agent, g.North.Agent}))
			group.Go(func() error {
				b.replay(g, place)
				return nil
			})
		}
		b.To = from + in.Offset()
		progress(b.To, end)
	}
	return group.Wait()
}

func (b *builder) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(len(b.turns), b.Games)
}

func (b *builder) skip(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.LeftOut++; b.LeftOut == 1 {
		b.Problem = textfmt.Cut(err.Error(), 500)
	}
}

func (b *builder) number(pairing [3]string) int {
	n, ok := b.numbers[pairing]
	if !ok {
		n, b.Pairings = len(b.Pairings), append(b.Pairings, pairing)
		b.numbers[pairing] = n
	}
	return n
}

// replay adds the turns of a game, and its opening as what is played at the start.
func (b *builder) replay(g *record.Game, place uint64) {
	var turns []turn
	add := func(key, played uint64, side rules.Side) {
		value := played<<playedShift | uint64(g.Pair)&pairMask<<2 | uint64(record.HalfPoints(g.Result, side))
		turns = append(turns, turn{key, value, place})
	}
	err := eachTurn(g, func(_ int, r *rules.Rules, p rules.Position, m rules.Move) {
		key, m := keyOf(r, p, m)
		if turns == nil && !r.Options().Kang {
			start, _ := keyOf(r, r.Start(), rules.NoMove)
			add(start, openingOf(key), rules.South)
		}
		add(key, uint64(m), p.Side())
	})
	if err != nil {
		b.skip(fmt.Errorf("game %d: %w", g.Game, err))
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turns = append(b.turns, turns...)
}

// eachTurn calls take with the turns of a game after its set-up and the number of moves until then, and with NoMove in
// a position in which the game ended without a decision by the rules.
func eachTurn(g *record.Game, take func(moves int, r *rules.Rules, p rules.Position, m rules.Move)) error {
	turn := func(game *rules.Game, m rules.Move) {
		if !game.Rules().SettingUp(game.Position()) {
			take(len(game.Moves()), game.Rules(), game.Position(), m)
		}
	}
	game, err := record.Play(g, turn)
	if err != nil {
		return err
	}
	if outcome, _ := game.Outcome(); outcome == rules.Undecided {
		turn(game, rules.NoMove)
	}
	return nil
}

// keyOf returns the key of a position under its rules, the same for its mirror image and whatever was passed before,
// and the move in whichever of the two stands for both. In a position that is its own image, a move and its image are
// one.
func keyOf(r *rules.Rules, p rules.Position, m rules.Move) (uint64, rules.Move) {
	c, mirrored := p.WithoutPasses().Canonical()
	if mirrored || c == c.Mirror() && m.Mirror() < m {
		m = m.Mirror()
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.String())) // never fails
	return c.Hash() ^ h.Sum64(), m
}

// openingOf returns what stands for an opening with a key.
func openingOf(key uint64) uint64 { return key >> playedShift }
