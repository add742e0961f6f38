package tournament

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/tournament/record"
)

// aheadFile holds games that were finished before an earlier one was. They are appended in the
// order in which they end, and written to [GamesFile] when their turn comes, so that this has the
// order of the schedule at any time.
const aheadFile = "ahead.jsonl"

const (
	// maxAhead bounds how many pairs play may be ahead of the first one that isn't written. Memory
	// has some 100 bytes for each of their games, the disk a record.
	maxAhead = 1 << 16

	// maxRecent is how many of the games in aheadFile are in memory, too, at most.
	maxRecent = 64

	// maxStale is how many bytes of games that wait no longer aheadFile may have before it is
	// written anew.
	maxStale = 16 << 20
)

// waitingGame is a game that was finished, or can't be played, before an earlier one was finished.
type waitingGame struct {
	offset, size int64 // of its line in aheadFile
	missing      bool  // it can't be played, and has no line
	blank        bool  // it is not played, since a player is suspended
}

// ahead is the [aheadFile] of a run's folder, with the games that wait in it.
type ahead struct {
	dir    string
	file   *os.File       // nil: there is none
	writer *record.Writer // to file
	games  map[int64]waitingGame
	live   int64 // bytes of the lines of these games

	// recent has the last games that were written, by the remainders of their numbers. Most games
	// wait for less than the length of another one, and needn't be read back.
	recent [maxRecent]linedGame
}

// linedGame is a game with its line, so that it isn't encoded a second time.
type linedGame struct {
	*record.Record
	line []byte // nil: it has to be encoded
}

func (a *ahead) path() string { return filepath.Join(a.dir, aheadFile) }

// open opens the file, and makes it if create is set; otherwise there may be none. It doesn't
// change it, see [store.begin].
func (a *ahead) open(create bool) error {
	mode := appending
	if create {
		mode |= os.O_CREATE
	}
	f, err := os.OpenFile(a.path(), mode, 0o644)
	if errors.Is(err, fs.ErrNotExist) && !create {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	size, err := jsonl.LastEnd(f, 0, info.Size(), record.MaxLine)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", aheadFile, err), f.Close())
	}
	a.file, a.writer = f, record.Append(f, 0, size)
	return nil
}

// index finds the games of the file that aren't among the first ones, which are in [GamesFile].
// Games that weren't played are left out, since who is suspended, and when, may differ now.
func (a *ahead) index(p *plan, first int64) error {
	if a.file == nil {
		return nil
	}
	// In schedules that may be extended games have the numbers of the run that played them. They
	// are known by South's seed, as it depends on players, rules, round and side alone.
	extendable := len(p.Stages) == 1
	bySeed := map[uint64]waitingGame{}
	r := record.NewReader(io.NewSectionReader(a.file, 0, a.writer.Size()), a.path())
	offset := int64(0)
	for g, err := range readAll(r) {
		if err != nil {
			return err
		}
		line := waitingGame{offset: offset, size: r.Offset() - offset}
		offset = r.Offset()
		switch {
		case g.NotPlayed():
		case extendable:
			bySeed[g.South.Seed] = line
		case g.Game >= first:
			a.add(g.Game, line)
		}
	}
	for game := first; game < 2*p.Len(); game++ {
		seed := p.config.seed(p.job(game/2), int(game%2), rules.South)
		if line, found := bySeed[seed]; found {
			a.add(game, line)
		}
	}
	return nil
}

func (a *ahead) add(game int64, w waitingGame) {
	a.live += w.size - a.games[game].size
	a.games[game] = w
}

// write appends a game, which waits from now on. It may stay in memory until flush.
func (a *ahead) write(g *record.Record) error {
	if a.file == nil {
		if err := a.open(true); err != nil {
			return err
		}
	}
	line, err := record.Lines(g)
	if err != nil {
		return err
	}
	w := waitingGame{offset: a.writer.End(), size: int64(len(line)), blank: g.NotPlayed()}
	if err := a.writer.WriteLine(line); err != nil {
		return err
	}
	a.add(g.Game, w)
	a.recent[g.Game%maxRecent] = linedGame{g, line}
	return nil
}

// read returns a game that waits, with its line if that is in memory.
func (a *ahead) read(game int64) (linedGame, error) {
	recent := a.recent[game%maxRecent]
	if recent.Record != nil && recent.Game == game {
		return recent, nil
	}
	if err := a.writer.Flush(); err != nil {
		return linedGame{}, err
	}
	w := a.games[game]
	g, err := record.NewReader(io.NewSectionReader(a.file, w.offset, w.size), a.path()).Read()
	if err != nil {
		return linedGame{}, err
	}
	g.Game = game
	g.Pair = game / 2
	return linedGame{Record: g}, nil
}

// forget removes a game from those that wait; its line stays.
func (a *ahead) forget(game int64) {
	a.live -= a.games[game].size
	delete(a.games, game)
}

// flush passes what is in memory to the system. The games that wait no longer are in [GamesFile] by
// then: a file that mostly has such ones is written anew.
func (a *ahead) flush() error {
	if a.file == nil {
		return nil
	}
	if err := a.writer.Flush(); err != nil {
		return err
	}
	stale := a.writer.Size() - a.live
	if stale < max(maxStale, a.live) {
		return nil
	}
	return a.rewrite()
}

// rewrite replaces the file by one that has only the games that wait. Who reads the earlier one
// reads it to its end.
func (a *ahead) rewrite() error {
	f, err := files.Create(a.path())
	if err != nil {
		return err
	}
	if err := a.copyTo(f); err != nil {
		return errors.Join(err, f.Discard())
	}
	if err := errors.Join(f.Commit(), a.file.Close()); err != nil {
		return err
	}
	offset := int64(0)
	for _, game := range slices.Sorted(maps.Keys(a.games)) {
		w := a.games[game]
		w.offset = offset
		offset += w.size
		a.games[game] = w
	}
	return a.open(false)
}

// copyTo writes the lines of the games that wait, in order. The file has been flushed.
func (a *ahead) copyTo(to io.Writer) error {
	for _, game := range slices.Sorted(maps.Keys(a.games)) {
		w := a.games[game]
		if _, err := io.Copy(to, io.NewSectionReader(a.file, w.offset, w.size)); err != nil {
			return err
		}
	}
	return nil
}

// close closes the file, which is synced to the disk if games wait in it.
func (a *ahead) close() error {
	if a.file == nil {
		return nil
	}
	err := a.writer.Flush()
	if a.live > 0 {
		err = errors.Join(err, a.file.Sync())
	}
	err = errors.Join(err, a.file.Close())
	a.file = nil
	return err
}

// remove removes the file, if there is one: its games are in [GamesFile] or not needed.
func (a *ahead) remove() error {
	err := a.close()
	errRemove := os.Remove(a.path())
	if errors.Is(errRemove, fs.ErrNotExist) {
		return err
	}
	return errors.Join(err, errRemove)
}
