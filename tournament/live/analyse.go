package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"gyges/agents"
	"gyges/agents/analysis"
	"gyges/rules"
)

// Bounds on what a page can have analysed.
const (
	maxMoves  = 1000 // before the position
	maxLines  = 5    // best moves
	maxPageID = 40   // bytes
)

// analysePage is the data of the page to analyse.
type analysePage struct {
	Rules []rules.Preset
	Lines []int // numbers of best moves to choose from
}

func (s *Server) serveAnalyse(w http.ResponseWriter, _ *http.Request) {
	p := analysePage{Rules: rules.Presets()}
	for n := range maxLines {
		p.Lines = append(p.Lines, n+1)
	}
	s.write(w, http.StatusOK, "analyse", p)
}

// positionRequest names a position.
type positionRequest struct {
	Rules    string   `json:"rules"`
	Setup    string   `json:"setup"`    // "random": a set-up drawn in place of the position
	Position string   `json:"position"` // "": the beginning of a game
	Moves    []string `json:"moves"`    // from there
}

// positionState is a position as JSON, for the page to analyse.
type positionState struct {
	Rules    string   `json:"rules"`
	Start    string   `json:"start"` // the position before the moves
	Moves    []string `json:"moves"` // in long notation
	Position string   `json:"position"`
	Turn     string   `json:"turn"`
	Placing  bool     `json:"placing"` // pieces are being placed
	Pass     bool     `json:"pass"`    // is the only legal move
	Sources  []source `json:"sources"`
	Result   string   `json:"result,omitempty"` // of a game that is over
	Reason   string   `json:"reason,omitempty"`
}

// getPosition answers a request for a position.
func (s *Server) getPosition(_ *http.Request, q positionRequest) (any, error) {
	if q.Setup != "" && q.Setup != "random" {
		return nil, unprocessable("setup: expected random or nothing, found %.60q", q.Setup)
	}
	r, err := parseRules(q.Rules)
	if err != nil {
		return nil, err
	}
	if q.Setup == "random" {
		q.Position = r.FormatPosition(drawSetup(r))
	}
	g, err := replay(r, q.Position, q.Moves)
	if err != nil {
		return nil, err
	}
	return newPositionState(g), nil
}

func newPositionState(g *rules.Game) positionState {
	r, p := g.Rules(), g.Position()
	state := positionState{
		Rules: r.String(), Start: r.FormatPosition(g.Start()), Position: r.FormatPosition(p),
		Turn: p.Side().Name(), Placing: r.SettingUp(p), Sources: []source{}, Moves: []string{},
	}
	at := g.Start()
	for _, m := range g.Moves() {
		state.Moves = append(state.Moves, r.LongText(at, m))
		at = r.Apply(at, m)
	}
	if o, reason := g.Outcome(); o != rules.Undecided {
		state.Result, state.Reason = o.String(), string(reason)
	} else if state.Pass = g.Legal().Contains(rules.Pass); !state.Pass {
		state.Sources = sources(g)
	}
	return state
}

// replay returns the game that moves lead to.
func replay(r *rules.Rules, position string, moves []string) (*rules.Game, error) {
	if len(moves) > maxMoves {
		return nil, unprocessable("moves: expected at most %d, found %d", maxMoves, len(moves))
	}
	g, err := analysis.Replay(r, position, moves)
	if err != nil {
		return nil, unprocessable("%v", err)
	}
	return g, nil
}

// analysisRequest reads what a request wants analysed.
func analysisRequest(r *http.Request) (q analysis.Request, err error) {
	set, err := parseRules(r.FormValue("rules"))
	if err != nil {
		return q, err
	}
	if q.Game, err = replay(set, r.FormValue("position"), strings.Fields(r.FormValue("moves"))); err != nil {
		return q, err
	}
	if set.SettingUp(q.Game.Position()) {
		return q, unprocessable("position: expected one in which all pieces are placed")
	}
	if o, _ := q.Game.Outcome(); o != rules.Undecided {
		return q, unprocessable("position: the game is over there")
	}
	q.Multi, err = strconv.Atoi(r.FormValue("multi"))
	if err != nil || q.Multi < 1 || q.Multi > maxLines {
		return q, unprocessable("multi: expected 1 to %d, found %.60q", maxLines, r.FormValue("multi"))
	}
	if len(r.FormValue("page")) > maxPageID {
		return q, unprocessable("page: expected at most %d bytes, found %d", maxPageID, len(r.FormValue("page")))
	}
	return q, nil
}

