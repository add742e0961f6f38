package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/rules/base/files"
)

// A split goes on in further shards, and stays in order.
func TestManyShards(t *testing.T) {
	t.Parallel()
	list := played(t, "simplified", 3000)
	dir := filepath.Join(t.TempDir(), "new", "positions")
	all := [NumSplits][]*Position{}
	for i := range list {
		all[Train] = append(all[Train], &list[i])
	}
	require.NoError(t, Write(t.Context(), dir, dealt(list[:30]), nil))
	require.NoError(t, os.Mkdir(dir+".new-123", 0o755), "as a killed process leaves it")
	require.NoError(t, os.WriteFile(dir+".new.tmp-123", nil, 0o600))
	require.NoError(t, os.Mkdir(dir+".new", 0o755), "a folder of somebody's own")
	require.NoError(t, writer{1000, files.Replace, os.Rename}.write(t.Context(), dir, all, nil), "the folder is replaced")
	require.Equal(t, []string{"positions", "positions.new"}, names(t, filepath.Dir(dir)))
	found := names(t, dir)
	for i := range found {
		found[i] = found[i][:len(found[i])-len("-0123456789abcdef.parquet")]
	}
	require.Equal(t, []string{
		"test-00000-of-00001", "train-00000-of-00003", "train-00001-of-00003", "train-00002-of-00003", "validation-00000-of-00001",
	}, found)
	back, err := read(dir, Train, list[0].Rules)
	require.NoError(t, err)
	require.Equal(t, list, back)
	for _, split := range []Split{Validation, Test} {
		none, err := read(dir, split, nil)
		require.NoError(t, err)
		require.Empty(t, none)
	}
	for _, err := range Read(dir, Train, nil) {
		require.NoError(t, err)
		break // stopping early is no harm
	}
	require.Panics(t, func() {
		for _, err := range Read(dir, Train, nil) {
			panic(err) // the caller's own is not taken for damage
		}
	})
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// The columns are what the package's documentation says.
func TestColumns(t *testing.T) {
	t.Parallel()
	dir := write(t, played(t, "kang", 100))
	f, err := os.Open(only(t, dir, Train))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	info, err := f.Stat()
	require.NoError(t, err)
	p, err := parquet.OpenFile(f, info.Size())
	require.NoError(t, err)
	var columns []string
	for _, c := range p.Schema().Fields() {
		optional := ""
		if c.Optional() {
			optional = " or null"
		}
		columns = append(columns, fmt.Sprintf("%s %v%s", c.Name(), c.Type(), optional))
	}
	require.Equal(t, []string{
		"rules STRING", "position STRING", "side STRING", "score INT(32,true) or null", "move STRING or null", "wins INT(32,true)", "draws INT(32,true)", "losses INT(32,true)",
		"ply INT(32,true)", "to_end INT(32,true)", "quiet BOOLEAN", "game INT(64,true)", "split STRING",
	}, columns)
	for _, g := range p.Metadata().RowGroups {
		for _, c := range g.Columns {
			require.Equal(t, "ZSTD", c.MetaData.Codec.String())
		}
	}
}

// only returns the one file of a split.
func only(t *testing.T, dir string, split Split) string {
	t.Helper()
	paths, err := Shards(dir, split)
	require.NoError(t, err)
	require.Len(t, paths, 1)
	return paths[0]
}

// place writes a file with the checksum it needs.
func place(t *testing.T, dir string, split Split, i, total int, text []byte) string {
	t.Helper()
	sum := sha256.Sum256(text)
	path := filepath.Join(dir, shardName(split, i, total, hex.EncodeToString(sum[:8])))
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func TestFoldersThatAreNot(t *testing.T) {
	t.Parallel()
	list := played(t, "simplified", 30)
	for want, spoil := range map[string]func(dir, train string) error{
		"no such file or directory": func(dir, _ string) error { return os.RemoveAll(dir) },
		"expected training positions, files like train-00000-of-00001-0123456789abcdef.parquet, found none of train": func(_, train string) error {
			return os.Remove(train)
		},
		"expected shard 0 of 2 of train, found train-00001-of-00002-": func(_, train string) error {
			return os.Rename(train, strings.Replace(train, "00000-of-00001", "00001-of-00002", 1))
		},
		"expected 2 shards of train, found 1": func(_, train string) error {
			return os.Rename(train, strings.Replace(train, "of-00001", "of-00002", 1))
		},
		"expected shard 1 of 1 of train, found train-00002-of-00003-": func(dir, _ string) error {
			place(t, dir, Train, 2, 3, nil)
			return nil
		},
		"expected shard 1 of 1 of train, found train-00000-of-00001-": func(dir, _ string) error {
			place(t, dir, Train, 0, 1, nil) // twice
			return nil
		},
		"expected split train, found \"test\"": func(dir, train string) error {
			test := only(t, dir, Test)
			return errors.Join(os.Remove(train), os.Rename(test, strings.Replace(test, "test-", "train-", 1)))
		},
		"e3b0c44298fc1c14.parquet: expected a Parquet file, found a damaged one": func(dir, train string) error {
			place(t, dir, Train, 0, 1, nil)
			return os.Remove(train)
		},
		"expected a file with the checksum in its name, found e3b0c44298fc1c14: it is cut short or damaged": func(_,
			train string) error {
			return os.Truncate(train, 0)
		},
		"expected at most 67108864 bytes, found more": func(_, train string) error {
			return os.Truncate(train, maxFile+1)
		},
	} {
		dir := write(t, list)
		train := only(t, dir, Train)
		require.NoError(t, spoil(dir, train))
		_, err := read(dir, Train, nil)
		require.ErrorContains(t, err, want)
	}
	dir := write(t, list)
	counts, err := Check(dir, list[0].Rules)
	require.NoError(t, err)
	require.Equal(t, [NumSplits]int64{10, 10, 10}, counts)
	_, err = Check(dir, rules.MustParse("standard"))
	require.ErrorContains(t, err, "row 1: expected training positions of rules standard, found some of simplified")
	_, err = Provenance(t.TempDir())
	require.ErrorContains(t, err, "found none")
}

// However a file is cut or changed, it is refused; cut short by somebody who put the checksum right, it is no panic.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := write(t, played(t, "standard", 600))
	path := only(t, dir, Train)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	refused := func(dir, why string) {
		t.Helper()
		got, err := read(dir, Train, nil)
		require.ErrorContains(t, err, why)
		require.Empty(t, got)
	}
	for n := 0; n < len(whole); n += 1 + n/50 {
		require.NoError(t, os.WriteFile(path, whole[:n], 0o600))
		refused(dir, "cut short or damaged")
		if n%3 == 0 {
			byHand := t.TempDir()
			refused(byHand, place(t, byHand, Train, 0, 1, whole[:n])+": expected a Parquet file, found a damaged one")
		}
	}
	for i := 0; i < len(whole); i += 7 {
		text := append([]byte(nil), whole...)
		text[i] ^= 1 << (i % 8)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		refused(dir, "cut short or damaged")
	}
}

func writeRows[T any](t *testing.T, rows []T, options ...parquet.WriterOption) string {
	t.Helper()
	dir := t.TempDir()
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[T](&buf, options...)
	_, err := w.Write(rows)
	require.NoError(t, errors.Join(err, w.Close()))
	place(t, dir, Train, 0, 1, buf.Bytes())
	return dir
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	ours := parquet.KeyValueMetadata(keySchema, "2")
	_, err := read(writeRows(t, []struct{ A int }{{1}}), Train, nil)
	require.ErrorContains(t, err, "expected a file of training positions, found another Parquet file")
	_, err = read(writeRows(t, []struct{ A int }{{1}}, ours), Train, nil)
	require.ErrorContains(t, err, "expected the columns of schema 2, found others")
	_, err = read(writeRows(t, []row{{}}, parquet.KeyValueMetadata(keySchema, "1")), Train, nil)
	require.ErrorContains(t, err, `expected training positions of schema 2, found "1"`)
}

func TestBadRows(t *testing.T) {
	t.Parallel()
	good := row{
		Rules: "standard", Position: "321123/000000/000000/000000/000000/321123 s", Side: "s",
		Wins: 1, Ply: 0, ToEnd: 1, Split: "train",
	}
	read := func(r row) error {
		_, err := read(writeRows(t, []row{good, r}, parquet.KeyValueMetadata(keySchema, "2")), Train, nil)
		return err
	}
	require.NoError(t, read(good))
	score, move := int32(30001), "a1-x"
	for want, spoil := range map[string]func(r *row){
		`unknown rules "chess"`:                        func(r *row) { r.Rules = "chess" },
		"expected the height on a1":                    func(r *row) { r.Position = "x" },
		"expected 4 pieces of height 1 in all":         func(r *row) { r.Position += " 100/000" },
		"expected a position in play":                  func(r *row) { r.Position = "321123/000000/000000/000000/000000/021123 s 1-0" },
		`expected side s, as in the position`:          func(r *row) { r.Side = "n" },
		`expected split train, found "validation"`:     func(r *row) { r.Split = "validation" },
		"expected a score, or results of at least one": func(r *row) { r.Wins = 0 },
		"found -1 wins":                                func(r *row) { r.Wins, r.Losses = -1, 2 },
		"expected a number from 1 of plies to the end": func(r *row) { r.ToEnd = 0 },
		"found -1 and 0":                               func(r *row) { r.Game = -1 },
		"found 0 and -1":                               func(r *row) { r.Ply = -1 },
		"expected a square":                            func(r *row) { r.Move = &move },
		"expected a score within ±30000, found 30001":  func(r *row) { r.Score = &score },
	} {
		bad := good
		spoil(&bad)
		err := read(bad)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "row 2: ")
	}
}

