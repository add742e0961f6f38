package live

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"gyges/tournament"
	"gyges/tournament/record"
)

// IndexFile is the file beside large records that holds what this server has read
// of them, so that they need not be parsed again. It may be removed at any time.
const IndexFile = "games.index"

const (
	maxIndex = 64 << 20 // bytes of the file
	// verifyFactor is by how much quicker records are hashed than parsed, about.
	verifyFactor = 16
)

// index is what is known of the records up to an offset. Its file has a line with
// the HMAC of the rest, which is JSON.
type index struct {
	Offset    int64
	Hash      []byte // SHA-256 of the records up to there
	Half      int64  // see tail
	Played    int64
	Faults    int64
	Latest    []*record.Game
	Faulty    []*record.Game
	Games     json.RawMessage
	Collected json.RawMessage
}

// sign returns the first line of the file.
func sign(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return append(hex.AppendEncode(nil, h.Sum(nil)), '\n')
}

// readIndex reads the run's index; nil if there is none that can be used.
func (r *run) readIndex() *index {
	key := r.server.config.IndexKey
	if key == nil {
		return nil
	}
	f, err := r.place.fsys().Open(IndexFile)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxIndex+1))
	line, text, ok := bytes.Cut(text, []byte{'\n'})
	x := new(index)
	if err != nil || !ok || len(text) > maxIndex || !hmac.Equal(append(line, '\n'), sign(key, text)) || json.Unmarshal(text, x) != nil {
		return nil
	}
	return x
}

// verify hashes the records that the index is about, so many bytes at a time. In
// the end it takes over what the index holds, if they are the same. It reports
// whether there is more to hash; the error is errAgain if the index is of others.
func (r *run) verify(ctx context.Context) (behind bool, err error) {
	f, err := r.place.fsys().Open(tournament.GamesFile)
	if err != nil {
		return false, errAgain
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	from, ok := f.(io.ReaderAt)
	if err != nil || !ok || info.Size() < r.index.Offset {
		return false, errAgain
	}
	r.tail.grown(info.Size(), time.Now())
	for stop := r.tail.offset + verifyFactor*r.server.readMost; r.tail.offset < r.index.Offset; {
		if r.tail.offset >= stop || ctx.Err() != nil {
			return true, ctx.Err()
		}
		n, err := io.Copy(r.hash, io.NewSectionReader(from, r.tail.offset, min(chunk, r.index.Offset-r.tail.offset)))
		if r.tail.offset += n; err != nil || n == 0 {
			return false, errAgain
		}
	}
	if !bytes.Equal(r.hash.Sum(nil), r.index.Hash) {
		return false, errAgain
	}
	return false, r.restore()
}

// restore takes over what the index holds.
func (r *run) restore() error {
	x := r.index
	if json.Unmarshal(x.Games, r.games) != nil || json.Unmarshal(x.Collected, r.collector) != nil {
		return errAgain
	}
	r.tail.half, r.played, r.latest, r.faults = x.Half, x.Played, x.Latest, faults{x.Faults, x.Faulty}
	r.index, r.indexed = nil, x.Offset
	return nil
}

// saveIndex writes the index of large records that have grown since by a quarter
// or more.
func (r *run) saveIndex() {
	key := r.server.config.IndexKey
	if key == nil || r.tail.offset < r.server.readMost || r.tail.offset < r.indexed+r.indexed/4 {
		return
	}
	r.indexed = r.tail.offset // not again at once if it can't be written
	if err := r.writeIndex(key); err != nil {
		r.server.config.Log.Debug("no index is written", "run", r.place.id, "error", err)
	}
}

func (r *run) writeIndex(key []byte) error {
	x := index{
		Offset: r.tail.offset, Hash: r.hash.Sum(nil), Half: r.tail.half, Played: r.played,
		Faults: r.faults.n, Latest: r.latest, Faulty: r.faults.last,
	}
	var errGames, errCollected error
	x.Games, errGames = r.games.MarshalJSON()
	x.Collected, errCollected = r.collector.MarshalJSON()
	text, err := json.Marshal(x)
	if err := errors.Join(errGames, errCollected, err); err != nil {
		return err
	}
	if len(text) > maxIndex {
		return fmt.Errorf("expected at most %d bytes, found %d", maxIndex, len(text))
	}
	root, name := r.place.root, path.Join(r.place.dir, IndexFile)
	temporary := name + ".tmp" // of two servers that write it at once, none gets an index
	err = root.WriteFile(temporary, append(sign(key, text), text...), 0o644)
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		_ = root.Remove(temporary) // it may not be there
	}
	return err
}
