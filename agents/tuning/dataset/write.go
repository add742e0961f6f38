package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"gyges/rules"
)

// row is a position in a file.
type row struct {
	Rules    string  `parquet:"rules,dict"`
	Position string  `parquet:"position"`
	Side     string  `parquet:"side,dict"`
	Score    *int32  `parquet:"score"`
	Move     *string `parquet:"move"`
	Wins     int32   `parquet:"wins"`
	Draws    int32   `parquet:"draws"`
	Losses   int32   `parquet:"losses"`
	Ply      int32   `parquet:"ply"`
	ToEnd    int32   `parquet:"to_end"`
	Quiet    bool    `parquet:"quiet"`
	Game     int64   `parquet:"game,delta"`
	Split    string  `parquet:"split,dict"`
}

const (
	shardRows = 250_000 // positions in a shard at most
	rowBatch  = 1024    // rows written or read at a time

	keyPrefix = "gyges."
	keySchema = keyPrefix + "schema"
)

// Writer writes a folder of training positions. The folder appears complete with
// Close. A Writer belongs to one goroutine.
type Writer struct {
	dir, tmp  string
	options   []parquet.WriterOption
	splits    [NumSplits]shards
	shardRows int
	writeFile func(path string, text []byte) error
	err       error // the first error, or [os.ErrClosed]; nothing is written after it
}

// shards is a split that is written, with its open shard.
type shards struct {
	split Split
	sums  []string // checksums of the complete shards
	w     *parquet.GenericWriter[row]
	text  bytes.Buffer // the open shard
	rows  int          // in it
	batch []row
}

// Create returns a writer of a folder that does not exist yet, or is empty. provenance is
// written into the files' metadata.
func Create(dir string, provenance map[string]string) (*Writer, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s: expected a new folder for training positions, found one that holds %s",
			dir, entries[0].Name())
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".tmp-")
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, tmp: tmp, shardRows: shardRows, writeFile: writeSynced, options: []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.KeyValueMetadata(keySchema, strconv.Itoa(Schema)),
		parquet.CreatedBy("gyges", "", ""),
	}}
	for _, k := range slices.Sorted(maps.Keys(provenance)) {
		w.options = append(w.options, parquet.KeyValueMetadata(keyPrefix+k, provenance[k]))
	}
	for i := range w.splits {
		w.splits[i].split = Split(i)
	}
	return w, nil
}

// writeSynced writes a new file to the disk.
func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Write adds a position to a split.
func (w *Writer) Write(split Split, p *Position) error {
	if w.err != nil {
		return w.err
	}
	if err := p.check(); err != nil {
		return err
	}
	s := &w.splits[split]
	s.add(p)
	if len(s.batch) == rowBatch {
		w.err = w.flush(s)
	}
	if w.err == nil && s.rows+len(s.batch) == w.shardRows {
		w.err = w.endShard(s)
	}
	return w.err
}

// add appends a position to the batch.
func (s *shards) add(p *Position) {
	r := row{
		Rules: p.Rules.String(), Position: p.Rules.FormatPosition(p.Position), Side: string(p.Position.Side().Letter()),
		Wins: p.Wins, Draws: p.Draws, Losses: p.Losses, Ply: p.Ply, ToEnd: p.ToEnd, Quiet: p.Quiet,
		Game: p.Game, Split: s.split.String(),
	}
	if p.Scored {
		score := int32(p.Score)
		r.Score = &score
	}
	if p.Move != rules.NoMove {
		move := p.Move.String()
		r.Move = &move
	}
	s.batch = append(s.batch, r)
}

// flush writes the batch into the open shard.
func (w *Writer) flush(s *shards) error {
	if s.w == nil {
		s.text.Reset()
		s.w, s.rows = parquet.NewGenericWriter[row](&s.text, w.options...), 0
	}
	n, err := s.w.Write(s.batch)
	s.rows += n
	clear(s.batch)
	s.batch = s.batch[:0]
	return err
}

// endShard completes the open shard and writes its file.
func (w *Writer) endShard(s *shards) error {
	err := w.flush(s)
	if err == nil {
		err = s.w.Close()
	}
	if err == nil {
		err = w.writeFile(w.partPath(s, len(s.sums)), s.text.Bytes())
	}
	s.sums, s.w, s.rows = append(s.sums, checksum(s.text.Bytes())), nil, 0
	return err
}

// partPath is the path of a shard before the number of shards is known.
func (w *Writer) partPath(s *shards, i int) string {
	return filepath.Join(w.tmp, fmt.Sprintf("%v-%05d.part", s.split, i))
}

// checksum returns the part of the SHA-256 that is in the name of a shard.
func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// shardName returns the name of shard i of a split.
func shardName(split Split, i, total int, sum string) string {
	return fmt.Sprintf("%v-%05d-of-%05d-%s.parquet", split, i, total, sum)
}

// Close completes the files and renames the folder to its name. After an error
// there is no folder.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.finish()
	}
	if w.err != nil {
		return errors.Join(fmt.Errorf("writing training positions: %w", w.err), w.Discard())
	}
	w.err = os.ErrClosed
	return nil
}

func (w *Writer) finish() error {
	for i := range w.splits {
		s := &w.splits[i]
		if len(s.sums) == 0 || s.rows+len(s.batch) > 0 {
			if err := w.endShard(s); err != nil {
				return err
			}
		}
		for k, sum := range s.sums {
			name := shardName(s.split, k, len(s.sums), sum)
			if err := os.Rename(w.partPath(s, k), filepath.Join(w.tmp, name)); err != nil {
				return err
			}
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

// Discard removes what was written; after Close it does nothing.
func (w *Writer) Discard() error {
	if w.err == nil {
		w.err = os.ErrClosed
	}
	return os.RemoveAll(w.tmp)
}
