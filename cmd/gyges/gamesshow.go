package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/human"
	"gyges/rules"
	"gyges/tournament/record"
)

// gamesShowCmd replays a recorded game.
type gamesShowCmd struct {
	Source string `arg:"" name:"run" help:"Folder of a run or file of records (games.jsonl); - is the standard input."`
	ID     int64  `arg:"" name:"id" help:"The game's number, as gyges games lists it."`
	Ply    *int   `placeholder:"N" help:"Show only the position after N plies; 0 is the one that play began in."`
	Quiet  bool   `short:"q" help:"Print the moves, not the board."`
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default) or json."`
}

// Help is the part of the help below the summary.
func (gamesShowCmd) Help() string {
	return "Plays a recorded game again, move by move, in long notation with what the player said of each: its score in points, the " +
		"depth it searched, the positions it visited, the time it took. Every move is checked against the rules, and so is the " +
		"result; a record that doesn't fit is refused with file and line."
}

func (gamesShowCmd) examples() []example {
	return []example{
		{"gyges games show results/quick-20260102-150405 17", ""},
		{"gyges games show results/quick-20260102-150405 17 --ply 12", "the board after ply 12"},
		{"gyges games show results/quick-20260102-150405 17 --format json", ""},
	}
}

// Run prints the game.
func (c *gamesShowCmd) Run(ctx context.Context, e *env) error {
	if c.ID < 0 {
		return fmt.Errorf("expected the number of a game, from 0, found %d", c.ID)
	}
	files, err := runFiles([]string{c.Source})
	if err != nil {
		return err
	}
	r, err := findReplay(ctx, e, files[0], c.ID)
	if err != nil {
		return err
	}
	if c.Ply != nil {
		return c.ply(e, r)
	}
	if c.Format == "json" {
		return writeJSON(e.out, r.json())
	}
	r.text(e.out, c.Quiet)
	return nil
}

// ply prints the position after so many plies.
func (c *gamesShowCmd) ply(e *env, r *replay) error {
	if *c.Ply < 0 || *c.Ply > r.record.Plies {
		return fmt.Errorf("--ply: expected 0 to %d, the length of game %d, found %d", r.record.Plies, c.ID, *c.Ply)
	}
	if r.game == nil {
		return fmt.Errorf("--ply: game %d was imported without moves", c.ID)
	}
	p, last := r.after(*c.Ply)
	if c.Format == "json" {
		return writeJSON(e.out, map[string]any{"game": c.ID, "ply": *c.Ply, "position": r.game.Rules().FormatPosition(p)})
	}
	e.out.printf("%s\n\n%s", r.game.Rules().FormatPosition(p), human.Board(r.game.Rules(), p, last))
	return nil
}

// replay is a record and its game, which is nil if no moves are known.
type replay struct {
	record *record.Game
	game   *rules.Game
}

// findReplay finds a record and plays it again.
func findReplay(ctx context.Context, e *env, f runFile, id int64) (*replay, error) {
	file, name, err := f.open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	g, line, err := record.Find(file, name, id)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: expected a record of game %d, found none", name, id)
	case err != nil:
		return nil, err
	case g.Reason == record.Imported && len(g.Moves) == 0:
		return &replay{record: g}, nil
	}
	game, err := record.Replay(g)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return &replay{g, game}, nil
}

// after returns the position after so many plies and the move that led there.
func (r *replay) after(plies int) (rules.Position, rules.Move) {
	p, last := r.game.Start(), rules.NoMove
	for _, m := range r.game.Moves() {
		if !m.IsPlacement() {
			if plies == 0 {
				return p, last
			}
			plies--
		}
		p, last = r.game.Rules().Apply(p, m), m
	}
	return p, last
}

// decision is what the player said of move i.
func (r *replay) decision(i int, m rules.Move) agents.Decision {
	d := agents.Decision{Move: m}
	if g := r.record; len(g.Scores) > 0 && g.Scores[i] != record.NoScore {
		d.Scored, d.Score = true, agents.Score(g.Scores[i])
	}
	if len(r.record.Depths) > 0 {
		d.Depth = r.record.Depths[i]
	}
	if len(r.record.Nodes) > 0 {
		d.Nodes = r.record.Nodes[i]
	}
	return d
}

