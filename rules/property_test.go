package rules

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawRules draws a rule set: a preset, or any mix of options.
func drawRules(t *rapid.T) *Rules {
	o := rapid.SampledFrom(presetTable).Draw(t, "preset").Options
	if rapid.Bool().Draw(t, "mixed") {
		for _, opt := range o.List() {
			value := opt.Text()
			if low, high, number := strings.Cut(opt.Tag.Get("check"), ".."); number {
				least, _ := strconv.Atoi(low)
				most, _ := strconv.Atoi(high)
				value = strconv.Itoa(rapid.IntRange(least, most).Draw(t, opt.Key))
			} else if rapid.Bool().Draw(t, "other "+opt.Key) {
				value = rapid.SampledFrom(opt.Enum()).Draw(t, opt.Key)
			}
			require.NoError(t, o.Change(opt.Key+"="+value))
		}
	}
	r, err := New("drawn", o)
	require.NoError(t, err)
	return r
}

// drawPosition draws a position: pieces anywhere in the first rows, so that some boards are
// crowded; under Kang some in hand. Under directed doors, where the slow generator explodes, fewer
// pieces take part.
func drawPosition(t *rapid.T, r *Rules) Position {
	pieces := NumPieces
	if r.directed {
		pieces = 7
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "board"), 0))
	rows := rapid.IntRange(2, Rows).Draw(t, "rows")
	squares := rng.Perm(rows * Files)
	if rapid.Bool().Draw(t, "far end") {
		for i := range squares {
			squares[i] = NumSquares - 1 - squares[i]
		}
	}
	onBoard := pieces
	if r.options.Kang {
		onBoard = rapid.IntRange(0, pieces).Draw(t, "on board")
	}
	var p Position
	heights := rng.Perm(NumPieces)
	for i, h := range heights[:pieces] {
		if i < onBoard {
			p.put(Square(squares[i]), Height(h%3+1))
		} else {
			p.addHand(Side(rng.IntN(2)), Height(h%3+1), 1)
		}
	}
	if rapid.Bool().Draw(t, "north") {
		p.lo |= sideBit
	}
	if r.options.Kang {
		p.hi |= uint64(rng.IntN(3))<<goalShift | uint64(rng.IntN(3))<<(goalShift+4)
		p.lo |= uint64(rng.IntN(4)) << coolShift
	}
	return p
}

func sortedMoves(ms *MoveSet) []string {
	texts := []string{}
	for m := range ms.All() {
		texts = append(texts, m.String())
	}
	sort.Strings(texts)
	return texts
}

// checkPositions calls check with positions of drawn rules and their moves.
func checkPositions(t *testing.T, check func(t *rapid.T, r *Rules, p Position, ms *MoveSet)) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawRules(t)
		p := drawPosition(t, r)
		var ms MoveSet
		r.Moves(p, &ms)
		check(t, r, p, &ms)
	})
}

// TestGamesAgainstSlow plays random games in which both generators keep their own history, and
// compares moves and positions at every ply.
func TestGamesAgainstSlow(t *testing.T) {
	checkPositions(t, func(t *rapid.T, r *Rules, p Position, _ *MoveSet) {
		plies := 12
		if r.directed {
			plies = 1 // the slow generator explodes on boards that play comes to
		}
		g := NewGame(r, p)
		slow := slowParse(r.FormatPosition(p))
		past := []string{slow.text(r.options)}
		// Few squares make repetitions likely: the walk prefers to go back.
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "play"), 0))
		var ms MoveSet
		for range plies {
			if o, _ := g.Outcome(); o != Undecided {
				break
			}
			var forbidden []string
			if r.options.Repetition == Superko {
				forbidden = past[:len(past)-1]
			}
			g.LegalMoves(&ms)
			require.Equal(t, slowMoves(r.options, slow, forbidden), sortedMoves(&ms), "%s %+v", r.FormatPosition(g.pos),
				r.options)
			m := backwards(g, &ms, rng)
			require.NoError(t, g.Play(m))
			slow = slowApply(r.options, slow, m.String())
			past = append(past, slow.text(r.options))
			require.Equal(t, slow.text(r.options), slowParse(r.FormatPosition(g.pos)).text(r.options))
		}
	})
}

