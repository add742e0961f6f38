package sample

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
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
	"gyges/agents/files"
	"gyges/rules"
)

// Read returns the samples of a split in a folder, in order. want, if not nil,
// is the rule set they are to be of. An error comes last: it names the file and
// says what is wrong with it, or which shard is missing.
func Read(dir string, split Split, want *rules.Rules) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		paths, err := Shards(dir, split)
		if err != nil {
			yield(Sample{}, err)
			return
		}
		for _, path := range paths {
			for s, err := range ReadShard(path, split, want) {
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

var shardPattern = regexp.MustCompile(`^(train|validation|test)-(\d{5})-of-(\d{5})-([0-9a-f]{16})\.parquet$`)

// Shards returns the files of a split in order. The error says which is missing.
func Shards(dir string, split Split) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted
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
		return nil, fmt.Errorf("%s: expected samples, files like %s, found none of %v", dir, shardName(split, 0, 1, "0123456789abcdef"), split)
	case len(paths) != total:
		return nil, fmt.Errorf("%s: expected %d shards of %v, found %d", dir, total, split, len(paths))
	}
	return paths, nil
}

// ReadShard returns the samples of one file, as Read does.
func ReadShard(path string, split Split, want *rules.Rules) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		stopped := false
		err := readShard(path, split, want, func(s Sample) bool {
			stopped = !yield(s, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(Sample{}, fmt.Errorf("%s: %w", path, err))
		}
	}
}

// About returns what the writer of a folder had to say of where its samples come
// from.
func About(dir string) (map[string]string, error) {
	paths, err := Shards(dir, Train)
	if err != nil {
		return nil, err
	}
	about := map[string]string{}
	err = openShard(paths[0], func(f *parquet.File) error {
		for _, kv := range f.Metadata().KeyValueMetadata {
			key, ok := strings.CutPrefix(kv.Key, keyPrefix)
			if len(kv.Key)+len(kv.Value) > maxAbout {
				return fmt.Errorf("metadata: expected entries of at most %d bytes, found %d for %.40q", maxAbout, len(kv.Key)+len(kv.Value), kv.Key)
			}
			if ok && kv.Key != keySchema {
				about[key] = kv.Value
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", paths[0], err)
	}
	return about, nil
}

// maxFile bounds the size of a shard, in bytes, and maxRows its rows. Ours have
// some 15 bytes a sample. maxAbout bounds an entry of its metadata, in bytes: the
// longest has the specs of a hundred agents.
const (
	maxAbout = 1 << 20
	maxFile  = 64 << 20
	maxRows  = 10_000_000
)

// errForeign is what is wrong with a Parquet file of somebody else.
var errForeign = errors.New("expected a file of samples, found another Parquet file")

// openShard reads a file, checks that it is one of samples, and calls use.
func openShard(path string, use func(f *parquet.File) error) error {
	text, err := readWhole(path)
	if err != nil {
		return err
	}
	var f *parquet.File
	err = guarded(func() error {
		var err error
		if f, err = parquet.OpenFile(bytes.NewReader(text), int64(len(text)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true)); err != nil {
			return damage(err)
		}
		return checkSchema(f)
	})
	if err != nil {
		return err
	}
	return use(f)
}

// readWhole reads a file and compares it with the checksum in its name. Damage
// is found here: what it might do in the library, to values or to memory, nobody
// knows.
func readWhole(path string) ([]byte, error) {
	text, err := files.Read(path, maxFile)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err // the caller names the file
		}
		return nil, err
	}
	m := shardPattern.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return nil, fmt.Errorf("expected a file named like %s", shardName(Train, 0, 1, "0123456789abcdef"))
	}
	sum := sha256.Sum256(text)
	if found := hex.EncodeToString(sum[:sumBytes]); found != m[4] {
		return nil, fmt.Errorf("expected a file with the checksum in its name, found %s: it is cut short or damaged", found)
	}
	return text, nil
}

// guarded calls the library on data from outside, on some of which it panics.
func guarded(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damage(fmt.Errorf("%.200v", p))
		}
	}()
	return call()
}