// analyse searches a position, and sends the best lines of each depth as server-sent events
// until the client goes.
func (s *Server) analyse(w http.ResponseWriter, r *http.Request) {
	q, err := analysisRequest(r)
	if err != nil {
		s.fail(w, err)
		return
	}
	client := client(r.RemoteAddr)
	release, err := s.openStream(client)
	if err != nil {
		s.fail(w, err)
		return
	}
	defer release()
	ctx, end, err := s.analyses.begin(r.Context(), client, r.FormValue("page"))
	if err != nil {
		s.fail(w, err)
		return
	}
	defer end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	a := analysing{found: make(chan []analysis.Line, 1), ended: make(chan error, 1)}
	go func() { a.ended <- a.search(ctx, s, q) }()
	if !a.send(ctx, s, newEvents(w)) {
		cancel()
		s.config.Log.Debug("an analysis was left", "cause", <-a.ended) // its place is free now
	}
}

// analysing is an analysis under way.
type analysing struct {
	found chan []analysis.Line // the last lines
	ended chan error           // the search has ended, and why
}

// search searches until the end of ctx or of the time. An agent that was interrupted is used
// again.
func (a *analysing) search(ctx context.Context, s *Server, q analysis.Request) error {
	var ended error
	err := s.games.pool.UseYielding(ctx, s.config.Analyst, func(ctx context.Context, agent agents.Agent) error {
		ended = analysis.Search(ctx, agent, q, func(_ analysis.Line, all []analysis.Line) {
			select {
			case <-a.found: // not sent yet
			default:
			}
			a.found <- all
		})
		if ctx.Err() != nil {
			return nil //nolint:nilerr // ended has it
		}
		return ended
	})
	if err != nil {
		return err
	}
	return ended
}

// send sends events until the search has ended. It returns false before that if they can't
// be sent, or if ctx ends.
func (a *analysing) send(ctx context.Context, s *Server, to events) bool {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for ok := to.send(": waiting for a free search\n\n"); ok; {
		select {
		case lines := <-a.found:
			ok = to.lines(lines)
		case err := <-a.ended:
			if ctx.Err() != nil {
				return true
			}
			select {
			case lines := <-a.found:
				_ = to.lines(lines) // the next one fails, too
			default:
			}
			to.send("event: end\ndata: %q\n\n", s.endOf(err))
			return true
		case <-beat.C:
			ok = to.send(": heartbeat\n\n")
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// lines sends the best lines.
func (e events) lines(lines []analysis.Line) bool {
	text, err := json.Marshal(lines)
	return err == nil && e.send("event: lines\ndata: %s\n\n", text)
}

// endOf is why a search ended, for the page: "done", "time", "yielded" or "failed".
func (s *Server) endOf(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, context.DeadlineExceeded):
		return "time"
	case errors.Is(err, analysis.ErrYielded):
		return "yielded"
	case !errors.Is(err, context.Canceled):
		s.config.Log.Error("an analysis failed", "error", err)
	}
	return "failed"
}

// analyses are those of pages, one for each page; where other machines have access, one for
// each address.
type analyses struct {
	quota quota

	mu    sync.Mutex
	pages map[[2]string]*pageAnalysis // by address and page
}

type pageAnalysis struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// begin returns the context of a page's analysis, after the end of the page's last one, which
// it cancels. end must be called when it has ended.
func (a *analyses) begin(ctx context.Context, client, page string) (c context.Context, end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	mine, key := &pageAnalysis{cancel, make(chan struct{})}, [2]string{client, page}
	for {
		last := a.enter(key, mine)
		if last == nil {
			break
		}
		last.cancel()
		select {
		case <-last.ended:
		case <-ctx.Done():
			cancel()
			return nil, nil, requestError{http.StatusServiceUnavailable, "the analysis before has not ended"}
		}
	}
	leave := func() {
		cancel()
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.pages, key)
		close(mine.ended)
	}
	if !a.quota.acquire(client) {
		leave()
		return nil, nil, requestError{http.StatusTooManyRequests, fmt.Sprintf(
			"another page at your address has %d position analysed already; switch it off there", a.quota.most)}
	}
	return ctx, func() {
		a.quota.release(client)
		leave()
	}, nil
}

// enter makes an analysis that of its page, unless the page has another one, which it returns.
func (a *analyses) enter(key [2]string, mine *pageAnalysis) (last *pageAnalysis) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if last := a.pages[key]; last != nil {
		return last
	}
	if a.pages == nil {
		a.pages = map[[2]string]*pageAnalysis{}
	}
	a.pages[key] = mine
	return nil
}
