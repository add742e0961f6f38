package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"

	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/strictjson"
	"gyges/tournament/record"
)

// FileName is the name of the file with the reviews of a run's games, beside its records.
const FileName = "reviews.jsonl"

const formatVersion = 1

// Bounds of a file: of a line and of what [Read] reads, in bytes. 64 MB are some
// ten thousand games.
const (
	maxLine = 8 << 20
	maxFile = 64 << 20
	maxName = 10_000 // of an agent or a rule set
)

// Header is the first line of a file.
type Header struct {
	Reviews int    `json:"reviews"` // version of the format
	Nodes   int64  `json:"nodes"`   // of the searches of all games
	Program string `json:"program"` // that began the file: its version line
}

// Reviews are what a file holds.
type Reviews struct {
	Header
	Games []*Review
	More  bool // the file has more than the 64 MB that are read

	index  map[int64]int   // in Games, by the number of the game
	wanted map[string]bool // beginnings of the lines that are kept, see [beginning]; nil: all are
}

// add adds a line of a file: first its header, then a review, which replaces an
// earlier one of its game.
func (r *Reviews) add(line []byte) error {
	if r.Reviews == 0 {
		err := strictjson.Unmarshal(line, maxLine, &r.Header)
		if err != nil || r.Reviews == 0 {
			return fmt.Errorf("expected the first line of a file of reviews, found %.60q", line)
		}
		if r.Reviews != formatVersion {
			return fmt.Errorf("expected reviews of version %d, found %d", formatVersion, r.Reviews)
		}
		return nil
	}

	// Most reviews of a large file are not wanted, and not read whole.
	if r.wanted != nil {
		found := beginning.Find(line)
		if found != nil && !r.wanted[string(found)] {
			return nil
		}
	}
	g := new(Review)
	err := strictjson.Unmarshal(line, maxLine, g)
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return fmt.Errorf("expected the review of a game: %w", err)
	}

	// The last review of a game counts.
	if i, again := r.index[g.Game]; again {
		r.Games[i] = g
		return nil
	}
	r.index[g.Game] = len(r.Games)
	r.Games = append(r.Games, g)
	return nil
}

// beginning is how the line of a review begins: with the number of the game and the identity of its
// record. It is found some hundred times as fast as the whole line can be read.
var beginning = regexp.MustCompile(`^\{"game":\d+,"record":"\w*"`)

// Read reads a file of reviews; name is its name in errors. Of several reviews of one game the last
// is returned; of a list of records only theirs are. An incomplete last line is left out, as in a
// file being written.
func Read(ctx context.Context, r io.Reader, name string, list ...*record.Record) (Reviews, error) {
	all := newReviews(list)
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	_, err := jsonl.Read(limited, name, maxLine, func(line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return all.add(line)
	})
	if err != nil {
		return Reviews{}, err
	}
	all.More = limited.N == 0
	return all, nil
}

// newReviews returns reviews to which lines are added. Only those of the records of a list, if it
// is not empty, are kept.
func newReviews(list []*record.Record) Reviews {
	all := Reviews{index: map[int64]int{}}
	if len(list) == 0 {
		return all
	}
	all.wanted = map[string]bool{}
	for _, g := range list {
		text := fmt.Sprintf(`{"game":%d,"record":"%s"`, g.Game, Identity(g))
		all.wanted[text] = true
	}
	return all
}

// ReadFS is [Read] for the [FileName] of a run's folder. Without one the error is [fs.ErrNotExist].
func ReadFS(ctx context.Context, fsys fs.FS, list ...*record.Record) (Reviews, error) {
	read := func(in io.Reader, name string) (Reviews, error) { return Read(ctx, in, name, list...) }
	return files.LoadFS(fsys, FileName, read)
}

// moveShape is what long notation has; pages draw moves of that shape.
var moveShape = regexp.MustCompile(
	`^(pass|[123]@[a-f][1-6]|\+?[a-f1-3][a-f1-6()@x+-]*(goal)?(@[a-f][1-6])?)$`)

// check verifies what may come from outside: what pages index, draw and count.
func (g *Review) check() error {
	for _, name := range []string{g.Rules, g.South, g.North} {
		if len(name) > maxName {
			return fmt.Errorf("expected names of at most %d bytes", maxName)
		}
	}
	switch g.Result {
	case "1-0", "0-1", "1/2-1/2":
	default:
		return errGame
	}
	if g.Game < 0 || len(g.Moves) > MaxPlies {
		return errGame
	}
	for i := range g.Moves {
		m := &g.Moves[i]
		if !m.isValid() || m.Ply > i+1 {
			return fmt.Errorf("move %d is not that of a review", i+1)
		}
	}
	g.summarize()
	return nil
}

var errGame = fmt.Errorf("expected a game from 0 with at most %d moves and a result", MaxPlies)

// isValid reports whether a move may be one of a review, whatever the others are.
func (m *Move) isValid() bool {
	if !slices.Contains(marks, m.Mark) {
		return false
	}
	if m.Kind != "" && m.Kind.Text() == "" {
		return false
	}
	if m.Side != "south" && m.Side != "north" {
		return false
	}
	if m.Ply < 0 || m.Height < 0 || m.Height > 3 {
		return false
	}
	for _, share := range []float64{m.Before, m.After, m.Loss} {
		if share < 0 || share > 1 {
			return false
		}
	}
	notMove := func(text string) bool { return len(text) > 200 || !moveShape.MatchString(text) }
	return !notMove(m.Move) && !slices.ContainsFunc(m.Line, notMove)
}

// File is a file of reviews that is added to.
type File struct {
	*jsonl.Writer // of the reviews
	Reviews       // those that it had
}

// Open opens a file of reviews to add to, makes it if there is none, and locks it. An incomplete
// last line is removed. Of its reviews those of the records of a list are kept for [Reviews.Find].
// It returns an error for a file of something else or of other nodes, unless these are 0, and
// [files.ErrInUse] for one that another process adds to.
func Open(
	ctx context.Context, path string, nodes int64, program string, list []*record.Record,
) (*File, error) {
	f := &File{Reviews: newReviews(list)}
	var err error
	f.Writer, err = jsonl.Open(path, maxLine, func(line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.add(line); err != nil {
			return err
		}
		if nodes != 0 && f.Nodes != nodes {
			return fmt.Errorf("holds reviews with %d nodes, found %d; "+
				"leave --nodes out, or give another --out", f.Nodes, nodes)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if f.Header.Reviews > 0 {
		return f, nil
	}
	// The file is new.
	f.Header = Header{formatVersion, cmp.Or(nodes, DefaultNodes), program}
	if err := f.Append(f.Header); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Find returns the reviews of records; nil for those that are not among these.
func (r *Reviews) Find(list ...*record.Record) []*Review {
	games := make([]*Review, len(list))
	for i, g := range list {
		k, ok := r.index[g.Game]
		if ok && r.Games[k].Record == Identity(g) {
			games[i] = r.Games[k]
		}
	}
	return games
}
