package tournament

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"

	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/tournament/record"
)

// store is a run's folder: games.jsonl, to which the records are appended, and what was there
// already.
//
// games.jsonl is the truth. Its whole lines are the games from 0 on, in order; a run that was
// stopped gently may have left some more behind a gap. They are moved to aheadFile before the gap
// is closed, so that a stop at any instant finds each game in one of the two files, or in both.
// Changes that other programs make to games.jsonl are detected before anything is appended.
type store struct {
	*os.File
	isNew  bool                  // there was no manifest, and so no run
	joined bool                  // agents have joined, which changes the numbers of games
	writer *record.Writer        // nil until [store.begin]
	kept   int64                 // games when it was opened, before the first one missing
	size   int64                 // bytes of them
	ahead  ahead                 // games finished before an earlier one was
	before map[int64]waitingGame // of these those that were there when it was opened

	// lock is the same file, closed last: others take a run without a lock for one that was killed.
	lock *os.File
}

// appending is how files that are appended to are opened.
var appending = appendingMode()

func appendingMode() int {
	if runtime.GOOS == "windows" { // where such a file can't be truncated
		return os.O_RDWR
	}
	return os.O_RDWR | os.O_APPEND
}

// openStore makes the folder of a run, or opens that of a run that was stopped and reads it. kept
// is called for each game it has, in order. What it holds is changed by begin alone.
func openStore(p *plan, m *Manifest, kept func(*record.Record)) (*store, error) {
	c := p.config
	if err := makeFolder(c.Out); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(c.Out, GamesFile), appending|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	st := &store{File: f, ahead: ahead{dir: c.Out, games: map[int64]waitingGame{}}}
	if err := st.read(p, m, kept); err != nil {
		_ = st.lock.Close() // it may be nil
		if errors.As(err, new(*jsonl.LineError)) {
			err = fmt.Errorf("%w; without this line its games are played again", err)
		}
		return nil, errors.Join(fmt.Errorf("%s: %w", c.Out, err), st.Close())
	}
	return st, nil
}

// RunFolder returns the folder of a run that is given by its path or that of its records; ok is
// false for other files.
func RunFolder(path string) (dir string, ok bool) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path, true
	}
	if filepath.Base(path) == GamesFile {
		return filepath.Dir(path), true
	}
	return "", false
}

func makeFolder(dir string) error {
	if dir == "" {
		return errors.New("expected a folder for the records, found none")
	}
	if _, err := os.Stat(filepath.Join(dir, TuningFile)); err == nil {
		return fmt.Errorf("%s: holds a tuning or a training; "+
			"expected a new folder or that of a run", dir)
	}
	return os.MkdirAll(dir, 0o755)
}

