package record

import (
	"iter"
	"reflect"
	"strings"
)

// List is a list of a record with an element for each move, or none where nothing is known about any. It is a slice
// among the fields of [Record] or [Timing] with a tag each; an element is known if it isn't zero, or if its Known
// method says so. From its tags come the check of its length, the export and what is shown of it:
//
//	each:"nodes"     name of an element in the JSON of a game
//	known:"always"   0 is known, too
//	text:"%d nodes"  an element for people, as package fmt formats it; without it they are shown in a form of their own
//	pgn:"n=%d"       an element in PGN, likewise
type List struct {
	Key, Each, Text, PGN string

	always, own bool // 0 is known, too; elements have a method Known
	index       []int
}

var knower = reflect.TypeFor[interface{ Known() bool }]()

// Lists are those of all records.
var Lists = listsIn(reflect.TypeFor[Record]())

func listsIn(t reflect.Type) (lists []*List) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == reflect.TypeFor[Timing]() {
			for _, l := range listsIn(f.Type) {
				l.index = append([]int{i}, l.index...)
				lists = append(lists, l)
			}
		}
		if each, ok := f.Tag.Lookup("each"); ok {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			lists = append(lists, &List{
				Key: key, Each: each, Text: f.Tag.Get("text"), PGN: f.Tag.Get("pgn"),
				always: f.Tag.Get("known") == "always", own: f.Type.Elem().Implements(knower), index: []int{i},
			})
		}
	}
	return lists
}

func (l *List) of(g *Record) reflect.Value { return reflect.ValueOf(g).Elem().FieldByIndex(l.index) }

func (l *List) isKnown(v reflect.Value) bool {
	if l.own {
		return v.Addr().Interface().(interface{ Known() bool }).Known() // by its address, which allocates nothing
	}
	return l.always || !v.IsZero()
}

// At returns what a record says of move i; nil if that is not known.
func (l *List) At(g *Record, i int) any {
	if list := l.of(g); i < list.Len() && l.isKnown(list.Index(i)) {
		return list.Index(i).Interface()
	}
	return nil
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
		list, i := l.of(g), 0
		for i < list.Len() && !l.isKnown(list.Index(i)) {
			i++
		}
		if i == list.Len() {
			list.SetZero()
		}
	}
}
