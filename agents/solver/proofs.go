package solver

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strconv"
	"sync"

	"gyges/results"
	"gyges/rules"
	"gyges/rules/base/files"
)

// Proofs are proven results to be looked up: the strategies of a certificate, and the winners of set-ups whose
// strategies are not at hand. They hold for positions and their mirror images. They are safe for concurrent use.
type Proofs struct {
	rules      *rules.Rules
	strategies []packed
	setups     map[rules.Position]Win // without lines
}

// Shipped returns the proofs of the simplified game that ship with the program.
func Shipped() (*Proofs, error) { return shipped() }

// shipped reads them once.
var shipped = sync.OnceValues(func() (*Proofs, error) {
	const dir = "studies/solved"
	return openProofs(results.Proofs, path.Join(dir, "certificate"), path.Join(dir, "proofs.csv"))
})

func openProofs(fsys fs.FS, certificate, setups string) (*Proofs, error) {
	c, err := openCertificate(certificate, func(path string, most int64) ([]byte, error) {
		return files.ReadFS(fsys, path, most)
	})
	if err != nil {
		return nil, err
	}
	p := &Proofs{rules: c.rules, setups: map[rules.Position]Win{}}
	for _, h := range c.header.Parts {
		columns, err := c.unpack(h)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.File, err)
		}
		winner, roots, err := c.parseRoots(h)
		if err != nil {
			return nil, err
		}
		s := packed{rules: c.rules, winner: winner, roots: roots, columns: columns}
		p.strategies = append(p.strategies, s)
		s.mirrored = true
		p.strategies = append(p.strategies, s)
	}
	text, err := files.ReadFS(fsys, setups, maxPart)
	if err != nil {
		return nil, err
	}
	return p, p.parseSetups(text)
}

// parseSetups reads what "gyges solve --list --format csv" wrote of positions in which South is to move.
func (p *Proofs) parseSetups(text []byte) error {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	for _, row := range rows[1:] {
		setup, err := p.rules.ParsePosition(row[1])
		plies, errPlies := strconv.Atoi(row[3])
		if err := cmp.Or(err, errPlies); err != nil {
			return err
		}
		if winner, ok := map[string]rules.Side{"win": rules.South, "loss": rules.North}[row[2]]; ok {
			w := Win{Winner: winner, Plies: plies}
			p.setups[setup], p.setups[setup.Mirror()] = w, w
		}
	}
	return nil
}

// Covers reports whether the proofs are of these rules. They are for every rule on repetition, as no history that
// a game following a strategy may have forbids its moves.
func (p *Proofs) Covers(r *rules.Rules) bool {
	o := p.rules.Options()
	o.Repetition, o.MaxPlies = r.Options().Repetition, r.Options().MaxPlies
	return o == r.Options()
}

// Lookup returns what is proven of the present position of g, which is not over, without the moves of the strategy.
// A game counts only if the winner has followed it since its beginning: after others a rule on repetition might
// forbid a move.
func (p *Proofs) Lookup(g *rules.Game) (Win, bool) {
	outcome, _ := g.Outcome()
	if !p.Covers(g.Rules()) || g.Rules().SettingUp(g.Position()) || outcome != rules.Undecided || g.Start().Passes() > 0 {
		return Win{}, false
	}
	var best Win
	for i := range p.strategies {
		w, ok := p.strategies[i].lookup(g)
		if ok && (best.Plies == 0 || w.Plies < best.Plies) {
			best = w
		}
	}
	if best.Plies == 0 && g.Ply() == 0 {
		best = p.setups[g.Position()]
	}
	return best, best.Plies > 0 && g.Ply()+best.Plies <= g.Rules().Options().MaxPlies
}

// packed is a strategy of a certificate as its columns, or its mirror image.
type packed struct {
	rules    *rules.Rules
	winner   rules.Side
	roots    []Root
	columns  []byte
	mirrored bool
}

