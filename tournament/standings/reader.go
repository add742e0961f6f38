package standings

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"gyges/ratings/source"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/record/pgn"
)

const (
	maxErrors = 5    // unreadable games whose errors are kept
	maxError  = 2000 // bytes of each
)

// Reader reads results from files. Several copies of one run count once.
type Reader struct {
	Rules  map[string]bool // rule sets to include; nil for all
	Strict bool            // the first game that can't be read ends the reading
	// Record, if not nil, is called for each game under one of Rules that counts and can be read whole. PGN and CSV
	// are refused then.
	Record func(*record.Record)

	// RuleSets are the rule sets of the games read, included or not, in the order of
	// their first games.
	RuleSets []string
	Skipped  Skipped
	known    map[string]bool // RuleSets
	runs     []knownRun
	lines    int  // read of the present file
	torn     bool // a last line that is cut short is no error
}

// Skipped counts the games that were left out, or read in part.
type Skipped struct {
	Unreadable int
	Errors     []string // of the first unreadable games
	Duplicate  int      // games with the id of another one
	Again      string   // file and line of the first of them
	ResultOnly int      // games of which only the result can be read
	Rest       string   // the error of the rest of the first of them
	NoSum      int      // records without a checksum
	Manifests  []string // notes on the manifests that can't be read
	Unfinished int      // games without a result yet
	NotPlayed  int      // games of a suspended player
	NoMoves    int      // games without moves, of which there is nothing to review
	IDLimit    bool     // there were too many ids to find all duplicates

	WithoutMoves int    // games of an import that were kept without their moves
	MovesError   string // of the first of them
}

// Unreadable counts a game that can't be read. In strict mode it returns the error.
func (r *Reader) Unreadable(err error) error {
	torn := r.torn && r.lines > 0 && errors.Is(err, record.ErrTorn)
	if r.Strict && !torn {
		return err
	}
	s := &r.Skipped
	if s.Unreadable++; s.Unreadable <= maxErrors {
		s.Errors = append(s.Errors, textfmt.Cut(err.Error(), maxError))
	}
	return nil
}

// Notes returns a sentence for each reason for which games were left out.
func (s *Skipped) Notes() []string {
	var notes []string
	note := func(n int, format string, args ...any) {
		if n > 0 {
			notes = append(notes, "left out: "+fmt.Sprintf(format, args...))
		}
	}
	games := func(n int) string { return textfmt.Plural(n, "game") }
	if s.Unreadable > 0 {
		note(s.Unreadable, "%s that can't be read; the first is %s", games(s.Unreadable), s.Errors[0])
	}
	note(s.Duplicate, "%s whose id had come before; each id is counted once; the first is %s", games(s.Duplicate), s.Again)
	note(s.ResultOnly, "all but the results of %s; the first: %s", games(s.ResultOnly), s.Rest)
	note(s.Unfinished, "%s without a result yet", games(s.Unfinished))
	note(s.NotPlayed, "%s not played, since a player was suspended", games(s.NotPlayed))
	note(s.NoMoves, "%s without moves", games(s.NoMoves))
	note(s.WithoutMoves, "the moves of %s; the first: %s", games(s.WithoutMoves), s.MovesError)
	if s.IDLimit {
		notes = append(notes, "too many ids of games to find all duplicates")
	}
	if s.NoSum > 0 {
		notes = append(notes, fmt.Sprintf("without checksums: %s; not every change in them is noticed", games(s.NoSum)))
	}
	return append(notes, s.Manifests...)
}

// duplicate counts a game whose id had come before.
func (s *Skipped) duplicate(name string, line int) {
	if s.Duplicate++; s.Duplicate == 1 {
		s.Again = fmt.Sprintf("%s:%d", name, line)
	}
}

// Begin begins the run of a file in s, by the manifest beside it if it is named as those of runs are.
func (r *Reader) Begin(s *Standings, path string) {
	if filepath.Base(path) != tournament.GamesFile {
		s.Begin(nil)
		return
	}
	dir := filepath.Dir(path)
	m, note := ReadManifest(os.DirFS(dir), dir)
	if note != "" {
		r.Skipped.Manifests = append(r.Skipped.Manifests, note)
	}
	s.Begin(m)
}

