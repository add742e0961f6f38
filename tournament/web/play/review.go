package play

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
	"gyges/tournament/review"
	"gyges/tournament/web"
	"gyges/tournament/web/report"
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

// review reviews a game of a run. The response is server-sent events: "progress" after each move,
// then "review", or "failure". The review ends with the request.
func (p *Pages) review(w http.ResponseWriter, r *http.Request) {
	if !p.reviews.Acquire(r.RemoteAddr) {
		p.server.Fail(w, web.TooMany("you are reviewing another game; wait until that is done"))
		return
	}
	defer p.reviews.Release(r.RemoteAddr)
	var q reviewRequest
	if err := web.ReadJSON(r, &q); err != nil {
		p.server.Fail(w, err)
		return
	}
	g, _, err := p.findRecord(r, q.Run, q.Game)
	if err == nil {
		err = reviewable(g)
	}
	if err != nil {
		p.server.Fail(w, err)
		return
	}
	to := p.server.NewEvents(w, r)
	if to == nil {
		return
	}
	defer to.Close()
	// The review ends early if the page goes.
	progress := func(done, all int) {
		to.Send("progress", map[string]int{"done": done, "all": all})
	}
	made, err := p.reviewGame(to.Context(), r.RemoteAddr, g, progress)
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
	// After each move others may have their turn.
	made, failed := review.New(reviewNodes).Game(ctx, rec, func(done, all int) {
		progress(done, all)
		end()
		end, err = p.light.Turn(ctx, client)
	})
	return made, cmp.Or(err, failed)
}

// findRecord returns the record of a game of a run, and the folder of the run.
func (p *Pages) findRecord(
	r *http.Request, run string, game int64,
) (*record.Record, fs.FS, error) {
	g, folder, err := p.Runs.Record(r.Context(), r.RemoteAddr, run, game)
	if line, ok := errors.AsType[*jsonl.LineError](err); ok {
		err = unreadable(line.Err) // of a part of the file: the number of the line says nothing
	}
	return g, folder, err
}

// reviewable returns why a game can't be reviewed; nil if it can.
func reviewable(g *record.Record) error {
	if len(g.Moves) > maxReviewMoves {
		return web.Unprocessable("expected a game of at most %d moves, found %d",
			maxReviewMoves, len(g.Moves))
	}
	if err := review.Check(g); err != nil {
		return unreadable(err)
	}
	return nil
}

// unreadable is the error of a record that can't be read, with the reason, which may quote it.
func unreadable(err error) error {
	return web.Unprocessable("%s", textfmt.Visible(textfmt.Cut(err.Error(), 300)))
}

// serveGame writes the page of a recorded game, with its review if the run's folder has one.
func (p *Pages) serveGame(w http.ResponseWriter, r *http.Request) {
	run, number := path.Split(r.PathValue("run"))
	run = strings.TrimSuffix(run, "/")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		id = -1 // which no game has
	}
	g, folder, err := p.findRecord(r, run, id)
	if err != nil {
		p.server.FailPage(w, err)
		return
	}
	// The reviews in the folder are read in the client's turn.
	end, err := p.server.Reads.Turn(r.Context(), r.RemoteAddr)
	if err != nil {
		p.server.FailPage(w, err)
		return
	}
	defer end()
	shown := report.Replay(0, g)
	shown.North = 1 // in the list of agents
	reviews, err := review.ReadFS(r.Context(), folder, g)
	failed := err != nil && !errors.Is(err, fs.ErrNotExist)
	if failed && r.Context().Err() == nil {
		p.server.Log.Warn("reviews can't be read", "run", run, "error", err)
	}
	shown.Review = reviews.Find(g)[0]
	south, north := name(g.South.Agent), name(g.North.Agent)
	viewer := report.NewViewer()
	viewer.Rules = []string{textfmt.Visible(g.Rules)}
	viewer.Agents = []string{south, north}
	viewer.Runs = []string{run}
	viewer.Games = []report.ViewerGame{shown}
	p.server.WritePage(w, http.StatusOK, "game", struct {
		Title, Run string
		Game       int64
		Turned     bool // North is below: the person who played it
		Viewer     *report.Viewer
	}{
		Title:  south + " – " + north,
		Run:    run,
		Game:   id,
		Turned: isPerson(g.North.Agent) && !isPerson(g.South.Agent),
		Viewer: viewer,
	})
}

// name is what the page of a game calls a player.
func name(agent string) string { return textfmt.Visible(textfmt.Cut(agents.LabelOf(agent), 200)) }

// isPerson reports whether an agent of a record is a person.
func isPerson(agent string) bool {
	return agent == humanKind || strings.HasPrefix(agent, humanKind+":")
}
