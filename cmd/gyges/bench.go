package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"gyges/agents"
	"gyges/ratings/grid"
	"gyges/rules"
)

// benchCmd measures how fast the program's parts are.
type benchCmd struct {
	Search benchSearchCmd `cmd:"" default:"withargs" help:"Search fixed positions: the number of nodes is the search's signature."`
}

func (benchCmd) examples() []example { return benchSearchCmd{}.examples() }

// benchSearchCmd searches fixed positions.
type benchSearchCmd struct {
	Agent  []string `placeholder:"SPEC" sep:"none" help:"An agent to search with, instead of alphabeta:depth=4 and mcts:iterations=400. May be repeated."`
	Format string   `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

// Help is the part of the help below the summary.
func (benchSearchCmd) Help() string {
	return "Each agent, new for each, searches some positions of each family of rules to a fixed depth or number of iterations. The " +
		"total number of nodes, with a hash of nodes, moves and scores behind it, is its signature: as long as it stays the same, so does " +
		"the search. Nodes are positions for alphabeta and iterations for mcts."
}

func (benchSearchCmd) examples() []example {
	return []example{
		{"gyges bench", "the signatures, and how fast the searches are"},
		{"gyges bench search --agent alphabeta:depth=3", ""},
	}
}

// Positions of standard rules to search.
const (
	startBoard   = "321123/000000/000000/000000/000000/321123 s"
	openBoard    = "202110/000330/000000/000200/000100/030123 s"
	crowdedBoard = "002130/300300/021100/002000/000200/030100 s" // with very many courses
)

// searchPosition is a position that is searched.
type searchPosition struct{ rules, position string }

// searchPositions are the positions searched: published ones, and some from play.
func searchPositions() []searchPosition {
	return []searchPosition{
		{"standard", startBoard},
		{"standard", openBoard},
		{"standard", crowdedBoard},
		{"standard", "200000/200200/003113/003000/002300/000101 n"},
		{"simplified", startBoard},
		{"simplified", "000002/010201/033203/000000/103201/000000 s"},
		{"kang", "000000/020000/220120/131133/000000/000300 s 000/000 1-0 -"},
		{"kang", "000000/000000/000000/000000/332211/211320 s 000/001 1-0 -"},
	}
}

// defaultSearchers are the agents whose signatures are kept.
func defaultSearchers() []string { return []string{"alphabeta:depth=4", "mcts:iterations=400"} }

// searchReport is what has been measured, as --format json prints it.
type searchReport struct {
	Version  string          `json:"version"`
	Arch     string          `json:"arch"`
	Searches []searchLine    `json:"searches"`
	Totals   []searcherTotal `json:"totals"`
}

type searchLine struct {
	Agent    string  `json:"agent"`
	Rules    string  `json:"rules"`
	Position string  `json:"position"`
	Move     string  `json:"move"`
	Score    int     `json:"score"` // hundredths of a point
	Nodes    int64   `json:"nodes"`
	Seconds  float64 `json:"seconds"`
}

// searcherTotal is an agent's sum over the positions.
type searcherTotal struct {
	Agent     string  `json:"agent"`
	Nodes     int64   `json:"nodes"`
	Signature string  `json:"signature"` // the nodes, and a hash of nodes, moves and scores
	Seconds   float64 `json:"seconds"`
	NodesS    float64 `json:"nodes_per_second"`
}

// Run searches and prints.
func (c *benchSearchCmd) Run(ctx context.Context, e *env) error {
	if len(c.Agent) == 0 {
		c.Agent = defaultSearchers()
	}
	report, err := benchSearch(ctx, e, c.Agent)
	if err != nil {
		return err
	}
	return report.write(e.out, c.Format)
}

// benchSearch lets every agent search every position.
func benchSearch(ctx context.Context, e *env, specs []string) (*searchReport, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	report := &searchReport{Version: versionLine(info), Arch: runtime.GOARCH, Searches: []searchLine{}, Totals: []searcherTotal{}}
	for _, text := range specs {
		spec, err := agents.ParseSpec(text)
		if err != nil {
			return nil, fmt.Errorf("--agent: %w", err)
		}
		total := searcherTotal{Agent: spec.String()}
		hash := fnv.New32a()
		for _, p := range searchPositions() {
			agent, err := newAgent(e, text)
			if err != nil {
				return nil, fmt.Errorf("--agent: %w", err)
			}
			if err := suits(agent, searchPositions()); err != nil {
				closeAgent(e, agent)
				return nil, fmt.Errorf("--agent %s: %w", spec, err)
			}
			line, err := searchOne(ctx, agent, p)
			closeAgent(e, agent)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				return nil, failure{fmt.Errorf("%s: %w", spec, err)}
			}
			line.Agent = total.Agent
			report.Searches = append(report.Searches, line)
			total.Nodes += line.Nodes
			fmt.Fprintln(hash, line.Nodes, line.Move, line.Score)
			total.Seconds += line.Seconds
		}
		total.Signature = fmt.Sprintf("%d-%08x", total.Nodes, hash.Sum32())
		total.NodesS = float64(total.Nodes) / max(total.Seconds, 1e-9)
		report.Totals = append(report.Totals, total)
	}
	return report, nil
}

// suits returns why an agent doesn't play by the rules of some of the positions.
func suits(a agents.Agent, positions []searchPosition) error {
	s, ok := a.(agents.Suiter)
	if !ok {
		return nil
	}
	for _, p := range positions {
		r, err := rules.Parse(p.rules)
		if err == nil {
			err = s.Suits(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// searchOne lets a new agent search one position.
func searchOne(ctx context.Context, a agents.Agent, p searchPosition) (searchLine, error) {
	line := searchLine{Rules: p.rules, Position: p.position}
	r, err := rules.Parse(p.rules)
	if err != nil {
		return line, err
	}
	position, err := r.ParsePosition(p.position)
	if err != nil {
		return line, err
	}
	if err := a.NewGame(ctx, agents.Setup{Rules: r, Side: position.Side(), Seed: 1}); err != nil {
		return line, err
	}
	began := time.Now()
	d, err := a.Choose(ctx, rules.NewGame(r, position), agents.Limits{})
	line.Move, line.Score, line.Nodes, line.Seconds = d.Move.String(), int(d.Score), d.Nodes, time.Since(began).Seconds()
	return line, err
}

// write prints the report in the given format.
func (r *searchReport) write(w *output, format string) error {
	if format == "json" {
		return writeJSON(w, r)
	}
	g := grid.Grid{Header: []string{"Agent", "Rules", "Position", "Nodes", "Seconds"}}
	for _, l := range r.Searches {
		g.Add(l.Agent, l.Rules, l.Position, strconv.FormatInt(l.Nodes, 10), fmt.Sprintf("%.3f", l.Seconds))
	}
	if err := g.Write(w, format == "markdown"); err != nil {
		return err
	}
	w.printf("\n")
	for _, t := range r.Totals {
		w.printf("signature %s %s, %s nodes/s\n", t.Agent, t.Signature, perSecond(uint64(t.Nodes), t.Seconds))
	}
	return nil
}
