// Package runs reads the games of runs' records, of PGN and of CSV as one stream, and notes what it
// leaves out.
//
//	in := runs.Stream{Strict: strict}
//	for game, err := range in.Games(ctx, file) {
//		...
//	}
//
// A [Stream] reads one [File] after another, and leaves out games that it has found before. An
// [Entry] is the result that ratings need; [Entry.Load] reads the rest of it, which
// [Stream.Records] has read already. What games are grouped by is for their users to say.
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
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
	"gyges/tournament/record/pgn"
)

// File is a file of games.
type File struct {
	In       io.Reader
	Name     string               // in messages
	Format   source.Format        // "": by its name and its beginning, see [File.Sniff]
	Manifest *tournament.Manifest // of the run; nil if none is known

	// Legal says that games of PGN and CSV with illegal moves under known rules can't be read.
	// Otherwise they are read without their moves.
	Legal bool

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

// read reads the result of the next game, and counts its line.
func (f *File) read(o *source.Result) (err error) {
	if f.lined != nil {
		err = f.lined.ReadResult(o)
	} else {
		err = f.texts.ReadResult(o)
		o.Rules = f.ruleSet(o.Rules)
	}
	if !errors.Is(err, io.EOF) {
		f.lines++
	}
	if f.lined != nil {
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

// at returns an error of a record with its line in the whole file, which may be read in parts.
func (f *File) at(err error) error {
	if bad, ok := errors.AsType[*jsonl.LineError](err); ok && f.texts == nil {
		bad.Line = f.lines
	}
	return err
}

// again counts a game, and reports whether it had come before, in this file or in another one.
func (f *File) again(g *source.Result) bool {
	if len(g.ID) > 0 && f.seen.Add(g.ID, g.Content) {
		return true
	}
	f.records++
	for _, other := range f.others {
		// Without a start another run may have had the same game.
		comparable := g.Timed || f.isOfRun(other)
		if comparable && other.seen.Has(g.ID, g.Content) {
			return true
		}
	}
	return false
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
	Moves  error          // why the moves of a loaded game of PGN can't be played; nil: they can

	file    *File
	skipped *Notes
}

// Load reads the whole record, if that has not been done. Games of PGN and CSV are numbered in the
// order in which they are loaded. The error is a [*jsonl.LineError].
func (g *Entry) Load() error {
	if err := g.load(); err != nil {
		return err
	}
	g.Record.South.Agent = source.Name(g.Record.South.Agent)
	g.Record.North.Agent = source.Name(g.Record.North.Agent)
	return nil
}

// load is Load with names as they are spelled.
func (g *Entry) load() (err error) {
	switch {
	case g.Record != nil:
		return nil
	case g.file.texts != nil:
		return g.convert()
	}
	g.Record, err = g.file.lined.Record()
	return g.file.at(err)
}

// convert makes the record of a game of PGN or CSV. One whose moves can't be played is kept without
// them, unless its file must be legal.
func (g *Entry) convert() error {
	f := g.file
	g.Record, g.Moves = f.games.Record(f.texts, &g.Result)
	if f.games.Date != nil {
		g.skipped.Add(WithoutDate, fmt.Sprintf("%s:%d: %v", f.Name, g.Line, f.games.Date))
	}
	if g.Moves == nil {
		return nil
	}
	err := cmp.Or(g.Damage, error(&jsonl.LineError{File: f.Name, Line: g.Line, Err: g.Moves}))
	_, unknown := rules.Parse(g.Record.Rules)
	ofGyges := unknown == nil && f.texts.Tag("Variant") == "" // Standard is a variant of chess, too
	if f.Legal && ofGyges {
		g.Record = nil
		return err
	}
	if g.Damage == nil {
		g.skipped.Add(WithoutMoves, err.Error())
	}
	return nil
}

// Stream reads files. Several copies of one run count once.
type Stream struct {
	Strict bool          // the first game that can't be read whole ends the stream
	Torn   bool          // a last line that is cut short doesn't, as it is in a run that goes on
	Verify bool          // a game whose moves and manifest don't show its result can't be read
	Rules  string        // rule set of loaded games of PGN and CSV that name none
	Filter record.Filter // of [Stream.Records]

	Skipped Notes // what was left out

	files []*File
}

// Games returns the games of a file. An error ends them; what is left out without one is noted. A
// file of records that has grown may be read again, with what was appended as its In.
func (r *Stream) Games(ctx context.Context, f *File) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		g := &Entry{file: f, skipped: &r.Skipped}
		err := r.open(f)
		if f.closer != nil {
			defer f.closer.Close() //nolint:errcheck // it was only read
		}
		for err == nil {
			err = r.next(ctx, f, g)
			if err == nil && !yield(g, nil) {
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

// open begins to read a file, or goes on with one of records.
func (r *Stream) open(f *File) error {
	format, err := f.Sniff()
	if err != nil {
		return err
	}
	again := slices.Contains(r.files, f)
	if format == source.Records {
		f.lined = record.NewReader(f.In, f.Name)
		if again {
			f.lined.Names = f.names
		}
		f.names = f.lined.Names
	} else {
		f.texts = source.NewResults(format, f.In, f.Name)
		f.games.Rules = r.Rules
		f.ruleSets = map[string]string{}
		f.names = f.texts.Names
	}
	if again {
		return nil
	}
	for _, other := range r.files {
		oneHasNoID := f.id() == "" || other.id() == ""
		bothRecords := f.lined != nil && other.lined != nil
		if bothRecords && (oneHasNoID || f.isOfRun(other)) {
			f.others = append(f.others, other)
		}
	}
	if r.Verify {
		f.Legal = true
		f.verify = tournament.Verifier(f.Manifest)
	}
	r.files = append(r.files, f)
	return nil
}

// next reads the next game that isn't left out.
func (r *Stream) next(ctx context.Context, f *File, g *Entry) error {
	for {
		if f.lines%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g.Record = nil
		g.Moves = nil
		taken, err := r.take(f, g)
		if line, bad := errors.AsType[*jsonl.LineError](err); bad {
			goesOn := r.Torn && f.lines > 1 && line.Torn // it is still written
			if goesOn {
				r.Skipped.Add(Unreadable, err.Error())
				continue
			}
			err = r.Unreadable(err)
		}
		if taken || err != nil {
			return err
		}
	}
}

// take reads the next game, and reports whether it is one of the stream. One that isn't is noted,
// or has an error.
func (r *Stream) take(f *File, g *Entry) (taken bool, err error) {
	err = f.read(&g.Result)
	if errors.Is(err, source.ErrUnfinished) {
		r.Skipped.Add(Unfinished, "")
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if f.lined != nil && !f.lined.HasSum() {
		r.Skipped.Add(NoSum, "")
	}
	if f.again(&g.Result) {
		r.Skipped.Add(Duplicate, string(g.ID))
		return false, nil
	}
	if g.Damage != nil && !f.Legal {
		r.Skipped.Add(WithoutMoves, g.Damage.Error())
	}
	if f.lined != nil && r.Strict {
		err = g.Load()
	}
	if err == nil && r.Verify {
		err = g.verify()
	}
	return err == nil, err
}

// verify returns an error unless the game's moves and the manifest of its run show its result.
func (g *Entry) verify() error {
	if err := g.load(); err != nil {
		return err
	}
	if err := g.file.verify(g.Record); err != nil {
		return &jsonl.LineError{File: g.file.Name, Line: g.Line, Err: err}
	}
	return nil
}

// Unreadable notes a game that can't be read. In strict mode it returns the error.
func (r *Stream) Unreadable(err error) error {
	if !r.Strict {
		r.Skipped.Add(Unreadable, err.Error())
		return nil
	}
	return err
}

// Records returns the games of a file that pass the filter, loaded. One that can't be read whole is
// left out.
func (r *Stream) Records(ctx context.Context, f *File) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for g, err := range r.Games(ctx, f) {
			if err == nil {
				err = g.Load()
				if err != nil {
					err = r.Unreadable(err)
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if g.Record == nil || !r.Filter.Takes(g.Record) {
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

// Notes returns a sentence on each file that has fewer or more games than its manifest says were
// played, those on names that look alike, and those on what was left out but for some kinds.
func (r *Stream) Notes(except ...Kind) (notes []string) {
	engines := map[string]*agents.Program{} // of the runs before, by player
	for _, f := range r.files {
		m := f.Manifest
		if m == nil {
			continue
		}
		for _, player := range slices.Sorted(maps.Keys(m.Engines)) {
			difference := m.Engines[player].Difference(engines[player])
			if difference != "" {
				notes = append(notes, fmt.Sprintf(
					"the engine of %.60q in %s isn't that of the runs before: %s",
					player, f.Name, difference))
			}
			engines[player] = m.Engines[player]
		}
		if m.Status == tournament.Running || f.cut {
			continue // how many there are isn't known
		}
		played := m.Games.Played
		if played <= 0 || played == f.records {
			continue
		}
		prefix := ""
		if f.records < played {
			prefix = "left out, as they are missing: "
		}
		notes = append(notes, fmt.Sprintf("%s%s has %d of the %d games that were played by its %s",
			prefix, f.Name, f.records, played, tournament.ManifestFile))
	}
	forms := map[string][]string{} // how each name is spelled
	looks := map[string][]string{} // names that differ only in capitals or blanks
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
		notes = append(notes,
			"names in several Unicode forms (NFC, NFD) or with blanks are one player: "+
				textfmt.List(names, 8))
	}
	if _, labels := several(looks); len(labels) > 0 {
		for i := range labels {
			// Wrapped lines lose double blanks.
			labels[i] = strings.ReplaceAll(labels[i], " ", "␣")
		}
		notes = append(notes,
			"names that differ only in capitals or blanks are different players: "+
				textfmt.List(labels, 8))
	}
	return append(notes, r.Skipped.Sentences(except...)...)
}

// several returns the keys that have several texts, and these texts, each once.
func several(all map[string][]string) (keys, texts []string) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		slices.Sort(all[key])
		own := slices.Compact(all[key])
		if len(own) > 1 {
			keys = append(keys, key)
			texts = append(texts, own...)
		}
	}
	return keys, texts
}

// Manifest returns the manifest beside a file that is named as records of runs are; why none can be
// read is noted.
func (r *Stream) Manifest(path string) *tournament.Manifest {
	if filepath.Base(path) != tournament.GamesFile {
		return nil
	}
	dir := filepath.Dir(path)
	m, note := ReadManifest(os.DirFS(dir), dir)
	if note != "" {
		r.Skipped.manifests = append(r.Skipped.manifests, note)
	}
	r.Skipped.manifests = append(r.Skipped.manifests, OtherBuilds(os.DirFS(dir), dir)...)
	return m
}

// OtherBuilds returns a sentence on each worker of a run whose engines weren't those that the run
// began with; name is the folder's.
func OtherBuilds(dir fs.FS, name string) (notes []string) {
	run, err := status.Read(dir)
	if err != nil {
		return nil // it has no workers, or what they were isn't known
	}
	for _, w := range run.Workers {
		if w.OtherBuild != "" {
			text := fmt.Sprintf("worker %s of %s had another build of an engine, %s",
				w.Name, name, w.OtherBuild)
			notes = append(notes, textfmt.Escape(textfmt.Cut(text, maxError)))
		}
	}
	return notes
}

// ReadManifest reads the manifest of a run's folder, or returns a note on why there is none that
// can be read; name is the folder's in the note. Games that were played in a browser have none.
func ReadManifest(dir fs.FS, name string) (m *tournament.Manifest, note string) {
	m, err := tournament.ReadManifest(dir)
	switch {
	case err != nil:
		note = err.Error()
	case m == nil && !strings.HasPrefix(path.Base(filepath.ToSlash(name)), tournament.PlayedPrefix):
		note = "there is none"
	}
	if note != "" {
		note = fmt.Sprintf("%s of %s: %s; so it isn't known whether games are missing, "+
			"and there is no table by the run's format", tournament.ManifestFile, name, note)
	}
	return m, note
}