// read locks the folder, compares the run in it with the one that is to be played, and reads its
// games.
func (st *store) read(p *plan, m *Manifest, kept func(*record.Record)) error {
	c := p.config
	info, err := st.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s: expected a regular file", GamesFile))
	}
	st.lock, err = os.OpenFile(st.Name(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := files.Lock(st.lock); err != nil {
		return err
	}
	old, err := ReadManifest(os.DirFS(c.Out))
	if err != nil {
		return fmt.Errorf("%s can't be read: %w", ManifestFile, err)
	}
	st.isNew = old == nil
	if st.isNew && info.Size() > 0 {
		return fmt.Errorf("holds records (%s) but no %s; expected a new folder or a run", GamesFile,
			ManifestFile)
	}
	if !st.isNew {
		if err := m.goOn(old, c); err != nil {
			return err
		}
		st.joined = m.hasJoined(old)
	}
	if len(m.Earlier) > 0 { // versions whose seeds may give other openings
		p.opener = nil
	}
	size, err := jsonl.LastEnd(st.File, 0, info.Size(), record.MaxLine)
	if err != nil {
		return fmt.Errorf("%s: %w", GamesFile, err)
	}
	if err := st.readGames(size, p, kept); err != nil {
		return err
	}
	if !st.isNew && old.Program != m.Program {
		c.warn("another version of the program played here before; "+
			"the same seed may give other games now",
			"before", old.Program.String(), "now", m.Program.String())
	}
	return st.indexAhead(p)
}

// indexAhead finds the games that wait in aheadFile, which it doesn't change.
func (st *store) indexAhead(p *plan) error {
	err := st.ahead.open(false)
	if err == nil {
		err = st.ahead.index(p, st.kept)
	}
	st.before = maps.Clone(st.ahead.games)
	return err
}

// begin makes the folder ready for the games that are missing.
func (st *store) begin(p *plan) error {
	dir := p.config.Out
	files.Clean(dir)
	_ = os.Remove(filepath.Join(dir, PlayingFile)) // one that was killed left it
	all, err := jsonl.CutTorn(st.File, record.MaxLine)
	if err != nil {
		return err
	}
	if all > st.size {
		if err := st.ahead.close(); err != nil {
			return err
		}
		if err := st.moveAhead(all); err != nil {
			return err
		}
		if err := st.indexAhead(p); err != nil {
			return err
		}
	}
	if st.ahead.file != nil {
		if _, err := jsonl.CutTorn(st.ahead.file, record.MaxLine); err != nil {
			return err
		}
	}
	if err := st.Truncate(st.size); err != nil {
		return err
	}
	st.writer = record.Append(st, st.kept, st.size)
	_, err = st.Seek(st.size, io.SeekStart)
	return err
}

// records returns the games between two offsets of the file. An error is the last element.
func (st *store) records(from, to int64) iter.Seq2[*record.Record, error] {
	return readAll(record.NewReader(io.NewSectionReader(st, from, to-from), st.Name()))
}

// readAll returns the games that a reader reads. An error is the last element.
func readAll(r *record.Reader) iter.Seq2[*record.Record, error] {
	return func(yield func(*record.Record, error) bool) {
		for {
			g, err := r.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(g, err) || err != nil {
				return
			}
		}
	}
}

// readGames reads the games in the first bytes of the file. Those up to the first one missing are
// kept; if agents have joined, none.
func (st *store) readGames(all int64, p *plan, kept func(*record.Record)) error {
	behind := st.joined // the first one missing
	r := record.NewReader(io.NewSectionReader(st, 0, all), st.Name())
	for g, err := range readAll(r) {
		if err != nil {
			return err
		}
		if behind || g.Game > st.kept {
			behind = true
			continue
		}
		if g.Game < st.kept {
			return fmt.Errorf("%s:%d: expected game %d, found game %d again", GamesFile, r.Line(),
				st.kept, g.Game)
		}
		if err := p.verify(g); err != nil {
			return &jsonl.LineError{File: GamesFile, Line: r.Line(), Err: err}
		}
		if err := p.add(g); err != nil {
			return err
		}
		st.kept++
		st.size = r.Offset()
		kept(g)
	}
	return nil
}

// moveAhead appends the games behind those that are kept to aheadFile, also where they are there
// already.
func (st *store) moveAhead(all int64) error {
	w, err := record.Open(st.ahead.path())
	if err != nil {
		return err
	}
	for g, err := range st.records(st.size, all) {
		if err == nil && !g.NotPlayed() { // see [ahead.index]
			err = w.Write(g)
		}
		if err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

// has reports whether a game needn't be played. It may be called concurrently.
func (st *store) has(game int64) bool {
	_, ahead := st.before[game]
	return ahead || game < st.kept
}

// found returns how many games were in the folder when it was opened.
func (st *store) found() int64 { return st.kept + int64(len(st.before)) }

// Write appends to games.jsonl.
func (st *store) Write(p []byte) (int, error) {
	if err := st.checkSize(); err != nil {
		return 0, err
	}
	return st.File.Write(p)
}

// Close closes the files.
func (st *store) Close() error { return errors.Join(st.File.Close(), st.ahead.close()) }

// discard closes a store to which nothing was written, and removes the folder of a run that had not
// begun.
func (st *store) discard() error {
	err := errors.Join(st.Close(), st.lock.Close())
	if st.isNew {
		err = errors.Join(err, os.Remove(st.Name()))
		_ = os.Remove(filepath.Dir(st.Name())) // unless it holds something else
	}
	return err
}

// errChanged is the cause of errors of a file of records that others have changed.
var errChanged = errors.New("while the run went on")

func (st *store) checkSize() error {
	info, err := st.Stat()
	if err == nil && info.Size() != st.writer.Size() {
		err = fmt.Errorf("%s was changed by another program %w: expected %d bytes, found %d",
			st.Name(), errChanged, st.writer.Size(), info.Size())
	}
	return err
}

// stillThere makes sure that the file that is written is the one that others see, and as long as it
// was written. If another one or none is there, what it holds is written beside it, or to its place
// again. w has been flushed.
func (st *store) stillThere() error {
	open, err := st.Stat()
	if err != nil {
		return err
	}
	path := st.Name()
	seen, err := os.Stat(path)
	switch {
	case os.SameFile(open, seen): // it isn't if there is none
		return st.checkSize()
	case err == nil:
		path += ".kept"
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	err = fmt.Errorf("%s was removed or replaced by another program %w; "+
		"this run's records are in %s", st.Name(), errChanged, path)
	return errors.Join(err, st.rescue(path))
}

// rescue copies the file, which has no name any more, to a path, with the games that wait behind
// it.
func (st *store) rescue(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := files.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(st.File, 0, st.writer.Size()))
	if err == nil {
		err = st.ahead.copyTo(f)
	}
	if err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}
