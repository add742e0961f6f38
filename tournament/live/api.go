package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/strictjson"
	"gyges/tournament"
)

// Player is an opponent to choose.
type Player struct {
	Name  string        // in requests
	Spec  agents.Spec   // the agent
	Doc   string        // one line
	Level bool          // one of the named levels
	Elo   []Elo         // of a level
	Times []agents.Spec // the agent by time a move, in place of Spec; requests number them from 0
	Spans []string      // the time of each of Times
}

// Elo is a player's measured strength by a preset, above that of the weakest level.
type Elo struct {
	Rules string
	Elo   int
}

// longPoll is how long a request waits for a change.
const longPoll = 25 * time.Second

// playPage is the data of the page to play.
type playPage struct {
	Levels, Kinds []Player
	Rules         []rules.Preset
	Clocks        []string       // to choose from
	Options       []rules.Option // of a rule set
	Results       bool           // games are recorded
}

func (s *Server) servePlay(w http.ResponseWriter, _ *http.Request) {
	p := playPage{Rules: rules.Presets(), Clocks: clockTexts, Options: rules.OptionList(), Results: s.config.Results != ""}
	for _, x := range s.config.Players {
		if x.Level {
			p.Levels = append(p.Levels, x)
		} else {
			p.Kinds = append(p.Kinds, x)
		}
	}
	s.write(w, http.StatusOK, "play", p)
}

// newGameRequest is the body of a request for a new game.
type newGameRequest struct {
	Agent string `json:"agent"` // the name of a [Player]
	Time  int    `json:"time"`  // of its Times, where it has some
	Rules string `json:"rules"` // as [rules.Parse] reads them
	Side  string `json:"side"`  // "south", "north" or "random"
	Setup string `json:"setup"` // "random" or "place"
	Clock string `json:"clock"` // the person's, one of clockTexts; "": none

	// From, if given, is a game to go on from; it stands for all else.
	From *fromRequest `json:"from"`
}

// fromRequest is a position of a game on this server.
type fromRequest struct {
	Game string `json:"game"`
	Ply  int    `json:"ply"` // number of moves before it
}

// clockTexts are the clocks to choose from, as [tournament.ParseClock] reads them.
var clockTexts = []string{"1m+1s", "3m+2s", "5m+3s", "10m+5s", "15m+10s", "30m+20s"}

// parseClock reads the clock of a request.
func parseClock(text string) (tournament.Clock, error) {
	if text == "" {
		return tournament.Clock{}, nil
	}
	if !slices.Contains(clockTexts, text) {
		return tournament.Clock{}, unprocessable("clock: expected none or one of %s, found %.60q",
			strings.Join(clockTexts, ", "), text)
	}
	return tournament.ParseClock(text)
}

// createGame starts a game.
func (s *Server) createGame(r *http.Request, q newGameRequest) (any, error) {
	prepare := s.newGame
	if q.From != nil {
		prepare = s.goOn
	}
	g, err := prepare(q)
	if err != nil {
		return nil, err
	}
	return stateAfter(g, s.games.newGame(client(r.RemoteAddr), g))
}

// goOn makes a game that goes on from a position of another one, without a clock.
func (s *Server) goOn(q newGameRequest) (*game, error) {
	if q != (newGameRequest{From: q.From}) {
		return nil, unprocessable("from: expected nothing beside it")
	}
	old, err := s.games.find(q.From.Game)
	if err != nil {
		return nil, err
	}
	return old.branch(q.From.Ply)
}

// newGame makes a game from its beginning.
func (s *Server) newGame(q newGameRequest) (*game, error) {
	agent, err := s.player(q.Agent, q.Time)
	if err != nil {
		return nil, err
	}
	set, err := parseRules(q.Rules)
	if err != nil {
		return nil, err
	}
	clock, err := parseClock(q.Clock)
	if err != nil {
		return nil, err
	}
	g := &game{rules: set, start: set.Start(), policy: "play", human: rules.South, agent: agent, clock: clock}
	switch q.Side {
	case "south":
	case "north":
		g.human = rules.North
	case "random":
		g.human = rules.Side(rand.IntN(2))
	default:
		return nil, unprocessable("side: expected south, north or random, found %.60q", q.Side)
	}
	switch q.Setup {
	case "random":
		g.start = drawSetup(set)
	case "place":
	default:
		return nil, unprocessable("setup: expected random or place, found %.60q", q.Setup)
	}
	return g, nil
}

// maxRulesText bounds the rules of a request, in bytes: all options together have some 300.
const maxRulesText = 1000

// parseRules reads the rules of a request.
func parseRules(text string) (*rules.Rules, error) {
	if len(text) > maxRulesText {
		return nil, unprocessable("rules: expected at most %d bytes, found %d", maxRulesText, len(text))
	}
	r, err := rules.Parse(text)
	if err != nil {
		return nil, unprocessable("%v", err)
	}
	return r, nil
}

// getRules describes the rule set that "rules" names.
func (s *Server) getRules(w http.ResponseWriter, r *http.Request) {
	set, err := parseRules(r.FormValue("rules"))
	if err != nil {
		s.fail(w, err)
		return
	}
	steps, err := lesson(set)
	if err != nil {
		s.fail(w, err)
		return
	}
	o := set.Options()
	writeJSON(w, http.StatusOK, map[string]any{
		"name": set.String(), "options": o.Values(), "prose": o.Prose(), "steps": steps,
	})
}

