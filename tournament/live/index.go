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

	"gyges/rules/base/files"
)

// IndexFile is the file beside large records with the statistics of the games read so
// far, so that they need not be parsed again. It may be removed at any time.
const IndexFile = "games.index"

const (
	maxIndex = 64 << 20 // bytes of the file
	// verifyFactor is about how much faster records are hashed than parsed.
	verifyFactor = 16
)

// index has the statistics of the records up to an offset. Its file is a line with the
// HMAC of the rest, which is JSON.
type index struct {
	Offset    int64
	Hash      []byte // SHA-256 of the records up to there
	Recent    recent
	Results   json.RawMessage
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
	text, err := files.ReadFS(r.folder, IndexFile, maxIndex)
	line, text, ok := bytes.Cut(text, []byte{'\n'})
	x := new(index)
	if err != nil || !ok || !hmac.Equal(append(line, '\n'), sign(key, text)) || json.Unmarshal(text, x) != nil {
		return nil
	}
	return x
}

// verify hashes the records that the index covers, a bounded number of bytes in a call.
// After the last ones it loads the statistics of the index if the hash is the same, and
// returns errReplaced otherwise.
func (r *run) verify(ctx context.Context) error {
	f, err := r.tail.open()
	if f == nil || err != nil {
		return errReplaced
	}
	defer func() { _ = f.Close() }() // it was only read
	const chunk = 1 << 20
	for stop := r.tail.offset + verifyFactor*r.server.readMost; r.tail.offset < r.index.Offset; {
		if r.tail.behind = r.tail.offset >= stop; r.tail.behind || ctx.Err() != nil {
			return ctx.Err()
		}
		n, err := io.Copy(r.hash, io.NewSectionReader(f, r.tail.offset, min(chunk, r.index.Offset-r.tail.offset)))
		if r.tail.offset += n; err != nil || n == 0 {
			return errReplaced
		}
	}
	x := r.index
	if !bytes.Equal(r.hash.Sum(nil), x.Hash) || json.Unmarshal(x.Results, r.results) != nil ||
		json.Unmarshal(x.Collected, r.collector) != nil {
		return errReplaced
	}
	r.recent, r.index, r.indexed = x.Recent, nil, x.Offset
	return nil
}

// saveIndex writes the index of large records that have grown by a quarter or more since
// the last one. It covers whole pairs only.
func (r *run) saveIndex() {
	key := r.server.config.IndexKey
	if key == nil || r.tail.half || r.tail.offset < max(r.server.readMost, r.indexed+r.indexed/4) {
		return
	}
	r.indexed = r.tail.offset // not again at once if it can't be written
	if err := r.writeIndex(key); err != nil {
		r.server.config.Log.Debug("no index is written", "run", r.folder.id, "error", err)
	}
}

func (r *run) writeIndex(key []byte) error {
	x := index{Offset: r.tail.offset, Hash: r.hash.Sum(nil), Recent: r.recent}
	var errResults, errCollected error
	x.Results, errResults = r.results.MarshalJSON()
	x.Collected, errCollected = r.collector.MarshalJSON()
	text, err := json.Marshal(x)
	if err := errors.Join(errResults, errCollected, err); err != nil {
		return err
	}
	if len(text) > maxIndex {
		return fmt.Errorf("expected at most %d bytes, found %d", maxIndex, len(text))
	}
	root, name := r.folder.root, path.Join(r.folder.dir, IndexFile)
	temporary := name + ".tmp" // two servers that write it at once damage it, and it is ignored
	err = root.WriteFile(temporary, append(sign(key, text), text...), 0o644)
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		_ = root.Remove(temporary) // it may not be there
	}
	return err
}
