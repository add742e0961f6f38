package rules

// walk follows the courses of one piece, which has been lifted from the board,
// and collects the squares where they can end. Courses are legion on a crowded
// board, but the squares are few: the walk stops when nothing new can be found.
type walk struct {
	board  Position // without the moving piece
	occ    SquareSet
	legs   *[3][NumSquares][]leg
	root   []leg     // the legs of the first leg's start
	found  SquareSet // every square where some leg has ended, goals included
	wanted SquareSet // the walk ends when all of these are found; 0: not worked out yet
	nodes  int       // legs' starts visited so far
}

// eagerNodes is how many nodes a walk visits before it works out what there is to find:
// most walks are over by then.
const eagerNodes = 12

// newWalk prepares the walk of src, which no longer stands on the board.
func (r *Rules) newWalk(board Position, src source, side Side) walk {
	w := walk{board: board, occ: board.Occupied(), legs: &r.legs[side]}
	w.root = r.entries[side][src.height-1]
	if src.from < NumSquares {
		w.root = w.legs[src.height-1][src.from]
	}
	return w
}

// follow tries the legs and goes on from every open piece that one lands on.
// used and back are the doors passed so far. Pieces that the course has already
// bounced off are not open: whatever a second bounce leads to, the first one
// did with fewer doors used. It returns false when everything wanted is found.
func (w *walk) follow(list []leg, used, back uint64, open SquareSet) bool {
	if w.nodes++; w.nodes > eagerNodes {
		if w.wanted == 0 {
			w.wanted = w.bound()
		}
		if w.wanted&^w.found == 0 {
			return false
		}
	}
	for i := range list {
		l := &list[i]
		if uint64(l.crossed&w.occ)|l.doors&used|l.back&back != 0 {
			continue
		}
		w.found |= 1 << l.end
		if open.Has(l.end) {
			next := w.legs[w.board.At(l.end)-1][l.end]
			if !w.follow(next, used|l.doors, back|l.back, open&^(1<<l.end)) {
				return false
			}
		}
	}
	return true
}

// bound returns the squares that could be found if doors did not matter: a
// superset of what the walk can find.
func (w *walk) bound() SquareSet {
	limit := w.ends(w.root)
	for todo, done := limit&w.occ, SquareSet(0); todo != 0; todo = limit & w.occ &^ done {
		s := todo.first()
		done |= 1 << s
		limit |= w.ends(w.legs[w.board.At(s)-1][s])
	}
	return limit
}

func (w *walk) ends(list []leg) SquareSet {
	var ends SquareSet
	for i := range list {
		if list[i].crossed&w.occ == 0 {
			ends |= 1 << list[i].end
		}
	}
	return ends
}
