package play

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/report"
	"gyges/tournament/review"
	"gyges/tournament/web"
)

const (
	reviewNodes      = review.DefaultNodes
	maxReviewMoves   = 1000
	reviewsPerClient = 1 // at a time
)

type reviewRequest struct {
	Run  string `json:"run"`
	Game int64  `json:"game"` // number of the record
}

// review reviews a game of a run. The response is server-sent events: "progress" after each move, then
// "review", or "failure". The review ends with the request.
func (p *Pages) review(w http.ResponseWriter, r *http.Request) {
	if !p.reviews.Acquire(r.RemoteAddr) {
		p.server.Fail(w, web.TooMany("you are reviewing another game; wait until that is done"))
		return
	}
	defer p.reviews.Release(r.RemoteAddr)
	var q reviewRequest
	err := web.ReadJSON(r, &q)
	var g *record.Record
	if err == nil {
		g, err = p.findRecord(r.Context(), q)
	}
	if err == nil {
		err = reviewable(g)
	}
	var to *web.Events
	if err == nil {
		to, err = p.server.NewEvents(w, r)
	}
	if err != nil {
		p.server.Fail(w, err)
		return
	}
	defer to.Close()
	made, err := p.reviewGame(to.Context(), r.RemoteAddr, g, func(done, all int) {
		to.Send("progress", map[string]int{"done": done, "all": all})
	})
	if err == nil {
		to.Send("review", made)
	} else if to.Context().Err() == nil {
		p.server.Log.Error("a review failed", "run", q.Run, "game", q.Game, "error", err)
		to.Send("failure", "the server failed; its log has the reason")
	}
}

// reviewGame reviews a game. Each move waits for the client's turn among the light searches.
func (p *Pages) reviewGame(
	ctx context.Context, client string, rec *record.Record, progress func(done, all int),
) (*review.Review, error) {
	progress(0, len(rec.Moves))
	end, err := p.light.Turn(ctx, client)
	if err != nil {
		return nil, err
	}
	defer func() { end() }()
	made, failed := review.New(reviewNodes).Game(ctx, rec, func(done, all int) {
		progress(done, all)
		end()
		end, err = p.light.Turn(ctx, client)
	})
	return made, cmp.Or(err, failed)
}

var errNoGame = web.Error{Status: http.StatusNotFound, Text: "there is no such game"}

func (p *Pages) findRecord(ctx context.Context, q reviewRequest) (*record.Record, error) {
	folder, ok := p.Run(q.Run)
	if !ok {
		return nil, web.Error{Status: http.StatusNotFound, Text: "there is no such run"}
	}
	file, err := folder.Open(tournament.GamesFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoGame
	case err != nil:
		return nil, err
	}
	end := func() { _ = file.Close() } // it was only read
	defer end()
	defer context.AfterFunc(ctx, end)()
	g, _, err := record.Find(file, tournament.GamesFile, q.Game)
	switch {
	case errors.Is(err, io.EOF):
		return nil, errNoGame
	case err != nil && ctx.Err() == nil:
		return nil, unreadable(err)
	}
	return g, ctx.Err()
}

func reviewable(g *record.Record) error {
	if len(g.Moves) > maxReviewMoves {
		return web.Unprocessable("expected a game of at most %d moves, found %d", maxReviewMoves, len(g.Moves))
	}
	if err := review.Check(g); err != nil {
		return unreadable(err)
	}
	return nil
}

func unreadable(err error) error {
	return web.Unprocessable("%s", textfmt.Visible(textfmt.Cut(err.Error(), 300)))
}

func (p *Pages) serveGame(w http.ResponseWriter, r *http.Request) {
	run, number := path.Split(r.PathValue("run"))
	run = strings.TrimSuffix(run, "/")
	id, err := strconv.ParseInt(number, 10, 64)
	var g *record.Record
	if err != nil {
		err = errNoGame
	} else {
		g, err = p.findRecord(r.Context(), reviewRequest{run, id})
	}
	if err != nil {
		p.server.FailPage(w, err)
		return
	}
	names := []string{name(g.South.Agent), name(g.North.Agent)}
	shown := report.Replay(0, g)
	shown.North = 1
	if folder, ok := p.Run(run); ok {
		reviews, err := review.ReadFS(r.Context(), folder, g)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.server.Log.Warn("reviews can't be read", "run", run, "error", err)
		}
		shown.Review = reviews.Find(g)[0]
	}
	p.server.WritePage(w, http.StatusOK, "game", struct {
		Title, Run string
		Game       int64
		Turned     bool // North is below: the person who played it
		Viewer     report.Viewer
	}{
		names[0] + " – " + names[1], run, id, isPerson(g.North.Agent) && !isPerson(g.South.Agent),
		report.Viewer{Rules: []string{textfmt.Visible(g.Rules)}, Agents: names, Runs: []string{run},
			Games: []report.ViewerGame{shown}},
	})
}

func name(agent string) string { return textfmt.Visible(textfmt.Cut(agents.LabelOf(agent), 200)) }

func isPerson(agent string) bool {
	return agent == humanKind || strings.HasPrefix(agent, humanKind+":")
}