// backwards picks a move that brings the board nearest to an earlier one, or any move.
func backwards(g *Game, ms *MoveSet, rng *rand.Rand) Move {
	if rng.IntN(3) == 0 || len(g.past) < 3 {
		return ms.At(rng.IntN(ms.Len()))
	}
	best, pick := 99, NoMove
	for m := range ms.All() {
		next := g.rules.Apply(g.pos, m)
		for _, q := range g.past[:len(g.past)-1] {
			if d := next.differing(q).Count(); d < best {
				best, pick = d, m
			}
		}
	}
	return pick
}

// TestModesAgree checks the generation modes against the move set.
func TestModesAgree(t *testing.T) {
	checkPositions(t, func(t *rapid.T, r *Rules, p Position, ms *MoveSet) {
		n, goals := 0, 0
		var c Control
		for m := range ms.All() {
			require.Equal(t, m, ms.At(n))
			require.True(t, ms.Contains(m))
			n++
			if m == Pass {
				continue
			}
			if m.From() != NoSquare {
				c.Active |= 1 << m.From()
			}
			switch {
			case m.IsGoal():
				goals++
			case m.Drop() != NoSquare:
				c.Pieces |= 1 << m.To()
			default:
				c.Ends |= 1 << m.To()
			}
		}
		require.Equal(t, ms.Len(), n)
		require.Equal(t, n, r.Count(p))
		goal := r.GoalMove(p, p.Side())
		require.Equal(t, goals > 0, goal != NoMove, r.FormatPosition(p))
		require.True(t, goal == NoMove || ms.Contains(goal))
		got := r.Control(p, p.Side())
		require.Equal(t, goals, got.Winners)
		require.Equal(t, c.Ends, got.Ends)
		if ms.pass {
			require.Zero(t, got.Moves)
		} else {
			require.Equal(t, n, got.Moves)
			require.Zero(t, c.Active&^got.Active)
		}
		require.Equal(t, c.Pieces&^got.Pieces, SquareSet(0))
		// Seen from the other side, the same.
		q := p.Rotate()
		require.Equal(t, p, q.Rotate())
		require.Equal(t, goals > 0, r.CanReachGoal(q, q.Side()))
		require.Equal(t, r.Control(p, p.Side().Other()).Moves, r.Control(q, q.Side().Other()).Moves)
		require.Equal(t, got, r.Control(p.afterPass(), p.Side()), "control does not depend on who is to move")
	})
}

// TestBounce compares the legs from each piece, made all at once, with the lists of legs.
func TestBounce(t *testing.T) {
	checkPositions(t, func(t *rapid.T, r *Rules, p Position, _ *MoveSet) {
		unused := doorSet(rapid.Uint64().Draw(t, "unused doors"))
		var tn turn
		tn.begin(r, p, p.Side())
		c := &tn.search
		c.place(p, 0)
		for s := range c.occ.All() {
			h := p.At(s)
			var want SquareSet
			for end, run := range legsTo[h][s] {
				for ; run.more(); run = run.next() {
					if run.leg().free(c.occ, unused) {
						want |= 1 << end
					}
				}
			}
			want &= boardSet | c.goal
			ended, ends := c.bounce(anyWay(1<<s), unused)
			require.Equal(t, want, ends)
			require.Equal(t, want&boardSet, SquareSet(ended.squares()))
		}
	})
}

// TestCountAfter checks the count over all moves against counts one by one.
func TestCountAfter(t *testing.T) {
	checkPositions(t, func(t *rapid.T, r *Rules, p Position, ms *MoveSet) {
		var n uint64
		for m := range ms.All() {
			n += uint64(r.Count(r.Apply(p, m)))
		}
		require.Equal(t, n, r.countAfter(p, ms), r.FormatPosition(p))
	})
}

// TestEvasions checks the moves that parry against trying them one by one.
func TestEvasions(t *testing.T) {
	checkPositions(t, func(t *rapid.T, r *Rules, p Position, ms *MoveSet) {
		var want []Move
		for m := range ms.All() {
			if m.IsGoal() || r.SettingUp(p) || !r.CanReachGoal(r.Apply(p, m), p.Side().Other()) {
				want = append(want, m)
			}
		}
		coarse := *ms
		r.QuickEvasions(p, &coarse)
		for _, m := range want {
			require.True(t, coarse.Contains(m), "%v is an evasion in %s", m, r.FormatPosition(p))
		}
		some := *ms
		require.Equal(t, len(want) > 0, r.HasEvasion(p, &some), r.FormatPosition(p))
		r.Evasions(p, ms)
		var got []Move
		for m := range ms.All() {
			got = append(got, m)
		}
		require.Equal(t, want, got, r.FormatPosition(p))
		require.Equal(t, len(want), ms.Len())
	})
}

