package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/problems"
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
	rowBatch = 1024 // rows written or read at a time

	keyPrefix = "gyges."
	keySchema = keyPrefix + "schema"
)

// Write writes a folder of training positions, which replaces an earlier one when it is complete;
// provenance is written into the files' metadata. The error may be ctx's; the folder is then as
// before. A program that is killed at any instant leaves the earlier positions or the new ones, see
// [Shards].
func Write(
	ctx context.Context, dir string, splits [NumSplits][]*Position, provenance map[string]string,
) error {
	w := writer{250_000, files.Replace, os.Rename}
	return w.write(ctx, filepath.Clean(dir), splits, provenance)
}

// writer writes folders. Tests take the place of the disk.
type writer struct {
	shardRows int // positions in a shard at most
	writeFile func(path string, text []byte) error
	rename    func(from, to string) error
}

// write is [Write] with the writer's steps.
func (w writer) write(
	ctx context.Context, dir string, splits [NumSplits][]*Position, provenance map[string]string,
) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	tmp, remove, err := files.TempDir(parent, filepath.Base(dir)+".new")
	if err != nil {
		return err
	}
	err = w.shards(ctx, tmp, splits, provenance)
	if err == nil {
		err = os.Chmod(tmp, 0o755)
	}
	if err == nil {
		err = w.replace(tmp, dir)
	}
	err = problems.Prefix("writing training positions", err)
	return errors.Join(err, remove())
}

// replacedMark ends the name of an earlier folder from when it gives way until the new one is
// there.
const replacedMark = ".gyges-replaced"

// replace puts a folder in the place of an earlier one. No file system can be relied on to exchange
// the two at once.
func (w writer) replace(tmp, dir string) error {
	replaced := dir + replacedMark
	if _, err := os.Stat(dir); err == nil {
		err = os.RemoveAll(replaced) // it is older
		if err == nil {
			err = w.rename(dir, replaced)
		}
		if err != nil {
			return err
		}
	}
	if err := w.rename(tmp, dir); err != nil {
		_ = os.Rename(replaced, dir) // there may be none
		return err
	}
	return os.RemoveAll(replaced)
}

// shards writes the files of a folder.
func (w writer) shards(
	ctx context.Context, dir string, splits [NumSplits][]*Position, provenance map[string]string,
) error {
	options := []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.KeyValueMetadata(keySchema, strconv.Itoa(Schema)),
		parquet.CreatedBy("gyges", "", ""),
	}
	for _, k := range slices.Sorted(maps.Keys(provenance)) {
		options = append(options, parquet.KeyValueMetadata(keyPrefix+k, provenance[k]))
	}
	for split, list := range splits {
		shards := slices.Collect(slices.Chunk(list, w.shardRows))
		if len(list) == 0 { // an empty split has a file, too
			shards = append(shards, nil)
		}
		for i, shard := range shards {
			text, err := encode(ctx, Split(split), shard, options)
			if err != nil {
				return err
			}
			name := shardName(Split(split), i, len(shards), checksum(text))
			if err := w.writeFile(filepath.Join(dir, name), text); err != nil {
				return err
			}
		}
	}
	return nil
}

// encode returns the content of a file of positions.
func encode(
	ctx context.Context, split Split, shard []*Position, options []parquet.WriterOption,
) ([]byte, error) {
	var text bytes.Buffer
	w := parquet.NewGenericWriter[row](&text, options...)
	rows := make([]row, 0, rowBatch)
	for batch := range slices.Chunk(shard, rowBatch) {
		rows = rows[:0]
		for _, p := range batch {
			if err := p.check(); err != nil {
				return nil, err
			}
			rows = append(rows, newRow(split, p))
		}
		if _, err := w.Write(rows); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return text.Bytes(), err
}

func newRow(split Split, p *Position) row {
	r := row{
		Rules: p.Rules.String(), Position: p.Rules.FormatPosition(p.Position),
		Side: string(p.Position.Side().Letter()), Split: split.String(),
		Game: p.Game, Ply: p.Ply, ToEnd: p.ToEnd,
		Wins: p.Wins, Draws: p.Draws, Losses: p.Losses, Quiet: p.Quiet,
	}
	if p.Scored {
		r.Score = new(int32(p.Score))
	}
	if p.Move != rules.NoMove {
		r.Move = new(p.Move.String())
	}
	return r
}

// checksum returns the part of the SHA-256 that is in the name of a shard.
func checksum(text []byte) string {
	return agents.Sum(text)[:16]
}

func shardName(split Split, i, total int, sum string) string {
	return fmt.Sprintf("%v-%05d-of-%05d-%s.parquet", split, i, total, sum)
}
