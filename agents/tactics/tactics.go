// Package tactics is a test of agents by positions with proven best moves: wins in
// 1, 3 and 5 plies, and threats with one defence. It reads suites of such positions, and counts what agents solve.
package tactics

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/strictjson"
)

// Class is a kind of task.
type Class string

// The classes.
const (
	WinIn1   Class = "win in 1"
	WinIn3   Class = "win in 3"
	WinIn5   Class = "win in 5"
	OnlyMove Class = "only move" // the one that doesn't lose within 4 plies; the opponent threatens to win
)

// Classes returns the classes, the easiest first.
func Classes() []Class { return []Class{WinIn1, WinIn3, WinIn5, OnlyMove} }

// Puzzle is a position and all moves that solve it. A game begins in the position, so
// the repetition rule excludes no move.
type Puzzle struct {
	Rules    string   `json:"rules"` // as rules.Parse reads them
	Class    Class    `json:"class"`
	Position string   `json:"position"`
	Moves    []string `json:"moves"` // in short notation
}

// Bounds of a suite's file.
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

// Read reads a suite, one JSON object a line, and checks that the moves are legal. Errors give the name of the file and
// the line.
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
		return t, fmt.Errorf(`expected {"rules":…,"class":…,"position":…,"moves":[…]}: %w`, err)
	}
	if !slices.Contains(Classes(), t.Class) {
		return t, fmt.Errorf("class: expected one of %.60q, found %.60q", Classes(), t.Class)
	}
	var err error
	if t.rules, err = rules.Parse(t.Rules); err != nil {
		return t, fmt.Errorf("rules: %w", err)
	}
	if t.position, err = t.rules.ParsePosition(t.Position); err != nil {
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

// game starts a game in the task's position.
func (t *Task) game() *rules.Game { return rules.NewGame(t.rules, t.position) }
