package sample

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"gyges/agents"
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

var shardPattern = regexp.MustCompile(`^(train|validation|test)-(\d{5})-of-(\d{5})\.parquet$`)

// Shards returns the files of a split in order. The error says which is missing.
func Shards(dir string, split Split) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	total := ""
	have := map[string]bool{}
	for _, e := range entries {
		m := shardPattern.FindStringSubmatch(e.Name())
		if m == nil || m[1] != split.String() {
			continue
		}
		if total != "" && total != m[3] {
			return nil, fmt.Errorf("%s: expected the shards of one set, found some of %s and some of %s", dir, total, m[3])
		}
		total = m[3]
		have[e.Name()] = true
	}
	if total == "" {
		return nil, fmt.Errorf("%s: expected samples, files like %s, found none", dir, shardName(split, 0, 1))
	}
	n, _ := strconv.Atoi(total) // five digits
	var paths []string
	for i := range n {
		name := shardName(split, i, n)
		if !have[name] {
			return nil, fmt.Errorf("%s: expected %d shards of %v, found no %s", dir, n, split, name)
		}
		paths = append(paths, filepath.Join(dir, name))
	}
	if len(have) != n {
		return nil, fmt.Errorf("%s: expected %d shards of %v, found %d", dir, n, split, len(have))
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
			if key, ok := strings.CutPrefix(kv.Key, keyPrefix); ok && kv.Key != keySchema {
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

// maxShard bounds what a shard may take in memory, and maxRows its rows.
const (
	maxShard = 1 << 30
	maxRows  = 10_000_000
)

// errForeign is what is wrong with a Parquet file of somebody else.
var errForeign = errors.New("expected a file of samples, found another Parquet file")

// openShard opens a file, checks that it is one of samples, and calls use.
func openShard(path string, use func(f *parquet.File) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	var f *parquet.File
	err = guarded(func() error {
		var err error
		if f, err = parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true)); err != nil {
			return damage(err)
		}
		return checkSchema(f)
	})
	if err != nil {
		return err
	}
	return use(f)
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

// checkSchema tells whether a file has the columns and the version expected.
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
	size := int64(0)
	for _, g := range f.Metadata().RowGroups {
		size += max(g.TotalByteSize, 0)
	}
	if f.NumRows() < 0 || f.NumRows() > maxRows || size > maxShard {
		return fmt.Errorf("expected at most %d samples in %d bytes, found %d in %d", maxRows, maxShard, f.NumRows(), size)
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
