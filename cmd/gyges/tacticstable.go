package main

import (
	"fmt"

	"gyges/agents"
	"gyges/agents/tactics"
)

// trial is what one agent made of a suite.
type trial struct {
	agent    string
	player   agents.Agent
	attempts []tactics.Attempt
	seconds  float64
}

// tacticCount counts the attempts at one class under one rule set.
type tacticCount struct {
	Agent     string        `json:"agent"`
	Rules     string        `json:"rules"`
	Class     tactics.Class `json:"class"`
	Solved    int           `json:"solved"`
	Proven    int           `json:"proven"` // of the wins, those the agent announced in as many plies
	Positions int           `json:"positions"`
	Seconds   float64       `json:"seconds"` // a position, mean over all of the agent's
}

// share prints solved and all, like 19/20; "-" where there is none.
func (t tacticCount) share() string {
	if t.Positions == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", t.Solved, t.Positions)
}

// rulesOf returns the rule sets of the attempts, in their order.
func (t *trial) rulesOf() []string {
	var list []string
	seen := map[string]bool{}
	for _, a := range t.attempts {
		if !seen[a.Task.Rules] {
			seen[a.Task.Rules] = true
			list = append(list, a.Task.Rules)
		}
	}
	return list
}

// count counts the attempts under a rule set at a class; "" stands for all.
func (t *trial) count(rules string, class tactics.Class) tacticCount {
	n := tacticCount{Agent: t.agent, Rules: rules, Class: class, Seconds: t.seconds / float64(len(t.attempts))}
	for _, a := range t.attempts {
		if rules != "" && a.Task.Rules != rules || class != "" && a.Task.Class != class {
			continue
		}
		n.Positions++
		if a.Solved {
			n.Solved++
		}
		if a.Proven {
			n.Proven++
		}
	}
	return n
}

// write prints the tables.
func (c *tacticsRunCmd) write(out *output, trials []trial) error {
	if c.Format == "json" {
		return writeJSON(out, tacticCounts(trials))
	}
	g := grid{header: []string{"Agent", "Rules"}}
	for _, class := range tactics.Classes() {
		g.header = append(g.header, string(class))
	}
	g.header = append(g.header, "all", "solved", "a position")
	for i := range trials {
		t := &trials[i]
		for _, r := range append(t.rulesOf(), "") {
			g.rows = append(g.rows, t.row(r))
		}
	}
	if err := g.write(out, c.Format == "markdown"); err != nil {
		return err
	}
	if c.Missed {
		missed(out, trials)
	}
	return nil
}

// row counts what was solved under a rule set, "" for all.
func (t *trial) row(rules string) []string {
	name := rules
	if name == "" {
		name = "all"
	}
	row := []string{visible(t.agent), name}
	for _, class := range tactics.Classes() {
		row = append(row, t.count(rules, class).share())
	}
	all := t.count(rules, "")
	row = append(row, all.share(), fmt.Sprintf("%.1f %%", 100*float64(all.Solved)/float64(all.Positions)))
	if rules == "" {
		return append(row, fmt.Sprintf("%.3fs", all.Seconds))
	}
	return append(row, "")
}

func tacticCounts(trials []trial) []tacticCount {
	list := []tacticCount{}
	for i := range trials {
		for _, r := range trials[i].rulesOf() {
			for _, class := range tactics.Classes() {
				if n := trials[i].count(r, class); n.Positions > 0 {
					list = append(list, n)
				}
			}
		}
	}
	return list
}

// missed lists the positions that were not solved.
func missed(out *output, trials []trial) {
	for _, t := range trials {
		for _, a := range t.attempts {
			if !a.Solved {
				out.printf("%s: %s, %s '%s': played %v, expected %v\n", visible(t.agent), a.Task.Rules, a.Task.Class, a.Task.Position, a.Move, a.Task.Moves)
			}
		}
	}
}