// text prints the game for people.
func (r *replay) text(out *output, quiet bool) {
	g := r.record
	out.printf("Game   %d, pair %d\nSouth  %s\nNorth  %s\n", g.Game, g.Pair, visible(withSpec(g.South.Agent)), visible(withSpec(g.North.Agent)))
	out.printf("Rules  %s\n", visible(g.Rules))
	if start := g.Timing.Start; !start.IsZero() {
		out.printf("Begun  %s\n", start.UTC().Format(time.DateTime))
	}
	if r.game == nil {
		out.printf("No moves are known: the game was imported.\n")
	} else {
		r.moves(out, quiet)
	}
	if f := g.Fault; f != nil {
		out.printf("%s%s lost by a fault (%s)", strings.ToUpper(f.Side[:1]), f.Side[1:], visible(string(f.Kind)))
		if f.Detail != "" {
			out.printf(": %s", visible(f.Detail))
		}
		out.printf("\n")
	}
	out.printf("result %s %s %d plies\n", g.Result, visible(g.Reason), g.Plies)
}

// withSpec is a player's name, with its spec if it has a label.
func withSpec(player string) string {
	if label := agents.LabelOf(player); label != player {
		return label + " (" + player + ")"
	}
	return player
}

// moves prints the moves and the boards.
func (r *replay) moves(out *output, quiet bool) {
	rs, p := r.game.Rules(), r.game.Start()
	s := &spectator{out: out, quiet: quiet}
	s.board(rs, p, rules.NoMove)
	ply := 0
	for i, m := range r.game.Moves() {
		number := "    "
		if !m.IsPlacement() {
			ply++
			number = fmt.Sprintf("%3d.", ply)
		}
		said := remarks(r.decision(i, m))
		if ms := r.record.Timing.MoveMS; len(ms) > 0 {
			if said != "" {
				said += ", "
			}
			said += clockText(ms[i])
		}
		line := fmt.Sprintf("%s %v  %s", number, p.Side(), rs.LongText(p, m))
		out.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-48s  %s", line, said), " "))
		p = rs.Apply(p, m)
		if !rs.SettingUp(p) {
			s.board(rs, p, m)
		}
	}
}

// clockText prints milliseconds for people.
func clockText(ms float64) string {
	if ms < 1000 {
		return fmt.Sprintf("%.1fms", ms)
	}
	return fmt.Sprintf("%.2fs", ms/1000)
}

// replayJSON is a game as --format json prints it.
type replayJSON struct {
	Game    int64         `json:"game"`
	Pair    int64         `json:"pair"`
	Rules   string        `json:"rules"`
	South   string        `json:"south"` // names
	North   string        `json:"north"`
	Agents  [2]string     `json:"agents"` // specs, of South and North
	Opening string        `json:"opening"`
	Moves   []shownMove   `json:"moves"`
	Result  string        `json:"result"`
	Reason  string        `json:"reason"`
	Plies   int           `json:"plies"`
	Fault   *record.Fault `json:"fault,omitempty"`
}

// shownMove is a move of a replayed game.
type shownMove struct {
	Ply      int      `json:"ply"`  // from 1; 0 for a placement
	Side     string   `json:"side"` // south or north
	Move     string   `json:"move"`
	Long     string   `json:"long"`
	Score    *int32   `json:"score,omitempty"` // hundredths of a point, from the mover's side
	Depth    int      `json:"depth,omitempty"`
	Nodes    int64    `json:"nodes,omitempty"`
	MS       *float64 `json:"ms,omitempty"`
	Position string   `json:"position"` // after it
}

func (r *replay) json() replayJSON {
	g := r.record
	j := replayJSON{
		Game: g.Game, Pair: g.Pair, Rules: g.Rules, South: agents.LabelOf(g.South.Agent), North: agents.LabelOf(g.North.Agent),
		Agents: [2]string{g.South.Agent, g.North.Agent}, Opening: g.Opening,
		Result: g.Result, Reason: g.Reason, Plies: g.Plies, Fault: g.Fault, Moves: []shownMove{},
	}
	if r.game == nil {
		return j
	}
	rs, p, ply := r.game.Rules(), r.game.Start(), 0
	for i, m := range r.game.Moves() {
		d := r.decision(i, m)
		s := shownMove{Side: strings.ToLower(p.Side().String()), Move: m.String(), Long: rs.LongText(p, m), Depth: d.Depth, Nodes: d.Nodes}
		if d.Scored {
			s.Score = (*int32)(&d.Score)
		}
		if ms := g.Timing.MoveMS; len(ms) > 0 {
			s.MS = &ms[i]
		}
		if !m.IsPlacement() {
			ply++
			s.Ply = ply
		}
		p = rs.Apply(p, m)
		s.Position = rs.FormatPosition(p)
		j.Moves = append(j.Moves, s)
	}
	return j
}
