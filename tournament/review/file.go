package review

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"

	"gyges/rules/base/files"
)

// FileName is the name of the file with the reviews of a run's games, beside its records.
const FileName = "reviews.jsonl"

// formatVersion is the version of the file's format.
const formatVersion = 1

// Bounds of a file: of a line, of what [Read] reads, and of what is added to, in bytes. 64 MB are some ten
// thousand games.
const (
	maxLine = 8 << 20
	maxFile = 64 << 20
	maxOwn  = 2 << 30
	maxName = 10_000 // of an agent or a rule set
)

// Header is the first line of a file.
type Header struct {
	Reviews int    `json:"reviews"` // version of the format
	Nodes   int64  `json:"nodes"`   // [Options.Nodes] of all games
	Program string `json:"program"` // that began the file: its version line
}

// Read reads a file of reviews; name is its name in errors. Of several reviews of one game the last is
// returned. An incomplete last line is left out, as in a file being written; size is that of the others, in
// bytes. complete reports whether the file had no more than the 64 MB that are read.
func Read(r io.Reader, name string) (h Header, games []*Game, size int64, complete bool, err error) {
	return read(r, name, maxFile)
}

// read is Read for another bound.
func read(r io.Reader, name string, most int64) (h Header, games []*Game, size int64, complete bool, err error) {
	limited := &io.LimitedReader{R: r, N: most + maxLine}
	in := bufio.NewReaderSize(limited, 64<<10)
	at := map[int64]int{} // indices in games
	for n := 1; size <= most; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return h, games, size, limited.N > 0, nil
		}
		if err == nil && n == 1 {
			h, err = parseHeader(line)
		} else if err == nil {
			var g *Game
			if g, err = parseGame(line); err == nil {
				if i, again := at[g.Game]; again {
					games[i] = g
				} else {
					at[g.Game] = len(games)
					games = append(games, g)
				}
			}
		}
		if err != nil {
			return h, nil, 0, false, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		size += int64(len(line))
	}
	return h, games, size, false, nil
}

// ReadFS reads the [FileName] of a run's folder. Without one the error is [fs.ErrNotExist].
func ReadFS(fsys fs.FS) (h Header, games []*Game, complete bool, err error) {
	f, err := fsys.Open(FileName)
	if err != nil {
		return h, nil, false, err
	}
	defer func() { _ = f.Close() }() // it was only read
	h, games, _, complete, err = Read(f, FileName)
	return h, games, complete, err
}

func parseHeader(line []byte) (h Header, err error) {
	if err := decode(line, &h); err != nil || h.Reviews == 0 {
		return h, fmt.Errorf("expected the first line of a file of reviews, found %.60q", line)
	}
	if h.Reviews != formatVersion {
		return h, fmt.Errorf("expected reviews of version %d, found %d", formatVersion, h.Reviews)
	}
	return h, nil
}

func parseGame(line []byte) (*Game, error) {
	g := new(Game)
	err := decode(line, g)
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return nil, fmt.Errorf("expected the review of a game: %w", err)
	}
	return g, nil
}

func decode(line []byte, to any) error {
	if len(line) > maxLine {
		return fmt.Errorf("expected at most %d bytes, found %d", maxLine, len(line))
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// moveShape is what long notation has; pages draw moves of that shape.
var moveShape = regexp.MustCompile(`^(pass|[123]@[a-f][1-6]|\+?[a-f1-3][a-f1-6()@x+-]*(goal)?(@[a-f][1-6])?)$`)

// check verifies what may come from outside: what pages index, draw and count.
func (g *Game) check() error {
	marks := []Mark{Placement, Repetition, Forced, Only, Best, Good, Inaccuracy, Mistake, Blunder, MissedWin}
	kinds := append(Kinds(), "")
	sides := []string{"south", "north"}
	if len(g.Rules) > maxName || len(g.South) > maxName || len(g.North) > maxName {
		return fmt.Errorf("expected names of at most %d bytes", maxName)
	}
	if g.Game < 0 || len(g.Moves) > MaxPlies || !slices.Contains([]string{"1-0", "0-1", "1/2-1/2"}, g.Result) {
		return fmt.Errorf("expected a game from 0 with at most %d moves and a result", MaxPlies)
	}
	for i := range g.Moves {
		m := &g.Moves[i]
		ok := slices.Contains(marks, m.Mark) && slices.Contains(kinds, m.Kind) && slices.Contains(sides, m.Side) &&
			0 <= m.Ply && m.Ply <= i+1 && 0 <= m.Height && m.Height <= 3 && isMove(m.Move)
		for _, share := range []float64{m.Before, m.After, m.Loss} {
			ok = ok && share >= 0 && share <= 1
		}
		if !ok || slices.ContainsFunc(m.Line, func(text string) bool { return !isMove(text) }) {
			return fmt.Errorf("move %d is not that of a review", i+1)
		}
	}
	for _, w := range g.Wins {
		if !slices.Contains(sides, w.Side) || w.From < 1 || w.To < w.From || w.To > len(g.Moves) {
			return errors.New("expected wins within the game")
		}
	}
	g.summarize()
	return nil
}

// isMove reports whether a text looks like a move in long notation.
func isMove(text string) bool { return len(text) <= 200 && moveShape.MatchString(text) }

// File is a file of reviews that is added to.
type File struct {
	file  *os.File
	games map[int64]*Game
}

// Open opens a file of reviews to add to, makes it if there is none, and locks it. An incomplete last line is
// removed. It returns an error for a file of something else or of other nodes, and [files.ErrInUse] for one
// that another process adds to.
func Open(path string, o Options, program string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	file := &File{f, map[int64]*Game{}}
	if err := file.begin(o, program); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file, nil
}

func (f *File) begin(o Options, program string) error {
	name := f.file.Name()
	if err := files.Lock(f.file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	info, err := f.file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s: expected a regular file", name))
	}
	h, games, size, complete, err := read(f.file, name, maxOwn)
	switch {
	case err != nil:
		return err
	case size == 0 && info.Size() > 0:
		return fmt.Errorf("%s: expected reviews or an empty file, found neither", name)
	case !complete:
		return fmt.Errorf("%s: expected at most %d bytes, found more", name, maxOwn)
	case size > 0 && h.Nodes != o.Nodes:
		return fmt.Errorf("%s: holds reviews with %d nodes, found %d; give --nodes %d, or another --out",
			name, h.Nodes, o.Nodes, h.Nodes)
	}
	for _, g := range games {
		f.games[g.Game] = g
	}
	if err := f.file.Truncate(size); err != nil {
		return err
	}
	if _, err := f.file.Seek(size, io.SeekStart); err != nil || size > 0 {
		return err
	}
	return f.write(Header{formatVersion, o.Nodes, program})
}

// Find returns the review of a record that the file has; nil if there is none.
func (f *File) Find(game int64, identity string) *Game {
	if g := f.games[game]; g != nil && g.Record == identity {
		return g
	}
	return nil
}

// Add appends the review of a game.
func (f *File) Add(g *Game) error {
	f.games[g.Game] = g
	return f.write(g)
}

// write writes a line at once, so that a process that ends leaves at most one incomplete line.
func (f *File) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = f.file.Write(append(line, '\n'))
	}
	return err
}

// Close closes the file.
func (f *File) Close() error { return errors.Join(f.file.Sync(), f.file.Close()) }
