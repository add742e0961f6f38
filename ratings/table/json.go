package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"gyges/ratings"
	"gyges/ratings/textfmt"
	"io"
)

func writeJSON(w io.Writer, v any) error {
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

// tablesJSON is the JSON of all that was rated: the fit to all games, and the
// same for each part.
type tablesJSON struct {
	tableJSON
	Parts []tableJSON `json:"parts"`
}

func newTablesJSON(b Tables) tablesJSON {
	j := tablesJSON{tableJSON: newTableJSON(b.All), Parts: make([]tableJSON, len(b.Parts))}
	for _, n := range b.Notes {
		j.Notes = append(j.Notes, textfmt.JSON(n))
	}
	for i, t := range b.Parts {
		j.Parts[i] = newTableJSON(t)
	}
	return j
}

// tableJSON is the JSON of a rating table. Lists are never null.
type tableJSON struct {
	Title           textfmt.JSON     `json:"title"`
	Players         []playerJSON     `json:"players"`
	Advantage       float64          `json:"advantage"`
	AdvantageError  *float64         `json:"advantage_error"` // null where it wasn't fitted
	AdvantageFitted bool             `json:"advantage_fitted"`
	AdvantageBoot   *float64         `json:"advantage_bootstrap"`
	DrawRate        *drawJSON        `json:"draw_parameter"`
	Unrated         []unratedJSON    `json:"unrated"`
	Groups          []groupJSON      `json:"groups"`
	Games           int              `json:"games"`
	Used            int              `json:"used_games"`
	Pairs           int              `json:"pairs"`
	SelfGames       int              `json:"self_games"`
	Resamples       int              `json:"resamples"`
	ChiSquare       float64          `json:"chi_square"`
	Degrees         int              `json:"degrees_of_freedom"`
	P               float64          `json:"p"`
	Notes           []textfmt.JSON   `json:"notes"`
	Crosstable      []pairingJSON    `json:"crosstable"`
	HeadToHead      []headToHeadJSON `json:"head_to_head"`
}

type playerJSON struct {
	Number    int          `json:"number"`
	Name      textfmt.JSON `json:"name"`
	Group     int          `json:"group"`
	Elo       float64      `json:"elo"`
	Error     float64      `json:"error"`
	Bootstrap *float64     `json:"bootstrap"`
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

type drawJSON struct {
	Model     ratings.DrawModel `json:"model"`
	Parameter float64           `json:"parameter"`
	Rate      float64           `json:"rate"`
	Error     float64           `json:"error"`
}

type groupJSON struct {
	Group   int          `json:"group"`
	Name    textfmt.JSON `json:"name"`
	Players int          `json:"players"`
	Games   int          `json:"games"`
	Anchors []anchorJSON `json:"anchors"`
	Apart   string       `json:"apart"`
}

// anchorJSON has a null sd where the anchor holds fast.
type anchorJSON struct {
	Name textfmt.JSON `json:"name"`
	Elo  float64      `json:"elo"`
	SD   *float64     `json:"sd"`
}

type unratedJSON struct {
	Number int           `json:"number"`
	Name   textfmt.JSON  `json:"name"`
	Cause  ratings.Cause `json:"cause"`
	Reason textfmt.JSON  `json:"reason"`
	countJSON
}

type pairingJSON struct {
	South  textfmt.JSON `json:"south"`
	North  textfmt.JSON `json:"north"`
	Wins   int          `json:"wins"`
	Draws  int          `json:"draws"`
	Losses int          `json:"losses"`
}

type headToHeadJSON struct {
	A        textfmt.JSON `json:"a"`
	B        textfmt.JSON `json:"b"`
	Games    int          `json:"games"`
	Wins     int          `json:"wins"`
	Draws    int          `json:"draws"`
	Losses   int          `json:"losses"`
	Points   float64      `json:"points"`
	Expected float64      `json:"expected"`
	Z        float64      `json:"z"`
}

type comparisonJSON struct {
	A          textfmt.JSON `json:"a"`
	B          textfmt.JSON `json:"b"`
	Difference float64      `json:"difference"`
	Error      float64      `json:"error"`
	LOS        float64      `json:"los"`
}

// listJSON is a table of something other than ratings.
type listJSON[T any] struct {
	Title textfmt.JSON `json:"title"`
	Rows  []T          `json:"rows"`
}

func newTableJSON(t Table) tableJSON {
	r := t.Ratings
	j := tableJSON{
		Title:           textfmt.JSON(t.Title),
		Players:         make([]playerJSON, len(r.Players)),
		Advantage:       r.Advantage.Elo,
		AdvantageFitted: r.Advantage.Fitted,
		Groups:          make([]groupJSON, len(r.Groups)),
		Unrated:         make([]unratedJSON, len(r.Unrated)),
		Games:           r.Games,
		Used:            r.Used,
		Pairs:           r.Pairs,
		SelfGames:       r.SelfGames,
		Resamples:       r.Resamples,
		ChiSquare:       r.GoodnessOfFit.ChiSquare,
		Degrees:         r.GoodnessOfFit.Degrees,
		P:               r.GoodnessOfFit.P,
		Notes:           make([]textfmt.JSON, len(r.Notes)),
		Crosstable:      newCrosstableJSON(t).Rows,
		HeadToHead:      newHeadToHeadJSON(t).Rows,
	}
	sampled := func(v float64) *float64 {
		if r.Resamples == 0 {
			return nil
		}
		return &v
	}
	if r.Advantage.Fitted {
		j.AdvantageError = &r.Advantage.Error
		j.AdvantageBoot = sampled(r.Advantage.Bootstrap)
	}
	if d := r.Draws; d != nil {
		j.DrawRate = &drawJSON{d.Model, d.Parameter, d.Rate, d.Error}
	}
	for i, p := range r.Players {
		j.Players[i] = playerJSON{i + 1, textfmt.JSON(p.Name), p.Group + 1, p.Elo, p.Error, sampled(p.Bootstrap), newCountJSON(p.Count)}
	}
	for i, g := range r.Groups {
		j.Groups[i] = newGroupJSON(i, g)
	}
	for i, u := range r.Unrated {
		j.Unrated[i] = unratedJSON{len(r.Players) + i + 1, textfmt.JSON(u.Name), u.Cause, textfmt.JSON(u.Reason), newCountJSON(u.Count)}
	}
	for i, n := range r.Notes {
		j.Notes[i] = textfmt.JSON(n)
	}
	return j
}

func newGroupJSON(i int, g ratings.Group) groupJSON {
	j := groupJSON{Group: i + 1, Name: textfmt.JSON(g.Name), Players: g.Players, Games: g.Games, Apart: g.Apart, Anchors: make([]anchorJSON, len(g.Anchors))}
	for k, a := range g.Anchors {
		j.Anchors[k] = anchorJSON{Name: textfmt.JSON(a.Name), Elo: a.Elo}
		if a.SD > 0 {
			j.Anchors[k].SD = &g.Anchors[k].SD
		}
	}
	return j
}

func newCountJSON(c ratings.Count) countJSON {
	j := countJSON{Games: c.Games(), Wins: c.Wins, Draws: c.Draws, Losses: c.Losses, Points: c.Points()}
	if c.Games() > 0 {
		score, draws := c.Score(), c.DrawShare()
		j.Score, j.DrawShare = &score, &draws
	}
	return j
}

func newCrosstableJSON(t Table) listJSON[pairingJSON] {
	pairs := t.Ratings.Pairings()
	j := listJSON[pairingJSON]{textfmt.JSON(t.Title), make([]pairingJSON, len(pairs))}
	for i, p := range pairs {
		j.Rows[i] = pairingJSON{textfmt.JSON(p.South), textfmt.JSON(p.North), p.Wins, p.Draws, p.Losses}
	}
	return j
}

func newHeadToHeadJSON(t Table) listJSON[headToHeadJSON] {
	list := t.Ratings.HeadToHeads()
	j := listJSON[headToHeadJSON]{textfmt.JSON(t.Title), make([]headToHeadJSON, len(list))}
	for i, h := range list {
		j.Rows[i] = headToHeadJSON{textfmt.JSON(h.A), textfmt.JSON(h.B), h.Games(), h.Wins, h.Draws, h.Losses, h.Points(), h.Expected, h.Z}
	}
	return j
}

func newSuperiorityJSON(t Table) (any, error) {
	j := listJSON[comparisonJSON]{textfmt.JSON(t.Title), []comparisonJSON{}}
	if len(t.Ratings.Players) > maxCompared {
		return j, nil
	}
	for _, p := range t.Ratings.Players {
		if err := compareJSON(&j, t.Ratings, p.Name); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func newComparisonJSON(t Table, name string) (any, error) {
	j := listJSON[comparisonJSON]{textfmt.JSON(t.Title), []comparisonJSON{}}
	if err := compareJSON(&j, t.Ratings, name); err != nil {
		return nil, err
	}
	return j, nil
}

// compareJSON adds one player's differences to the rows.
func compareJSON(j *listJSON[comparisonJSON], r *ratings.Ratings, name string) error {
	list, err := comparisons(r, name)
	for _, c := range list {
		j.Rows = append(j.Rows, comparisonJSON{textfmt.JSON(c.a), textfmt.JSON(c.b), c.Elo, c.Error, c.LOS})
	}
	return err
}
