package source

// maxWaiting is how many games may wait for the other of their pair, which is a few games apart.
const maxWaiting = 4096

// Matcher finds the two games of a pair. A game whose partner isn't among the next thousands becomes a single one.
type Matcher struct {
	// Single and Pair are called for the games; the players of a pair's second game have swapped sides.
	Single func(Result)
	Pair   func(first, second Result)

	waiting map[string]Result
	keys    []string // of waiting, the oldest first, and of some that no longer wait
}

// Add takes a game, of which it keeps no byte slices. Two games with one Pair, other than "", that are of the
// same players with sides swapped, from the same opening and under the same rules, are a pair: pairs of two runs may
// have one number.
func (m *Matcher) Add(g Result) {
	key := g.Pair
	if g.ID, g.Pair = nil, nil; len(key) == 0 {
		m.Single(g)
		return
	}
	other, ok := m.waiting[string(key)]
	if ok {
		delete(m.waiting, string(key))
		if g.South == other.North && g.North == other.South && g.Rules == other.Rules && g.Opening == other.Opening {
			m.Pair(other, g)
			return
		}
		m.Single(other)
	}
	if m.waiting == nil {
		m.waiting = make(map[string]Result)
	}
	if len(m.keys) >= maxWaiting {
		m.flush(maxWaiting / 2)
	}
	text := string(key)
	if m.waiting[text] = g; !ok { // otherwise it is among them
		m.keys = append(m.keys, text)
	}
}

// Waiting returns the games whose partner may still come.
func (m *Matcher) Waiting() []Result {
	var list []Result
	for _, key := range m.keys {
		if g, ok := m.waiting[key]; ok {
			list = append(list, g)
		}
	}
	return list
}

// Flush makes single games of those that wait, as at a file's end.
func (m *Matcher) Flush() { m.flush(len(m.keys)) }

// flush makes single games of those that wait with the oldest n keys.
func (m *Matcher) flush(n int) {
	for _, key := range m.keys[:n] {
		if g, ok := m.waiting[key]; ok {
			delete(m.waiting, key)
			m.Single(g)
		}
	}
	m.keys = append(m.keys[:0], m.keys[n:]...)
}
