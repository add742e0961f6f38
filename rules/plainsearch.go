package rules

// plainSearch follows the courses of one piece, which has been lifted from the board,
// leg by leg. It is the plain way, for courses to be written down and for the
// rule that a door serves once in each direction; [courseSearch] is the fast way to
// know only where courses end.
type plainSearch struct {
	board  Position // without the moving piece
	occ    SquareSet
	legs   *[3][NumSquares][]leg
	root   []leg     // the legs of the first leg's start
	found  SquareSet // every square where some leg has ended, goals included
	wanted SquareSet // the search ends when all of these are found; 0: not worked out yet
	nodes  int       // legs' starts visited so far
	perLeg bool      // doors open again for the next leg; only [plainSearch.shortest] needs it
}

// eagerNodes is how many nodes the search visits before it works out what there is to find:
// most searches are over by then.
const eagerNodes = 12

// newPlainSearch prepares the search for the courses of src, which no longer stands on the board.
func (r *Rules) newPlainSearch(board Position, src source, side Side) plainSearch {
	tr := plainSearch{board: board, occ: board.Occupied(), legs: &r.legs[side], perLeg: r.perLeg}
	tr.root = r.entries[side][src.height-1]
	if src.from < NumSquares {
		tr.root = tr.legs[src.height-1][src.from]
	}
	return tr
}

// visit tries the legs and goes on from every open piece that one lands on.
// used and back are the doors passed so far. Pieces that the course has already
// bounced off are not open: whatever a second bounce leads to, the first one
// did with fewer doors used. It returns false when everything wanted is found.
func (tr *plainSearch) visit(list []leg, used, back uint64, open SquareSet) bool {
	if tr.nodes++; tr.nodes > eagerNodes {
		if tr.wanted == 0 {
			tr.wanted = tr.bound()
		}
		if tr.wanted&^tr.found == 0 {
			return false
		}
	}
	for i := range list {
		l := &list[i]
		if uint64(l.crossed&tr.occ)|l.doors&used|l.back&back != 0 {
			continue
		}
		tr.found |= 1 << l.end
		if open.Has(l.end) {
			next := tr.legs[tr.board.At(l.end)-1][l.end]
			if !tr.visit(next, used|l.doors, back|l.back, open&^(1<<l.end)) {
				return false
			}
		}
	}
	return true
}

// bound returns the squares that could be found if doors did not matter: a
// superset of what the search can find.
func (tr *plainSearch) bound() SquareSet {
	limit := tr.ends(tr.root)
	for todo, done := limit&tr.occ, SquareSet(0); todo != 0; todo = limit & tr.occ &^ done {
		s := todo.first()
		done |= 1 << s
		limit |= tr.ends(tr.legs[tr.board.At(s)-1][s])
	}
	return limit
}

func (tr *plainSearch) ends(list []leg) SquareSet {
	var ends SquareSet
	for i := range list {
		if list[i].crossed&tr.occ == 0 {
			ends |= 1 << list[i].end
		}
	}
	return ends
}
