package play

import (
	"net/http"
	"sync"
	"time"

	"gyges/rules/base/grid"
	"gyges/tournament/explorer"
)

type explored struct {
	sync.Mutex
	set  explorer.Set
	next time.Time // when they are read again, if there are more
}

// explore answers a request for what was played in a position. The first one waits until the games are read.
func (p *Pages) explore(_ *http.Request, q positionRequest) (any, error) {
	game, err := q.replay()
	if err != nil {
		return nil, err
	}
	x := &p.explored
	x.Lock()
	defer x.Unlock()
	if now := time.Now(); now.After(x.next) {
		x.set.Update(p.server.Context(), p.Runs())
		x.next = time.Now().Add(5*time.Second + 10*time.Since(now)) // reading takes a tenth of the time at most
	}
	moves, games := x.set.Find(game)
	shown := moves[:min(len(moves), 20)]
	return grid.Object{
		{Key: "games", Value: games}, {Key: "more", Value: len(moves) - len(shown)},
		{Key: "notes", Value: append(x.set.Reader.Notes(), x.set.Notes()...)},
		{Key: "moves", Value: grid.Make(explorer.Columns, shown)},
	}, nil
}
