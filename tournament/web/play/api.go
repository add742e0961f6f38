package play

import (
	"context"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/analysis"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
	"gyges/tournament/game"
	"gyges/tournament/schedule"
	"gyges/tournament/web"
)

// Player is an opponent to choose.
type Player struct {
	Name  string         // in requests
	Spec  agents.Spec    // the agent
	Doc   string         // one line
	Level bool           // one of the named levels
	Elo   map[string]int // of a level: by preset, how much stronger than the weakest one
	Times []string       // to choose from, values of the agent's parameter movetime
}

const longPoll = 25 * time.Second

// playPage returns the data of the page to play.
func (p *Pages) playPage() any {
	// "3m+2s" is "3 min + 2 s a move" in words.
	inWords := strings.NewReplacer("m+", " min + ", "s", " s a move")
	clocks := lists.Map(clockTexts, func(text string) [2]string {
		return [2]string{text, inWords.Replace(text)}
	})
	return struct {
		Config
		Rules   []rules.Preset
		Clocks  [][2]string    // for requests and in words
		Options []rules.Option // of a rule set
	}{p.Config, rules.Presets(), clocks, rules.DefaultOptions().List()}
}

// newGameRequest is the body of a request for a game.
type newGameRequest struct {
	Agent string `json:"agent"` // the name of a [Player]
	Time  int    `json:"time"`  // of its Times, where it has some
	Rules string `json:"rules"` // as [rules.Parse] reads them
	Side  string `json:"side"`  // "south", "north" or "random"
	Setup string `json:"setup"` // "random" or "place"
	Clock string `json:"clock"` // the person's, one of clockTexts; "": none
	Name  string `json:"name"`  // the person's; "": all of these are one player
	Other string `json:"other"` // the other person's, in a game of two

	// From, if given, is a game to go on from, and Rematch one to be played again with sides
	// exchanged; either stands for all else.
	From    *fromRequest `json:"from"`
	Rematch string       `json:"rematch"`
}

// fromRequest names a position of a game.
type fromRequest struct {
	Game string `json:"game"`
	Ply  int    `json:"ply"` // number of moves before it
}

// clockTexts are the clocks to choose from, as [game.ParseClock] reads them.
var clockTexts = []string{"1m+1s", "3m+2s", "5m+3s", "10m+5s", "15m+10s", "30m+20s"}

// createGame begins a game.
func (p *Pages) createGame(r *http.Request, q newGameRequest) (any, error) {
	prepare := p.newGame
	switch {
	case q.From != nil:
		prepare = p.goOn
	case q.Rematch != "":
		prepare = p.rematch
	}
	g, err := prepare(q)
	if err == nil {
		err = p.start(r.RemoteAddr, g)
	}
	return stateAfter(g, err)
}

// goOn makes a game that goes on from a position of another one, without a clock.
func (p *Pages) goOn(q newGameRequest) (*session, error) {
	if q != (newGameRequest{From: q.From}) {
		return nil, web.Unprocessable("from: expected nothing beside it")
	}
	g, err := p.find(q.From.Game)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	ply, last := q.From.Ply, len(g.made)
	if err := inRange("ply", ply, last); err != nil {
		return nil, err
	}
	// A game can't go on from where it ended.
	if o, _ := g.board.Outcome(); o != rules.Undecided && ply == last {
		return nil, web.Unprocessable("ply: the game ends with ply %d; expected 0 to %d",
			ply, ply-1)
	}
	next := &session{terms: g.terms, helped: true, made: slices.Clone(g.made[:ply])}
	next.clock = game.Clock{}
	return next, nil
}

// rematch makes a game like another one, but for the sides and for a set-up drawn anew if that was
// drawn.
func (p *Pages) rematch(q newGameRequest) (*session, error) {
	if q != (newGameRequest{Rematch: q.Rematch}) {
		return nil, web.Unprocessable("rematch: expected nothing beside it")
	}
	old, err := p.find(q.Rematch)
	if err != nil {
		return nil, err
	}
	// A set-up that was drawn is drawn anew.
	next := &session{terms: old.terms}
	next.human = old.human.Other()
	if old.start != old.rules.Start() {
		next.start, err = drawSetup(old.rules)
	}
	return next, err
}

// nameShape is what names of persons are: a helped one has a comma behind it.
var nameShape = regexp.MustCompile(`^[\pL\pM\pN][\pL\pM\pN ._'-]{0,29}$`)

// newGame makes a game as a request says in full.
func (p *Pages) newGame(q newGameRequest) (*session, error) {
	var t terms
	var err error
	if t.agent, err = p.player(q.Agent, q.Time); err != nil {
		return nil, err
	}
	if t.rules, err = parseRules(q.Rules); err != nil {
		return nil, err
	}
	if t.name, err = personName("name", q.Name); err != nil {
		return nil, err
	}
	if t.other, err = personName("other", q.Other); err != nil {
		return nil, err
	}
	// Two people at one screen have two names and no clock.
	isShared := t.agent.Kind == humanKind
	if q.Clock != "" {
		if !slices.Contains(clockTexts, q.Clock) {
			return nil, web.Unprocessable("clock: expected none or one of %s, found %.60q",
				strings.Join(clockTexts, ", "), q.Clock)
		}
		t.clock, _ = game.ParseClock(q.Clock) // clockTexts are right
	}
	switch {
	case t.other != "" && !isShared:
		return nil, web.Unprocessable("other: expected a second name in a game of two people alone")
	case t.other != "" && t.other == t.name:
		return nil, web.Unprocessable("other: expected another name than the first, found %q twice",
			t.name)
	case isShared && q.Clock != "":
		return nil, web.Unprocessable("clock: expected none in a game of two people")
	}
	switch q.Side {
	case "south":
		t.human = rules.South
	case "north":
		t.human = rules.North
	case "random":
		t.human = rules.Side(rand.IntN(2))
	default:
		return nil, web.Unprocessable("side: expected south, north or random, found %.60q", q.Side)
	}
	switch q.Setup {
	case "place":
		t.start = t.rules.Start()
	case "random":
		t.start, err = drawSetup(t.rules)
	default:
		err = web.Unprocessable("setup: expected random or place, found %.60q", q.Setup)
	}
	return &session{terms: t}, err
}

