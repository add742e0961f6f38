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
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/crc64"
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

	"gyges/ratings/table"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

const (
	segmentBytes = 4 << 20   // of the records of a segment before the last one: 5 MB of turns, at most some 12
	markBytes    = 4096      // of the records that are compared
	maxList      = 256 << 20 // bytes of listFile

	listFile = "segments-2.json" // in the folder of an index; 2 is the version of all its files
)

// Run is a file of records.
type Run struct {
	Name string // for people and links
	Path string
}

// index is the index of a run.
type index struct {
	Run
	list
	rated  table.Tables      // its players
	labels map[string]string // their names in the tables, where they differ; nil: they aren't rated yet
}

// list is what listFile has, after its checksum.
type list struct {
	Time     int64             // of the records when they were last added, in nanoseconds since 1970
	First    uint64            // checksum of the records' first line, which copies of a run share
	Last     uint32            // checksum of the last bytes covered
	Pairings map[string]uint64 // numbers; by rules, South and North on lines of their own
	Segments []segment         // in the order of the records
}

// end returns how many bytes of the records are covered.
func (l *list) end() int64 {
	if len(l.Segments) == 0 {
		return 0
	}
	return max(0, l.Segments[len(l.Segments)-1].To)
}

// file returns the path of a file of the index.
func (x *index) file(name string) string {
	dir, records := filepath.Split(x.Path)
	return filepath.Join(dir, "."+records+".index", name)
}