func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	list := played(t, "simplified", 30)
	dir := write(t, list)
	before := names(t, dir)
	list[29].Wins, list[29].Draws, list[29].Losses = 0, 0, 0
	list[29].Scored = false
	require.ErrorContains(t, Write(t.Context(), dir, dealt(list), nil), "expected a score, or results of at least one")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Write(ctx, dir, dealt(list[:29]), nil), context.Canceled)
	require.Equal(t, before, names(t, dir), "what was there stays")
	require.Equal(t, []string{"positions"}, names(t, filepath.Dir(dir)))
}

var errFull = errors.New("disk full")

// smallDisk writes files on a disk with room for a number of bytes.
func smallDisk(room int) func(string, []byte) error {
	return func(path string, text []byte) error {
		n := min(len(text), room)
		room -= n
		if err := os.WriteFile(path, text[:n], 0o600); err != nil || n < len(text) {
			return errors.Join(err, errFull)
		}
		return nil
	}
}

// A program that is killed before or after any step of a replacement leaves the earlier positions or the new ones, and
// the next one that writes there leaves nothing else. An error leaves the earlier ones.
func TestKilledWhileReplacing(t *testing.T) {
	t.Parallel()
	list := played(t, "simplified", 40)
	count := func(dir string) int {
		back, err := read(dir, Train, nil)
		require.NoError(t, err)
		return len(back)
	}
	for _, kill := range []bool{true, false} {
		for step := range 2 {
			top := t.TempDir()
			dir := filepath.Join(top, "positions")
			require.NoError(t, Write(t.Context(), dir, dealt(list[:20]), nil))
			earlier := count(dir)
			w, renamed := writer{1000, files.Replace, nil}, 0
			w.rename = func(from, to string) error {
				if renamed++; renamed <= step {
					return os.Rename(from, to)
				}
				if kill {
					panic("killed")
				}
				return errFull
			}
			if kill {
				require.Panics(t, func() { _ = w.write(t.Context(), dir, dealt(list), nil) })
			} else {
				require.ErrorIs(t, w.write(t.Context(), dir, dealt(list), nil), errFull)
				require.Equal(t, []string{"positions"}, names(t, top))
			}
			require.Equal(t, earlier, count(dir), "step %d", step)
			require.NoError(t, Write(t.Context(), dir, dealt(list), nil))
			require.Greater(t, count(dir), earlier)
			require.NotContains(t, names(t, top), "positions"+replacedMark)
		}
	}
}

