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

// Bounds of a file: of a line and of what [Read] reads, in bytes. 64 MB are some ten thousand games.
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
	wanted map[string]bool // the beginnings of the lines that are kept, see [beginning]; nil: of all
}

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
	if b := beginning.Find(line); b != nil && r.wanted != nil && !r.wanted[string(b)] {
		return nil
	}
	g := new(Review)
	err := strictjson.Unmarshal(line, maxLine, g)
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return fmt.Errorf("expected the review of a game: %w", err)
	}
	if i, again := r.index[g.Game]; again {
		r.Games[i] = g
		return nil
	}
	r.index[g.Game], r.Games = len(r.Games), append(r.Games, g)
	return nil
}

// beginning is how the line of a review begins: with the number of the game and the identity of its record. It is found
// some hundred times as fast as the whole line can be read.
var beginning = regexp.MustCompile(`^\{"game":\d+,"record":"\w*"`)

// Read reads a file of reviews; name is its name in errors. Of several reviews of one game the last is
// returned; of a list of records only theirs are. An incomplete last line is left out, as in a file being written.
func Read(ctx context.Context, r io.Reader, name string, list ...*record.Record) (Reviews, error) {
	all := newReviews(list)
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	add := func(line []byte) error { return cmp.Or(ctx.Err(), all.add(line)) }
	if _, err := jsonl.Read(limited, name, maxLine, add); err != nil {
		return Reviews{}, err
	}
	all.More = limited.N == 0
	return all, nil
}

// newReviews returns none yet. Those of the records of a list, if it is not empty, are kept.
func newReviews(list []*record.Record) Reviews {
	all := Reviews{index: map[int64]int{}}
	if len(list) > 0 {
		all.wanted = map[string]bool{}
	}
	for _, g := range list {
		all.wanted[fmt.Sprintf(`{"game":%d,"record":"%s"`, g.Game, Identity(g))] = true
	}
	return all
}

// ReadFS is [Read] for the [FileName] of a run's folder. Without one the error is [fs.ErrNotExist].
func ReadFS(ctx context.Context, fsys fs.FS, list ...*record.Record) (Reviews, error) {
	return files.LoadFS(fsys, FileName, func(in io.Reader, name string) (Reviews, error) {
		return Read(ctx, in, name, list...)
	})
}

// moveShape is what long notation has; pages draw moves of that shape.
var moveShape = regexp.MustCompile(`^(pass|[123]@[a-f][1-6]|\+?[a-f1-3][a-f1-6()@x+-]*(goal)?(@[a-f][1-6])?)$`)

// check verifies what may come from outside: what pages index, draw and count.
func (g *Review) check() error {
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
	g.summarize()
	return nil
}

func isMove(text string) bool { return len(text) <= 200 && moveShape.MatchString(text) }

// File is a file of reviews that is added to.
type File struct {
	*jsonl.Writer // of the reviews
	Reviews       // those that it had
}

// Open opens a file of reviews to add to, makes it if there is none, and locks it. An incomplete last line is
// removed. Of its reviews those of the records of a list are kept for [Reviews.Find]. It returns an error for a file of
// something else or of other nodes, unless these are 0, and [files.ErrInUse] for one that another process adds to.
func Open(ctx context.Context, path string, nodes int64, program string, list []*record.Record) (*File, error) {
	f := &File{Reviews: newReviews(list)}
	var err error
	f.Writer, err = jsonl.Open(path, maxLine, func(line []byte) error {
		if err := cmp.Or(ctx.Err(), f.add(line)); err != nil {
			return err
		}
		if nodes != 0 && f.Nodes != nodes {
			return fmt.Errorf("holds reviews with %d nodes, found %d; leave --nodes out, or give another --out", f.Nodes, nodes)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if f.Header.Reviews > 0 {
		return f, nil
	}
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
		if k, ok := r.index[g.Game]; ok && r.Games[k].Record == Identity(g) {
			games[i] = r.Games[k]
		}
	}
	return games
}
