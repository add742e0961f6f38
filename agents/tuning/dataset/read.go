package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
)

// Read returns the positions of a split in a folder, in order. If want is not nil, all must be of that rule set. An
// error comes last; it names the file or the shard that is missing.
func Read(dir string, split Split, want *rules.Rules) iter.Seq2[Position, error] {
	return func(yield func(Position, error) bool) {
		paths, err := Shards(dir, split)
		if err != nil {
			yield(Position{}, err)
			return
		}
		for _, path := range paths {
			_, more, err := readShard(path, split, want, func(p Position) bool { return yield(p, nil) })
			if err != nil {
				yield(Position{}, fmt.Errorf("%s: %w", path, err))
			}
			if !more || err != nil {
				return
			}
		}
	}
}

var shardPattern = regexp.MustCompile(`^(train|validation|test)-(\d{5})-of-(\d{5})-([0-9a-f]{16})\.parquet$`)

// Shards returns the files of a split in order. If a program was killed while it replaced a folder, they are the files
// of the earlier one. The error names a missing file.
func Shards(dir string, split Split) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted
	if errors.Is(err, fs.ErrNotExist) {
		replaced := filepath.Clean(dir) + replacedMark
		if earlier, missing := os.ReadDir(replaced); missing == nil {
			dir, entries, err = replaced, earlier, nil
		}
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	total := 0
	for _, e := range entries {
		m := shardPattern.FindStringSubmatch(e.Name())
		if m == nil || m[1] != split.String() {
			continue
		}
		i, _ := strconv.Atoi(m[2]) // five digits
		n, _ := strconv.Atoi(m[3])
		if total = cmp.Or(total, n); n != total || i != len(paths) {
			return nil, fmt.Errorf("%s: expected shard %d of %d of %v, found %s", dir, len(paths), total, split, e.Name())
		}
		paths = append(paths, filepath.Join(dir, e.Name()))
	}
	switch {
	case len(paths) == 0:
		return nil, fmt.Errorf("%s: expected training positions, files like %s, found none of %v",
			dir, shardName(split, 0, 1, "0123456789abcdef"), split)
	case len(paths) != total:
		return nil, fmt.Errorf("%s: expected %d shards of %v, found %d", dir, total, split, len(paths))
	}
	return paths, nil
}

// Sum identifies the positions in a folder: it is the SHA-256 of the files' names, which have checksums of what they
// hold.
func Sum(dir string) (string, error) {
	var names string
	for split := range Split(NumSplits) {
		paths, err := Shards(dir, split)
		if err != nil {
			return "", err
		}
		for _, path := range paths {
			names += filepath.Base(path) + "\n"
		}
	}
	return agents.Sum([]byte(names)), nil
}

// Check returns the numbers of the positions in a folder, and an error unless no file is missing or damaged, and they
// are of a rule set.
func Check(dir string, r *rules.Rules) (counts [NumSplits]int64, err error) {
	for split := range Split(NumSplits) {
		paths, missing := Shards(dir, split)
		err = errors.Join(err, missing)
		for _, path := range paths {
			rows, _, wrong := readShard(path, split, r, func(Position) bool { return false })
			if counts[split] += rows; wrong != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", path, wrong))
			}
		}
	}
	return counts, err
}

// Provenance returns the metadata that was given to [Write] for a folder.
func Provenance(dir string) (map[string]string, error) {
	paths, err := Shards(dir, Train)
	if err != nil {
		return nil, err
	}
	f, err := openShard(paths[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", paths[0], err)
	}
	provenance := map[string]string{}
	for _, kv := range f.Metadata().KeyValueMetadata {
		if n := len(kv.Key) + len(kv.Value); n > maxMetadata {
			return nil, fmt.Errorf("%s: metadata: expected entries of at most %d bytes, found %d for %.40q",
				paths[0], maxMetadata, n, kv.Key)
		}
		if key, ok := strings.CutPrefix(kv.Key, keyPrefix); ok && kv.Key != keySchema {
			provenance[key] = kv.Value
		}
	}
	return provenance, nil
}

// Bounds of a shard from outside. The program's own shards have some 15 bytes a
// position, and metadata with the specs of a hundred agents.
const (
	maxFile     = 64 << 20 // bytes
	maxRows     = 10_000_000
	maxMetadata = 1 << 20 // bytes of an entry
)

func openShard(path string) (f *parquet.File, err error) {
	text, err := files.Read(path, maxFile)
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err // the caller adds the path
		}
		return nil, err
	}
	m := shardPattern.FindStringSubmatch(filepath.Base(path)) // as in Shards
	if found := checksum(text); found != m[4] {
		return nil, fmt.Errorf("expected a file with the checksum in its name, found %s: it is cut short or damaged", found)
	}
	var schemaErr error
	err = guarded(func() (err error) {
		f, err = parquet.OpenFile(bytes.NewReader(text), int64(len(text)),
			parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err == nil {
			schemaErr = checkSchema(f)
		}
		return err
	})
	return f, errors.Join(err, schemaErr)
}

