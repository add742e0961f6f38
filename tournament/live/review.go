package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"

	"gyges/agents"
	"gyges/agents/analysis"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/review"
)

// Bounds on reviews.
const (
	reviewNodes      = review.DefaultNodes
	maxReviewMoves   = 1000
	reviewsPerClient = 1  // at a time
	maxReviews       = 64 // kept
	maxYields        = 3  // of a review
)

// reviews are the reviews of recorded games that pages asked for.
type reviews struct {
	quota quota

	mu   sync.Mutex
	kept map[string][]byte // as JSON, by game
	keys []string          // of kept, the oldest first
}

func (v *reviews) find(key string) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.kept[key]
}

// keep keeps a review in place of the oldest one.
func (v *reviews) keep(key string, text []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.kept == nil {
		v.kept = map[string][]byte{}
	}
	if v.kept[key] == nil {
		v.keys = append(v.keys, key)
	}
	v.kept[key] = text
	if len(v.keys) > maxReviews {
		delete(v.kept, v.keys[0])
		v.keys = v.keys[1:]
	}
}

// reviewRequest is the body of a request for a review.
type reviewRequest struct {
	Run  string `json:"run"`
	Game int64  `json:"game"` // number of the record
}

// serveReview reviews a game of a run. The response is server-sent events: "progress" after each move, then
// "review", or "failure". The review ends with the request.
func (s *Server) serveReview(w http.ResponseWriter, r *http.Request) {
	var q reviewRequest
	if err := readJSON(r, &q); err != nil {
		s.fail(w, err)
		return
	}
	client := client(r.RemoteAddr)
	if !s.reviews.quota.acquire(client) {
		s.fail(w, requestError{http.StatusTooManyRequests, "a game is being reviewed for your address; wait for that"})
		return
	}
	defer s.reviews.quota.release(client)
	release, err := s.openStream(client)
	if err != nil {
		s.fail(w, err)
		return
	}
	defer release()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	allowLongWait(w)
	g, err := s.findRecord(ctx, q)
	if err != nil {
		s.fail(w, err)
		return
	}
	to := newEvents(w)
	event := func(kind string, text []byte) {
		if !to.send("event: %s\ndata: %s\n\n", kind, text) {
			cancel() // nobody reads it
		}
	}
	key := fmt.Sprintf("%s/%d/%s", q.Run, g.Game, review.Identity(g))
	text := s.reviews.find(key)
	if text == nil {
		text, err = s.review(ctx, g, event)
	}
	switch {
	case err == nil:
		s.reviews.keep(key, text)
		event("review", text)
	case errors.Is(err, context.DeadlineExceeded):
		event("failure", []byte(`{"error":"the review takes too long here; gyges review has no limit"}`))
	case ctx.Err() == nil:
		s.config.Log.Error("a review failed", "run", q.Run, "game", q.Game, "error", err)
		event("failure", []byte(`{"error":"the server failed; its log has the reason"}`))
	}
}

// review reviews a game in the place of one search, and returns the review as JSON. It gives the place up
// when a game's move or hint needs it, and then begins again; after some times it keeps the place.
func (s *Server) review(ctx context.Context, rec *record.Game, event func(kind string, text []byte)) ([]byte, error) {
	progress := func(done, all int) { event("progress", fmt.Appendf(nil, `{"done":%d,"all":%d}`, done, all)) }
	progress(0, len(rec.Moves))
	var made *review.Game
	search := func(ctx context.Context, a agents.Agent) error {
		g, err := review.With(a, reviewNodes).Game(ctx, rec, progress)
		switch {
		case err == nil:
			made = g
		case errors.Is(context.Cause(ctx), analysis.ErrYielded):
			return nil
		}
		return err
	}
	use := s.games.pool.UseYielding
	for yields := 0; made == nil; yields++ {
		if yields == maxYields {
			use = s.games.pool.Use
		}
		if err := use(ctx, review.Spec(reviewNodes), search); err != nil {
			return nil, err
		}
	}
	return json.Marshal(made)
}

// findRecord returns the record of a game of a run that the server lists, if it can be reviewed.
func (s *Server) findRecord(ctx context.Context, q reviewRequest) (*record.Game, error) {
	f, ok := s.catalog.find(q.Run)
	if !ok {
		return nil, requestError{http.StatusNotFound, "there is no such run"}
	}
	missing := requestError{http.StatusNotFound, "there is no such game"}
	file, err := f.Open(tournament.GamesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	g, _, err := record.Find(contextReader{ctx, file}, tournament.GamesFile, q.Game)
	switch {
	case errors.Is(err, io.EOF):
		return nil, missing
	case err == nil && len(g.Moves) > maxReviewMoves:
		return nil, unprocessable("expected a game of at most %d moves, found %d", maxReviewMoves, len(g.Moves))
	case err == nil:
		err = review.Check(g)
	}
	if err != nil && ctx.Err() == nil {
		return nil, unprocessable("%s", textfmt.Visible(textfmt.Cut(err.Error(), 300)))
	}
	return g, ctx.Err()
}

// contextReader is a reader that can't be read any more once its context has ended.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
