package tournament

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"gyges/agents/files"
	"gyges/tournament/record"
)

// aheadFile holds games that were finished before an earlier one was, when a
// run was stopped; the resumed run puts them in their places.
const aheadFile = "ahead.jsonl"

// store is a run's folder: where the records go, and what is there already.
//
// games.jsonl is the truth. Its whole lines are the games from 0 on, in order;
// a run that was stopped gently may have left some more behind a gap. They are
// moved to aheadFile before the gap is closed, so that a stop at any instant
// finds each game in one of the two files, or in both.
type store struct {
	dir    string
	writer *record.Writer
	file   *recordsFile
	kept   int64 // games in the file
}

// openStore makes the folder of a run, or opens that of a run that was stopped
// and reads it. kept is called for each game it has, in order.
func openStore(c *Config, m *Manifest, s *schedule, kept func(*record.Game)) (*store, error) {
	if c.Out == "" {
		return nil, errors.New("expected a folder for the records, found none")
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(c.Out, GamesFile)
	mode := os.O_RDWR | os.O_CREATE
	if runtime.GOOS != "windows" { // where such a file can't be truncated
		mode |= os.O_APPEND
	}
	f, err := os.OpenFile(path, mode, 0o644)
	if err != nil {
		return nil, err
	}
	st, err := readStore(f, c, m, s, kept)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", c.Out, err), f.Close())
	}
	return st, nil
}

// readStore reads what the folder has, and repairs it.
func readStore(f *os.File, c *Config, m *Manifest, s *schedule, kept func(*record.Game)) (*store, error) {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s: expected a regular file", GamesFile))
	}
	if err := files.Lock(f); err != nil {
		return nil, err
	}
	if err := checkManifest(f, c, m); err != nil {
		return nil, err
	}
	files.Clean(c.Out)
	if err := cutTornLine(f); err != nil {
		return nil, err
	}
	st := &store{dir: c.Out}
	size, err := st.readGames(f, s, kept)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(size); err != nil {
		return nil, err
	}
	if _, err := f.Seek(size, io.SeekStart); err != nil {
		return nil, err
	}
	st.file = &recordsFile{f, size}
	st.writer = record.Append(st.file, st.kept, size)
	return st, nil
}

// checkManifest compares the run in the folder, if there is one, with the one
// to be played.
func checkManifest(games *os.File, c *Config, m *Manifest) error {
	old, err := ReadManifest(os.DirFS(c.Out))
	if err != nil {
		return fmt.Errorf("%s can't be read: %w", ManifestFile, err)
	}
	if old == nil {
		info, err := games.Stat()
		if err == nil && info.Size() > 0 {
			err = fmt.Errorf("holds records (%s) but no %s; expected a new folder or a whole run", GamesFile, ManifestFile)
		}
		return err
	}
	if old.Status == Imported {
		return errImported
	}
	if old.Schema != m.Schema {
		return fmt.Errorf("holds a run with schema %d, expected %d", old.Schema, m.Schema)
	}
	if c.Extend && old.Config.Pairs < m.Config.Pairs && old.Config.Format == m.Config.Format {
		old.Config.Pairs = m.Config.Pairs
	}
	m.ID, m.Start, m.Earlier = old.ID, old.Start, old.Earlier
	if old.Program != m.Program {
		m.Earlier = append(m.Earlier, old.Program)
		c.warn("another version of the program played here before; the same seed may give other games now",
			"before", old.Program.String(), "now", m.Program.String())
	}
	return compareConfigs(&old.Config, &m.Config)
}

// compareConfigs returns an error that lists what differs in what is played.
// The name, the number of workers, the stall timeout and the suspension are no part of it.
func compareConfigs(old, now *ManifestConfig) error {
	fields := func(c ManifestConfig) map[string]json.RawMessage {
		c.Workers, c.StallTimeout, c.Name, c.Suspend = 0, "", "", 0
		var m map[string]json.RawMessage
		text, err := json.Marshal(c)
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err != nil { // can't happen: it is plain data
			return nil
		}
		return m
	}
	was, is := fields(*old), fields(*now)
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	var diff bytes.Buffer
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !bytes.Equal(was[k], is[k]) {
			fmt.Fprintf(&diff, "; %s was %.300s, now %.300s", k, orNothing(was[k]), orNothing(is[k]))
		}
	}
	if diff.Len() == 0 {
		return nil
	}
	return fmt.Errorf("holds a run of another configuration%s", diff.Bytes())
}

