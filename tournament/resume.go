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
	"slices"

	"gyges/agents/tuning/files"
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
	writer *record.Writer
	file   *os.File
	kept   int64                  // games in the file
	ahead  map[int64]*record.Game // finished games after the first one missing
}

// openStore makes the folder of a run, or opens that of a run that was stopped
// and reads it. kept is called for each game it has, in order.
func openStore(c *Config, m *manifest, s *schedule, kept func(*record.Game)) (*store, error) {
	if c.Out == "" {
		return nil, errors.New("expected a folder for the records, found none")
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(c.Out, GamesFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
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
func readStore(f *os.File, c *Config, m *manifest, s *schedule, kept func(*record.Game)) (*store, error) {
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
	st := &store{ahead: map[int64]*record.Game{}}
	if err := st.readAhead(c.Out); err != nil {
		return nil, err
	}
	size, behindGap, err := st.readGames(f, s, kept)
	if err != nil {
		return nil, err
	}
	if behindGap {
		if err := st.saveAhead(c.Out); err != nil {
			return nil, err
		}
	}
	if err := f.Truncate(size); err != nil {
		return nil, err
	}
	if _, err := f.Seek(size, io.SeekStart); err != nil {
		return nil, err
	}
	st.writer, st.file = record.Append(f, st.kept, size), f
	return st, nil
}

// checkManifest compares the run in the folder, if there is one, with the one
// to be played.
func checkManifest(games *os.File, c *Config, m *manifest) error {
	text, err := os.ReadFile(filepath.Join(c.Out, ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		info, err := games.Stat()
		if err == nil && info.Size() > 0 {
			err = fmt.Errorf("holds records (%s) but no %s; expected a new folder or a whole run", GamesFile, ManifestFile)
		}
		return err
	}
	if err != nil {
		return err
	}
	var old manifest
	if err := json.Unmarshal(text, &old); err != nil {
		return fmt.Errorf("%s can't be read: %w", ManifestFile, err)
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
// How many play at a time, how long the run waits and what it bears are no part
// of that.
func compareConfigs(old, now *manifestConfig) error {
	fields := func(c manifestConfig) map[string]json.RawMessage {
		c.Workers, c.Patience, c.Name, c.Suspend = 0, "", "", 0
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

// readGames reads the games up to the first one missing, and puts those behind
// it among those ahead. It returns the size of the former.
func (st *store) readGames(f *os.File, s *schedule, kept func(*record.Game)) (size int64, behindGap bool, err error) {
	r := record.NewReader(f, f.Name())
	for {
		g, err := r.Read()
		if errors.Is(err, io.EOF) {
			return size, behindGap, nil
		}
		if err != nil {
			return 0, false, err
		}
		switch {
		case g.Game < st.kept:
			return 0, false, fmt.Errorf("%s: expected game %d, found game %d again", GamesFile, st.kept, g.Game)
		case g.Game == st.kept && !behindGap:
			if err := s.check(g); err != nil {
				return 0, false, err
			}
			st.kept++
			size = r.Offset()
			s.note(g)
			kept(g)
		default:
			behindGap = true
			st.ahead[g.Game] = g
		}
	}
}

// readAhead reads the games that an earlier resumption has put aside.
func (st *store) readAhead(dir string) error {
	path := filepath.Join(dir, aheadFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	for r := record.NewReader(f, path); ; {
		g, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		st.ahead[g.Game] = g
	}
}

// saveAhead writes the games behind a gap to their own file.
func (st *store) saveAhead(dir string) error {
	var text []byte
	for _, i := range slices.Sorted(maps.Keys(st.ahead)) {
		if i >= st.kept {
			text = append(st.ahead[i].AppendJSON(text), '\n')
		}
	}
	return files.Replace(filepath.Join(dir, aheadFile), text)
}

// errRemoved is returned when the file of records isn't in its place any more.
var errRemoved = errors.New("the records were removed while the run went on")

// stillThere makes sure that the file that is written is the one that others
// see. If it isn't, what it holds is written to its place again. w has been
// flushed.
func (st *store) stillThere() error {
	open, err := st.file.Stat()
	if err != nil {
		return err
	}
	path := st.file.Name()
	switch seen, err := os.Stat(path); {
	case err == nil && os.SameFile(open, seen):
		return nil
	case err == nil:
		return fmt.Errorf("%s was replaced by another file while the run went on", path)
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
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	info, err := st.file.Stat()
	if err == nil {
		_, err = io.Copy(f, io.NewSectionReader(st.file, 0, info.Size()))
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// done returns the game if it needn't be played: g is nil if it is in the file.
func (st *store) done(game int64) (g *record.Game, ok bool) {
	if st == nil {
		return nil, false
	}
	if game < st.kept { // it may be among those ahead still
		return nil, true
	}
	g, ok = st.ahead[game]
	return g, ok
}

// check tells whether a game of the file is what the schedule has in its place.
func (s *schedule) check(g *record.Game) error {
	i := g.Game / 2
	if i >= s.len() {
		return fmt.Errorf("%s: game %d: expected %d games at most", GamesFile, g.Game, 2*s.len())
	}
	return s.checkPair(s.pair(i), g)
}

// complete puts the games that were there before beside those that were played,
// unless some of the latter are missing.
func (st *store) complete(s *schedule, o *Outcome) error {
	games, played := make([]*record.Game, 0, 2), o.Games
	for n := range int64(2) {
		g, ok := st.done(2*o.Pair + n)
		switch {
		case !ok && len(played) == 0:
			return nil
		case !ok:
			g, played = played[0], played[1:]
		case g == nil:
			continue
		default:
			if err := s.check(g); err != nil {
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
