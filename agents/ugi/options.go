package ugi

import (
	"errors"
	"fmt"
	"io"
	"math"
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
		{"maxPly", "type int default 0 min 0 max 1000", func(v string) error {
			n, err := wholeNumber(v, 0, maxPly)
			if err == nil {
				s.limits.Depth = int(n)
			}
			return err
		}},
		{"maxTime", "type seconds default 0 min 0 max 86400", func(v string) error {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil || !(0 <= x && x <= maxSeconds) {
				return fmt.Errorf("expected seconds from 0 to %d, found %q", maxSeconds, escape(v, maxShown))
			}
			s.limits.MoveTime = time.Duration(math.Ceil(x * float64(time.Second)))
			return nil
		}},
		{"maxNodes", "type int default 0 min 0 max 1000000000000000", func(v string) error {
			n, err := wholeNumber(v, 0, maxNodes)
			if err == nil {
				s.limits.Nodes = n
			}
			return err
		}},
		{"moveOverhead", "type int default 10 min 0 max 5000", func(v string) error {
			n, err := wholeNumber(v, 0, maxOverhead)
			if err == nil {
				s.overhead = time.Duration(n) * time.Millisecond
			}
			return err
		}},
		{"threads", fmt.Sprintf("type int default %d min %d max %d", threads, least, most), s.setThreads},
		{"rules", "type text default standard", func(v string) error {
			r, err := rules.Parse(v)
			if err == nil {
				s.setRules(r)
			}
			return err
		}},
		{"seed", "type int default 0 min 0 max 18446744073709551615", func(v string) error {
			n, err := strconv.ParseUint(v, 10, 64)
			if err != nil {
				return fmt.Errorf("expected a whole number from 0 to 2^64-1, found %q", escape(v, maxShown))
			}
			s.seed, s.games, s.fresh, s.placed = n, 0, true, false
			return nil
		}},
	}
}

// threadsParam is the parameter of agents that search with several threads.
const threadsParam = "threads"

// threads returns the range of the number of threads and the present one. Agents
// without the parameter have one.
func (s *server) threads() (least, most int64, now int) {
	kind, err := s.config.Registry.Kind(s.config.Spec)
	if err != nil {
		return 1, 1, 1
	}
	for _, d := range kind.Params {
		if d.Name == threadsParam {
			values, _ := s.config.Registry.Values(s.config.Spec) // which made the agent
			return int64(d.Min), int64(d.Max), values.Int(threadsParam)
		}
	}
	return 1, 1, 1
}

// setThreads replaces the agent by one with another number of threads.
func (s *server) setThreads(value string) error {
	least, most, now := s.threads()
	n, err := wholeNumber(value, least, most)
	if most == 1 && err != nil {
		return fmt.Errorf("expected 1, since the agent %s searches with one thread, found %q", s.config.Spec.Kind, escape(value, maxShown))
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
	return closeAgent(old)
}

func closeAgent(a agents.Agent) error {
	if c, ok := a.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// setOption obeys setoption NAME VALUE, and setoption name NAME value VALUE.
// Neither capitals nor blanks in the name matter.
func (s *server) setOption(text string) error {
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
	return fmt.Errorf("unknown option %q; expected one of: %s", escape(name, maxShown), strings.Join(names, ", "))
}

func wholeNumber(text string, low, high int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("expected a whole number from %d to %d, found %q", low, high, escape(text, maxShown))
	}
	return n, nil
}