// update reads the records that are new, in segments of a size, see [Set.Update].
func (x *index) update(
	ctx context.Context, size int64, progress func(run string, done, all int64),
) (games int, err error) {
	f, err := files.Open(x.Path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if len(x.Segments) == 0 {
		x.load()
	}
	if !x.fits(f, info) {
		x.remove()
	}
	end, err := jsonl.LastEnd(f, x.end(), min(info.Size(), maxOffset), record.MaxLine)
	if n := len(x.Segments) - 1; n >= 0 && end > x.end() && x.end()-x.Segments[n].From < size {
		games, x.Segments = -x.Segments[n].Games, x.Segments[:n] // it is read again, with those that follow
	}
	for err == nil && ctx.Err() == nil && x.end() < end {
		b := &builder{segment: segment{ID: rand.Uint64(), From: x.end(), To: x.end()}}
		err = b.read(ctx, x, f, end, size, progress)
		if games += b.Games; err == nil {
			x.Time = info.ModTime().UnixNano()
			x.First, x.Last = marks(f, b.To)
			err = x.add(b)
		}
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		x.load() // what was written, also before an interruption
	}
	return games, err
}

// load reads the list of segments, if there is a whole one.
func (x *index) load() {
	text, err := files.Read(x.file(listFile), maxList)
	sum, text, _ := bytes.Cut(text, []byte{'\n'})
	x.list = list{}
	if err != nil || string(sum) != listSum(text) || json.Unmarshal(text, &x.list) != nil {
		x.list = list{}
	}
}

func listSum(text []byte) string { return fmt.Sprint(crc32.Checksum(text, castagnoli)) }

// fits reports whether the records are those that were read, or begin with them.
func (x *index) fits(f io.ReaderAt, info fs.FileInfo) bool {
	if info.ModTime().UnixNano() == x.Time {
		return true
	}
	first, last := marks(f, x.end())
	return 0 < x.end() && x.end() < info.Size() && first == x.First && last == x.Last
}

// marks returns checksums of the first line of the records, and of the bytes before to.
func marks(f io.ReaderAt, to int64) (first uint64, last uint32) {
	line, _ := jsonl.NewReader(io.NewSectionReader(f, 0, to), record.MaxLine).Next() // nothing, other checksum
	var b [markBytes]byte
	n, _ := f.ReadAt(b[:min(markBytes, to)], max(0, to-markBytes))
	return crc64.Checksum(line, crc64.MakeTable(crc64.ECMA)), crc32.Checksum(b[:n], castagnoli)
}

// remove removes the index. Files that stay are found not to fit again.
func (x *index) remove() {
	_ = os.RemoveAll(x.file(""))
	x.list, x.labels = list{}, nil
}

// damage removes the index because of an error.
func (x *index) damage(err error) error {
	x.remove()
	return errors.Join(err, ErrDamaged)
}

// add writes a segment, and the list that has it.
func (x *index) add(b *builder) error {
	slices.SortFunc(b.turns, func(s, t turn) int { return slices.Compare(s[:], t[:]) })
	b.turns = slices.Compact(b.turns) // a game that comes to a position twice and plays the same counts once
	b.Turns = len(b.turns)
	x.Segments, x.labels = append(x.Segments, b.segment), nil
	text, err := json.Marshal(x.list)
	if err == nil {
		err = os.MkdirAll(x.file(""), 0o755)
	}
	if err == nil {
		err = b.write(x.file(b.name()), b.turns)
	}
	if err == nil {
		err = files.Replace(x.file(listFile), fmt.Appendf(nil, "%s\n%s", listSum(text), text))
	}
	if err != nil {
		return fmt.Errorf("the index can't be written beside the records: %w", err)
	}
	return nil
}

// number returns the number of a game's pairing.
func (x *index) number(g *record.Game) uint64 {
	if x.Pairings == nil {
		x.Pairings = map[string]uint64{}
	}
	key := g.Rules + "\n" + g.South.Agent + "\n" + g.North.Agent
	if _, ok := x.Pairings[key]; !ok {
		x.Pairings[key] = uint64(len(x.Pairings))
	}
	return x.Pairings[key]
}

// builder makes a segment.
type builder struct {
	segment
	mu    sync.Mutex
	turns []turn
}

// read reads records until they have a number of bytes or ctx ends, at most to an offset.
func (b *builder) read(
	ctx context.Context, x *index, f io.ReaderAt, end, size int64, progress func(run string, done, all int64),
) (err error) {
	in := record.NewReader(io.NewSectionReader(f, b.From, end-b.From), x.Name)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for err == nil && b.To < min(end, b.From+size) && ctx.Err() == nil {
		var g *record.Game
		g, err = in.Read()
		if bad, ok := errors.AsType[*record.LineError](err); ok {
			b.add(nil, fmt.Errorf("the record at byte %d: %w", b.To, bad.Err))
			err = nil
		} else if err == nil && !g.NotPlayed() && (len(g.Moves) > 0 || g.Reason != record.Imported) {
			b.Games++
			offset, pairing := b.To, x.number(g)
			group.Go(func() error {
				b.add(stepsOf(g, offset, pairing))
				return nil
			})
			if len(x.Pairings) > pairingMask {
				err = fmt.Errorf("expected at most %d pairings of players", pairingMask)
			}
		}
		b.To = b.From + in.Offset()
		progress(x.Name, b.To, end)
	}
	return errors.Join(err, group.Wait())
}

// add adds the turns of a game, or notes why it is left out.
func (b *builder) add(steps []step, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range steps {
		b.turns = append(b.turns, s.turn)
	}
	if err == nil {
		return
	}
	if b.LeftOut++; b.LeftOut == 1 {
		b.Problem = textfmt.Cut(err.Error(), 500)
	}
}

// step is a turn of a game that can be replayed.
type step struct {
	turn
	position rules.Position // before it; of an opening the position itself
	moves    int            // of the game up to this one, placements included
}

// stepsOf returns the steps of a game after its set-up: at the start the opening, then the moves, and NoMove in a
// position in which the game ended without a decision by the rules.
func stepsOf(g *record.Game, offset int64, pairing uint64) (steps []step, err error) {
	each := func(game *rules.Game, m rules.Move) {
		r, p, moves := game.Rules(), game.Position(), len(game.Moves())
		if r.SettingUp(p) {
			return
		}
		add := func(key, played uint64, side rules.Side) {
			result := uint64(record.HalfPoints(g.Result, side))
			what := played<<playedShift | uint64(g.Pair)&pairMask<<2 | result
			steps = append(steps, step{turn{key, what, uint64(offset)<<pairingBits | pairing}, p, moves})
		}
		key, m, _ := keyOf(r, p, m)
		if steps == nil && !r.Options().Kang {
			start, _, _ := keyOf(r, r.Start(), rules.NoMove)
			add(start, key>>playedShift, rules.South)
		}
		if m != rules.NoMove {
			moves++
		}
		add(key, uint64(m), p.Side())
	}
	game, err := record.Play(g, each)
	if err != nil {
		return nil, fmt.Errorf("game %d: %w", g.Game, err)
	}
	if outcome, _ := game.Outcome(); outcome == rules.Undecided {
		each(game, rules.NoMove)
	}
	return steps, nil
}

// keyOf returns the key of a position under its rules, the same for its mirror image and whatever was passed before,
// and the move in whichever of the two stands for both: the image, if mirrored. In a position that is its own image, a
// move and its image are one.
func keyOf(r *rules.Rules, p rules.Position, m rules.Move) (key uint64, canonical rules.Move, mirrored bool) {
	c, mirrored := p.WithoutPasses().Canonical()
	if mirrored || c == c.Mirror() && m.Mirror() < m {
		m = m.Mirror()
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.String())) // never fails
	return c.Hash() ^ h.Sum64(), m, mirrored
}