// guarded calls the library on data from outside, on some of which it panics.
func guarded(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%.200v", p)
		}
		if err != nil {
			err = fmt.Errorf("expected a Parquet file, found a damaged one: %w", err)
		}
	}()
	return call()
}

func checkSchema(f *parquet.File) error {
	version, ok := f.Lookup(keySchema)
	switch {
	case !ok:
		return errors.New("expected a file of training positions, found another Parquet file")
	case version != strconv.Itoa(Schema):
		return fmt.Errorf("expected training positions of schema %d, found %.40q", Schema, version)
	case !parquet.EqualNodes(f.Schema(), parquet.SchemaOf(row{})):
		return fmt.Errorf("expected the columns of schema %d, found others", Schema)
	case f.NumRows() < 0 || f.NumRows() > maxRows:
		return fmt.Errorf("expected at most %d training positions, found %d", maxRows, f.NumRows())
	}
	return nil
}

// readShard calls yield for each position until it returns false; then more is false, too.
func readShard(
	path string, split Split, want *rules.Rules, yield func(Position) bool,
) (count int64, more bool, err error) {
	f, err := openShard(path)
	if err != nil {
		return 0, false, err
	}
	count = f.NumRows()
	var in *parquet.GenericReader[row]
	if err := guarded(func() error { in = parquet.NewGenericReader[row](f); return nil }); err != nil {
		return count, false, err
	}
	defer func() { _ = guarded(in.Close) }() // it was only read
	d := decoder{split: split.String(), want: want}
	rows := make([]row, rowBatch)
	for n := int64(0); n < count; {
		k := 0
		err := guarded(func() (err error) {
			if k, err = in.Read(rows); errors.Is(err, io.EOF) {
				err = nil
			}
			if err == nil && k == 0 {
				err = fmt.Errorf("its metadata has %d rows, its data %d", count, n)
			}
			return err
		})
		for i := range rows[:k] {
			n++
			p, err := d.position(&rows[i])
			if err != nil {
				return count, false, fmt.Errorf("row %d: %w", n, err)
			}
			if !yield(p) {
				return count, false, nil
			}
		}
		if err != nil {
			return count, false, fmt.Errorf("row %d: %w", n+1, err)
		}
	}
	return count, true, nil
}

type decoder struct {
	split       string
	want, rules *rules.Rules // nil: any, and those of the last row
	name        string       // of rules in that row
}

func (d *decoder) position(r *row) (Position, error) {
	if r.Rules != d.name {
		switch parsed, err := rules.Parse(r.Rules); {
		case err != nil:
			return Position{}, err
		case d.want != nil && parsed.String() != d.want.String():
			return Position{}, fmt.Errorf("expected training positions of rules %v, found some of %v", d.want, parsed)
		default:
			d.rules, d.name = cmp.Or(d.want, parsed), strings.Clone(r.Rules)
		}
	}
	board, err := d.rules.ParsePosition(r.Position)
	switch {
	case err != nil:
		return Position{}, err
	case len(r.Side) != 1 || r.Side[0] != board.Side().Letter():
		return Position{}, fmt.Errorf("expected side %c, as in the position, found %.40q", board.Side().Letter(), r.Side)
	case r.Split != d.split:
		return Position{}, fmt.Errorf("expected split %s, found %.40q", d.split, r.Split)
	}
	p := Position{
		Rules: d.rules, Position: board, Game: r.Game, Ply: r.Ply, ToEnd: r.ToEnd,
		Wins: r.Wins, Draws: r.Draws, Losses: r.Losses, Quiet: r.Quiet,
	}
	if r.Score != nil {
		p.Score, p.Scored = agents.Score(*r.Score), true
	}
	if r.Move != nil {
		if p.Move, err = d.rules.ParseMove(board, *r.Move); err != nil {
			return Position{}, err
		}
	}
	return p, p.check()
}
