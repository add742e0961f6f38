// Package runs reads the games of runs' records, of PGN and of CSV as one stream, and notes what it leaves out.
//
//	in := runs.Stream{Strict: strict}
//	for game, err := range in.Games(ctx, file) {
//		...
//	}
//
// An [Entry] is the result that ratings need; [Entry.Load] reads the rest of it, which [Stream.Records] has read
// already.
// What games are grouped by is for their users to say.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/cases"

	"gyges/agents"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/record/pgn"
)

// File is a file of games.
type File struct {
	In       io.Reader
	Name     string               // in messages
	Format   source.Format        // "": by its name and its beginning, see [File.Sniff]
	Manifest *tournament.Manifest // of the run; nil if none is known
	Legal    bool                 // games of PGN or CSV with illegal moves under known rules can't be read

	lined    *record.Reader    // nil in PGN and CSV
	texts    *source.Results   // of PGN or CSV
	games    pgn.Converter     // of them
	closer   io.Closer         // of In as it was given; nil: none
	lines    int               // of records that were read; games in other files
	records  int64             // with a result, each once
	seen     source.Seen       // of them
	others   []*File           // records read before that may hold the same games
	names    source.Names      // of players, as they are spelled
	ruleSets map[string]string // of PGN and CSV: this program's spelling of each
	cut      bool              // the reading ended before the file
	verify   func(*record.Record) error
}

// Players returns the names of the players in the games that were read.
func (f *File) Players() []string { return slices.Collect(maps.Values(f.names)) }

// Event returns the event of the first game of PGN that was read whole; "" if it has none.
func (f *File) Event() string { return f.games.Event }

// Sniff returns the format of the file by its name or its beginning.
func (f *File) Sniff() (source.Format, error) {
	if c, ok := f.In.(io.Closer); ok {
		f.closer = c
	}
	if f.Format != "" {
		return f.Format, nil
	}
	format, in, err := source.Sniff(f.In)
	if err != nil {
		return "", source.Named(f.Name, err)
	}
	f.Format, f.In = format, in
	switch strings.ToLower(filepath.Ext(f.Name)) {
	case ".pgn":
		f.Format = source.PGN
	case ".csv":
		f.Format = source.CSV
	}
	return f.Format, nil
}

func (f *File) read(o *source.Result) (err error) {
	if f.texts != nil {
		err = f.texts.ReadResult(o)
		o.Rules = f.ruleSet(o.Rules)
	} else {
		err = f.lined.ReadResult(o)
	}
	if !errors.Is(err, io.EOF) {
		f.lines++
	}
	if f.texts == nil {
		o.Line = f.lines
	}
	return f.at(err)
}

// ruleSet returns a rule set with its name as this program spells it.
func (f *File) ruleSet(text string) string {
	spelled, found := f.ruleSets[text]
	if found {
		return spelled
	}
	spelled = text
	name, _, _ := strings.Cut(text, ":")
	if preset, err := rules.Parse(name); err == nil {
		spelled = preset.String() + text[len(name):]
	}
	f.ruleSets[text] = spelled
	return spelled
}

// at returns an error of a record with its line in the whole file.
func (f *File) at(err error) error {
	if bad, ok := errors.AsType[*jsonl.LineError](err); ok && f.texts == nil {
		bad.Line = f.lines
	}
	return err
}

// again counts a game, and reports whether it had come before, in this file or in another one.
func (f *File) again(g *source.Result) bool {
	before := len(g.ID) > 0 && f.seen.Add(g.ID, g.Content)
	if !before {
		f.records++
	}
	return before || slices.ContainsFunc(f.others, func(other *File) bool {
		return (g.Timed || f.isOfRun(other)) && other.seen.Has(g.ID, g.Content)
	})
}

// isOfRun reports whether the manifests of both files have one id.
func (f *File) isOfRun(other *File) bool { return f.id() != "" && f.id() == other.id() }

// id returns the id of the run; "" if it isn't known.
func (f *File) id() string {
	if f.Manifest == nil {
		return ""
	}
	return f.Manifest.ID
}

// Entry is a game of a file. It is valid until the next one is read.
type Entry struct {
	source.Result
	Record *record.Record // nil until it is loaded
	Moves  error          // why a loaded game of PGN has no moves: they can't be played; nil: they can

	file    *File
	skipped *Notes
}