func (s *packed) lookup(g *rules.Game) (Win, bool) {
	p := g.Position()
	next := s.at(p)
	if next.Plies == 0 || !s.followed(g) {
		return Win{}, false
	}
	w := Win{Winner: s.winner, Plies: int(next.Plies)}
	for len(w.Line) < w.Plies {
		if int(next.Plies) != w.Plies-len(w.Line) {
			return Win{}, false // no game of the strategy leads to it
		}
		w.Line = append(w.Line, next.Move)
		p = s.rules.Apply(p, next.Move)
		next = s.at(p)
	}
	return w, s.rules.Outcome(p) == rules.WinFor(s.winner)
}

// followed reports whether the winner has followed the strategy since the beginning of g, if there is a rule on
// repetition. It may begin with the loser's turn in a position that isn't a root, if no game of the strategy
// could have the same board with the winner's turn.
func (s *packed) followed(g *rules.Game) bool {
	if g.Rules().Options().Repetition == rules.NoRepetition {
		return true
	}
	p, begun := g.Start(), false
	for i := 0; ; i++ {
		if !s.rules.SettingUp(p) {
			if !begun && !s.begins(p) {
				return false
			}
			begun = true
			if i < len(g.Moves()) && p.Side() == s.winner && s.at(p).Move != g.Moves()[i] {
				return false
			}
		}
		if i == len(g.Moves()) {
			return begun
		}
		p = s.rules.Apply(p, g.Moves()[i])
	}
}

// begins reports whether a game that begins in p can follow the strategy.
func (s *packed) begins(p rules.Position) bool {
	if p.Side() == s.winner {
		return true // if it has a move, which is asked for elsewhere
	}
	root := s.image(p)
	_, twin := s.find(root)
	twin = twin || s.rules.GoalMove(p, s.winner) != rules.NoMove
	return !twin || slices.ContainsFunc(s.roots, func(r Root) bool { return r.Position == root })
}

// at returns how the longest game goes on that the strategy allows from p; without plies it has none.
func (s *packed) at(p rules.Position) (l Answer) {
	if s.rules.Outcome(p) != rules.Undecided {
		return Answer{}
	}
	if p.Side() == s.winner {
		if m := s.rules.GoalMove(p, s.winner); m != rules.NoMove {
			return Answer{m, 1}
		}
		return s.answer(p)
	}
	var legal rules.MoveSet
	s.rules.Moves(p, &legal)
	for m := range legal.All() {
		next := s.at(s.rules.Apply(p, m))
		if next.Plies == 0 {
			return Answer{}
		}
		if next.Plies >= l.Plies {
			l = Answer{m, next.Plies + 1}
		}
	}
	return l
}

// answer returns the strategy's move in p, in which the winner is to move and can't win at once.
func (s *packed) answer(p rules.Position) Answer {
	i, ok := s.find(s.image(p))
	if !ok {
		return Answer{}
	}
	var want [3]byte
	for j := range want {
		want[j] = s.byte(i, boardBytes+j)
		if s.mirrored {
			want[j] = byte(rules.Square(want[j]).Mirror())
		}
	}
	if m := moveBetween(s.rules, p, want); m != rules.NoMove {
		return Answer{m, int32(s.byte(i, recordBytes-1))}
	}
	return Answer{}
}

// image returns the position of the certificate that p stands for.
func (s *packed) image(p rules.Position) rules.Position {
	if s.mirrored {
		return p.Mirror()
	}
	return p
}

// find returns the number of the record of a board.
func (s *packed) find(p rules.Position) (i int, ok bool) {
	want := board(p)
	return sort.Find(len(s.columns)/recordBytes, func(i int) int {
		for j, b := range want {
			if c := cmp.Compare(b, s.byte(i, j)); c != 0 {
				return c
			}
		}
		return 0
	})
}

// byte returns a byte of a record.
func (s *packed) byte(i, column int) byte { return s.columns[column*(len(s.columns)/recordBytes)+i] }