func orNothing(text json.RawMessage) string {
	if len(text) == 0 {
		return "nothing"
	}
	return string(text)
}

// cutTornLine cuts off what stands after the last line end.
func cutTornLine(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	block := make([]byte, 64<<10)
	end := info.Size()
	for end > 0 {
		n := min(end, int64(len(block)))
		if _, err := f.ReadAt(block[:n], end-n); err != nil {
			return err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			end += int64(i) + 1 - n
			break
		}
		end -= n
	}
	if end == info.Size() {
		return nil
	}
	return f.Truncate(end)
}

// readGames reads the games up to the first one missing, and moves those behind
// it to aheadFile. It returns the size of the former.
func (st *store) readGames(f *os.File, s *schedule, kept func(*record.Game)) (size int64, err error) {
	r := record.NewReader(f, f.Name())
	for {
		g, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return size, nil
		case err != nil:
			return 0, err
		case g.Game < st.kept:
			return 0, fmt.Errorf("%s: expected game %d, found game %d again", GamesFile, st.kept, g.Game)
		case g.Game > st.kept:
			return size, st.moveAhead(&ordered{r: r, next: g}, s)
		}
		if err := s.check(g); err != nil {
			return 0, err
		}
		st.kept++
		size = r.Offset()
		s.note(g)
		kept(g)
	}
}

// moveAhead puts the games behind the gap among those that an earlier
// resumption has put in aheadFile.
func (st *store) moveAhead(behind *ordered, s *schedule) error {
	before, err := st.openAhead()
	if err != nil {
		return err
	}
	out, err := files.Create(filepath.Join(st.dir, aheadFile))
	if err != nil {
		before.close()
		return err
	}
	w := record.NewWriter(out)
	err = errors.Join(st.merge(w, behind, before, 2*s.len()), w.Flush())
	before.close() // Windows replaces no open file
	if err != nil {
		return errors.Join(err, out.Discard())
	}
	return out.Commit()
}

// merge writes the games of both that come after those of games.jsonl, each once.
func (st *store) merge(w *record.Writer, behind, before *ordered, scheduled int64) error {
	for next := st.kept; ; {
		g, err := behind.from(next)
		other, otherErr := before.from(next)
		if err := errors.Join(err, otherErr); err != nil {
			return err
		}
		if g == nil || other != nil && other.Game < g.Game {
			g = other
		}
		switch {
		case g == nil:
			return nil
		case g.Game >= scheduled:
			return fmt.Errorf("%s: game %d: expected %d games at most", GamesFile, g.Game, scheduled)
		}
		if err := w.Write(g); err != nil {
			return err
		}
		next = g.Game + 1
	}
}

// ordered reads games in ascending order, one at a time. nil has none.
type ordered struct {
	r    *record.Reader
	file io.Closer    // nil if somebody else closes it
	next *record.Game // nil before the first game
	end  bool         // there are no games after next
}

// from returns the first game from number n on; nil if there is none. n doesn't
// decrease from call to call.
func (o *ordered) from(n int64) (*record.Game, error) {
	for o != nil && !o.end {
		if o.next != nil && o.next.Game >= n {
			return o.next, nil
		}
		g, err := o.r.Read()
		switch {
		case errors.Is(err, io.EOF):
			o.end = true
		case err != nil:
			return nil, err
		case o.next != nil && g.Game <= o.next.Game:
			return nil, fmt.Errorf("expected a game after game %d, found game %d", o.next.Game, g.Game)
		default:
			o.next = g
		}
	}
	return nil, nil
}

func (o *ordered) close() {
	if o != nil && o.file != nil {
		_ = o.file.Close() // it was only read
	}
}

