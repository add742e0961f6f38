package record

import (
	"iter"
	"math"
	"slices"
)

// Lists are the lists of all records beside their moves. A list has an element for each move, or is
// empty where nothing is known of any move. The check of its length, the export and what is shown
// of a move come from its row here.
var Lists = []*List{
	{Key: "best", Each: "best",
		elements: &column[string]{field: func(g *Record) *[]string { return &g.Best }}},
	{Key: "scores", Each: "score", elements: &column[Score]{
		field:   func(g *Record) *[]Score { return &g.Scores },
		unknown: NoScore,
	}},
	{Key: "depths", Each: "depth", Text: "depth %d",
		elements: &column[int]{field: func(g *Record) *[]int { return &g.Depths }}},
	{Key: "nodes", Each: "nodes", Text: "%d nodes", PGN: "n=%d",
		elements: &column[int64]{field: func(g *Record) *[]int64 { return &g.Nodes }}},
	{Key: "move_ms", Each: "ms", elements: &column[float64]{
		field:   func(g *Record) *[]float64 { return &g.Timing.MoveMS },
		unknown: math.Inf(1), // which no record has: every time is known, 0 too
	}},
}

// List describes a list of a record. Formats have one of the verbs %d, %s, %v and %.2f.
type List struct {
	Key  string // its name in a record
	Each string // the name of an element in the JSON of a game
	Text string // format of an element for people; "": not shown, or in a form of its own
	PGN  string // format of an element in PGN, likewise

	elements
}

// elements are the elements of a list of any type.
type elements interface {
	// At returns what a record says of move i; nil if it is not known.
	At(g *Record, i int) any
	// Drop empties the list.
	Drop(g *Record)
	size(g *Record) int
	isUnknown(g *Record) bool // of every move
}

// column is a field of records with a list of elements.
type column[T comparable] struct {
	field   func(g *Record) *[]T
	unknown T // stands where nothing is known of a move
}

func (c *column[T]) size(g *Record) int { return len(*c.field(g)) }

func (c *column[T]) At(g *Record, i int) any {
	list := *c.field(g)
	if i >= len(list) || list[i] == c.unknown {
		return nil
	}
	return list[i]
}

func (c *column[T]) Drop(g *Record) { *c.field(g) = nil }

func (c *column[T]) isUnknown(g *Record) bool {
	return !slices.ContainsFunc(*c.field(g), func(x T) bool { return x != c.unknown })
}

// Said returns the lists in which something is known of move i, with what is known.
func (g *Record) Said(i int) iter.Seq2[*List, any] {
	return func(yield func(*List, any) bool) {
		for _, l := range Lists {
			if value := l.At(g, i); value != nil && !yield(l, value) {
				return
			}
		}
	}
}

// DropUnknown empties the lists in which nothing is known of any move.
func (g *Record) DropUnknown() {
	for _, l := range Lists {
		if l.isUnknown(g) {
			l.Drop(g)
		}
	}
}