func damage(err error) error {
	return fmt.Errorf("expected a Parquet file, found a damaged one: %w", err)
}

// checkSchema reports whether a file has the columns and the version expected.
func checkSchema(f *parquet.File) error {
	version, ok := f.Lookup(keySchema)
	if !ok {
		return errForeign
	}
	if version != strconv.Itoa(Schema) {
		return fmt.Errorf("expected samples of schema %d, found %.40q", Schema, version)
	}
	if !parquet.EqualNodes(f.Schema(), parquet.SchemaOf(row{})) {
		return fmt.Errorf("expected the columns of schema %d, found others", Schema)
	}
	if f.NumRows() < 0 || f.NumRows() > maxRows {
		return fmt.Errorf("expected at most %d samples, found %d", maxRows, f.NumRows())
	}
	return nil
}

// readShard calls yield for each sample until it returns false.
func readShard(path string, split Split, want *rules.Rules, yield func(Sample) bool) error {
	return openShard(path, func(f *parquet.File) error {
		var r *parquet.GenericReader[row]
		if err := guarded(func() error { r = parquet.NewGenericReader[row](f); return nil }); err != nil {
			return err
		}
		defer func() { _ = guarded(r.Close) }() // it was only read
		d := decoder{split: split.String(), want: want, known: map[string]*rules.Rules{}}
		rows := make([]row, rowBatch)
		for n := int64(0); ; {
			k := 0
			err := guarded(func() (err error) { k, err = r.Read(rows); return err })
			for i := range rows[:k] {
				n++
				s, err := d.sample(&rows[i])
				if err != nil {
					return fmt.Errorf("row %d: %w", n, err)
				}
				if !yield(s) {
					return nil
				}
			}
			switch {
			case errors.Is(err, io.EOF) && n == f.NumRows():
				return nil
			case errors.Is(err, io.EOF) || err == nil && k == 0:
				return damage(fmt.Errorf("it says %d rows and has %d", f.NumRows(), n))
			case err != nil:
				return fmt.Errorf("row %d: %w", n+1, damage(err))
			}
		}
	})
}

// decoder turns rows into samples.
type decoder struct {
	split string
	want  *rules.Rules
	known map[string]*rules.Rules
}

// maxRuleSets bounds how many rule sets a file may name.
const maxRuleSets = 1000

func (d *decoder) rules(name string) (*rules.Rules, error) {
	if r, ok := d.known[name]; ok {
		return r, nil
	}
	r, err := rules.Parse(name)
	if err != nil {
		return nil, err
	}
	if d.want != nil {
		if r.String() != d.want.String() {
			return nil, fmt.Errorf("expected samples of rules %v, found some of %v", d.want, r)
		}
		r = d.want
	}
	if len(d.known) == maxRuleSets {
		return nil, fmt.Errorf("expected at most %d rule sets, found more", maxRuleSets)
	}
	d.known[strings.Clone(name)] = r
	return r, nil
}

func (d *decoder) sample(r *row) (Sample, error) {
	set, err := d.rules(r.Rules)
	if err != nil {
		return Sample{}, err
	}
	p, err := set.ParsePosition(r.Position)
	if err != nil {
		return Sample{}, err
	}
	if len(r.Side) != 1 || r.Side[0] != p.Side().Letter() {
		return Sample{}, fmt.Errorf("expected side %c, as in the position, found %.40q", p.Side().Letter(), r.Side)
	}
	if r.Split != d.split {
		return Sample{}, fmt.Errorf("expected split %s, found %.40q", d.split, r.Split)
	}
	s := Sample{
		Rules: set, Position: p, Game: r.Game, Ply: r.Ply, ToEnd: r.ToEnd,
		Wins: r.Wins, Draws: r.Draws, Losses: r.Losses, Quiet: r.Quiet,
	}
	if r.Score != nil {
		s.Score, s.Scored = agents.Score(*r.Score), true
	}
	return s, s.check()
}
