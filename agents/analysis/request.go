package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/problems"
)

// Bounds on requests.
const (
	maxID        = 200 // bytes
	maxNodes     = 1_000_000_000_000
	maxSeconds   = 24 * 60 * 60
	leastSeconds = 0.001
)

// message is a line of input.
type message struct {
	ID          string   `json:"id"`
	Action      string   `json:"action"`       // "": a request
	TerminateID string   `json:"terminate_id"` // with the action terminate
	Rules       string   `json:"rules"`
	Position    string   `json:"position"`
	Moves       []string `json:"moves"`
	Plies       plies    `json:"plies"`
	Nodes       *int64   `json:"nodes"`
	Time        *float64 `json:"time"` // seconds
	Depth       *int     `json:"depth"`
	Multi       *int     `json:"multi"`
	Priority    int      `json:"priority"`
	ReportEvery *float64 `json:"report_every"` // seconds
}

// plies are numbers of moves after which to search, or all of them.
type plies struct {
	all  bool
	list []int
}

// UnmarshalJSON reads a list of numbers, or "all".
func (p *plies) UnmarshalJSON(text []byte) error {
	if p.all = string(text) == `"all"`; p.all {
		return nil
	}
	if json.Unmarshal(text, &p.list) != nil {
		return &problems.FieldError{Field: "plies", Err: fmt.Errorf(`expected "all" or a list of numbers, found %.60s`, text)}
	}
	return nil
}

// readMessage reads a line. The id is set also if there is an error, where it can be read;
// the error is a [problems.FieldError] if it is of one field.
func readMessage(line []byte) (m message, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, jsonError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return m, errors.New("expected one JSON object in a line, found more")
	}
	if m.ID == "" || len(m.ID) > maxID {
		err := fmt.Errorf("expected a text of 1 to %d bytes, found %d", maxID, len(m.ID))
		m.ID = ""
		return m, &problems.FieldError{Field: "id", Err: err}
	}
	return m, nil
}

// jsonError returns an error of decoding in our words.
func jsonError(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
		return &problems.FieldError{Field: e.Field, Err: fmt.Errorf("expected %s, found a JSON %s", jsonType(e), e.Value)}
	}
	if e, ok := errors.AsType[*problems.FieldError](err); ok {
		return e
	}
	var name string
	if _, e := fmt.Sscanf(err.Error(), "json: unknown field %q", &name); e == nil {
		return &problems.FieldError{Field: name, Err: errors.New("there is no such field")}
	}
	return fmt.Errorf("expected a JSON object: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// jsonType says what a field takes.
func jsonType(e *json.UnmarshalTypeError) string {
	switch kind := e.Type.Kind().String(); {
	case kind == "string":
		return "a text"
	case kind == "slice":
		return "a list of texts"
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	default:
		return "a number"
	}
}

// request is a request whose positions are being searched.
type request struct {
	id       string
	start    *rules.Game // without moves
	moves    []rules.Move
	plies    []int // that wait, ascending
	open     int   // plies without an answer
	limits   agents.Limits
	multi    int
	priority int
	every    time.Duration // between intermediate answers; 0: none
}

// newRequest checks a message. The error is a [problems.FieldError].
func (c *Config) newRequest(m message) (*request, error) {
	q := &request{id: m.ID, priority: m.Priority, multi: c.Multi, limits: c.Limits}
	if err := q.bound(m); err != nil {
		return nil, err
	}
	r := c.Rules
	if m.Rules != "" {
		var err error
		if r, err = rules.Parse(m.Rules); err != nil {
			return nil, &problems.FieldError{Field: "rules", Err: problems.Hint(err)}
		}
	}
	g, err := Replay(r, m.Position, m.Moves)
	if err != nil {
		return nil, err
	}
	q.start, q.moves = rules.NewGame(r, g.Start()), g.Moves()
	return q, q.choosePlies(m.Plies)
}

// bound sets what bounds the search of each position.
func (q *request) bound(m message) error {
	var l problems.List
	if m.Nodes != nil {
		q.limits.Nodes = *m.Nodes
		l.Expect(1 <= *m.Nodes && *m.Nodes <= maxNodes, "nodes", "expected 1 to %d, found %d", maxNodes, *m.Nodes)
	}
	if m.Depth != nil {
		q.limits.Depth = *m.Depth
		l.Expect(1 <= *m.Depth && *m.Depth <= MaxDepth, "depth", "expected 1 to %d, found %d", MaxDepth, *m.Depth)
	}
	if m.Multi != nil {
		q.multi = *m.Multi
		l.Expect(1 <= *m.Multi && *m.Multi <= MaxMulti, "multi", "expected 1 to %d, found %d", MaxMulti, *m.Multi)
	}
	for _, f := range []struct {
		name string
		from *float64
		to   *time.Duration
	}{{"time", m.Time, &q.limits.MoveTime}, {"report_every", m.ReportEvery, &q.every}} {
		if f.from != nil {
			*f.to = time.Duration(*f.from * float64(time.Second))
			l.Expect(leastSeconds <= *f.from && *f.from <= maxSeconds, f.name, "expected %v to %d seconds, found %v",
				leastSeconds, maxSeconds, *f.from)
		}
	}
	if len(l) > 0 {
		return l[0]
	}
	if q.limits == (agents.Limits{}) {
		q.limits.MoveTime = DefaultTime
	}
	return nil
}

// choosePlies sets the positions to search: by default the last.
func (q *request) choosePlies(p plies) error {
	g := rules.NewGame(q.start.Rules(), q.start.Start())
	ready := 0 // moves after which all pieces are placed
	for ready < len(q.moves) && g.Rules().SettingUp(g.Position()) {
		g.PlayLegal(q.moves[ready])
		ready++
	}
	q.plies = p.list
	switch {
	case g.Rules().SettingUp(g.Position()):
		return &problems.FieldError{Field: "position", Err: errors.New("expected one in which all pieces are placed")}
	case p.all:
		for n := ready; n <= len(q.moves); n++ {
			q.plies = append(q.plies, n)
		}
	case p.list == nil:
		q.plies = []int{len(q.moves)}
	case len(p.list) == 0:
		return &problems.FieldError{Field: "plies", Err: errors.New("expected at least one number, found none")}
	}
	slices.Sort(q.plies)
	q.plies = slices.Compact(q.plies)
	for _, n := range q.plies {
		if n < ready || n > len(q.moves) {
			return &problems.FieldError{Field: "plies", Err: fmt.Errorf("expected %d to %d, found %d", ready, len(q.moves), n)}
		}
	}
	q.open = len(q.plies)
	return nil
}

// game returns the game after so many moves.
func (q *request) game(ply int) *rules.Game {
	g := rules.NewGame(q.start.Rules(), q.start.Start())
	for _, m := range q.moves[:ply] {
		g.PlayLegal(m)
	}
	return g
}

// Replay returns the game that moves lead to, in short or long notation, from a position;
// an empty text is the beginning under the rules. The error is a [problems.FieldError] of
// "position" or "moves".
func Replay(r *rules.Rules, position string, moves []string) (*rules.Game, error) {
	start := r.Start()
	if position != "" {
		var err error
		if start, err = r.ParsePosition(position); err != nil {
			return nil, &problems.FieldError{Field: "position", Err: err}
		}
	}
	g := rules.NewGame(r, start)
	for i, text := range moves {
		m, err := r.ParseMove(g.Position(), text)
		if err == nil {
			err = g.Play(m)
		}
		if err != nil {
			return nil, &problems.FieldError{Field: "moves", Err: fmt.Errorf("move %d: %w", i+1, err)}
		}
	}
	return g, nil
}
