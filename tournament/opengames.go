package tournament

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/tournament/record"
)

// OpenGames opens a regular file for reading. Where it is the [GamesFile] of a run that goes on or was killed, the games
// that wait in the [aheadFile] beside it follow its own, those that are there already left out.
func OpenGames(path string) (io.ReadCloser, error) {
	if filepath.Base(path) != GamesFile {
		return files.Open(path)
	}
	// It is opened first: a game that moves meanwhile is found twice then, and not missed.
	ahead, errAhead := files.Open(filepath.Join(filepath.Dir(path), aheadFile))
	games, err := files.Open(path)
	if errAhead != nil {
		return games, err
	}
	if err != nil {
		return nil, errors.Join(err, ahead.Close())
	}
	r := &twoFiles{games: games, ahead: ahead, later: map[int64]bool{}}
	info, err := games.Stat()
	if err == nil {
		var end int64
		end, err = jsonl.LastEnd(games, 0, info.Size(), record.MaxLine)
		r.first = bufio.NewReaderSize(io.NewSectionReader(games, 0, end), 64<<10)
		r.second = jsonl.NewLines(ahead, record.MaxLine)
		r.torn = io.NewSectionReader(games, end, info.Size()-end)
	}
	if err != nil { // there is no line, which is for the reader to find
		return games, ahead.Close()
	}
	return r, nil
}

// twoFiles reads the games of two files. What a kill has left of a line of the first one comes last.
type twoFiles struct {
	games, ahead *os.File
	first        *bufio.Reader
	second       *jsonl.Lines
	torn         io.Reader

	text  []byte         // that was read and not passed on
	inner bool           // the next bytes of the first file go on with a line
	next  int64          // the first game that isn't in the first file,
	later map[int64]bool // and those after it that are
}

// Read implements [io.Reader].
func (r *twoFiles) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		if r.first == nil && r.second == nil {
			return r.torn.Read(p)
		}
		err := r.readSome()
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// readSome reads a line, or a part of a long one, and ends with a file at its end.
func (r *twoFiles) readSome() (err error) {
	if r.first == nil {
		return r.readAhead()
	}
	r.text, err = r.first.ReadSlice('\n')
	if !r.inner && len(r.text) > 0 {
		r.note(gameOf(r.text))
	}
	r.inner = errors.Is(err, bufio.ErrBufferFull)
	if errors.Is(err, io.EOF) {
		r.first = nil
		return nil
	}
	if r.inner {
		return nil
	}
	return err
}

// note notes a game of the first file.
func (r *twoFiles) note(game int64) {
	r.later[game] = true
	for r.later[r.next] {
		delete(r.later, r.next)
		r.next++
	}
}

func (r *twoFiles) readAhead() error {
	line, err := r.second.Next()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, jsonl.ErrEndless), err == nil && r.second.Torn():
		r.second = nil
		return nil
	case errors.Is(err, jsonl.ErrTooLong):
		return nil
	case err != nil:
		return err
	}
	game := gameOf(line)
	if game >= r.next && !r.later[game] {
		r.text = append(bytes.Clone(line), '\n')
		r.note(game)
	}
	return nil
}

// gameOf returns the number of the game that a line of records begins with; -1 if it doesn't.
func gameOf(line []byte) int64 {
	rest, found := bytes.CutPrefix(line, []byte(`{"game":`))
	digits, _, ended := bytes.Cut(rest[:min(len(rest), 20)], []byte{','})
	game, err := strconv.ParseInt(string(digits), 10, 64)
	if !found || !ended || err != nil {
		return -1
	}
	return game
}

// Close closes both files.
func (r *twoFiles) Close() error { return errors.Join(r.games.Close(), r.ahead.Close()) }
