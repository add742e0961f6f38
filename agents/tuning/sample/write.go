package sample

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// row is a sample as it stands in a file.
type row struct {
	Rules    string `parquet:"rules,dict"`
	Position string `parquet:"position"`
	Side     string `parquet:"side,dict"`
	Score    *int32 `parquet:"score"`
	Wins     int32  `parquet:"wins"`
	Draws    int32  `parquet:"draws"`
	Losses   int32  `parquet:"losses"`
	Ply      int32  `parquet:"ply"`
	ToEnd    int32  `parquet:"to_end"`
	Quiet    bool   `parquet:"quiet"`
	Game     int64  `parquet:"game,delta"`
	Split    string `parquet:"split,dict"`
}

const (
	shardRows = 250_000 // samples in a shard at most
	rowBatch  = 1024    // rows handed to or asked of the library at a time

	keyPrefix = "gyges."
	keySchema = keyPrefix + "schema"
)

// Writer writes a folder of samples. Nothing is to be seen of the folder before
// Close. It belongs to one goroutine.
type Writer struct {
	dir, tmp string
	about    map[string]string
	splits   [NumSplits]*shards
	create   func(path string) (io.WriteCloser, error)
	most     int   // samples in a shard
	err      error // the first error; nothing is written after it
}

// shards is a split being written.
type shards struct {
	split  Split
	sums   []string // of the shards closed
	hash   hash.Hash
	rows   int // in the open shard
	file   io.WriteCloser
	w      *parquet.GenericWriter[row]
	batch  []row
	scores []int32 // what the batch's rows point to
}

// Create begins a folder of samples that is not there yet, or is empty. about
// says where they come from, for the files' metadata.
func Create(dir string, about map[string]string) (*Writer, error) {
	return createWith(dir, about, func(path string) (io.WriteCloser, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	})
}

// createWith is Create with a way to make the files.
func createWith(dir string, about map[string]string, create func(path string) (io.WriteCloser, error)) (*Writer, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s: expected a new folder for the samples, found one that holds %s", dir, entries[0].Name())
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".tmp-")
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, tmp: tmp, about: maps.Clone(about), create: create, most: shardRows}
	for i := range w.splits {
		w.splits[i] = &shards{split: Split(i), scores: make([]int32, 0, rowBatch)}
	}
	return w, nil
}

// Write adds a sample to a split.
func (w *Writer) Write(split Split, s *Sample) error {
	if w.err != nil {
		return w.err
	}
	if err := s.check(); err != nil {
		return err
	}
	sh := w.splits[split]
	if sh.w == nil {
		w.err = w.open(sh)
	}
	sh.add(s)
	if w.err == nil && len(sh.batch) == rowBatch {
		w.err = sh.flush()
	}
	if w.err == nil && sh.rows+len(sh.batch) == w.most {
		w.err = sh.close()
	}
	return w.err
}

// Close completes the files and puts the folder in its place. After an error
// there is no folder.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.finish()
	}
	if w.err != nil {
		return errors.Join(fmt.Errorf("writing samples: %w", w.err), w.Discard())
	}
	w.err = os.ErrClosed
	return nil
}

func (w *Writer) finish() error {
	for _, sh := range w.splits {
		if err := w.finishSplit(sh); err != nil {
			return err
		}
	}
	if err := os.Remove(w.dir); err != nil && !errors.Is(err, fs.ErrNotExist) { // an empty one
		return err
	}
	if err := os.Chmod(w.tmp, 0o755); err != nil {
		return err
	}
	return os.Rename(w.tmp, w.dir)
}

// finishSplit completes a split's last shard, the only one if there are no
// samples, and names them all.
func (w *Writer) finishSplit(sh *shards) error {
	if len(sh.sums) == 0 && sh.w == nil {
		if err := w.open(sh); err != nil {
			return err
		}
	}
	if sh.w != nil {
		if err := sh.close(); err != nil {
			return err
		}
	}
	for i, sum := range sh.sums {
		err := os.Rename(filepath.Join(w.tmp, partName(sh.split, i)), filepath.Join(w.tmp, shardName(sh.split, i, len(sh.sums), sum)))
		if err != nil {
			return err
		}
	}
	return nil
}

// Discard gives up the folder; after Close it does nothing.
func (w *Writer) Discard() error {
	for _, sh := range w.splits {
		if sh.file != nil {
			_ = sh.file.Close() // it is thrown away
			sh.file = nil
		}
	}
	if w.err == nil {
		w.err = os.ErrClosed
	}
	return os.RemoveAll(w.tmp)
}

// shardName names a shard by its place among so many and by its checksum.
func shardName(split Split, i, total int, sum string) string {
	return fmt.Sprintf("%v-%05d-of-%05d-%s.parquet", split, i, total, sum)
}

// partName names a shard while its split isn't complete.
func partName(split Split, i int) string { return fmt.Sprintf("%v-%05d.part", split, i) }

// sumBytes is how much of a SHA-256 is a shard's checksum.
const sumBytes = 8

// open begins the next shard of a split.
func (w *Writer) open(sh *shards) error {
	f, err := w.create(filepath.Join(w.tmp, partName(sh.split, len(sh.sums))))
	if err != nil {
		return err
	}
	options := []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.KeyValueMetadata(keySchema, strconv.Itoa(Schema)),
		parquet.CreatedBy("gyges", "", ""),
	}
	for _, k := range slices.Sorted(maps.Keys(w.about)) {
		options = append(options, parquet.KeyValueMetadata(keyPrefix+k, w.about[k]))
	}
	sh.file, sh.rows, sh.hash = f, 0, sha256.New()
	sh.w = parquet.NewGenericWriter[row](io.MultiWriter(f, sh.hash), options...)
	return nil
}

func (sh *shards) add(s *Sample) {
	r := row{
		Rules: s.Rules.String(), Position: s.Rules.FormatPosition(s.Position), Side: string(s.Position.Side().Letter()),
		Wins: s.Wins, Draws: s.Draws, Losses: s.Losses, Ply: s.Ply, ToEnd: s.ToEnd, Quiet: s.Quiet,
		Game: s.Game, Split: sh.split.String(),
	}
	if s.Scored {
		sh.scores = append(sh.scores, int32(s.Score))
		r.Score = &sh.scores[len(sh.scores)-1]
	}
	sh.batch = append(sh.batch, r)
}

// flush hands the batch to the library.
func (sh *shards) flush() error {
	n, err := sh.w.Write(sh.batch)
	sh.rows += n
	clear(sh.batch)
	sh.batch, sh.scores = sh.batch[:0], sh.scores[:0]
	return err
}

// close completes the shard.
func (sh *shards) close() error {
	err := sh.flush()
	if err == nil {
		err = sh.w.Close()
	}
	if f, ok := sh.file.(*os.File); ok && err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, sh.file.Close())
	sh.file, sh.w = nil, nil
	sh.sums = append(sh.sums, hex.EncodeToString(sh.hash.Sum(nil)[:sumBytes]))
	return err
}
