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
	"syscall"

	"github.com/parquet-go/parquet-go"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/problems"
)

// Read returns the positions of a split in a folder, in order. If want is not nil, all must be of
// that rule set. An error comes last; it names the file or the shard that is missing.
func Read(dir string, split Split, want *rules.Rules) iter.Seq2[Position, error] {
	return func(yield func(Position, error) bool) {
		paths, err := Shards(dir, split)
		if err != nil {
			yield(Position{}, err)
			return
		}
		for _, path := range paths {
			f, err := openShard(path)
			if err != nil {
				yield(Position{}, err)
				return
			}
			for p, err := range f.positions(split, want) {
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

var shardPattern = regexp.MustCompile(
	`^(train|validation|test)-(\d{5})-of-(\d{5})-([0-9a-f]{16})\.parquet$`)

// Shards returns the files of a split in order. If a program was killed while it replaced a folder,
// they are the files of the earlier one. The error names a missing file.
func Shards(dir string, split Split) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted
	if errors.Is(err, fs.ErrNotExist) {
		replaced := filepath.Clean(dir) + replacedMark
		earlier, missing := os.ReadDir(replaced)
		if missing == nil {
			dir = replaced
			entries = earlier
			err = nil
		}
	}
	if errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%s: expected a folder of training positions as Parquet", dir)
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
		total = cmp.Or(total, n)
		if n != total || i != len(paths) {
			return nil, fmt.Errorf("%s: expected shard %d of %d of %v, found %s",
				dir, len(paths), total, split, e.Name())
		}
		paths = append(paths, filepath.Join(dir, e.Name()))
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: expected training positions, files like %s, found none of %v",
			dir, shardName(split, 0, 1, "0123456789abcdef"), split)
	}
	if len(paths) != total {
		return nil, fmt.Errorf("%s: expected %d shards of %v, found %d",
			dir, total, split, len(paths))
	}
	return paths, nil
}

// Sum identifies the positions in a folder: it is the SHA-256 of the files' names, which have
// checksums of what they hold.
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

// Check returns the numbers of the positions in a folder, and an error unless no file is missing or
// damaged, and they are of a rule set.
func Check(dir string, r *rules.Rules) (counts [NumSplits]int64, err error) {
	var errs []error
	for split := range Split(NumSplits) {
		paths, err := Shards(dir, split)
		errs = append(errs, err)
		for _, path := range paths {
			f, err := openShard(path)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			counts[split] += f.NumRows()
			for _, err := range f.positions(split, r) {
				errs = append(errs, err)
				break // the first one shows the rule set
			}
		}
	}
	return counts, errors.Join(errs...)
}

// Provenance returns the metadata that was given to [Write] for a folder.
func Provenance(dir string) (map[string]string, error) {
	paths, err := Shards(dir, Train)
	if err != nil {
		return nil, err
	}
	f, err := openShard(paths[0])
	if err != nil {
		return nil, err
	}
	provenance := map[string]string{}
	for _, entry := range f.Metadata().KeyValueMetadata {
		size := len(entry.Key) + len(entry.Value)
		if size > maxMetadata {
			return nil, fmt.Errorf(
				"%s: metadata: expected entries of at most %d bytes, found %d for %.40q",
				f.path, maxMetadata, size, entry.Key)
		}
		key, ours := strings.CutPrefix(entry.Key, keyPrefix)
		if ours && entry.Key != keySchema {
			provenance[key] = entry.Value
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

// shard is a file of positions.
type shard struct {
	*parquet.File
	path string
}

// openShard opens a file whose name is that of a shard. Its errors, and those of the shard, begin
// with the path.
func openShard(path string) (*shard, error) {
	text, err := files.Read(path, maxFile)
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err // without the path
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m := shardPattern.FindStringSubmatch(filepath.Base(path))
	if found := checksum(text); found != m[4] {
		return nil, fmt.Errorf("%s: expected a file with the checksum in its name, found %s: "+
			"it is cut short or damaged", path, found)
	}
	s := &shard{path: path}
	err = guarded(func() error {
		f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)),
			parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return damaged(err)
		}
		s.File = f
		return checkSchema(f)
	})
	return s, problems.Prefix(path, err)
}

func damaged(err error) error {
	return fmt.Errorf("expected a Parquet file, found a damaged one: %w", err)
}

// guarded calls the library on data from outside, on some of which it panics.
func guarded(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damaged(fmt.Errorf("%.200v", p))
		}
	}()
	return call()
}

// checkSchema returns an error unless a file has training positions in the columns of [Schema].
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

// positions returns the positions of the shard. An error comes last.
func (s *shard) positions(split Split, want *rules.Rules) iter.Seq2[Position, error] {
	return func(yield func(Position, error) bool) {
		var rows *parquet.GenericReader[row]
		err := guarded(func() error { rows = parquet.NewGenericReader[row](s); return nil })
		if err != nil {
			yield(Position{}, fmt.Errorf("%s: %w", s.path, err))
			return
		}
		defer func() { _ = guarded(rows.Close) }() // it was only read
		d := decoder{split: split.String(), want: want}
		batch := make([]row, rowBatch)
		for n := int64(0); n < s.NumRows(); {
			read := 0
			failed := guarded(func() error {
				found, err := rows.Read(batch)
				read = found
				if err != nil && !errors.Is(err, io.EOF) {
					return damaged(err)
				}
				if read == 0 {
					return damaged(fmt.Errorf("its metadata has %d rows, its data %d",
						s.NumRows(), n))
				}
				return nil
			})
			for i := range batch[:read] {
				n++
				p, err := d.position(&batch[i])
				if err != nil {
					err = fmt.Errorf("%s: row %d: %w", s.path, n, err)
				}
				if !yield(p, err) || err != nil {
					return
				}
			}
			if failed != nil {
				yield(Position{}, fmt.Errorf("%s: row %d: %w", s.path, n+1, failed))
				return
			}
		}
	}
}

// decoder turns rows into positions.
type decoder struct {
	split string
	want  *rules.Rules // nil: any
	rules *rules.Rules // of the last row
	name  string       // of these rules there
}

func (d *decoder) position(r *row) (p Position, err error) {
	if r.Rules != d.name {
		parsed, err := rules.Parse(r.Rules)
		if err != nil {
			return p, err
		}
		if d.want != nil && parsed.String() != d.want.String() {
			return p, fmt.Errorf(
				"expected training positions of rules %v, found some of %v", d.want, parsed)
		}
		d.rules = cmp.Or(d.want, parsed)
		d.name = strings.Clone(r.Rules)
	}
	board, err := d.rules.ParsePosition(r.Position)
	if err != nil {
		return p, err
	}
	side := string(board.Side().Letter())
	if r.Side != side {
		return p, fmt.Errorf("expected side %s, as in the position, found %.40q", side, r.Side)
	}
	if r.Split != d.split {
		return p, fmt.Errorf("expected split %s, found %.40q", d.split, r.Split)
	}
	p = Position{
		Rules: d.rules, Position: board, Game: r.Game, Ply: r.Ply, ToEnd: r.ToEnd,
		Wins: r.Wins, Draws: r.Draws, Losses: r.Losses, Quiet: r.Quiet,
	}
	if r.Score != nil {
		p.Scored = true
		p.Score = agents.Score(*r.Score)
	}
	if r.Move != nil {
		p.Move, err = d.rules.ParseMove(board, *r.Move)
		if err != nil {
			return p, err
		}
	}
	return p, p.check()
}