// However little room there is, there is an error and nothing is left behind.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	list := played(t, "simplified", 3000)
	top := t.TempDir()
	for room := 0; ; room += 1 + 2*room/3 {
		dir := filepath.Join(top, "positions")
		w := writer{400, smallDisk(room), os.Rename}
		err := w.write(t.Context(), dir, dealt(list), nil)
		if err == nil {
			back, err := read(dir, Train, nil)
			require.NoError(t, err)
			require.Len(t, back, 1000)
			require.Greater(t, room, 10_000)
			return
		}
		require.ErrorIs(t, err, errFull)
		require.Empty(t, names(t, top))
	}
}

// Another library reads the same: testdata/arrow, built with its own module, is to be named by GYGES_ARROW.
func TestArrowReadsTheSame(t *testing.T) {
	t.Parallel()
	program := os.Getenv("GYGES_ARROW")
	if program == "" {
		t.Skip("GYGES_ARROW names no program; .ci/run builds it")
	}
	list := played(t, "kang", 5000)
	for i := range list {
		if i%2 == 0 {
			list[i].Rules = rules.MustParse("kang:max_plies=200")
		}
	}
	dir := write(t, list)
	var paths []string
	for split := range Split(NumSplits) {
		shards, err := Shards(dir, split)
		require.NoError(t, err)
		paths = append(paths, shards...)
	}
	for split, path := range paths {
		text, err := exec.Command(program, path).Output()
		require.NoError(t, err)
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, "rules position side score move wins draws losses ply to_end quiet game split",
			strings.Join(rows[0], " "))
		for i, got := range rows[1:] {
			s := list[NumSplits*i+split]
			score := "null"
			if s.Scored {
				score = fmt.Sprint(s.Score)
			}
			require.Equal(t, []string{
				s.Rules.String(), s.Rules.FormatPosition(s.Position), string(s.Position.Side().Letter()), score, s.Move.String(), fmt.Sprint(s.Wins), fmt.Sprint(s.Draws),
				fmt.Sprint(s.Losses), fmt.Sprint(s.Ply), fmt.Sprint(s.ToEnd), fmt.Sprint(s.Quiet), fmt.Sprint(s.Game), Split(split).String(),
			}, got)
		}
		require.Len(t, rows, 1+(len(list)-split+NumSplits-1)/NumSplits)
	}
}
