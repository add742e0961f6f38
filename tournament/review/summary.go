package review

import (
	"cmp"
	"fmt"
	"slices"

	"gyges/rules/base/grid"
)

// Where the players of many games lose.

// Summaries are those of several rule sets, in the order of their first games. The
// zero value is empty.
type Summaries []*Summary

// Add counts a game in the summary of its rule set; see [Summary.Add].
func (s *Summaries) Add(run int, g *Review) {
	for _, summary := range *s {
		if summary.Rules == g.Rules {
			summary.Add(run, g)
			return
		}
	}
	summary := &Summary{Rules: g.Rules}
	summary.Add(run, g)
	*s = append(*s, summary)
}

// Games returns how many games were counted.
func (s Summaries) Games() int {
	n := 0
	for _, summary := range s {
		n += summary.Games
	}
	return n
}

// Summary counts by player, under one rule set, how well each plays and where it loses. The zero
// value is empty.
type Summary struct {
	Rules   string    `json:"rules"`
	Games   int       `json:"games"`
	Players []*Player `json:"players"` // in the order of their first games
}

// Player is what was counted of one player.
type Player struct {
	Agent string `json:"agent"` // its spec
	Games int    `json:"games"`
	Tally        // of all its moves
	Losses
}

// Losses are the games that a player lost by its moves, not by a fault, and their
// [Review.Decisive] moves.
type Losses struct {
	Lost      int          `json:"lost"`
	NoMistake int          `json:"no_mistake"` // games without a decisive move
	Thirds    [3]int       `json:"thirds"`     // decisive moves by the third of the game they were made in
	Heights   [4]int       `json:"heights"`    // by the height of the piece moved; 0: a pass
	Kinds     map[Kind]int `json:"kinds"`      // by what they did

	WorstGames []Loss `json:"-"` // the games with the largest losses of winning probability, at most [MaxWorst]
}

// Loss is a decisive move of a lost game.
type Loss struct {
	Run   int   // as it was given to [Summary.Add]
	Game  int64 // number of the record
	Index int   // of the move in the record, from 1
	Move  Move
}

// MaxWorst bounds [Losses.WorstGames].
const MaxWorst = 5

// Add counts a game of a run, which has a number if there are several.
func (s *Summary) Add(run int, g *Review) {
	s.Games++
	south, north := s.player(g.South), s.player(g.North)
	south.Games++
	north.Games++
	switch g.Loser() {
	case "south":
		south.lose(run, g)
	case "north":
		north.lose(run, g)
	}
	g.count(&south.Tally, &north.Tally)
}

// player returns the player of an agent, which is new or has been counted before.
func (s *Summary) player(agent string) *Player {
	for _, p := range s.Players {
		if p.Agent == agent {
			return p
		}
	}
	p := &Player{Agent: agent, Tally: Tally{Accuracy: 100}, Losses: Losses{Kinds: map[Kind]int{}}}
	s.Players = append(s.Players, p)
	return p
}

// lose counts a game that the player lost by its moves.
func (l *Losses) lose(run int, g *Review) {
	l.Lost++
	i := g.DecisiveMove()
	if i < 0 {
		l.NoMistake++
		return
	}
	m := g.Moves[i]
	third := 3 * (m.Ply - 1) / max(g.Plies, 1)
	l.Thirds[min(third, 2)]++
	l.Heights[m.Height]++
	l.Kinds[m.Kind]++
	l.WorstGames = append(l.WorstGames, Loss{run, g.Game, i + 1, m})
	slices.SortStableFunc(l.WorstGames, func(a, b Loss) int {
		return cmp.Compare(b.Move.Loss, a.Move.Loss)
	})
	l.WorstGames = l.WorstGames[:min(len(l.WorstGames), MaxWorst)]
}

// The columns of the tables of a summary, after the player's name.
var (
	qualityColumns = []playerColumn{
		{Title: "Games", Value: func(p *Player) any { return grid.Thousands(int64(p.Games)) }},
		{Title: "Accuracy", Value: func(p *Player) any {
			if p.Judged == 0 {
				return "-"
			}
			return fmt.Sprintf("%.1f", p.Accuracy)
		}},
		{Title: "Best", Value: func(p *Player) any {
			if p.Judged == 0 {
				return "-"
			}
			return fmt.Sprintf("%.0f %%", 100*float64(p.Best)/float64(p.Judged))
		}},
		{Title: "Inacc.", Value: func(p *Player) any { return p.perGame(p.Inaccuracies) }},
		{Title: "Mistakes", Value: func(p *Player) any { return p.perGame(p.Mistakes) }},
		{Title: "Blunders", Value: func(p *Player) any { return p.perGame(p.Blunders) }},
		{Title: "Missed", Value: func(p *Player) any { return p.perGame(p.MissedWins) }},
	}
	lossColumns = []playerColumn{
		{Title: "Lost", Value: func(p *Player) any { return p.Lost }},
		{Title: "Early", Value: func(p *Player) any { return p.Thirds[0] }},
		{Title: "Middle", Value: func(p *Player) any { return p.Thirds[1] }},
		{Title: "Late", Value: func(p *Player) any { return p.Thirds[2] }},
		{Title: "None", Value: func(p *Player) any { return p.NoMistake }},
		{Title: "Height 1", Value: func(p *Player) any { return p.Heights[1] }},
		{Title: "2", Value: func(p *Player) any { return p.Heights[2] }},
		{Title: "3", Value: func(p *Player) any { return p.Heights[3] }},
	}
)

type playerColumn = grid.Column[*Player]

// perGame returns how many there are in a game of the player.
func (p *Player) perGame(n int) string {
	return fmt.Sprintf("%.2f", float64(n)/float64(p.Games))
}

// Tables returns the summary as tables with a row for each player: how well the players play, and
// for those that lost games, where they lost them and what the decisive moves did. name returns
// what to call an agent, by its spec.
func (s *Summary) Tables(name func(agent string) string) []*grid.Table {
	player := []playerColumn{{Title: "Player", Left: true, Value: func(p *Player) any {
		return grid.Name(name(p.Agent))
	}}}
	quality := slices.Concat(player, qualityColumns)
	losses := slices.Concat(player, lossColumns)
	causes := player
	for _, k := range kinds {
		causes = append(causes, playerColumn{Title: k.title, Value: func(p *Player) any {
			return p.Kinds[k.kind]
		}})
	}

	// Players that lost no game have no row in the other tables.
	var losers []*Player
	for _, p := range s.Players {
		if p.Lost > 0 {
			losers = append(losers, p)
		}
	}
	tables := []*grid.Table{
		grid.Make(quality, s.Players),
		grid.Make(losses, losers),
		grid.Make(causes, losers),
	}
	tables[0].Title = "Accuracy index, share of best moves, and inaccuracies, mistakes, " +
		"blunders and missed wins per game"
	tables[1].Title = "Lost games, by the decisive move: in the first, second or last third " +
		"of the game, or none, and the height of the piece moved"
	tables[2].Title = "Lost games, by what the decisive move did: missed a win in one, " +
		"allowed one, gave a proven win away, allowed one, or was worse by evaluation alone"
	return tables
}
