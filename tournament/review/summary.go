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

// Tables returns the summary as tables with a row for each player: how well the players play, and
// for those that lost games, where they lost them and what the decisive moves did. name returns
// what to call an agent, by its spec.
func (s *Summary) Tables(name func(agent string) string) []*grid.Table {
	quality := grid.New("Accuracy index, share of best moves, and inaccuracies, mistakes, "+
		"blunders and missed wins per game", 1,
		"Player", "Games", "Accuracy", "Best", "Inacc.", "Mistakes", "Blunders", "Missed")
	losses := grid.New("Lost games, by the decisive move: in the first, second or last third "+
		"of the game, or none, and the height of the piece moved", 1,
		"Player", "Lost", "Early", "Middle", "Late", "None", "Height 1", "2", "3")
	titles := []string{"Player"}
	for _, k := range kinds {
		titles = append(titles, k.title)
	}
	causes := grid.New("Lost games, by what the decisive move did: missed a win in one, "+
		"allowed one, gave a proven win away, allowed one, or was worse by evaluation alone", 1,
		titles...)
	for _, p := range s.Players {
		player := grid.Name(name(p.Agent))
		quality.Add(p.qualityRow(player)...)
		// Players that lost no game have no row in the other tables.
		if p.Lost > 0 {
			losses.Add(p.lossRow(player)...)
			causes.Add(p.causeRow(player)...)
		}
	}
	return []*grid.Table{quality, losses, causes}
}

// qualityRow is the player's row in the table of how well the players play.
func (p *Player) qualityRow(name grid.Name) []any {
	accuracy, best := "-", "-"
	if p.Judged > 0 {
		accuracy = fmt.Sprintf("%.1f", p.Accuracy)
		percent := 100 * float64(p.Best) / float64(p.Judged)
		best = fmt.Sprintf("%.0f %%", percent)
	}
	row := []any{name, grid.Thousands(int64(p.Games)), accuracy, best}
	for _, n := range []int{p.Inaccuracies, p.Mistakes, p.Blunders, p.MissedWins} {
		perGame := float64(n) / float64(p.Games)
		row = append(row, fmt.Sprintf("%.2f", perGame))
	}
	return row
}

// lossRow is the player's row in the table of where games were lost.
func (p *Player) lossRow(name grid.Name) []any {
	row := []any{name, p.Lost}
	for _, n := range p.Thirds {
		row = append(row, n)
	}
	row = append(row, p.NoMistake)
	for _, n := range p.Heights[1:] {
		row = append(row, n)
	}
	return row
}

// causeRow is the player's row in the table of what the decisive moves did.
func (p *Player) causeRow(name grid.Name) []any {
	row := []any{name}
	for _, k := range kinds {
		row = append(row, p.Kinds[k.kind])
	}
	return row
}
