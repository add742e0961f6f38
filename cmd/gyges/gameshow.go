package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/human"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

type gamesShowCmd struct {
	Source string `arg:"" name:"run" what:"a run and a game" help:"Folder of a run or file of records (games.jsonl); - is the standard input."`
	ID     int64  `check:"0.." arg:"" name:"id" what:"the number of a game" help:"The game's number, as gyges games lists it."`
	Ply    *int   `placeholder:"N" help:"Show only the position after N plies; 0 is the one that play began in."`
	Quiet  bool   `short:"q" help:"Print the moves, not the board."`
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default) or json."`
}

// Run prints the game.
func (c *gamesShowCmd) Run(ctx context.Context, e *env) error {
	files, err := gameFiles([]string{c.Source})
	if err != nil {
		return err
	}
	g, game, err := findGame(ctx, e, files[0], c.ID)
	if err != nil {
		return err
	}
	var turns []record.Turn
	if game != nil {
		turns = g.Turns(game)
	}
	switch {
	case c.Ply != nil:
		return c.position(e, g, game, turns)
	case c.Format == "json":
		return grid.WriteJSON(e.out, gameObject(g, game, turns))
	}
	c.text(e.out, g, game, turns)
	return nil
}

// position prints the position after --ply plies.
func (c *gamesShowCmd) position(e *env, g *record.Record, game *rules.Game, turns []record.Turn) error {
	if *c.Ply < 0 || *c.Ply > g.Plies {
		return fmt.Errorf("--ply: expected 0 to %d, the length of game %d, found %d", g.Plies, c.ID, *c.Ply)
	}
	if game == nil {
		return fmt.Errorf("--ply: game %d was imported without moves", c.ID)
	}
	p, last := game.Start(), rules.NoMove
	for _, t := range turns {
		if t.Ply <= *c.Ply { // placements have ply 0
			p, last = t.After, t.Move
		}
	}
	r := game.Rules()
	if c.Format == "json" {
		return grid.WriteJSON(e.out, map[string]any{"game": c.ID, "ply": *c.Ply, "position": r.FormatPosition(p)})
	}
	e.out.printf("%s\n\n%s", r.FormatPosition(p), human.Board(r, p, last, nil))
	return nil
}

// findGame finds a record and replays it; game is nil if no moves are known.
func findGame(ctx context.Context, e *env, path string, id int64) (g *record.Record, game *rules.Game, err error) {
	file, name, err := openInput(ctx, e, path)
	if err != nil {
		return nil, nil, err
	}
	g, line, err := record.Find(file, name, id)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil, fmt.Errorf("%s: expected a record of game %d, found none", name, id)
	case err != nil:
		return nil, nil, err
	case g.Reason == record.Imported && len(g.Moves) == 0:
		return g, nil, nil
	}
	if game, err = record.Replay(g); err != nil {
		return nil, nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return g, game, nil
}

// text prints the game for people.
func (c *gamesShowCmd) text(out *output, g *record.Record, game *rules.Game, turns []record.Turn) {
	out.printf("Game   %d, pair %d\nSouth  %s\nNorth  %s\n", g.Game, g.Pair, textfmt.Escape(withSpec(g.South.Agent)),
		textfmt.Escape(withSpec(g.North.Agent)))
	out.printf("Rules  %s\n", textfmt.Escape(g.Rules))
	if start := g.Timing.Start; !start.IsZero() {
		out.printf("Begun  %s\n", start.UTC().Format(time.DateTime))
	}
	if game == nil {
		out.printf("No moves are known: the game was imported.\n")
	} else {
		s := &spectator{out: out, quiet: c.Quiet}
		s.board(game.Rules(), game.Start(), rules.NoMove)
		for _, t := range turns {
			s.turn(game.Rules(), t)
		}
	}
	printResult(out, g)
}

// printResult prints how a game ended.
func printResult(out *output, g *record.Record) {
	if f := g.Fault; f != nil {
		out.printf("%v lost by a fault (%s)", f.Loser(), textfmt.Escape(string(f.Kind)))
		if f.Detail != "" {
			out.printf(": %s", textfmt.Escape(f.Detail))
		}
		out.printf("\n")
	}
	out.printf("result %s %s %d plies\n", g.Result, textfmt.Escape(g.Reason), g.Plies)
}

// withSpec is a player's name, with its spec if it has a label.
func withSpec(player string) string {
	if label := agents.LabelOf(player); label != player {
		return label + " (" + player + ")"
	}
	return player
}

// gameObject returns a game as --format json prints it.
func gameObject(g *record.Record, game *rules.Game, turns []record.Turn) grid.Object {
	moves := []grid.Object{}
	for i, t := range turns {
		m := grid.Object{
			{Key: "ply", Value: t.Ply}, {Key: "side", Value: strings.ToLower(t.Before.Side().String())}, // 0: a placement
			{Key: "move", Value: t.Move.String()}, {Key: "long", Value: game.Rules().LongText(t.Before, t.Move)},
		}
		for list, value := range g.Said(i) {
			m = append(m, grid.Object{{Key: list.Each, Value: value}}...)
		}
		moves = append(moves, append(m, grid.Object{{Key: "position", Value: game.Rules().FormatPosition(t.After)}}...))
	}
	row := listedGame{g, "", agents.LabelOf(g.South.Agent), agents.LabelOf(g.North.Agent)}
	o := slices.Concat(grid.ObjectOf(gameColumns[1:6], row), grid.Object{
		{Key: "agents", Value: []string{g.South.Agent, g.North.Agent}}, {Key: "opening", Value: g.Opening},
		{Key: "moves", Value: moves},
	}, grid.ObjectOf(gameColumns[6:], row))
	if g.Fault != nil {
		o = append(o, grid.Object{{Key: "fault", Value: g.Fault}}...)
	}
	return o
}