// Load reads the whole record, if that has not been done. Games of PGN and CSV are numbered in the order in which they
// are loaded. The error is a [*jsonl.LineError].
func (g *Entry) Load() error {
	err := g.load()
	if err == nil {
		for _, p := range []*record.Player{&g.Record.South, &g.Record.North} {
			p.Agent = source.Name(p.Agent)
		}
	}
	return err
}

// load is Load with names as they are spelled.
func (g *Entry) load() (err error) {
	f := g.file
	switch {
	case g.Record != nil:
	case f.texts == nil:
		g.Record, err = f.lined.Record()
	default:
		g.Record, g.Moves = f.games.Record(f.texts, &g.Result)
		if f.games.Date != nil {
			g.skipped.Add(WithoutDate, fmt.Sprintf("%s:%d: %v", f.Name, g.Line, f.games.Date))
		}
		if g.Moves != nil {
			err := cmp.Or(g.Damage, error(&jsonl.LineError{File: f.Name, Line: g.Line, Err: g.Moves}))
			// Standard is a variant of chess, too.
			_, unknown := rules.Parse(g.Record.Rules)
			if f.Legal && unknown == nil && f.texts.Tag("Variant") == "" {
				g.Record = nil
				return err
			}
			if g.Damage == nil {
				g.skipped.Add(WithoutMoves, err.Error())
			}
		}
	}
	return f.at(err)
}

// Stream reads files. Several copies of one run count once.
type Stream struct {
	Strict bool          // the first game that can't be read, or a record that can't be read whole, ends the stream
	Verify bool          // a game whose moves and manifest don't show its result can't be read
	Torn   bool          // but no last line that is cut short, as in a run that goes on
	Rules  string        // rule set of loaded games of PGN and CSV that name none
	Filter record.Filter // of [Stream.Records]

	Skipped Notes // what was left out

	files []*File
}

// Games returns the games of a file. An error ends them; what is left out without one is noted. A file of records that
// has grown may be read again, with what was appended as its In.
func (r *Stream) Games(ctx context.Context, f *File) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		g, err := &Entry{file: f, skipped: &r.Skipped}, r.open(f)
		if f.closer != nil {
			defer f.closer.Close() //nolint:errcheck // it was only read
		}
		for err == nil {
			if err = r.next(ctx, f, g); err == nil && !yield(g, nil) {
				f.cut = true
				return
			}
		}
		if f.seen.Full() {
			r.Skipped.Add(IDLimit, "")
		}
		if !errors.Is(err, io.EOF) {
			yield(nil, err)
		}
	}
}

func (r *Stream) open(f *File) error {
	format, err := f.Sniff()
	if err != nil {
		return err
	}
	again := slices.Contains(r.files, f)
	if format != source.Records {
		f.texts, f.games.Rules = source.NewResults(format, f.In, f.Name), r.Rules
		f.ruleSets = map[string]string{}
		f.names = f.texts.Names
	} else {
		f.lined = record.NewReader(f.In, f.Name)
		if again {
			f.lined.Names = f.names
		}
		f.names = f.lined.Names
	}
	if !again {
		for _, other := range r.files {
			oneHasNoID := f.id() == "" || other.id() == ""
			if f.lined != nil && other.lined != nil && (oneHasNoID || f.isOfRun(other)) {
				f.others = append(f.others, other)
			}
		}
		if r.Verify {
			f.Legal, f.verify = true, tournament.Verifier(f.Manifest)
		}
		r.files = append(r.files, f)
	}
	return nil
}