// TestImages checks that turning or mirroring the board turns or mirrors the moves, and that mirror
// images have one canonical form.
func TestImages(t *testing.T) {
	checkPositions(t, func(t *rapid.T, r *Rules, p Position, ms *MoveSet) {
		var turned, mirrored MoveSet
		r.Moves(p.Rotate(), &turned)
		r.Moves(p.Mirror(), &mirrored)
		require.Equal(t, ms.Len(), turned.Len())
		require.Equal(t, ms.Len(), mirrored.Len())
		for m := range ms.All() {
			require.True(t, turned.Contains(m.Rotate()), "%v", m)
			require.Equal(t, r.Apply(p, m).Rotate(), r.Apply(p.Rotate(), m.Rotate()))
			image := m
			if m != Pass {
				image = newMove(m.from().Mirror(), m.To().Mirror(), m.Drop().Mirror())
			}
			require.True(t, mirrored.Contains(image), "%v", m)
			require.Equal(t, r.Apply(p, m).Mirror(), r.Apply(p.Mirror(), image))
		}
		canonical := p.Canonical()
		require.Equal(t, canonical, p.Mirror().Canonical())
		require.Contains(t, []Position{p, p.Mirror()}, canonical)
	})
}

// countPieces counts the pieces of each height wherever they are.
func countPieces(r *Rules, p Position) (n [4]int) {
	for h := Height(1); h <= 3; h++ {
		n[h] = p.OfHeight(h).Count() + p.Hand(South, h) + p.Hand(North, h)
	}
	return n
}

// TestTexts checks that every move's texts read back, that a legal move keeps
// the pieces together, and that Remove removes.
func TestTexts(t *testing.T) {
	checkPositions(t, func(t *rapid.T, r *Rules, p Position, ms *MoveSet) {
		before := countPieces(r, p)
		if before == [4]int{0, 4, 4, 4} && (r.options.Kang || !r.SettingUp(p)) {
			q, err := r.ParsePosition(r.FormatPosition(p))
			require.NoError(t, err)
			require.Equal(t, p, q)
		}
		n := ms.Len()
		for i := 0; i < n; i += max(1, n/40) {
			m := ms.At(i)
			_, ok := r.Course(p, m)
			require.Equal(t, m != Pass && !m.IsPlacement(), ok, "a course for %v in %s", m, r.FormatPosition(p))
			for _, text := range []string{m.String(), r.LongText(p, m)} {
				back, err := r.ParseMove(p, text)
				require.NoError(t, err, "%s in %s", text, r.FormatPosition(p))
				require.Equal(t, m, back, text)
			}
			after := countPieces(r, r.Apply(p, m))
			if m.IsGoal() && !r.options.Kang {
				after[p.At(m.From())]++ // in the goal
			}
			require.Equal(t, before, after, "%v", m)
		}
		for ; n > 0; n-- {
			m := ms.At(n / 2)
			ms.Remove(m)
			ms.Remove(m)
			require.Equal(t, n-1, ms.Len())
			require.False(t, ms.Contains(m))
		}
	})
}

// TestOptionsText checks that a rule set's text reads back.
func TestOptionsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawRules(t).options
		preset := rapid.SampledFrom(presetTable).Draw(t, "named")
		text := strings.TrimSuffix(preset.Name+":"+strings.Join(preset.Options.Changes(o), ","), ":")
		r, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, o, r.Options())
		require.Equal(t, text, fmt.Sprint(r))
	})
}

func TestEndsOfMoveSets(t *testing.T) {
	checkPositions(t, func(t *rapid.T, r *Rules, p Position, ms *MoveSet) {
		starts := map[Square]map[Move]bool{} // by end
		for m := range ms.All() {
			if m == Pass {
				continue
			}
			if starts[m.To()] == nil {
				starts[m.To()] = map[Move]bool{}
			}
			starts[m.To()][m.WithoutDrop()] = true
		}
		var some, several SquareSet
		for end, list := range starts {
			some |= 1 << end
			if len(list) > 1 {
				several |= 1 << end
			}
		}
		gotSome, gotSeveral := ms.Ends()
		require.Equal(t, []SquareSet{some, several}, []SquareSet{gotSome, gotSeveral})
	})
}
