package report

import (
	"fmt"
	"slices"
	"strings"

	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
	"gyges/tournament/review"
)

// Viewer is the data of the game viewer, as its script reads it from JSON. Games have players and
// rule sets as indices of the lists; names are as tables print them.
type Viewer struct {
	Rules  []string     `json:"rules"`
	Agents []string     `json:"agents"`
	Runs   []string     `json:"runs"`
	Games  []ViewerGame `json:"games"`

	Kinds map[review.Kind]string `json:"kinds"` // what moves of each kind do, in words
}

// NewViewer returns a viewer without games.
func NewViewer() *Viewer {
	return &Viewer{
		Rules:  []string{},
		Agents: []string{},
		Runs:   []string{},
		Games:  []ViewerGame{},
		Kinds:  review.Kinds(),
	}
}

// ViewerGame is a game to be replayed. The lists by move are as long as Moves, or empty.
type ViewerGame struct {
	ID      string         `json:"id"` // number of the run from 1, a dot, number of the game
	Rules   int            `json:"rules"`
	South   int            `json:"south"`
	North   int            `json:"north"`
	Opening string         `json:"opening"`
	Moves   []string       `json:"moves"` // in long notation: each with its course, square by square
	Scores  []record.Score `json:"scores,omitempty"`
	Micros  []int          `json:"us,omitempty"`    // microseconds each move took
	Lists   []ViewerList   `json:"lists,omitempty"` // what else is known of the moves
	Result  string         `json:"result"`
	Reason  string         `json:"reason"`
	Plies   int            `json:"plies"`
	Fault   string         `json:"fault,omitempty"` // what lost it outside its rules
	Note    string         `json:"note,omitempty"`  // why not all of it is here

	Review *review.Review `json:"review,omitempty"` // nil: it was not reviewed
}

// ViewerList is a list by move.
type ViewerList struct {
	Text   string `json:"text"`   // form of an element, as package fmt has it
	Values []any  `json:"values"` // null where it is not known
}

// indexIn returns the index of a text in a list as tables print it, to which it is added if need
// be.
func indexIn(list *[]string, text string) int {
	text = textfmt.Visible(text)
	i := slices.Index(*list, text)
	if i < 0 {
		i = len(*list)
		*list = append(*list, text)
	}
	return i
}

// gameID returns the ID of a game of the run with that number, from 0.
func gameID(run int, game int64) string { return fmt.Sprintf("%d.%d", run+1, game) }

// Replay returns a game of the run with that number, from 0, as the viewer shows it. A move that
// isn't legal ends it, with a note. Rules, South and North, which are indices of a viewer's lists,
// are left 0.
func Replay(run int, g *record.Record) ViewerGame {
	v := ViewerGame{
		ID:      gameID(run, g.Game),
		Opening: g.Opening,
		Moves:   []string{},
		Result:  g.Result,
		Reason:  textfmt.Visible(g.Reason),
		Plies:   g.Plies,
	}
	if f := g.Fault; f != nil {
		fault := strings.TrimSuffix(f.Side+": "+f.Detail, ": ")
		v.Fault = textfmt.Visible(fault)
	}
	game, err := record.Play(g, func(game *rules.Game, m rules.Move) {
		v.Moves = append(v.Moves, game.Rules().LongText(game.Position(), m))
	})
	if err != nil {
		v.Note = textfmt.Visible(fmt.Sprintf("can't be replayed: %v", err))
		if game == nil {
			v.Opening = ""
		}
	}
	// What is known of moves is cut with them.
	n := len(v.Moves)
	v.Scores = g.Scores[:min(n, len(g.Scores))]
	v.addLists(g)
	const longest = 1e9 // milliseconds: files may have anything
	for _, ms := range g.Timing.MoveMS[:min(n, len(g.Timing.MoveMS))] {
		ms = max(0, min(ms, longest))
		v.Micros = append(v.Micros, int(ms*1000))
	}
	return v
}

// addLists adds the lists by move of which something is known.
func (v *ViewerGame) addLists(g *record.Record) {
	for _, list := range record.Lists {
		if list.Text == "" {
			continue
		}
		values := make([]any, len(v.Moves))
		known := false
		for i := range values {
			values[i] = list.At(g, i)
			known = known || values[i] != nil
		}
		if known {
			v.Lists = append(v.Lists, ViewerList{list.Text, values})
		}
	}
}

// viewer returns the data of the viewer with the games of the sample. label is the name of an agent
// in tables.
func (c *Collector) viewer(label func(agent string) string) *Viewer {
	v := NewViewer()
	// A review is of the game with its number, unless that was replaced.
	reviews := map[string]*review.Review{} // by the IDs of games
	for i, r := range c.runs {
		v.Runs = append(v.Runs, textfmt.Visible(r.Name))
		for _, g := range r.Reviews.Games {
			reviews[gameID(i, g.Game)] = g
		}
	}
	for _, s := range c.sample.chosen() {
		g := Replay(s.run, s.game)
		g.Rules = indexIn(&v.Rules, s.game.Rules)
		g.South = indexIn(&v.Agents, label(s.game.South.Agent))
		g.North = indexIn(&v.Agents, label(s.game.North.Agent))
		found := reviews[g.ID]
		if found != nil && found.Record == review.Identity(s.game) {
			g.Review = found
		}
		v.Games = append(v.Games, g)
	}
	return v
}
