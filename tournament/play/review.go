package play

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"

	"gyges/agents"
	"gyges/agents/analysis"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/review"
	"gyges/tournament/web"
)

// Bounds on reviews.
const (
	reviewNodes      = review.DefaultNodes
	maxReviewMoves   = 1000
	reviewsPerClient = 1 // at a time
)

// reviewRequest is the body of a request for a review.
type reviewRequest struct {
	Run  string `json:"run"`
	Game int64  `json:"game"` // number of the record
}

// reviewProgress says how many moves are reviewed.
type reviewProgress struct {
	Done int `json:"done"`
	All  int `json:"all"`
}

// review reviews a game of a run. The response is server-sent events: "progress" after each move, then
// "review", or "failure". The review ends with the request.
func (p *Pages) review(w http.ResponseWriter, r *http.Request) {
	client := web.Client(r)
	if !p.reviews.Acquire(client) {
		p.server.Fail(w, web.TooMany("a game is being reviewed for your address; wait for that"))
		return
	}
	defer p.reviews.Release(client)
	web.AllowLongWait(w)
	var q reviewRequest
	err := web.ReadJSON(r, &q)
	var g *record.Game
	if err == nil {
		g, err = p.findRecord(r.Context(), q)
	}
	if err != nil {
		p.server.Fail(w, err)
		return
	}
	to, err := p.server.NewEvents(w, r)
	if err != nil {
		p.server.Fail(w, err)
		return
	}
	defer to.Close()
	made, err := p.reviewGame(to.Context(), g, func(done, all int) { to.Send("progress", reviewProgress{done, all}) })
	switch {
	case err == nil:
		to.Send("review", made)
	case errors.Is(err, context.DeadlineExceeded):
		to.Send("failure", "the review takes too long here; gyges review has no limit")
	case to.Context().Err() == nil:
		p.server.Log.Error("a review failed", "run", q.Run, "game", q.Game, "error", err)
		to.Send("failure", "the server failed; its log has the reason")
	}
}

// reviewGame reviews a game in the place of one search. It gives the place up when a game's move or
// hint needs it, and then begins again.
func (p *Pages) reviewGame(
	ctx context.Context, rec *record.Game, progress func(done, all int),
) (made *review.Game, err error) {
	progress(0, len(rec.Moves))
	for made == nil && err == nil {
		err = p.pool.UseYielding(ctx, review.Spec(reviewNodes), func(ctx context.Context, a agents.Agent) error {
			g, err := review.With(a, reviewNodes).Game(ctx, rec, progress)
			if err == nil {
				made = g
			} else if errors.Is(context.Cause(ctx), analysis.ErrYielded) {
				return nil
			}
			return err
		})
	}
	return made, err
}

// findRecord returns the record of a game of a run, if it can be reviewed.
func (p *Pages) findRecord(ctx context.Context, q reviewRequest) (*record.Game, error) {
	folder, ok := p.Run(q.Run)
	if !ok {
		return nil, web.Error{Status: http.StatusNotFound, Text: "there is no such run"}
	}
	missing := web.Error{Status: http.StatusNotFound, Text: "there is no such game"}
	file, err := folder.Open(tournament.GamesFile)
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
		return nil, web.Unprocessable("expected a game of at most %d moves, found %d", maxReviewMoves, len(g.Moves))
	case err == nil:
		err = review.Check(g)
	}
	if err != nil && ctx.Err() == nil {
		return nil, web.Unprocessable("%s", textfmt.Visible(textfmt.Cut(err.Error(), 300)))
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
