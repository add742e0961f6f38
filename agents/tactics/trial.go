package tactics

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gyges/agents"
	"gyges/rules"
)

// Attempt is an agent's decision in a task.
type Attempt struct {
	Task   *Task
	Move   rules.Move
	Solved bool
	// Proven reports whether the agent's score is a win in exactly the plies of the class. It is false for only moves.
	Proven bool
}

// Trial is the result of an agent in a suite.
type Trial struct {
	Agent    string
	Attempts []Attempt
	Seconds  float64 // for all attempts
}

// Try lets an agent decide each task, as the side to move in a new game. The error is the context's, or the agent's.
func Try(ctx context.Context, name string, a agents.Agent, tasks []Task, lim agents.Limits) (Trial, error) {
	trial := Trial{Agent: name}
	began := time.Now()
	for i := range tasks {
		t := &tasks[i]
		var d agents.Decision
		err := a.NewGame(ctx, agents.Setup{Rules: t.rules, Side: t.position.Side(), Seed: 1})
		if err == nil {
			d, err = a.Choose(ctx, t.game(), agents.Request{Limits: lim})
		}
		if ctx.Err() != nil {
			return trial, ctx.Err() // the decision was cut short
		}
		if err != nil {
			return trial, fmt.Errorf("%s: %w", t.Position, err)
		}
		plies, proven := d.Score.Proven()
		trial.Attempts = append(trial.Attempts, Attempt{
			Task: t, Move: d.Move, Solved: slices.Contains(t.moves, d.Move),
			Proven: d.Scored && proven && string(t.Class) == fmt.Sprintf("win in %d", plies),
		})
	}
	trial.Seconds = time.Since(began).Seconds()
	return trial, nil
}

// Count is the number of attempts at one class under one rule set.
type Count struct {
	Agent     string  `json:"agent"`
	Rules     string  `json:"rules"`
	Class     Class   `json:"class"`
	Solved    int     `json:"solved"`
	Proven    int     `json:"proven"` // of the wins
	Positions int     `json:"positions"`
	Seconds   float64 `json:"seconds"` // per position, mean over all of the agent's
}

// Count counts the attempts under a rule set at a class; "": all.
func (t *Trial) Count(ruleSet string, class Class) Count {
	n := Count{Agent: t.Agent, Rules: ruleSet, Class: class, Seconds: t.Seconds / float64(len(t.Attempts))}
	for _, a := range t.Attempts {
		if ruleSet != "" && a.Task.Rules != ruleSet || class != "" && a.Task.Class != class {
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

// RuleSets returns the rule sets of the attempts, in the suite's order.
func (t *Trial) RuleSets() []string {
	var list []string
	for _, a := range t.Attempts {
		if !slices.Contains(list, a.Task.Rules) {
			list = append(list, a.Task.Rules)
		}
	}
	return list
}

// Counts returns the counts of each class under each rule set that have positions.
func (t *Trial) Counts() (list []Count) {
	for _, ruleSet := range t.RuleSets() {
		for _, class := range Classes() {
			if n := t.Count(ruleSet, class); n.Positions > 0 {
				list = append(list, n)
			}
		}
	}
	return list
}

// Share returns the solved positions as text, "-" if there are none.
func (c Count) Share() string {
	if c.Positions == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", c.Solved, c.Positions)
}
