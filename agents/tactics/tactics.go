// Package tactics is a test of agents by positions with proven best moves: wins in 1, 3 and 5
// plies, and threats with one defence. [Read] reads a suite of such positions as tasks, [Try] lets
// an agent decide each, and the [Trial] counts what it has solved.
package tactics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/strictjson"
)

// Class is a kind of task.
type Class string

// The classes.
const (
	WinIn1 Class = "win in 1"
	WinIn3 Class = "win in 3"
	WinIn5 Class = "win in 5"
	// OnlyMove: the opponent threatens to win, and one move doesn't lose within 4 plies.
	OnlyMove Class = "only move"
)

// Classes returns the classes, the easiest first.
func Classes() []Class { return []Class{WinIn1, WinIn3, WinIn5, OnlyMove} }

// Puzzle is a position in which a game begins, so that no move repeats, and all moves that solve
// it.
type Puzzle struct {
	Rules    string   `json:"rules"` // as rules.Parse reads them
	Class    Class    `json:"class"`
	Position string   `json:"position"`
	Moves    []string `json:"moves"` // in short notation
}

const (
	maxLine    = 1 << 16 // bytes
	maxPuzzles = 10000
)

// Task is a puzzle with its texts parsed.
type Task struct {
	Puzzle
	rules    *rules.Rules
	position rules.Position
	moves    []rules.Move
}

// Read reads a suite, one JSON object a line, and checks that the moves are legal. Errors name the
// file and the line.
func Read(in io.Reader, name string) ([]Task, error) {
	var tasks []Task
	err := files.Lines(in, name, maxLine, maxPuzzles, func(_ int, line string) error {
		t, err := parse(line)
		tasks = append(tasks, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s: expected a line for each position, found none", name)
	}
	return tasks, nil
}

func parse(text string) (Task, error) {
	var t Task
	if err := strictjson.Unmarshal([]byte(text), maxLine, &t.Puzzle); err != nil {
		const form = `{"rules":…,"class":…,"position":…,"moves":[…]}`
		return t, fmt.Errorf("expected %s: %w", form, err)
	}
	if !slices.Contains(Classes(), t.Class) {
		return t, fmt.Errorf("class: expected one of %.60q, found %.60q", Classes(), t.Class)
	}
	var err error
	t.rules, err = rules.Parse(t.Rules)
	if err != nil {
		return t, fmt.Errorf("rules: %w", err)
	}
	t.position, err = t.rules.ParsePosition(t.Position)
	if err != nil {
		return t, fmt.Errorf("position %w", err)
	}
	if len(t.Moves) == 0 {
		return t, errors.New("moves: expected those that solve it, found none")
	}
	g := t.game()
	for _, text := range t.Moves {
		m, err := t.rules.ParseMove(t.position, text)
		if err == nil {
			err = g.Check(m)
		}
		if err != nil {
			return t, fmt.Errorf("moves: %w", err)
		}
		t.moves = append(t.moves, m)
	}
	return t, nil
}

func (t *Task) game() *rules.Game { return rules.NewGame(t.rules, t.position) }

// Attempt is an agent's decision in a task.
type Attempt struct {
	Task   *Task
	Move   rules.Move
	Solved bool
}

// Trial is the result of an agent in a suite.
type Trial struct {
	Agent    string
	Attempts []Attempt
	Seconds  float64 // for all attempts
}

// Try lets an agent decide each task, as the side to move in a new game. The error is the
// context's, or the agent's.
func Try(
	ctx context.Context, name string, a agents.Agent, tasks []Task, lim agents.Limits,
) (Trial, error) {
	trial := Trial{Agent: name}
	began := time.Now()
	for i := range tasks {
		t := &tasks[i]
		g := t.game()
		var d agents.Decision
		err := a.NewGame(ctx, agents.SetupOf(g, 1))
		if err == nil {
			d, err = a.Choose(ctx, g, agents.Request{Limits: lim})
		}
		if ctx.Err() != nil {
			return trial, ctx.Err() // the decision was cut short
		}
		if err != nil {
			return trial, fmt.Errorf("%s: %w", t.Position, err)
		}
		solved := slices.Contains(t.moves, d.Move)
		trial.Attempts = append(trial.Attempts, Attempt{t, d.Move, solved})
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
	Positions int     `json:"positions"`
	Seconds   float64 `json:"seconds"` // per position, mean over all of the agent's
}

// Count counts the attempts under a rule set at a class; "": all.
func (t *Trial) Count(ruleSet string, class Class) Count {
	mean := t.Seconds / float64(len(t.Attempts))
	n := Count{Agent: t.Agent, Rules: ruleSet, Class: class, Seconds: mean}
	for _, a := range t.Attempts {
		if ruleSet != "" && a.Task.Rules != ruleSet {
			continue
		}
		if class != "" && a.Task.Class != class {
			continue
		}
		n.Positions++
		if a.Solved {
			n.Solved++
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
