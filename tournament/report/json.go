package report

import (
	"encoding/json"
	"errors"

	"gyges/tournament/record"
)

// MarshalJSON writes what was collected of a single run, for
// [Collector.UnmarshalJSON]. The games must be whole pairs.
func (c *Collector) MarshalJSON() ([]byte, error) {
	if len(c.runs) != 1 {
		return nil, errors.New("expected a collector of one run")
	}
	c.pairs.Flush()
	var kept []*record.Game
	for _, s := range c.sample.kept {
		kept = append(kept, s.game)
	}
	return json.Marshal(c.fields(&kept))
}

// UnmarshalJSON goes on where the collector that [Collector.MarshalJSON] wrote
// was. c has been given the same options and run and no games. The text is
// trusted: it must come from there.
func (c *Collector) UnmarshalJSON(text []byte) error {
	var kept []*record.Game
	test := c.current.path
	c.current.path = nil
	fields := c.fields(&kept)
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	if path := c.current.path; (path == nil) != (test == nil) || path != nil && (path.test != test.test || path.player != test.player) {
		return errors.New("the run had another test")
	}
	for _, s := range c.rules {
		c.known[s.rules] = s
	}
	dropped := c.sample.dropped
	for _, g := range kept {
		c.sample.add(0, g)
	}
	c.sample.dropped = dropped
	return nil
}

func (c *Collector) fields(kept *[]*record.Game) []any {
	return []any{&c.games, &c.rules, &c.current.games, &c.current.whole, &c.current.path, kept, &c.sample.dropped}
}

func (s *ruleStats) fields() []any {
	return []any{&s.rules, &s.results, &s.lengths, &s.reasons, &s.order, &s.agents, &s.openings}
}

func (o *openingStats) fields() []any {
	return []any{&o.southTwice, &o.northTwice, &o.onePlayer, &o.draws}
}

func (a *agentStats) fields() []any {
	return []any{&a.moves, &a.time, &a.nodes, &a.depth, &a.scale, &a.wins, &a.losses, &a.faults}
}

func (s *spread) fields() []any { return []any{&s.n, &s.sum, &s.max, &s.counts} }

func (b *bin) fields() []any { return []any{&b.moves, &b.half} }

func (p *llrPath) fields() []any { return []any{&p.test, &p.player, &p.pairs, &p.stride, &p.points} }

func (p *llrPoint) fields() []any { return []any{&p.pairs, &p.llr} }

// encode writes a value as the list of its fields, decode reads it back.
func encode(value interface{ fields() []any }) ([]byte, error) { return json.Marshal(value.fields()) }

func decode(text []byte, value interface{ fields() []any }) error {
	fields := value.fields()
	return json.Unmarshal(text, &fields)
}

// MarshalJSON implements [json.Marshaler].
func (s *ruleStats) MarshalJSON() ([]byte, error) { return encode(s) }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *ruleStats) UnmarshalJSON(text []byte) error { return decode(text, s) }

// MarshalJSON implements [json.Marshaler].
func (o *openingStats) MarshalJSON() ([]byte, error) { return encode(o) }

// UnmarshalJSON implements [json.Unmarshaler].
func (o *openingStats) UnmarshalJSON(text []byte) error { return decode(text, o) }

// MarshalJSON implements [json.Marshaler].
func (a *agentStats) MarshalJSON() ([]byte, error) { return encode(a) }

// UnmarshalJSON implements [json.Unmarshaler].
func (a *agentStats) UnmarshalJSON(text []byte) error { return decode(text, a) }

// MarshalJSON implements [json.Marshaler].
func (s *spread) MarshalJSON() ([]byte, error) { return encode(s) }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *spread) UnmarshalJSON(text []byte) error { return decode(text, s) }

// MarshalJSON implements [json.Marshaler].
func (b *bin) MarshalJSON() ([]byte, error) { return encode(b) }

// UnmarshalJSON implements [json.Unmarshaler].
func (b *bin) UnmarshalJSON(text []byte) error { return decode(text, b) }

// MarshalJSON implements [json.Marshaler].
func (p *llrPath) MarshalJSON() ([]byte, error) { return encode(p) }

// UnmarshalJSON implements [json.Unmarshaler].
func (p *llrPath) UnmarshalJSON(text []byte) error { return decode(text, p) }

// MarshalJSON implements [json.Marshaler].
func (p *llrPoint) MarshalJSON() ([]byte, error) { return encode(p) }

// UnmarshalJSON implements [json.Unmarshaler].
func (p *llrPoint) UnmarshalJSON(text []byte) error { return decode(text, p) }
