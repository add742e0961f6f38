package ratings

import "encoding/json"

// MarshalJSON writes all counts, for [Data.UnmarshalJSON].
func (d *Data) MarshalJSON() ([]byte, error) { return json.Marshal(d.fields()) }

// UnmarshalJSON reads what [Data.MarshalJSON] wrote. It checks nothing: the text
// must come from there.
func (d *Data) UnmarshalJSON(text []byte) error {
	*d = Data{ids: map[string]int{}, cells: map[uint64]int{}}
	fields := d.fields()
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	for i, name := range d.names {
		d.ids[name] = i
	}
	for i, m := range d.met {
		d.cells[uint64(m.a)<<32|uint64(m.b)] = i
	}
	return nil
}

func (d *Data) fields() []any { return []any{&d.names, &d.self, &d.met} }

// MarshalJSON implements [json.Marshaler].
func (m *meeting) MarshalJSON() ([]byte, error) { return json.Marshal(m.fields()) }

// UnmarshalJSON implements [json.Unmarshaler].
func (m *meeting) UnmarshalJSON(text []byte) error {
	fields := m.fields()
	return json.Unmarshal(text, &fields)
}

func (m *meeting) fields() []any { return []any{&m.a, &m.b, &m.single, &m.pairs} }