func (r *Stream) next(ctx context.Context, f *File, g *Entry) error {
	for {
		if f.lines%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g.Record, g.Moves = nil, nil
		err := f.read(&g.Result)
		if err == nil && f.texts == nil && !f.lined.HasSum() {
			r.Skipped.Add(NoSum, "")
		}
		switch {
		case errors.Is(err, source.ErrUnfinished):
			r.Skipped.Add(Unfinished, "")
			continue
		case err == nil && f.again(&g.Result):
			r.Skipped.Add(Duplicate, string(g.ID))
			continue
		case err == nil && g.Damage != nil && !f.Legal:
			r.Skipped.Add(WithoutMoves, g.Damage.Error())
		case err == nil && f.texts == nil && r.Strict:
			err = g.Load()
		}
		if err == nil && r.Verify {
			if err = g.load(); err == nil {
				if bad := f.verify(g.Record); bad != nil {
					err = &jsonl.LineError{File: f.Name, Line: g.Line, Err: bad}
				}
			}
		}
		if line, bad := errors.AsType[*jsonl.LineError](err); bad {
			if r.Torn && f.lines > 1 && line.Torn {
				r.Skipped.Add(Unreadable, err.Error())
				continue
			}
			if err = r.Unreadable(err); err == nil {
				continue
			}
		}
		return err
	}
}

// Unreadable notes a game that can't be read. In strict mode it returns the error.
func (r *Stream) Unreadable(err error) error {
	if !r.Strict {
		r.Skipped.Add(Unreadable, err.Error())
		return nil
	}
	return err
}

// Records returns the games of a file that pass the filter, loaded. One that can't be read whole is left out.
func (r *Stream) Records(ctx context.Context, f *File) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for g, err := range r.Games(ctx, f) {
			if err == nil {
				if err = g.Load(); err != nil {
					err = r.Unreadable(err)
				}
			}
			switch {
			case err != nil:
				yield(nil, err)
				return
			case g.Record == nil || !r.Filter.Takes(g.Record):
				continue
			}
			if !yield(g, nil) || r.Filter.Done() {
				return
			}
		}
	}
}

// Found returns the number of games that were found in all files, each id once.
func (r *Stream) Found() (n int64) {
	for _, f := range r.files {
		n += f.records
	}
	return n
}

// Notes returns a sentence on each file that has fewer or more games than its manifest says were played, and those on
// what was left out but for some kinds.
func (r *Stream) Notes(except ...Kind) (notes []string) {
	for _, f := range r.files {
		m := f.Manifest
		if m == nil || m.Status == tournament.Running || f.cut {
			continue
		}
		played := m.Games.Played
		if played <= 0 || played == f.records {
			continue
		}
		prefix := ""
		if f.records < played {
			prefix = "left out, as they are missing: "
		}
		notes = append(notes, fmt.Sprintf("%s%s has %d of the %d games that were played by its %s", prefix,
			f.Name, f.records, played, tournament.ManifestFile))
	}
	forms, looks := map[string][]string{}, map[string][]string{}
	fold := cases.Fold()
	for _, f := range r.files {
		for text, name := range f.names {
			forms[name] = append(forms[name], text)
			label := agents.LabelOf(name)
			look := strings.Join(strings.Fields(fold.String(label)), "")
			looks[look] = append(looks[look], label)
		}
	}
	if names, _ := several(forms); len(names) > 0 {
		notes = append(notes, "names in several Unicode forms (NFC, NFD) or with blanks are one player: "+
			textfmt.List(names, 8))
	}
	if _, labels := several(looks); len(labels) > 0 {
		for i := range labels {
			labels[i] = strings.ReplaceAll(labels[i], " ", "␣") // wrapped lines lose double blanks
		}
		notes = append(notes, "names that differ only in capitals or blanks are different players: "+
			textfmt.List(labels, 8))
	}
	return append(notes, r.Skipped.Sentences(except...)...)
}

// several returns the keys that have several texts, and these texts, each once.
func several(all map[string][]string) (keys, texts []string) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		slices.Sort(all[key])
		if own := slices.Compact(all[key]); len(own) > 1 {
			keys = append(keys, key)
			texts = append(texts, own...)
		}
	}
	return keys, texts
}

// Manifest returns the manifest beside a file that is named as records of runs are; why none can be read is noted.
func (r *Stream) Manifest(path string) *tournament.Manifest {
	if filepath.Base(path) != tournament.GamesFile {
		return nil
	}
	dir := filepath.Dir(path)
	m, note := ReadManifest(os.DirFS(dir), dir)
	if note != "" {
		r.Skipped.manifests = append(r.Skipped.manifests, note)
	}
	return m
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
		note = fmt.Sprintf("%s of %s: %s; so it isn't known whether games are missing, and there is no table by "+
			"the run's format", tournament.ManifestFile, name, note)
	}
	return m, note
}
