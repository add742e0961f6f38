package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gyges/ratings/source"
	"gyges/ratings/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// maxTold is how many unreadable games are told of one by one.
const maxTold = 5

// intake reads the files to be rated.
type intake struct {
	strict bool            // an unreadable game ends the reading
	take   map[string]bool // rule sets to take; nil for all
	met    []string        // rule sets met, taken or not
	known  map[string]bool
	runs   []knownRun // those met
	tally

	before int // lines of the file that were read before, for messages

	// whole is told of each record that counts, with what else it holds, or with
	// nil if no more than the outcome can be read; nil: nobody asks.
	whole func(*record.GameResult, *record.Game)
}

// tally is what was left out.
type tally struct {
	bad, twice, unfinished, struck int
	told                           []string // the first unreadable games
	dropped                        int      // games kept without their moves
	whyDropped                     string   // the first of them
	unchecked                      bool     // there were too many ids to remember
}

func newIntake(take map[string]bool, strict bool) *intake {
	return &intake{strict: strict, take: take, known: map[string]bool{}}
}

// file reads one file into s. "-" is the standard input.
func (in *intake) file(ctx context.Context, stdin io.Reader, path string, s *standings) error {
	f, name, err := openInput(ctx, stdin, path)
	if err != nil {
		return fileError("run", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	id := ""
	if filepath.Base(path) == tournament.GamesFile {
		_, id = tournament.RunIdentity(filepath.Dir(path))
	}
	return in.read(ctx, f, name, id, s)
}

// read reads a file. id is that of the run whose records it holds, "" if the run
// has none.
func (in *intake) read(ctx context.Context, r io.Reader, name, id string, s *standings) error {
	format, r, err := sniff(r, name)
	if err != nil {
		return err
	}
	defer s.pairs.Flush()
	if format == source.Records {
		b := bufio.NewReaderSize(r, maxFirst)
		return in.outcomes(ctx, b, name, in.run(b, id), s)
	}
	if in.whole != nil {
		return fmt.Errorf("%s: expected records of games, as runs write them; gyges rate reads other files", name)
	}
	seen := new(source.Seen)
	var refused error // a game that can't be read; it names the file
	err = source.Read(ctx, format, r, source.Handler{
		Game: func(g *source.Game) error {
			if len(g.ID) > 0 && seen.Add(g.ID) {
				in.twice++
				return nil
			}
			in.add(source.Result{South: g.South, North: g.North, Rules: g.Rules, Result: g.Result}, g.Pair, s)
			return nil
		},
		Bad: func(line int, err error) error {
			refused = in.unreadable(fmt.Errorf("%s:%d: %w", name, line, err))
			return refused
		},
		Unfinished: func() { in.unfinished++ },
	})
	in.unchecked = in.unchecked || seen.Full()
	if err != nil && ctx.Err() == nil && refused == nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// sniff tells a file's format by its name or by what it begins with, and returns
// a reader of the whole file.
func sniff(r io.Reader, name string) (source.Format, io.Reader, error) {
	format, r, err := source.Sniff(r)
	if errors.As(err, new(*os.PathError)) {
		return "", nil, plainFileError(err) // it has the name
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".pgn":
		format = source.PGN
	case ".csv":
		format = source.CSV
	}
	return format, r, nil
}

// outcomes reads records of which those seen are passed over.
func (in *intake) outcomes(ctx context.Context, b io.Reader, name string, seen *source.Seen, s *standings) error {
	next, whole := in.reader(b, name)
	names := map[string]string{}
	text := func(b []byte) string {
		t, ok := names[string(b)]
		if !ok {
			t = string(b)
			names[t] = t
		}
		return t
	}
	var o record.GameResult
	var key []byte
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		err := next(&o)
		var line *record.LineError
		switch {
		case errors.Is(err, io.EOF):
			in.unchecked = in.unchecked || seen.Full()
			return nil
		case errors.As(err, &line):
			line.Line += in.before
			if err := in.unreadable(err); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		}
		if seen.AddNumber(uint64(o.Game)) {
			in.twice++
			continue
		}
		if o.NotPlayed {
			in.struck++
			continue
		}
		key = strconv.AppendInt(key[:0], o.Pair, 10)
		if in.whole != nil && (in.take == nil || in.take[string(o.Rules)]) {
			g, err := whole()
			if err != nil {
				g = nil
			}
			in.whole(&o, g)
		}
		in.add(source.Result{South: text(o.South), North: text(o.North), Rules: text(o.Rules), Result: record.RatingResult(string(o.Result))}, key, s)
	}
}

// reader reads outcomes, and on demand the whole record of the last one; if the
// reading is strict, all records whole.
func (in *intake) reader(r io.Reader, name string) (next func(*record.GameResult) error, whole func() (*record.Game, error)) {
	if !in.strict {
		outcomes := record.NewResultReader(r, name)
		return outcomes.Read, outcomes.Game
	}
	games := record.NewReader(r, name)
	var g *record.Game
	next = func(o *record.GameResult) (err error) {
		if g, err = games.Read(); err != nil {
			return err
		}
		*o = record.GameResult{Game: g.Game, Pair: g.Pair, Rules: []byte(g.Rules), South: []byte(g.South.Agent), North: []byte(g.North.Agent), Result: []byte(g.Result), NotPlayed: g.NotPlayed()}
		return nil
	}
	return next, func() (*record.Game, error) { return g, nil }
}

// maxFirst bounds the first record of a run by which its copies are recognised, in
// bytes.
const maxFirst = 256 << 10

// knownRun is a run of which games have been met.
type knownRun struct {
	id    string // "" if it has none
	first string // its first record; "" if that doesn't say when the game began
	seen  *source.Seen
}

// run returns the numbers of a run's games that were met before. Copies of a run
// have its id, or if one of them has none, its first record with the time at which
// that game began. A file with neither is a run of its own.
func (in *intake) run(b *bufio.Reader, id string) *source.Seen {
	r := knownRun{id: id, seen: new(source.Seen)}
	head, _ := b.Peek(maxFirst) // an error comes again when it is read
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	if g, err := record.NewReader(bytes.NewReader(line), "").Read(); err == nil && !g.Timing.Start.IsZero() {
		r.first = string(line)
	}
	for _, other := range in.runs {
		if id != "" && id == other.id || (id == "" || other.id == "") && r.first != "" && r.first == other.first {
			return other.seen
		}
	}
	in.runs = append(in.runs, r)
	return r.seen
}

// add takes a game if its rule set is wanted.
func (in *intake) add(g source.Result, pair []byte, s *standings) {
	if !in.known[g.Rules] {
		in.known[g.Rules] = true
		in.met = append(in.met, g.Rules)
	}
	if in.take == nil || in.take[g.Rules] {
		s.pairs.Add(g, pair)
	}
}

// unreadable counts a game that can't be read, or returns the error if that is
// to end the reading.
func (in *intake) unreadable(err error) error {
	if in.strict {
		return err
	}
	in.bad++
	if len(in.told) < maxTold {
		in.told = append(in.told, textfmt.Cut(err.Error(), maxMessage))
	}
	return nil
}

// warn tells on stderr of games that can't be read.
func (t *tally) warn(e *env) {
	for _, line := range t.told {
		e.err.printf("gyges: left out: %s\n", textfmt.Escape(line))
	}
	if t.bad > len(t.told) {
		e.err.printf("gyges: left out: %d more games\n", t.bad-len(t.told))
	}
}

// notes are sentences on what was left out.
func (t *tally) notes() []string {
	var notes []string
	if t.bad > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s that can't be read; the first is %s", games(t.bad), t.told[0]))
	}
	if t.twice > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s whose id had come before; each id is counted once", games(t.twice)))
	}
	if t.unfinished > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s without a result yet", games(t.unfinished)))
	}
	if t.struck > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s not played, since a player was suspended", games(t.struck)))
	}
	if t.dropped > 0 {
		notes = append(notes, fmt.Sprintf("left out: the moves of %s; the first: %s", games(t.dropped), t.whyDropped))
	}
	if t.unchecked {
		notes = append(notes, "there were too many ids of games to look for all that came twice")
	}
	return notes
}

func games(n int) string { return textfmt.Plural(n, "game") }

// gameFiles finds the file of records of each run; other files stand for
// themselves. A file given twice would count its games twice.
func gameFiles(runs []string) ([]string, error) {
	var files []string
	var infos []os.FileInfo
	var errs []error
	for _, path := range runs {
		if path == "-" {
			files, infos = append(files, path), append(infos, nil)
			continue
		}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			if tournament.IsCutImport(path) {
				errs = append(errs, fmt.Errorf("run: %s holds an import that was not finished; import the file again", path))
				continue
			}
			path = filepath.Join(path, tournament.GamesFile)
			info, err = os.Stat(path)
		}
		if err != nil {
			errs = append(errs, fileError("run", err))
			continue
		}
		for i, other := range infos {
			if other != nil && os.SameFile(other, info) {
				errs = append(errs, fmt.Errorf("run: %s is given twice, also as %s", path, files[i]))
			}
		}
		files, infos = append(files, path), append(infos, info)
	}
	return files, errors.Join(errs...)
}