// personName reads the name in a field.
func personName(field, text string) (string, error) {
	name := strings.TrimSpace(text)
	if name != "" && !nameShape.MatchString(name) {
		return "", web.Unprocessable("%s: expected at most 30 letters, digits, blanks, "+
			"- _ . and ', found %.60q", field, name)
	}
	return name, nil
}

// maxRulesText bounds the rules of a request, in bytes: all options together have some 300.
const maxRulesText = 1000

// parseRules reads the rules in a request.
func parseRules(text string) (*rules.Rules, error) {
	if len(text) > maxRulesText {
		return nil, web.Unprocessable("rules: expected at most %d bytes, found %d",
			maxRulesText, len(text))
	}
	r, err := rules.Parse(text)
	if err != nil {
		err = web.Unprocessable("%v", err)
	}
	return r, err
}

// getRules returns a rule set with what it means: its options, a text and the lesson.
func (p *Pages) getRules(r *http.Request) (any, error) {
	set, err := parseRules(r.FormValue("rules"))
	if err != nil {
		return nil, err
	}
	o := set.Options()
	lesson, err := p.server.HTML("lesson", o)
	return map[string]any{
		"name":    set.String(),
		"options": o.Values(),
		"prose":   o.Prose(),
		"lesson":  lesson,
	}, err
}

// drawSetup returns a set-up drawn at random, as tournaments have them.
func drawSetup(r *rules.Rules) (rules.Position, error) {
	p, err := schedule.DrawSetup(r, rand.Uint64())
	if err != nil {
		err = web.Unprocessable("%v", err)
	}
	return p, err
}

// player returns the agent of a [Player] with one of its times.
func (p *Pages) player(name string, time int) (agents.Spec, error) {
	i := slices.IndexFunc(p.Players, func(o Player) bool { return o.Name == name })
	if i < 0 {
		return agents.Spec{}, web.Unprocessable(
			"agent: expected one of those on the page, found %.60q", name)
	}
	spec, times := p.Players[i].Spec, p.Players[i].Times
	if len(times) == 0 {
		return spec, nil
	}
	if err := inRange("time", time, len(times)-1); err != nil {
		return spec, err
	}
	return spec.With("movetime", times[time]), nil
}

// inRange checks that a number in a field of a request is from 0 to last.
func inRange(field string, number, last int) error {
	if number < 0 || number > last {
		return web.Unprocessable("%s: expected 0 to %d, found %d", field, last, number)
	}
	return nil
}

// getGame returns the game; with "after", once it has a later version or some time has passed.
func (p *Pages) getGame(r *http.Request) (any, error) {
	g, err := p.find(r.PathValue("game"))
	if err != nil {
		return nil, err
	}
	// With "after" the request waits for a change.
	now, changed := g.snapshot()
	after, err := strconv.ParseInt(r.FormValue("after"), 10, 64)
	if err != nil {
		return now, nil //nolint:nilerr // none is given
	}
	if !p.server.Waits.Acquire(r.RemoteAddr) {
		return nil, web.TooMany("too many requests from your address are waiting for a move")
	}
	defer p.server.Waits.Release(r.RemoteAddr)
	ctx, cancel := context.WithTimeout(r.Context(), longPoll)
	defer cancel()
	for now.Version <= after && ctx.Err() == nil {
		select {
		case <-changed:
			now, changed = g.snapshot()
		case <-ctx.Done():
		}
	}
	return now, nil
}

type moveRequest struct {
	Ply  int    `json:"ply"` // number of moves made before
	Move string `json:"move"`
}

type undoRequest struct {
	Ply *int `json:"ply"` // number of moves that remain; nil: undo the person's last move
}

type hintRequest struct {
	Ply int `json:"ply"`
}

// hint returns the line that the agent for hints expects.
func (p *Pages) hint(r *http.Request, q hintRequest) (any, error) {
	g, err := p.find(r.PathValue("game"))
	if err != nil {
		return nil, err
	}
	var board *rules.Game
	err = g.update(func() error {
		if err := g.isTurn(q.Ply); err != nil {
			return err
		}
		if g.rules.SettingUp(g.board.Position()) {
			return web.Conflict("hints begin when all pieces are placed")
		}
		g.helped = true
		board = g.replayed()
		return nil
	})
	if err != nil {
		return nil, err
	}
	// The hint is searched on a copy: the game goes on meanwhile.
	setup := agents.Setup{Rules: g.rules, Side: board.Position().Side(), Seed: 1}
	d, err := p.choose(r.Context(), r.RemoteAddr, p.Hint, setup, board)
	if err != nil {
		return nil, err
	}
	line := analysis.LongLine(board, d.Line())
	return map[string]any{"line": line, "info": d.Info(textfmt.Thousands)}, nil
}