// ReadManifest reads the manifest of a run's folder, or returns a note on why there is none that can be read; name is
// the folder's in the note. Games that were played in a browser have none.
func ReadManifest(dir fs.FS, name string) (m *tournament.Manifest, note string) {
	m, err := tournament.ReadManifest(dir)
	switch {
	case err != nil:
		note = err.Error()
	case m == nil && !strings.HasPrefix(path.Base(filepath.ToSlash(name)), tournament.PlayedPrefix):
		note = "there is none"
	}
	if note != "" {
		note = fmt.Sprintf("%s of %s: %s; so it isn't known whether games are missing, and a Swiss tournament or knock-out "+
			"has no table", tournament.ManifestFile, name, note)
	}
	return m, note
}

// Sniff returns the format of a file by its name or by its beginning, and a reader of
// the whole file.
func Sniff(in io.Reader, name string) (source.Format, io.Reader, error) {
	format, in, err := source.Sniff(in)
	if err != nil {
		return "", nil, source.Named(name, err)
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".pgn":
		format = source.PGN
	case ".csv":
		format = source.CSV
	}
	return format, in, nil
}

// Read reads a file into s, as games of the run that was begun last. Errors have the file's name.
func (r *Reader) Read(ctx context.Context, in io.Reader, name string, s *Standings) error {
	format, in, err := Sniff(in, name)
	if err != nil {
		return err
	}
	switch {
	case format == source.Records:
		return r.file(ctx, in, name, s, r.recorded)
	case r.Record != nil:
		return fmt.Errorf("%s: expected records of games, as runs write them; gyges rate reads other files", name)
	}
	h := r.handler(name)
	h.Game = func(g *source.Game) error {
		r.add(g, s)
		return nil
	}
	err = source.Read(ctx, format, in, name, h)
	r.Skipped.IDLimit = r.Skipped.IDLimit || h.Seen.Full()
	return err
}

// Append reads the records that were appended to those of one run since the last call.
func (r *Reader) Append(ctx context.Context, in io.Reader, name string, s *Standings) error {
	return r.records(ctx, in, name, nil, s, r.recorded)
}

// Whole calls take with the records of a file that pass a filter, each once, and their lines. s has their number alone.
// A last line that is cut short, as in a run that goes on, is no error in strict mode.
func (r *Reader) Whole(
	ctx context.Context, in io.Reader, name string, filter *record.Filter, s *Standings,
	take func(line int, g *record.Record) error,
) error {
	r.torn = true
	err := r.file(ctx, in, name, s, func(in *record.Reader, _ *source.Game, s *Standings) error {
		g, err := in.Game()
		if err != nil || !filter.Takes(g) {
			return err
		}
		filter.Count()
		if err := take(in.Line(), g); err != nil || !filter.Done() {
			return err
		}
		s.run().manifest.Games.Played = 0 // not all are read
		return errDone
	})
	if errors.Is(err, errDone) {
		return nil
	}
	return err
}

// All calls take with the games of a file, each once: of records as [Reader.Whole] does, of others as [Reader.Games].
func (r *Reader) All(ctx context.Context, in io.Reader, name, ruleSet string, take func(*record.Record) error) error {
	format, in, err := Sniff(in, name)
	if err != nil {
		return err
	}
	if format == source.Records {
		return r.Whole(ctx, in, name, new(record.Filter), New(), func(_ int, g *record.Record) error { return take(g) })
	}
	_, err = r.Games(ctx, format, in, name, ruleSet, take)
	return err
}

// taker takes the record that a reader is at, whose result has been read.
type taker func(in *record.Reader, result *source.Game, s *Standings) error

// file reads the records of a file.
func (r *Reader) file(ctx context.Context, in io.Reader, name string, s *Standings, take taker) error {
	b := bufio.NewReaderSize(in, maxFirst)
	r.lines = 0
	return r.records(ctx, b, name, r.seenOf(b, s.run().manifest.ID), s, take)
}

// errDone ends the reading of a file.
var errDone = errors.New("enough games")

// handler returns what counts the games of PGN or CSV that are left out.
func (r *Reader) handler(name string) *source.Handler {
	return &source.Handler{
		Bad:        func(line int, err error) error { return r.Unreadable(fmt.Errorf("%s:%d: %w", name, line, err)) },
		Unfinished: func() { r.Skipped.Unfinished++ },
		Duplicate:  func(line int) { r.Skipped.duplicate(name, line) },
	}
}

