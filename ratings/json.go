package ratings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// writeJSON writes one table as an object and any other number as an array.
func writeJSON[T any](w io.Writer, tables []Table, object func(Table) T) error {
	objects := make([]T, len(tables))
	for i, t := range tables {
		objects[i] = object(t)
	}
	var v any = objects
	if len(objects) == 1 {
		v = objects[0]
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	if _, err := w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	return nil
}

// tableJSON is the JSON of a rating table. Lists are never null.
type tableJSON struct {
	Title      exact         `json:"title"`
	Players    []playerJSON  `json:"players"`
	Advantage  advantageJSON `json:"advantage"`
	Groups     []groupJSON   `json:"groups"`
	Unrated    []unratedJSON `json:"unrated"`
	Games      int           `json:"games"`
	Used       int           `json:"used_games"`
	SelfGames  int           `json:"self_games"`
	Notes      []exact       `json:"notes"`
	Crosstable []pairingJSON `json:"crosstable"`
}

type playerJSON struct {
	Number int     `json:"number"`
	Name   exact   `json:"name"`
	Group  int     `json:"group"`
	Elo    float64 `json:"elo"`
	Error  float64 `json:"error"`
	countJSON
}

// countJSON has null for the shares of a player without games.
type countJSON struct {
	Games     int      `json:"games"`
	Wins      int      `json:"wins"`
	Draws     int      `json:"draws"`
	Losses    int      `json:"losses"`
	Points    float64  `json:"points"`
	Score     *float64 `json:"score"`
	DrawShare *float64 `json:"draw_share"`
}

// advantageJSON has a null error where the advantage wasn't fitted.
type advantageJSON struct {
	Value  float64  `json:"value"`
	Error  *float64 `json:"error"`
	Fitted bool     `json:"fitted"`
}

// groupJSON has a null anchor where the mean is zero.
type groupJSON struct {
	Group   int    `json:"group"`
	Players int    `json:"players"`
	Games   int    `json:"games"`
	Anchor  *exact `json:"anchor"`
	Apart   string `json:"apart,omitempty"`
}

type unratedJSON struct {
	Number int   `json:"number"`
	Name   exact `json:"name"`
	Cause  Cause `json:"cause"`
	Reason exact `json:"reason"`
	countJSON
}

type pairingJSON struct {
	South  exact `json:"south"`
	North  exact `json:"north"`
	Wins   int   `json:"wins"`
	Draws  int   `json:"draws"`
	Losses int   `json:"losses"`
}

type crosstableJSON struct {
	Title      exact         `json:"title"`
	Crosstable []pairingJSON `json:"crosstable"`
}

func newTableJSON(t Table) tableJSON {
	r := t.Ratings
	j := tableJSON{
		Title:      exact(t.Title),
		Players:    make([]playerJSON, len(r.Players)),
		Advantage:  advantageJSON{Value: r.Advantage.Elo, Fitted: r.Advantage.Fitted},
		Groups:     make([]groupJSON, len(r.Groups)),
		Unrated:    make([]unratedJSON, len(r.Unrated)),
		Games:      r.Games,
		Used:       r.Used,
		SelfGames:  r.SelfGames,
		Notes:      make([]exact, len(r.Notes)),
		Crosstable: newCrosstableJSON(t).Crosstable,
	}
	if r.Advantage.Fitted {
		j.Advantage.Error = &r.Advantage.Error
	}
	for i, p := range r.Players {
		j.Players[i] = playerJSON{i + 1, exact(p.Name), p.Group + 1, p.Elo, p.Error, newCountJSON(p.Count)}
	}
	for i, g := range r.Groups {
		j.Groups[i] = groupJSON{Group: i + 1, Players: g.Players, Games: g.Games, Apart: g.Apart}
		if g.Anchor != nil {
			name := exact(g.Anchor.Name)
			j.Groups[i].Anchor = &name
		}
	}
	for i, u := range r.Unrated {
		j.Unrated[i] = unratedJSON{len(r.Players) + i + 1, exact(u.Name), u.Cause, exact(u.Reason), newCountJSON(u.Count)}
	}
	for i, n := range r.Notes {
		j.Notes[i] = exact(n)
	}
	return j
}

func newCountJSON(c Count) countJSON {
	j := countJSON{Games: c.Games(), Wins: c.Wins, Draws: c.Draws, Losses: c.Losses, Points: c.Points()}
	if c.Games() > 0 {
		score, draws := c.Score(), c.DrawShare()
		j.Score, j.DrawShare = &score, &draws
	}
	return j
}

func newCrosstableJSON(t Table) crosstableJSON {
	pairs := t.Ratings.meetings.list()
	j := crosstableJSON{Title: exact(t.Title), Crosstable: make([]pairingJSON, len(pairs))}
	for i, p := range pairs {
		j.Crosstable[i] = pairingJSON{exact(p.South), exact(p.North), p.Wins, p.Draws, p.Losses}
	}
	return j
}
