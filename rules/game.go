package rules

import (
	"errors"
	"fmt"
	"slices"
)

// Reason says how a game ended.
type Reason string

// The reasons that lie in the game itself.
const (
	ByGoal   Reason = "goal"   // a player brought over the pieces it takes to win
	ByPasses Reason = "passes" // two passes in a row
	ByLength Reason = "length" // the configured number of plies
)

// Game is a game in progress: its rules, the position, and those before it. It must be used by one
// goroutine at a time.
type Game struct {
	rules  *Rules
	start  Position
	pos    Position
	past   []Position // keys of all positions, the present one last
	moves  []Move
	placed int // how many of the moves were placements

	legal     MoveSet
	generated bool // legal are the moves of the present position
}

// NewGame starts a game in a position of the given rules.
func NewGame(r *Rules, start Position) *Game {
	return &Game{rules: r, start: start, pos: start, past: []Position{start.Key()}}
}

// Rules returns the rules of the game.
func (g *Game) Rules() *Rules { return g.rules }

// Position returns the present position.
func (g *Game) Position() Position { return g.pos }

// Start returns the position the game began in.
func (g *Game) Start() Position { return g.start }

// Moves returns the moves played so far; the slice is the game's own.
func (g *Game) Moves() []Move { return g.moves }

// Ply returns how many turns have been played, placements not counted.
func (g *Game) Ply() int { return len(g.moves) - g.placed }

// Legal returns the legal moves, the repetition rule included; none when the game is over. The set
// is the game's own: it is generated once a position, must not be changed, and holds until the next
// move.
func (g *Game) Legal() *MoveSet {
	if !g.generated {
		g.legal.reset()
		if !g.overLength() {
			g.rules.MovesAfter(g.pos, g.past[:len(g.past)-1], &g.legal)
		}
		g.generated = true
	}
	return &g.legal
}

// LegalMoves copies the legal moves to ms.
func (g *Game) LegalMoves(ms *MoveSet) { *ms = *g.Legal() }

func (g *Game) overLength() bool { return g.Ply() >= g.rules.options.MaxPlies }

// Outcome reports whether the game is over, who won, and for what reason.
func (g *Game) Outcome() (Outcome, Reason) {
	switch outcome := g.rules.Outcome(g.pos); outcome {
	case Draw:
		return Draw, ByPasses
	case SouthWins, NorthWins:
		return outcome, ByGoal
	}
	if g.overLength() {
		return Draw, ByLength
	}
	return Undecided, ""
}

// Play makes a move. The error is Check's; the game is unchanged then.
func (g *Game) Play(m Move) error {
	if err := g.Check(m); err != nil {
		return err
	}
	g.PlayLegal(m)
	return nil
}

// PlayLegal makes a move that is known to be legal, without checking it.
func (g *Game) PlayLegal(m Move) {
	g.pos = g.rules.Apply(g.pos, m)
	g.past = append(g.past, g.pos.Key())
	g.moves = append(g.moves, m)
	if m.IsPlacement() {
		g.placed++
	}
	g.generated = false
}

// Undo takes the last move back. It reports whether there was one.
func (g *Game) Undo() bool {
	n := len(g.moves)
	if n == 0 {
		return false
	}
	moves := g.moves[:n-1]
	*g = Game{rules: g.rules, start: g.start, pos: g.start, past: g.past[:1], moves: g.moves[:0]}
	for _, m := range moves {
		g.PlayLegal(m)
	}
	return true
}

// ErrOver is returned for a move in a game that has ended.
var ErrOver = errors.New("the game is over")

// Check returns nil if m is legal now, and otherwise an error that says, in a sentence for people,
// why it is not.
func (g *Game) Check(m Move) error {
	if o, _ := g.Outcome(); o != Undecided {
		return ErrOver
	}
	if g.Legal().Contains(m) {
		return nil
	}
	return fmt.Errorf("%v is not legal: %s", m, g.explain(m))
}

