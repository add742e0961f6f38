package play

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/analysis"
	"gyges/rules"
	"gyges/tournament/web"
)

const (
	maxMoves = 1000 // before the position
	maxLines = 5    // best moves
)

// positionRequest is the body of a request for a position.
type positionRequest struct {
	Rules    string   `json:"rules"`
	Setup    string   `json:"setup"`    // "random": a set-up drawn in place of the position
	Position string   `json:"position"` // "": the beginning of a game
	Moves    []string `json:"moves"`    // from there
}

// positionState is a position as the analysis board shows it.
type positionState struct {
	boardState
	Start string `json:"start"` // the position before the moves
	Pass  bool   `json:"pass"`  // is the only legal move
}

// analysisPage is the data of the page.
var analysisPage = map[string]any{
	"Rules": rules.Presets(),
	"Lines": []int{1, 2, 3, 4, maxLines}, // numbers of best moves to choose from
}

// getPosition returns a position with what can be done in it.
func getPosition(_ *http.Request, q positionRequest) (any, error) {
	g, err := q.replay()
	if err != nil {
		return nil, err
	}
	state := positionState{boardState: stateOf(g)}
	state.Start = g.Rules().FormatPosition(g.Start())
	begin := rules.NewGame(g.Rules(), g.Start())
	state.Moves = analysis.LongLine(begin, g.Moves())
	if o, reason := g.Outcome(); o != rules.Undecided {
		state.Result, state.Reason = o.String(), string(reason)
		return state, nil
	}
	state.Pass = g.Legal().Contains(rules.Pass)
	if !state.Pass {
		state.Sources = sources(g)
	}
	return state, nil
}

// replay returns the game that leads to the position.
func (q *positionRequest) replay() (*rules.Game, error) {
	r, err := parseRules(q.Rules)
	if err != nil {
		return nil, err
	}
	switch q.Setup {
	case "":
	case "random":
		p, err := drawSetup(r)
		if err != nil {
			return nil, err
		}
		q.Position = r.FormatPosition(p)
	default:
		return nil, web.Unprocessable("setup: expected random or nothing, found %.60q", q.Setup)
	}
	// Each move is checked, so their number is bounded.
	if len(q.Moves) > maxMoves {
		return nil, web.Unprocessable("moves: expected at most %d, found %d",
			maxMoves, len(q.Moves))
	}
	g, err := analysis.Replay(r, q.Position, q.Moves)
	if err != nil {
		err = web.Unprocessable("%v", err)
	}
	return g, err
}

// game returns the game that leads to the position, in which a side must be to move.
func (q *positionRequest) game() (*rules.Game, error) {
	g, err := q.replay()
	if err != nil {
		return nil, err
	}
	if g.Rules().SettingUp(g.Position()) {
		return nil, web.Unprocessable("position: expected one in which all pieces are placed")
	}
	if o, _ := g.Outcome(); o != rules.Undecided {
		return nil, web.Unprocessable("position: the game is over there")
	}
	return g, nil
}

// analysisRequest reads a request for an analysis.
func analysisRequest(r *http.Request) (q analysis.Request, err error) {
	position := positionRequest{
		Rules:    r.FormValue("rules"),
		Position: r.FormValue("position"),
		Moves:    strings.Fields(r.FormValue("moves")),
	}
	if q.Game, err = position.game(); err != nil {
		return q, err
	}
	multi := r.FormValue("multi")
	q.Multi, err = strconv.Atoi(multi)
	if err != nil || q.Multi < 1 || q.Multi > maxLines {
		return q, web.Unprocessable("multi: expected 1 to %d, found %.60q", maxLines, multi)
	}
	return q, nil
}

// analyse searches a position, and sends the best lines of each depth as server-sent events until
// the client goes.
func (p *Pages) analyse(w http.ResponseWriter, r *http.Request) {
	q, err := analysisRequest(r)
	if err != nil {
		p.server.Fail(w, err)
		return
	}
	to := p.server.NewEvents(w, r)
	if to == nil {
		return
	}
	defer to.Close()

	// The client's analysis under way ends.
	ctx, cancel := context.WithCancelCause(to.Context())
	defer cancel(nil)
	if last, ok := p.analyses.Swap(r.RemoteAddr, &cancel); ok {
		cancelLast := *last.(*context.CancelCauseFunc)
		cancelLast(errReplaced)
	}
	defer p.analyses.CompareAndDelete(r.RemoteAddr, &cancel)

	// A search that was cancelled is no failure of its agent.
	var ended error
	search := func(ctx context.Context, agent agents.Agent) error {
		ended = analysis.Search(ctx, agent, q, func(_ analysis.Line, all []analysis.Line) {
			to.Send("lines", all)
		})
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the agent is used again; ended has the error
		}
		return ended
	}
	err = p.lines.use(ctx, r.RemoteAddr, p.Analyst, search)
	to.Send("end", p.reason(cmp.Or(err, ended)))
}

// reason is why a search ended, for the page: "done", "time", "replaced" or "failed".
func (p *Pages) reason(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, context.DeadlineExceeded):
		return "time"
	case errors.Is(err, errReplaced):
		return "replaced"
	case !errors.Is(err, context.Canceled):
		p.server.Log.Error("an analysis failed", "error", err)
	}
	return "failed"
}

// errReplaced is the cause of the end of an analysis whose client has begun another one.
var errReplaced = errors.New("another analysis was begun")
