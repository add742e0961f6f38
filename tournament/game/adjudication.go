package game

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/solver"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
	"gyges/tournament/record"
)

// Adjudication ends games that the agents' own scores call decided, or that are proven to be; the
// zero value none.
type Adjudication []condition

// condition is one of the ways to end a game early that an adjudication lists.
type condition struct {
	ending int          // in endings
	points agents.Score // of an agreement
	n      int          // the moves of an agreement, or the number that was given
}

// adjudicator is the way in which games are ended for a reason.
type adjudicator struct {
	option string // its name in an adjudication: "resign"
	doc    string // when it ends a game

	// An adjudicator without a highest number is an agreement, POINTS:MOVES. most is the highest
	// number of others, and usual the one where none is given; 0: it must be.
	least       float64 // hundredths of a point of an agreement
	most, usual int

	last  bool // it is asked after the others, since it searches
	judge func(p *position, c condition) rules.Outcome
}

// position is what an adjudicator sees after each move.
type position struct {
	ctx    context.Context // of the game
	game   *rules.Game
	scores []record.Score // of each ply so far, from its mover's view
	side   rules.Side     // that has moved, or whose agent was called last
	solver *solver.Solver // nil until needed
}

const maxAgreement = 1000 // moves of an agreement

func (a *adjudicator) form() string {
	if a.most == 0 {
		return a.option + "=POINTS:MOVES"
	}
	return a.option + "=N"
}

// UnmarshalText reads options separated by commas, each once, like "resign=8:4,proven,plies=300":
// POINTS:MOVES, with points of the agents' scores, or a whole number.
func (a *Adjudication) UnmarshalText(text []byte) error {
	*a = nil
	if len(text) == 0 {
		return nil
	}
	var list Adjudication
	for part := range strings.SplitSeq(string(text), ",") {
		c, ok := parseCondition(part)
		given := slices.ContainsFunc(list, func(other condition) bool {
			return other.ending == c.ending
		})
		if !ok || given {
			return errCondition(part)
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b condition) int { return cmp.Compare(a.ending, b.ending) })
	*a = list
	return nil
}

// errCondition returns the error of an option that is not known, out of range or given twice.
func errCondition(found string) error {
	var forms []string
	for _, e := range endings {
		a := e.adjudication
		if a == nil {
			continue
		}
		form := a.form()
		if a.usual > 0 {
			form += fmt.Sprintf(" (to %d)", a.most)
		}
		forms = append(forms, form)
	}
	return fmt.Errorf("expected %s, each once%s, found %.80q",
		suggest.OneOf(forms), settings.ZeroHint(found), found)
}

// parseCondition reads one option, and reports whether it is known and in range.
func parseCondition(text string) (c condition, ok bool) {
	name, value, given := strings.Cut(text, "=")
	c.ending = slices.IndexFunc(endings, func(e Ending) bool {
		return e.adjudication != nil && e.adjudication.option == name
	})
	if c.ending < 0 {
		return c, false
	}
	a := endings[c.ending].adjudication
	most := a.most
	if a.most == 0 {
		// POINTS:MOVES
		most = maxAgreement
		var points string
		points, value, _ = strings.Cut(value, ":")
		x, err := settings.Parse[float64](points)
		hundredths := math.Round(100 * x)
		inRange := problems.Within(hundredths, a.least, float64(agents.WinScore)) // NaN isn't
		if err != nil || !inRange {
			return c, false
		}
		c.points = agents.Score(hundredths)
	}
	c.n = a.usual
	if given || a.usual == 0 {
		c.n, _ = settings.Parse[int](value) // what can't be read is 0
	}
	return c, problems.Within(c.n, 1, most)
}

// Choices lists the options.
func (Adjudication) Choices() (list []settings.Choice) {
	for _, e := range endings {
		if a := e.adjudication; a != nil {
			list = append(list, settings.Choice{Name: a.form(), Doc: a.doc})
		}
	}
	return list
}

// MarshalText implements [encoding.TextMarshaler] by [Adjudication.String].
func (a Adjudication) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// String prints the adjudication as [Adjudication.UnmarshalText] reads it; "" for none.
func (a Adjudication) String() string {
	var parts []string
	for _, c := range a {
		text := endings[c.ending].adjudication.option + "="
		if endings[c.ending].adjudication.most == 0 {
			text += fmt.Sprintf("%v:", float64(c.points)/100)
		}
		parts = append(parts, text+strconv.Itoa(c.n))
	}
	return strings.Join(parts, ",")
}

// judge returns how a game ends after a move, and the reason; "" if it goes on.
func (a Adjudication) judge(p *position) (rules.Outcome, string) {
	for _, last := range []bool{false, true} {
		for _, c := range a {
			e := &endings[c.ending]
			if e.adjudication.last != last {
				continue
			}
			if o := e.adjudication.judge(p, c); o != rules.Undecided {
				return o, e.Name
			}
		}
	}
	return rules.Undecided, ""
}

// judgeResign ends a game that for some moves of each side both scored, by the points at least, as
// won by the same one.
func judgeResign(p *position, c condition) rules.Outcome {
	if p.agree(c.n, c.points, math.MaxInt32) {
		return rules.WinFor(p.side)
	}
	if p.agree(c.n, math.MinInt32, -c.points) {
		return rules.WinFor(p.side.Other())
	}
	return rules.Undecided
}

// judgeDraw ends a game as a draw when for some moves of each side all scores were at most the
// points from 0.
func judgeDraw(p *position, c condition) rules.Outcome {
	if p.agree(c.n, -c.points, c.points) {
		return rules.Draw
	}
	return rules.Undecided
}

func judgePlies(p *position, c condition) rules.Outcome {
	if len(p.scores) >= c.n {
		return rules.Draw
	}
	return rules.Undecided
}

const solverMegabytes = 1 // a table that is cleared for every move

// judgeProven ends a game as soon as the solver proves that the side to move wins or loses within a
// number of plies.
func judgeProven(p *position, c condition) rules.Outcome {
	now := p.game.Position()
	if o, _ := p.game.Outcome(); o != rules.Undecided || p.game.Rules().SettingUp(now) {
		return rules.Undecided
	}
	if p.solver == nil {
		p.solver = solver.New(solverMegabytes)
	}
	r, err := p.solver.Solve(p.ctx, p.game, c.n)
	switch {
	case err != nil, r.Plies == 0:
		return rules.Undecided
	case r.Plies < 0:
		return rules.WinFor(now.Side().Other())
	}
	return rules.WinFor(now.Side())
}

// agree reports whether the last scores, moves of each side, all lie from low to high as the last
// mover sees them.
func (p *position) agree(moves int, low, high agents.Score) bool {
	if len(p.scores) < 2*moves {
		return false
	}
	for i, s := range p.scores[len(p.scores)-2*moves:] {
		seen := agents.Score(s)
		if i%2 == 0 { // the other side's
			seen = -seen
		}
		if !s.Known() || !problems.Within(seen, low, high) {
			return false
		}
	}
	return true
}
