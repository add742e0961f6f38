package tournament

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strconv"

	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/tournament/record"
)

// OpenGames opens a regular file for reading. Where it is the [GamesFile] of a run that goes on or
// was killed, the games that wait in the [aheadFile] beside it follow its own: those after its last
// one, as games move in order.
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
	info, err := games.Stat()
	if err != nil {
		return nil, errors.Join(err, games.Close(), ahead.Close())
	}
	end, err := jsonl.LastEnd(games, 0, info.Size(), record.MaxLine)
	if err != nil { // the reader of the games finds out
		return games, ahead.Close()
	}
	waiting := &aheadReader{lines: files.NewLineReader(ahead, record.MaxLine)}
	if end > 0 {
		// The start of the last line; 0 if that is too long.
		start, _ := jsonl.LastEnd(games, 0, end-1, record.MaxLine)
		head := make([]byte, 40) // enough for the game's number, which comes first
		_, _ = games.ReadAt(head, start)
		waiting.first = gameOf(head) + 1
	}
	whole := io.NewSectionReader(games, 0, end)
	torn := io.NewSectionReader(games, end, info.Size()-end)
	return &twoFiles{
		Reader: io.MultiReader(whole, waiting, torn),
		close:  func() error { return errors.Join(games.Close(), ahead.Close()) },
	}, nil
}

type twoFiles struct {
	io.Reader
	close func() error
}

// Close closes both files.
func (f *twoFiles) Close() error { return f.close() }

// aheadReader reads the whole lines of games from the first one on.
type aheadReader struct {
	lines *files.LineReader
	first int64
	text  []byte // that was read and not passed on
}

// Read implements [io.Reader].
func (r *aheadReader) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		line, err := r.lines.Next()
		if err != nil {
			return 0, err
		}
		if r.lines.Torn() {
			return 0, io.EOF
		}
		if gameOf(line) >= r.first {
			r.text = append(bytes.Clone(line), '\n')
		}
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// gameOf returns the number of the game of a record's line; -1 if it doesn't begin with one.
func gameOf(line []byte) int64 {
	rest, _ := bytes.CutPrefix(line, []byte(`{"game":`))
	digits, _, _ := bytes.Cut(rest, []byte{','})
	game, err := strconv.ParseInt(string(digits[:min(len(digits), 20)]), 10, 64)
	if err != nil {
		return -1
	}
	return game
}