// explainPlacement is for moves during a set-up.
func (g *Game) explainPlacement(m Move) string {
	side := g.pos.Side()
	switch {
	case !m.IsPlacement():
		example := g.rules.setupSquares(side).first()
		return fmt.Sprintf("the set-up is not finished; place a piece, like 2@%v", example)
	case g.pos.Hand(side, m.FromHand()) == 0:
		return fmt.Sprintf("%v has no piece of height %d left to place", side, m.FromHand())
	case g.pos.Occupied().Has(m.To()):
		return fmt.Sprintf("%v is occupied", m.To())
	default:
		return fmt.Sprintf("%v is outside %v's set-up zone", m.To(), side)
	}
}

// explain says why a move that is not among the legal moves is not legal.
func (g *Game) explain(m Move) string {
	switch {
	case g.rules.SettingUp(g.pos):
		return g.explainPlacement(m)
	case m == Pass:
		return "there is a move to make"
	case g.legal.pass:
		return "no piece can move; only a pass is legal"
	case m.IsPlacement():
		return "the set-up is over"
	case m&kindBit == 0:
		return "there is no such move"
	}

	side := g.pos.Side()
	if h := m.FromHand(); h > 0 {
		if g.pos.Hand(side, h) == 0 {
			return fmt.Sprintf("%v holds no piece of height %d", side, h)
		}
	} else if g.pos.At(m.From()) == 0 {
		return fmt.Sprintf("there is no piece on %v", m.From())
	}
	if m.From() == m.To() && m.Drop() != NoSquare {
		return "a piece can't displace itself"
	}
	if g.legal.groupOf(m.from()) == nil {
		return g.explainSource(m)
	}
	if m.IsGoal() && g.pos.TookOut(side) {
		return fmt.Sprintf("%v took a piece out on the previous turn", side)
	}
	if _, ok := g.rules.Course(g.pos, m); !ok {
		return fmt.Sprintf("no course leads to %v", m.To())
	}
	return g.explainEnd(m)
}

// explainSource is for moves of pieces that have no legal move.
func (g *Game) explainSource(m Move) string {
	side := g.pos.Side()
	last := g.legal.groups[g.legal.n-1].from // one of a row, if a row can be played
	switch {
	case m.From() == NoSquare: // a piece in hand
	case last.OnBoard():
		if row := last.Row(); m.From().Row() != row {
			return fmt.Sprintf("%v must move a piece of row %d", side, row+1)
		}
	case g.rules.options.KangEntry == Mandatory:
		return fmt.Sprintf("%v holds pieces and must bring one in", side)
	}
	return "that piece is blocked"
}

// explainEnd is for moves that have a course but may not end as they do.
func (g *Game) explainEnd(m Move) string {
	to, drop := m.To(), m.Drop()
	displaces := drop != NoSquare
	occupied := g.pos.Occupied() &^ (1 << m.From())
	if displaces {
		switch {
		case !g.rules.options.Relocation:
			return "these rules don't displace pieces"
		case !occupied.Has(to):
			return fmt.Sprintf("there is no piece on %v to displace", to)
		case occupied.Has(drop):
			return fmt.Sprintf("the drop square %v is occupied", drop)
		}
	} else if occupied.Has(to) {
		if !g.rules.options.Relocation {
			return fmt.Sprintf("%v is occupied, and these rules don't displace pieces", to)
		}
		return fmt.Sprintf(
			"%v is occupied: to displace its piece write x%v@ and the square it goes to", to, to)
	}

	// The squares are right.

	next := g.rules.Apply(g.pos, m)
	if next.differing(g.pos) == 0 {
		return "it would leave the board as it was"
	}
	if i := slices.Index(g.Forbidden(), next.Key()); i >= 0 {
		return fmt.Sprintf("it would bring back the position after ply %d", i-g.placed)
	}
	if !displaces {
		return "the rules don't allow it"
	}
	other := g.pos.Side().Other()
	if g.rules.playable {
		return fmt.Sprintf("%v is behind the row that %v can play", drop, other)
	}
	return fmt.Sprintf("%v is behind %v's first occupied row", drop, other)
}