// Games calls take with the games of a file of PGN or CSV as records, counts what is left out, and returns
// the event of the first. ruleSet is that of games that name none. The error of take is returned as it is, others
// with the file's name.
func (r *Reader) Games(
	ctx context.Context, f source.Format, in io.Reader, name, ruleSet string, take func(*record.Record) error,
) (event string, err error) {
	h, s := r.handler(name), &r.Skipped
	event, err = pgn.Read(ctx, f, in, name, ruleSet, h, func(g *record.Record, line int, moves error) error {
		if moves != nil {
			if s.WithoutMoves++; s.WithoutMoves == 1 {
				s.MovesError = textfmt.Cut(fmt.Sprintf("%s:%d: %v", name, line, moves), maxError)
			}
		}
		return take(g)
	})
	s.IDLimit = s.IDLimit || h.Seen.Full()
	return event, err
}

// records reads records of the run begun last, after the first lines, and passes those to take that are not in seen,
// which may be nil.
func (r *Reader) records(
	ctx context.Context, in io.Reader, name string, seen *source.Seen, s *Standings, take taker,
) error {
	results, run := record.NewReader(in, name), s.run()
	run.file = name
	var o source.Game
	for ; ; r.lines++ {
		if r.lines%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		err := results.ReadShort(&o)
		if errors.Is(err, io.EOF) {
			r.Skipped.IDLimit = r.Skipped.IDLimit || run.ids.Full()
			return nil
		}
		if err == nil {
			again := run.ids.Add(o.ID)
			if !again {
				run.records++
			}
			if seen != nil && seen.Add(o.ID) || again {
				r.Skipped.duplicate(name, r.lines+1)
				continue
			}
			if !results.HasSum() {
				r.Skipped.NoSum++
			}
			err = take(results, &o, s)
		}
		if bad, ok := errors.AsType[*record.LineError](err); ok {
			bad.Line = r.lines + 1
			err = r.Unreadable(bad)
		}
		if err != nil {
			return err
		}
	}
}

// recorded counts a record.
func (r *Reader) recorded(in *record.Reader, o *source.Game, s *Standings) error {
	wanted := r.Record != nil && !o.NotPlayed && r.includes(o.Rules)
	if wanted || r.Strict {
		game, err := in.Game()
		switch {
		case err != nil && r.Strict:
			return err
		case err != nil:
			if r.Skipped.ResultOnly++; r.Skipped.ResultOnly == 1 {
				r.Skipped.Rest = textfmt.Cut(err.Error(), maxError)
			}
		case wanted:
			s.ruleSet(game.Rules).add(game)
			r.Record(game)
		}
	}
	r.count(o, s)
	return nil
}

// count counts a result of a record, unless it is left out.
func (r *Reader) count(o *source.Game, s *Standings) {
	if r.Rules == nil { // with a filter games are missing
		pair, _ := strconv.ParseInt(string(o.Pair), 10, 64) // has been read already
		s.run().schedule.add(pair, o.South, o.North, record.ResultText(o.Result))
	}
	if o.NotPlayed {
		r.Skipped.NotPlayed++
		return
	}
	r.add(o, s)
}

func (r *Reader) includes(rules string) bool { return r.Rules == nil || r.Rules[rules] }

// add counts a game, unless its rule set is not included.
func (r *Reader) add(g *source.Game, s *Standings) {
	if !r.known[g.Rules] {
		if r.known == nil {
			r.known = map[string]bool{}
		}
		r.known[g.Rules] = true
		r.RuleSets = append(r.RuleSets, g.Rules)
	}
	if !r.includes(g.Rules) {
		return
	}
	s.add(*g)
}

// maxFirst bounds the first record of a run by which its copies are recognised, in
// bytes.
const maxFirst = 256 << 10

// knownRun is a run of which a file was read.
type knownRun struct {
	id    string // "" if it has none
	first string // its first record; "" if that has no start time
	seen  *source.Seen
}

// seenOf returns the numbers of a run's games that were read before. Copies of a run
// have its id, or if one of them has none, its first record with the time at which
// that game began. A file with neither is a run of its own.
func (r *Reader) seenOf(b *bufio.Reader, id string) *source.Seen {
	run := knownRun{id: id, seen: new(source.Seen)}
	head, _ := b.Peek(maxFirst) // an error is returned again by the next read
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	if g, err := record.NewReader(bytes.NewReader(line), "").Read(); err == nil && !g.Timing.Start.IsZero() {
		run.first = string(line)
	}
	for _, other := range r.runs {
		if id != "" && id == other.id || (id == "" || other.id == "") && run.first != "" && run.first == other.first {
			return other.seen
		}
	}
	r.runs = append(r.runs, run)
	return run.seen
}
