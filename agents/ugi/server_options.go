package ugi

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
)

// options are what setoption sets, by their names in UGI; a limit of 0 is none.
type options struct {
	MaxPly       int          `param:"maxPly" form:"int" check:"0..1000"`
	MaxTime      float64      `param:"maxTime" form:"real" check:"0..86400"` // seconds
	MaxNodes     int64        `param:"maxNodes" form:"int" check:"0..1000000000000000"`
	MoveOverhead int64        `param:"moveOverhead" form:"int" check:"0..5000"` // milliseconds of a move on the clock
	Threads      int          `param:"threads" form:"int"`                      // in the bounds of the agent's parameter
	Rules        *rules.Rules `param:"rules" form:"text"`
	Seed         uint64       `param:"seed" form:"int" check:"0..18446744073709551615"`
}

// defaults returns the options at the start.
func (s *server) defaults() options {
	_, _, threads := s.threads()
	return options{
		MoveOverhead: agents.DefaultMoveOverhead.Milliseconds(),
		Threads:      threads,
		Rules:        s.Rules,
	}
}

// bounds returns the lowest and the highest value of an option, as in a tag check; "" of a text.
func (s *server) bounds(f settings.Field) string {
	if f.Key == threadsParam {
		least, most, _ := s.threads()
		return fmt.Sprintf("%d..%d", least, most)
	}
	return f.Tag.Get("check")
}

// threadsParam is the parameter of agents that search with several threads, and the option.
const threadsParam = "threads"

// threads returns the range of the number of threads and the present one. Agents without the
// parameter have one.
func (s *server) threads() (least, most, now int) {
	kind, _ := s.Registry.Kind(s.Spec) // which made the agent
	param, ok := kind.Param(threadsParam)
	if !ok {
		return 1, 1, 1
	}
	values, _ := s.Registry.Values(s.Spec)
	low, high := param.Bounds()
	return int(low), int(high), values.Int(threadsParam)
}

// setThreads makes the agent anew, with another number of threads.
func (s *server) setThreads(n int) error {
	spec := s.Spec.With(threadsParam, strconv.Itoa(n))
	agent, err := s.Registry.New(spec)
	if err != nil {
		return err
	}
	// A game that is under way goes on with the new agent, which has to be prepared for it.
	old := s.agent
	s.agent = agent
	s.Spec = spec
	s.fresh = true
	return old.Close()
}

// setOption sets an option by NAME VALUE or by name NAME value VALUE. Neither capitals nor blanks
// in the name matter.
func (s *server) setOption(text string) error {
	if s.move != nil {
		return errors.New("a search is under way; stop it first")
	}
	// The form of UCI is brought into that of UGI. The value is one word, the name may be several.
	words := strings.Fields(text)
	last := len(words) - 1
	if len(words) >= 4 && words[0] == "name" && words[last-1] == "value" {
		words = append(words[1:last-1], words[last])
		last -= 2
	}
	if len(words) < 2 {
		return errors.New("expected a name and a value")
	}
	name := strings.Join(words[:last], "")
	changed := s.options
	var names []string
	for _, f := range settings.Fields(&changed, "") {
		if strings.EqualFold(f.Key, name) {
			return problems.Prefix(f.Key, s.change(&changed, f, words[last]))
		}
		names = append(names, f.Key)
	}
	if len(words) > 2 {
		return errors.New("expected a name and a value")
	}
	return fmt.Errorf("unknown option %.120q; expected one of: %s", name, strings.Join(names, ", "))
}

// change sets an option, a field of changed, which is a copy of the present ones, and does what
// follows from it.
func (s *server) change(changed *options, f settings.Field, value string) error {
	bounds := s.bounds(f)
	err := f.SetTexts(value)
	if err == nil && bounds != "" {
		err = settings.InBounds(f.Value, bounds, "")
	}
	if err != nil {
		if bounds == "1..1" {
			return fmt.Errorf(
				"expected 1, since the agent %s searches with one thread, found %.120q",
				s.Spec.Kind, value)
		}
		return err
	}
	if changed.Threads != s.options.Threads {
		if err := s.setThreads(changed.Threads); err != nil {
			return err
		}
	}
	switch f.Key {
	case "rules":
		s.setRules(changed.Rules)
	case "seed":
		s.games = 0
		s.fresh = true
		s.placed = false
	}
	s.options = *changed
	return nil
}

// setRules changes the rules, and sets the position that games begin in.
func (s *server) setRules(r *rules.Rules) {
	s.game = rules.NewGame(r, startPosition(r))
	s.fresh = true
	s.placed = false
	s.position = ""
}

// startPosition returns the position of setpos start: the usual set-up, or the empty board of Kang.
func startPosition(r *rules.Rules) rules.Position {
	p, err := r.ParsePosition(startRows + " s")
	if err != nil { // Kang: the text lacks its fields
		return r.Start()
	}
	return p
}

// setPosition runs setpos start, setpos data ROWS and setpos pos POSITION, each of which moves
// MOVE… may follow. Of a game that it knows it plays the moves that are new.
func (s *server) setPosition(text string) error {
	g := s.game
	// The text begins with no blank, so nothing follows from no position.
	moves, known := strings.CutPrefix(text+" ", s.position+" ")
	if !known {
		head, rest, _ := strings.Cut(text, "moves")
		moves = rest
		p, err := s.parsePosition(head)
		if err != nil {
			return err
		}
		g = rules.NewGame(s.options.Rules, p)
	}
	// A move that can't be played leaves the game as it was.
	before := len(g.Moves())
	for _, word := range strings.Fields(moves) {
		m, err := parseMove(s.options.Rules, g.Position(), word)
		if err == nil {
			err = g.Play(m)
		}
		if err != nil {
			err = fmt.Errorf("move %d: %w", len(g.Moves())+1, err)
			for len(g.Moves()) > before {
				g.Undo()
			}
			return err
		}
	}
	if !continues(g, s.game.Start(), s.game.Moves()) {
		s.fresh = true // another game
	}
	s.game = g
	s.placed = true
	s.position = ""
	if strings.Contains(text, "moves") { // more may follow
		s.position = text
	}
	return nil
}

// parsePosition reads what follows setpos, but for the moves.
func (s *server) parsePosition(text string) (p rules.Position, err error) {
	r := s.options.Rules
	kind, where, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch kind {
	case "start":
		if where != "" {
			return p, errors.New("expected nothing but moves after start")
		}
		return startPosition(r), nil
	case "data":
		if r.Options().Kang {
			return p, errors.New("expected pos and a position text: data lacks what Kang needs")
		}
		return parseRows(r, where)
	case "pos":
		return r.ParsePosition(where)
	}
	return p, fmt.Errorf("expected start, data ROWS or pos POSITION, found %.120q", kind)
}
