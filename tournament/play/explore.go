package play

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/gameindex"
	"gyges/tournament/web"
)

const (
	exploredMoves = 20
	exploredGames = 3               // listed for each move
	exploreWait   = 2 * time.Second // until a page is told to ask again
	reindexAfter  = 5 * time.Second
)

// explorer is the games of all runs.
type explorer struct {
	turn     chan struct{} // held by the request that uses the rest but progress
	set      gameindex.Set
	updated  time.Time
	failed   string       // the last error of an update, which is logged once
	progress atomic.Value // what is read, a text
}

// exploreRequest asks what was played in a position.
type exploreRequest struct {
	Rules    string   `json:"rules"`
	Position string   `json:"position"`
	Moves    []string `json:"moves"`             // from there
	MinElo   *float64 `json:"min_elo,omitempty"` // of both players
}

// explore answers a request. The games are read, and looked up, beside it: that may take longer than it waits.
func (p *Pages) explore(r *http.Request, q exploreRequest) (any, error) {
	set, err := parseRules(q.Rules)
	if err != nil {
		return nil, err
	}
	game, err := replay(set, q.Position, q.Moves)
	if err != nil {
		return nil, err
	}
	x := &p.explorer
	ctx, cancel := context.WithTimeout(r.Context(), exploreWait)
	defer cancel()
	select {
	case x.turn <- struct{}{}:
	case <-ctx.Done():
		return x.busy(), nil
	}
	var a *gameindex.Answer
	done := make(chan error, 1)
	p.server.Go(func() {
		var err error
		a, err = p.findGames(gameindex.Query{Game: game, MinElo: q.MinElo, Rows: exploredMoves, Games: exploredGames})
		<-x.turn
		done <- err
	})
	select {
	case err = <-done:
	case <-ctx.Done():
		return x.busy(), nil
	}
	switch {
	case errors.Is(err, gameindex.ErrPlacing):
		return nil, web.Unprocessable("%v", err)
	case errors.Is(err, gameindex.ErrDamaged):
		return x.busy(), nil
	case err != nil:
		return nil, err
	}
	columns := append(gameindex.Columns, grid.Column[*gameindex.Row]{Key: "examples", Value: examples})
	return grid.Object{
		{Key: "games", Value: a.Games}, {Key: "more", Value: a.More}, {Key: "moves", Value: grid.Objects(columns, a.Rows)},
	}, nil
}

// busy tells a page to ask again.
func (x *explorer) busy() any { return map[string]any{"indexing": x.progress.Load()} }

// findGames brings the indexes up to date, and answers.
func (p *Pages) findGames(q gameindex.Query) (*gameindex.Answer, error) {
	x, ctx := &p.explorer, p.server.Context()
	if time.Since(x.updated) > reindexAfter {
		_, err := x.set.Update(ctx, p.Runs(), func(run string, done, all int64) {
			x.progress.Store(fmt.Sprintf("%s, %d %%", textfmt.Visible(run), 100*done/all))
		})
		x.progress.Store("")
		if x.updated = time.Now(); err != nil && ctx.Err() == nil && err.Error() != x.failed {
			x.failed = err.Error()
			p.server.Log.Error("games can't be indexed", "error", err)
		}
	}
	a, err := x.set.Find(ctx, q)
	if errors.Is(err, gameindex.ErrDamaged) {
		x.updated = time.Time{}
	}
	return a, err
}

// examples returns some games with their addresses.
func examples(w *gameindex.Row) any {
	var list []map[string]string
	for _, g := range w.Games {
		list = append(list, map[string]string{
			"address": fmt.Sprintf("/game/%s/%d#ply=%d", web.RunPath(g.Run), g.Number, g.Ply),
			"name":    textfmt.Visible(fmt.Sprintf("%s %d: %s – %s %s", g.Run, g.Number, g.South, g.North, g.Result)),
		})
	}
	return list
}
