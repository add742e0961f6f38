package review

import (
	"cmp"
	"fmt"
	"slices"

	"gyges/rules/base/grid"
)

// Summaries are those of several rule sets, in the order of their first games. The zero value is empty.
type Summaries []*Summary

// Add counts a game in the summary of its rule set; see [Summary.Add].
func (s *Summaries) Add(run int, g *Review) {
	i := slices.IndexFunc(*s, func(of *Summary) bool { return of.Rules == g.Rules })
	if i < 0 {
		i = len(*s)
		*s = append(*s, &Summary{Rules: g.Rules})
	}
	(*s)[i].Add(run, g)
}

// Games returns how many games were counted.
func (s Summaries) Games() int {
	n := 0
	for _, of := range s {
		n += of.Games
	}
	return n
}

// Summary counts by player, under one rule set, how well each plays and where it loses. The zero value is empty.
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

// Losses are the games that a player lost by its moves, not by a fault, and their [Review.Decisive] moves.
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
	players := map[string]*Player{"south": s.player(g.South), "north": s.player(g.North)}
	for side, p := range players {
		p.Games++
		if side == g.Loser() {
			p.lose(run, g)
		}
	}
	for i := range g.Moves {
		if m := &g.Moves[i]; m.Judged() {
			players[m.Side].add(m)
		}
	}
}

func (s *Summary) player(agent string) *Player {
	i := slices.IndexFunc(s.Players, func(p *Player) bool { return p.Agent == agent })
	if i < 0 {
		i = len(s.Players)
		p := &Player{Agent: agent, Tally: Tally{Accuracy: 100}, Losses: Losses{Kinds: map[Kind]int{}}}
		s.Players = append(s.Players, p)
	}
	return s.Players[i]
}

func (l *Losses) lose(run int, g *Review) {
	l.Lost++
	i := g.DecisiveMove()
	if i < 0 {
		l.NoMistake++
		return
	}
	m := g.Moves[i]
	l.Thirds[min(3*(m.Ply-1)/max(g.Plies, 1), 2)]++
	l.Heights[m.Height]++
	l.Kinds[m.Kind]++
	l.WorstGames = append(l.WorstGames, Loss{run, g.Game, i + 1, m})
	slices.SortStableFunc(l.WorstGames, func(a, b Loss) int { return cmp.Compare(b.Move.Loss, a.Move.Loss) })
	l.WorstGames = l.WorstGames[:min(len(l.WorstGames), MaxWorst)]
}

// Tables returns the summary as tables with a row for each player: how well the players play, and for those that lost
// games, where they lost them and what the decisive moves did. name returns what to call an agent, by its spec.
func (s *Summary) Tables(name func(agent string) string) []*grid.Table {
	column := func(title string, value func(p *Player) any) grid.Column[*Player] {
		return grid.Column[*Player]{Title: title, Value: value}
	}
	perGame := func(title string, n func(p *Player) int) grid.Column[*Player] {
		return column(title, func(p *Player) any { return fmt.Sprintf("%.2f", float64(n(p))/float64(p.Games)) })
	}
	player := column("Player", func(p *Player) any { return grid.Name(name(p.Agent)) })
	player.Left = true
	losers := slices.DeleteFunc(slices.Clone(s.Players), func(p *Player) bool { return p.Lost == 0 })
	what := []grid.Column[*Player]{player}
	for i, title := range []string{"Missed goal", "Allowed goal", "Missed win", "Allowed win", "Worse"} {
		what = append(what, column(title, func(p *Player) any { return p.Kinds[Kinds()[i]] }))
	}
	return []*grid.Table{
		grid.Make([]grid.Column[*Player]{
			player,
			column("Games", func(p *Player) any { return grid.Thousands(int64(p.Games)) }),
			column("Accuracy", func(p *Player) any { return p.judged("%.1f", p.Accuracy) }),
			column("Best", func(p *Player) any { return p.judged("%.0f %%", 100*float64(p.Best)/float64(p.Judged)) }),
			perGame("Inacc.", func(p *Player) int { return p.Inaccuracies }),
			perGame("Mistakes", func(p *Player) int { return p.Mistakes }),
			perGame("Blunders", func(p *Player) int { return p.Blunders }),
			perGame("Missed", func(p *Player) int { return p.MissedWins }),
		}, s.Players).WithTitle(
			"Accuracy index, share of best moves, and inaccuracies, mistakes, blunders and missed wins per game"),
		grid.Make([]grid.Column[*Player]{
			player,
			column("Lost", func(p *Player) any { return p.Lost }),
			column("Early", func(p *Player) any { return p.Thirds[0] }),
			column("Middle", func(p *Player) any { return p.Thirds[1] }),
			column("Late", func(p *Player) any { return p.Thirds[2] }),
			column("None", func(p *Player) any { return p.NoMistake }),
			column("Height 1", func(p *Player) any { return p.Heights[1] }),
			column("2", func(p *Player) any { return p.Heights[2] }),
			column("3", func(p *Player) any { return p.Heights[3] }),
		}, losers).WithTitle(
			"Lost games, by the decisive move: in the first, second or last third of the game, or none, and the height " +
				"of the piece moved"),
		grid.Make(what, losers).WithTitle(
			"Lost games, by what the decisive move did: missed a win in one, allowed one, gave a proven win away, " +
				"allowed one, or was worse by evaluation alone"),
	}
}

// judged formats a figure of the moves judged; "-" if there are none.
func (t *Tally) judged(format string, x float64) string {
	if t.Judged == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}
