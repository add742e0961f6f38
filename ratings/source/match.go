package source

import "gyges/ratings"

// maxWaiting is how many games may wait for the other game of their pair. In a
// file that several workers wrote, the two are a few games apart.
const maxWaiting = 4096

// Matcher puts the two games of a pair together. Games whose partner doesn't
// come within some thousand others are handed on alone.
type Matcher struct {
	// Single and Pair take the games; in a pair the players of the second game
	// are those of the first with sides swapped.
	Single func(Result)
	Pair   func(first, second Result)

	// The last game, if it waits, is here: mostly the next one is its partner.
	last    Result
	lastKey []byte // nil or empty: it doesn't wait

	waiting map[string]Result
	queue   []string // their keys, the oldest first; those gone may remain
}

// Result is a game as ratings need it.
type Result struct {
	South, North, Rules string
	Result              ratings.Result
}

// Add takes a game. Two games with one key, other than "", that are of the same
// players with sides swapped, and under the same rules, are a pair.
func (m *Matcher) Add(g Result, key []byte) {
	if len(key) == 0 {
		m.Single(g)
		return
	}
	if string(m.lastKey) == string(key) {
		other := m.last
		if partners(&other, &g) {
			m.lastKey = m.lastKey[:0]
			m.Pair(other, g)
			return
		}
		m.last = g
		m.Single(other)
		return
	}
	if len(m.waiting) > 0 {
		if other, ok := m.waiting[string(key)]; ok {
			delete(m.waiting, string(key))
			if partners(&other, &g) {
				m.Pair(other, g)
				return
			}
			m.Single(other)
		}
	}
	if len(m.lastKey) > 0 {
		m.wait(m.last, string(m.lastKey))
	}
	m.last, m.lastKey = g, append(m.lastKey[:0], key...)
}

// partners reports whether two games are a pair.
func partners(g, h *Result) bool {
	return g.South == h.North && g.North == h.South && g.Rules == h.Rules
}

func (m *Matcher) wait(g Result, key string) {
	if m.waiting == nil {
		m.waiting = make(map[string]Result)
	}
	m.waiting[key] = g
	m.queue = append(m.queue, key)
	if len(m.queue) <= maxWaiting {
		return
	}
	// Hand the older half on, if it still waits.
	for _, old := range m.queue[:maxWaiting/2] {
		if w, ok := m.waiting[old]; ok && old != key {
			delete(m.waiting, old)
			m.Single(w)
		}
	}
	m.queue = append(m.queue[:0], m.queue[maxWaiting/2:]...)
}

// Flush hands on the games that still wait, as at a file's end.
func (m *Matcher) Flush() {
	for _, key := range m.queue {
		if w, ok := m.waiting[key]; ok {
			delete(m.waiting, key)
			m.Single(w)
		}
	}
	m.queue = m.queue[:0]
	if len(m.lastKey) > 0 {
		m.lastKey = m.lastKey[:0]
		m.Single(m.last)
	}
}
