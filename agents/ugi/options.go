package ugi

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gyges/rules"
)

// option is something setoption sets.
type option struct {
	name, about string
	set         func(s *server, value string) error
}

// The highest values of options.
const (
	maxPly     = 1000
	maxNodes   = int64(1e15)
	maxSeconds = 86400
	maxThreads = 1024
)

// options lists what setoption knows. A limit of 0 is none.
var options = [...]option{
	{"maxPly", "type int default 0 min 0 max 1000", func(s *server, v string) error {
		n, err := wholeNumber(v, 0, maxPly)
		if err == nil {
			s.limits.Depth = int(n)
		}
		return err
	}},
	{"maxTime", "type seconds default 0 min 0 max 86400", func(s *server, v string) error {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || !(0 <= x && x <= maxSeconds) {
			return fmt.Errorf("expected seconds from 0 to %d, found %q", maxSeconds, escape(v, maxShown))
		}
		s.limits.MoveTime = time.Duration(math.Ceil(x * float64(time.Second)))
		return nil
	}},
	{"maxNodes", "type int default 0 min 0 max 1000000000000000", func(s *server, v string) error {
		n, err := wholeNumber(v, 0, maxNodes)
		if err == nil {
			s.limits.Nodes = n
		}
		return err
	}},
	{"threads", "type int default 1 min 1 max 1024", func(_ *server, v string) error {
		_, err := wholeNumber(v, 1, maxThreads) // one is used, however many are offered
		return err
	}},
	{"rules", "type text default standard", func(s *server, v string) error {
		r, err := rules.Parse(v)
		if err == nil {
			s.setRules(r)
		}
		return err
	}},
	{"seed", "type int default 0 min 0 max 18446744073709551615", func(s *server, v string) error {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			return fmt.Errorf("expected a whole number from 0 to 2^64-1, found %q", escape(v, maxShown))
		}
		s.seed, s.games, s.fresh, s.placed = n, 0, true, false
		return nil
	}},
}

// setOption obeys setoption NAME VALUE, and setoption name NAME value VALUE.
// Capitals don't matter.
func (s *server) setOption(text string) error {
	words := strings.Fields(text)
	if len(words) == 4 && words[0] == "name" && words[2] == "value" {
		words = []string{words[1], words[3]}
	}
	if len(words) != 2 {
		return errors.New("expected a name and a value")
	}
	names := make([]string, 0, len(options))
	for _, o := range options {
		if strings.EqualFold(o.name, words[0]) {
			if err := o.set(s, words[1]); err != nil {
				return fmt.Errorf("%s: %w", o.name, err)
			}
			return nil
		}
		names = append(names, o.name)
	}
	return fmt.Errorf("unknown option %q; expected one of: %s", escape(words[0], maxShown), strings.Join(names, ", "))
}

func wholeNumber(text string, low, high int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("expected a whole number from %d to %d, found %q", low, high, escape(text, maxShown))
	}
	return n, nil
}
