package ugi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
)

// option is something setoption sets.
type option struct {
	name, about string
	set         func(value string) error
}

// The highest values of options.
const (
	maxPly      = 1000
	maxNodes    = int64(1e15)
	maxSeconds  = 86400
	maxOverhead = 5000 // ms
)

// options lists the options of the engine. A limit of 0 is none.
func (s *server) options() []option {
	least, most, threads := s.threads()
	return []option{
		number("maxPly", 0, 0, maxPly, func(n int64) { s.limits.Depth = int(n) }),
		{"maxTime", fmt.Sprintf("type seconds default 0 min 0 max %d", maxSeconds), func(v string) error {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil || !(0 <= x && x <= maxSeconds) {
				return fmt.Errorf("expected seconds from 0 to %d, found %.120q", maxSeconds, v)
			}
			s.limits.MoveTime = time.Duration(math.Ceil(x * float64(time.Second)))
			return nil
		}},
		number("maxNodes", 0, 0, maxNodes, func(n int64) { s.limits.Nodes = n }),
		number("moveOverhead", agents.DefaultMoveOverhead.Milliseconds(), 0, maxOverhead, func(n int64) {
			s.overhead = time.Duration(n) * time.Millisecond
		}),
		{"threads", fmt.Sprintf("type int default %d min %d max %d", threads, least, most), s.setThreads},
		{"rules", "type text default " + s.config.Rules.String(), func(v string) error {
			r, err := rules.Parse(v)
			if err == nil {
				s.setRules(r)
			}
			return err
		}},
		{"seed", "type int default 0 min 0 max 18446744073709551615", func(v string) error {
			n, err := strconv.ParseUint(v, 10, 64)
			if err != nil {
				return fmt.Errorf("expected a whole number from 0 to 2^64-1, found %.120q", v)
			}
			s.seed, s.games, s.fresh, s.placed = n, 0, true, false
			return nil
		}},
	}
}

// number returns an option that is a whole number.
func number(name string, value, least, most int64, set func(int64)) option {
	return option{name, fmt.Sprintf("type int default %d min %d max %d", value, least, most), func(v string) error {
		n, err := wholeNumber(v, least, most)
		if err == nil {
			set(n)
		}
		return err
	}}
}

// threadsParam is the parameter of agents that search with several threads.
const threadsParam = "threads"

// threads returns the range of the number of threads and the present one. Agents
// without the parameter have one.
func (s *server) threads() (least, most int64, now int) {
	kind, _ := s.config.Registry.Kind(s.config.Spec) // which made the agent
	d, ok := kind.Param(threadsParam)
	if !ok {
		return 1, 1, 1
	}
	values, _ := s.config.Registry.Values(s.config.Spec)
	return int64(d.Min), int64(d.Max), values.Int(threadsParam)
}

// setThreads replaces the agent by one with another number of threads.
func (s *server) setThreads(value string) error {
	least, most, now := s.threads()
	n, err := wholeNumber(value, least, most)
	if most == 1 && err != nil {
		return fmt.Errorf("expected 1, since the agent %s searches with one thread, found %.120q", s.config.Spec.Kind, value)
	}
	if err != nil || int(n) == now {
		return err
	}
	spec := s.config.Spec.With(threadsParam, strconv.FormatInt(n, 10))
	agent, err := s.config.Registry.New(spec)
	if err != nil {
		return err
	}
	old := s.agent
	s.agent, s.config.Spec, s.fresh = agent, spec, true
	return old.Close()
}

// setOption sets an option by NAME VALUE or by name NAME value VALUE. Neither
// capitals nor blanks in the name matter.
func (s *server) setOption(_ context.Context, text string) error {
	words := strings.Fields(text)
	if len(words) >= 4 && words[0] == "name" && words[len(words)-2] == "value" {
		words = append(words[1:len(words)-2], words[len(words)-1])
	}
	if len(words) < 2 {
		return errors.New("expected a name and a value")
	}
	name, value := strings.Join(words[:len(words)-1], ""), words[len(words)-1]
	var names []string
	for _, o := range s.options() {
		if strings.EqualFold(o.name, name) {
			if err := o.set(value); err != nil {
				return fmt.Errorf("%s: %w", o.name, err)
			}
			return nil
		}
		names = append(names, o.name)
	}
	if len(words) > 2 {
		return errors.New("expected a name and a value")
	}
	return fmt.Errorf("unknown option %.120q; expected one of: %s", name, strings.Join(names, ", "))
}

func wholeNumber(text string, low, high int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("expected a whole number from %d to %d, found %.120q", low, high, text)
	}
	return n, nil
}

// setRules changes the rules, and sets the position that games begin in.
func (s *server) setRules(r *rules.Rules) {
	s.rules, s.placed, s.fresh = r, false, true
	s.game = rules.NewGame(r, startPosition(r))
}

// startPosition returns the position of setpos start: the usual set-up, or the
// empty board of Kang.
func startPosition(r *rules.Rules) rules.Position {
	p, err := r.ParsePosition(startRows + " s")
	if err != nil { // Kang: the text lacks its fields
		return r.Start()
	}
	return p
}

// setPosition runs setpos start, setpos data ROWS and setpos pos POSITION, each of
// which moves MOVE… may follow.
func (s *server) setPosition(_ context.Context, text string) error {
	head, tail, _ := strings.Cut(text, "moves")
	p, err := s.parsePosition(head)
	if err != nil {
		return err
	}
	g := rules.NewGame(s.rules, p)
	for i, word := range strings.Fields(tail) {
		m, err := parseMove(s.rules, g.Position(), word)
		if err == nil {
			err = g.Play(m)
		}
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	old, moves := s.game.Moves(), g.Moves()
	if s.game.Start() != p || len(moves) < len(old) || !slices.Equal(moves[:len(old)], old) {
		s.fresh = true // another game
	}
	s.game, s.placed = g, true
	return nil
}

func (s *server) parsePosition(text string) (p rules.Position, err error) {
	kind, where, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch {
	case kind == "start" && where == "":
		return startPosition(s.rules), nil
	case kind == "start":
		return p, errors.New("expected nothing but moves after start")
	case kind == "data" && s.rules.Options().Kang:
		return p, errors.New("expected pos and a position text: data lacks what Kang needs")
	case kind == "data":
		return parseRows(s.rules, where)
	case kind == "pos":
		return s.rules.ParsePosition(where)
	}
	return p, fmt.Errorf("expected start, data ROWS or pos POSITION, found %.120q", kind)
}
