package main

import (
	"strconv"

	"gyges/agents/analysis"
	"gyges/agents/solver"
	"gyges/rules"
)

// solution is the result of a search.
type solution struct {
	game     *rules.Game
	depth    int           // in which a result was sought
	result   solver.Result // of a search by proof numbers without its depth
	byProof  bool
	win      *solver.Win // with its proof; nil: none
	complete bool        // searched to the end, not stopped; by proof numbers, proven
	seconds  float64
}

// print writes the solution in a format.
func (s *solution) print(out *output, format string) error {
	switch format {
	case "json":
		return writeJSON(out, s.json())
	case "csv":
		return (&solutionList{out: out, format: format}).add(s)
	}
	s.text(out)
	return nil
}

// text prints the solution as text.
func (s *solution) text(out *output) {
	in := "in"
	if s.byProof {
		in = "within"
	}
	switch r := s.result; {
	case r.Plies > 0:
		out.printf("win %s %d\n", in, r.Plies)
	case r.Plies < 0:
		out.printf("loss %s %d\n", in, -r.Plies)
	case s.byProof:
		out.printf("nothing proven\n")
	case s.complete:
		out.printf("no forced result within %d plies\n", r.Depth)
	default:
		out.printf("no forced result within %d plies; stopped before %d\n", r.Depth, s.depth)
	}
	p := s.game.Position()
	for i, text := range analysis.LongLine(s.game, s.result.Line) {
		out.printf("%3d. %-5v  %s\n", i+1, p.Side(), text)
		p = s.game.Rules().Apply(p, s.result.Line[i])
	}
	if s.win != nil {
		out.printf("strategy of %d moves, played against every reply\n", len(s.win.Moves))
	}
	out.printf("nodes %d, time %.2f s\n", s.result.Nodes, s.seconds)
}

// solutionJSON is the solution as --format json prints it.
type solutionJSON struct {
	Rules    string   `json:"rules"`
	Position string   `json:"position"`
	Result   string   `json:"result"`   // win, loss (of the side to move) or none
	Plies    int      `json:"plies"`    // to the goal; by proof numbers at most; 0 if nothing is forced
	Depth    int      `json:"depth"`    // plies searched completely; 0 by proof numbers
	Complete bool     `json:"complete"` // by proof numbers, whether a result was proven
	Strategy int      `json:"strategy"` // moves of the winner's strategy, by proof numbers
	Nodes    int64    `json:"nodes"`
	Seconds  float64  `json:"seconds"`
	Line     []string `json:"line"`
}

func (s *solution) json() solutionJSON {
	r := s.game.Rules()
	j := solutionJSON{
		Rules: r.String(), Position: r.FormatPosition(s.game.Position()), Result: "none",
		Plies: max(s.result.Plies, -s.result.Plies), Depth: s.result.Depth, Complete: s.complete,
		Nodes: s.result.Nodes, Seconds: s.seconds, Line: analysis.LongLine(s.game, s.result.Line),
	}
	if s.win != nil {
		j.Strategy = len(s.win.Moves)
	}
	switch {
	case s.result.Plies > 0:
		j.Result = "win"
	case s.result.Plies < 0:
		j.Result = "loss"
	}
	return j
}

var solutionHeader = []string{
	"rules", "position", "result", "plies", "depth", "complete", "strategy", "nodes", "seconds", "move",
}

// row returns the solution as a row of CSV; its last cell is the first move of the line.
func (s *solution) row() []string {
	j := s.json()
	move := ""
	if len(s.result.Line) > 0 {
		move = s.result.Line[0].String()
	}
	return []string{
		j.Rules, j.Position, j.Result, strconv.Itoa(j.Plies), strconv.Itoa(j.Depth), strconv.FormatBool(j.Complete),
		strconv.Itoa(j.Strategy), strconv.FormatInt(j.Nodes, 10), strconv.FormatFloat(j.Seconds, 'f', 3, 64), move,
	}
}