// drawSetup returns a random set-up in which South can't win at once.
func drawSetup(r *rules.Rules) rules.Position {
	rng := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	for {
		if p := r.RandomSetup(rng); r.Options().Kang || !r.CanReachGoal(p, rules.South) {
			return p
		}
	}
}

// player returns the agent of a request.
func (s *Server) player(name string, time int) (agents.Spec, error) {
	for _, p := range s.config.Players {
		switch {
		case p.Name != name:
		case len(p.Times) == 0:
			return p.Spec, nil
		case time < 0 || time >= len(p.Times):
			return agents.Spec{}, unprocessable("time: expected 0 to %d, found %d", len(p.Times)-1, time)
		default:
			return p.Times[time], nil
		}
	}
	return agents.Spec{}, unprocessable("agent: expected one of those on the page, found %.60q", name)
}

// post handles requests with a JSON body: it responds with the result of act as
// JSON.
func post[Q any](s *Server, status int, act func(*http.Request, Q) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		allowLongWait(w)
		var q Q
		err := readJSON(r, &q)
		var result any
		if err == nil {
			result, err = act(r, q)
		}
		if err != nil {
			s.fail(w, err)
			return
		}
		writeJSON(w, status, result)
	}
}

// onGame passes the game in a request's path to act.
func onGame[Q any](s *Server, act func(*game, *http.Request, Q) (any, error)) http.HandlerFunc {
	return post(s, http.StatusOK, func(r *http.Request, q Q) (any, error) {
		g, err := s.games.find(r.PathValue("game"))
		if err != nil {
			return nil, err
		}
		return act(g, r, q)
	})
}

// stateAfter returns the state of a game after a change, or the change's error.
func stateAfter(g *game, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	now, _ := g.snapshot()
	return now, nil
}

// getGame returns the game; with "after", once it has a later version or some time
// has passed.
func (s *Server) getGame(w http.ResponseWriter, r *http.Request) {
	g, err := s.games.find(r.PathValue("game"))
	if err != nil {
		s.fail(w, err)
		return
	}
	now, changed := g.snapshot()
	if after, err := strconv.ParseInt(r.FormValue("after"), 10, 64); err == nil {
		client := client(r.RemoteAddr)
		if !s.waits.acquire(client) {
			s.fail(w, requestError{http.StatusTooManyRequests, "too many requests from your address are waiting for a move"})
			return
		}
		defer s.waits.release(client)
		allowLongWait(w)
		ctx, cancel := context.WithTimeout(r.Context(), longPoll)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		for now.Version <= after && ctx.Err() == nil {
			select {
			case <-changed:
				now, changed = g.snapshot()
			case <-ctx.Done():
			}
		}
	}
	writeJSON(w, http.StatusOK, now)
}

// moveRequest is the body of a request for a move.
type moveRequest struct {
	Ply  int    `json:"ply"` // number of moves made before
	Move string `json:"move"`
}

// undoRequest is the body of a request to undo moves.
type undoRequest struct {
	Ply *int `json:"ply"` // number of moves that remain; nil: undo the person's last move
}

// hintRequest is the body of a request for a hint.
type hintRequest struct {
	Ply int `json:"ply"`
}

// hintResponse is a hint.
type hintResponse struct {
	Ply  int      `json:"ply"`
	Line []string `json:"line"` // in long notation, the move first
	Info string   `json:"info"`
}

func (g *game) postHint(r *http.Request, q hintRequest) (any, error) {
	d, at, err := g.hint(r.Context(), q.Ply)
	if err != nil {
		return nil, err
	}
	moves := d.PV
	if len(moves) == 0 {
		moves = []rules.Move{d.Move}
	}
	a := hintResponse{Ply: q.Ply, Line: []string{}, Info: searchInfo(d)}
	for _, m := range moves {
		a.Line = append(a.Line, at.Rules().LongText(at.Position(), m))
		if at.Play(m) != nil {
			break
		}
	}
	return a, nil //nolint:nilerr // the line ends before an illegal move
}

// fail responds with an error as JSON.
func (s *Server) fail(w http.ResponseWriter, err error) {
	m, ok := errors.AsType[requestError](err)
	if !ok {
		s.config.Log.Error("a request failed", "error", err)
		m = requestError{http.StatusInternalServerError, "the server failed; its log has the reason"}
	}
	if m.status == http.StatusTooManyRequests || m.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	writeJSON(w, m.status, map[string]string{"error": m.text})
}

// readJSON reads a request's body, which is bounded, into to.
func readJSON(r *http.Request, to any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return requestError{http.StatusUnsupportedMediaType, "expected application/json"}
	}
	text, err := io.ReadAll(r.Body)
	if err == nil {
		if err = strictjson.Unmarshal(text, maxBody, to); err == nil {
			return nil
		}
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return requestError{http.StatusRequestEntityTooLarge, fmt.Sprintf("expected at most %d bytes", maxBody)}
	}
	return requestError{http.StatusBadRequest, "expected JSON as the page sends it: " + err.Error()}
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "the response can't be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the client may have gone
}