// openAhead opens the games that a resumption has put aside; nil if there are none.
func (st *store) openAhead() (*ordered, error) {
	if st == nil {
		return nil, nil
	}
	path := filepath.Join(st.dir, aheadFile)
	f, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &ordered{r: record.NewReader(f, path), file: f}, nil
}

// done reports whether a game needn't be played. g is nil if it is in games.jsonl.
func (st *store) done(ahead *ordered, game int64) (g *record.Game, ok bool, err error) {
	if st == nil || game < st.kept { // it may be among those ahead still
		return nil, st != nil, nil
	}
	g, err = ahead.from(game)
	if err != nil || g == nil || g.Game != game {
		return nil, false, err
	}
	return g, true, nil
}

// recordsFile is games.jsonl while it is written. What others write to it
// meanwhile is found before anything is appended.
type recordsFile struct {
	*os.File
	size int64
}

// Write appends to the file.
func (f *recordsFile) Write(p []byte) (int, error) {
	if err := f.checkSize(); err != nil {
		return 0, err
	}
	n, err := f.File.Write(p)
	f.size += int64(n)
	return n, err
}

// Truncate takes off a line that was cut.
func (f *recordsFile) Truncate(size int64) error {
	err := f.File.Truncate(size)
	if err == nil {
		f.size = size
	}
	return err
}

// errChanged is returned when the file of records has been changed by others.
var errChanged = errors.New("while the run went on")

func (f *recordsFile) checkSize() error {
	info, err := f.Stat()
	if err == nil && info.Size() != f.size {
		err = fmt.Errorf("%s was changed by another program %w: expected %d bytes, found %d", f.Name(), errChanged, f.size,
			info.Size())
	}
	return err
}

// countGames returns how many whole records a file begins with.
func countGames(path string) (n int64) {
	f, err := files.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // it was only read
	for r := record.NewReader(f, path); ; n++ {
		if _, err := r.Read(); err != nil {
			return n
		}
	}
}

// errRemoved is returned when the file of records isn't in its place any more.
var errRemoved = errors.New("the records were removed while the run went on")

// stillThere makes sure that the file that is written is the one that others
// see, and as long as it was written. If another one or none is there, what it
// holds is written to its place again, or beside it. w has been flushed.
func (st *store) stillThere() error {
	open, err := st.file.Stat()
	if err != nil {
		return err
	}
	path := st.file.Name()
	switch seen, err := os.Stat(path); {
	case err == nil && os.SameFile(open, seen):
		return st.file.checkSize()
	case err == nil:
		kept := path + ".kept"
		return errors.Join(fmt.Errorf("%s was replaced by another file %w; this run's records are in %s", path, errChanged,
			kept), st.rescue(kept))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := st.rescue(path); err != nil {
		return fmt.Errorf("%w, and can't be written again: %w", errRemoved, err)
	}
	return errRemoved
}

// rescue copies the file, which has no name any more, to a path.
func (st *store) rescue(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := files.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, io.NewSectionReader(st.file, 0, st.file.size)); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// check reports whether a game of the file is what the schedule has in its place.
func (s *schedule) check(g *record.Game) error {
	i := g.Game / 2
	if i >= s.len() {
		return fmt.Errorf("%s: game %d: expected %d games at most", GamesFile, g.Game, 2*s.len())
	}
	return s.checkPair(s.pair(i), g)
}

// complete puts the games that were there before beside those that were played,
// unless some of the latter are missing.
func (c *collector) complete(o *PairResult) error {
	games, played := make([]*record.Game, 0, 2), o.Games
	for n := range int64(2) {
		g, ok, err := c.store.done(c.ahead, 2*o.Pair+n)
		switch {
		case err != nil:
			return err
		case !ok && len(played) == 0:
			return nil
		case !ok:
			g, played = played[0], played[1:]
		case g == nil:
			continue
		default:
			if err := c.schedule.check(g); err != nil {
				return err
			}
		}
		games = append(games, g)
	}
	o.Games = games
	return nil
}

// removeAhead removes what a finished run no longer needs.
func removeAhead(dir string) error {
	err := os.Remove(filepath.Join(dir, aheadFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
