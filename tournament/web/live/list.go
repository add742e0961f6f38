package live

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// listing is the list of all runs.
type listing struct {
	runs []entry
	more bool // some were left out
}

// parts is for a [feed]: events tell pages that the list has changed, and these ask for what they
// show of it.
func (l listing) parts() map[string]any {
	text, _ := json.Marshal(l.runs) // they are plain data
	digest := fmt.Sprintf("%x", sha256.Sum256(text))
	return map[string]any{"runs": digest}
}

// query is the query in the address of the list, which says what is shown of it: "status",
// "format" and "rules" of the runs, words that they contain ("q"), the run that they are in
// ("in"), and the column to sort by, after "-" in descending order ("sort").
type query struct{ url.Values }

// values returns what a run has in a column of words.
func (e *entry) values(column string) []string {
	switch column {
	case "run":
		return []string{e.ID}
	case "status":
		return []string{e.Status}
	case "format":
		return []string{e.Format}
	case "rules":
		return e.Rules
	case "players":
		return []string{e.About}
	}
	return nil
}

// shows reports whether the query selects a run.
func (q query) shows(e *entry) bool {
	for _, m := range menus {
		wanted := q.Get(m.Name)
		if wanted != "" && !slices.Contains(e.values(m.Name), wanted) {
			return false
		}
	}
	// Runs in others are for searches, and for lists of what is in a run.
	words := strings.Fields(strings.ToLower(q.Get("q")))
	if in := q.Get("in"); in != "" {
		if !strings.HasPrefix(e.ID, in+"/") {
			return false
		}
	} else if e.In != "" && len(words) == 0 {
		return false
	}
	text := strings.Join([]string{e.ID, e.Status, e.Format, e.About}, " ")
	text = strings.ToLower(text + " " + strings.Join(e.Rules, " "))
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// column is a column of the list, with a link in its head that sorts by it.
type column struct {
	Name, Title string
	Words       bool
	Sort        string // address of the list sorted by a click on its head, relative to the page
	Sorted      string // "" or as aria-sort
}

// order returns the column by which the list is sorted. Without one asked for the run written last
// is first.
func (q query) order() (column string, descending bool) {
	return strings.CutPrefix(cmp.Or(q.Get("sort"), "-written"), "-")
}

// columns are the columns of the list.
func (q query) columns() []column {
	list := []column{
		{Name: "run", Title: "Run", Words: true},
		{Name: "status", Title: "Status", Words: true},
		{Name: "format", Title: "Format", Words: true},
		{Name: "games", Title: "Games"},
		{Name: "rules", Title: "Rules", Words: true},
		{Name: "players", Title: "Players", Words: true},
		{Name: "written", Title: "Last written"},
	}
	// A click on the head of a column sorts by it, the second one the other way.
	sorted, descending := q.order()
	values := maps.Clone(q.Values)
	maps.DeleteFunc(values, func(_ string, list []string) bool { return list[0] == "" })
	for i := range list {
		c := &list[i]
		ascending := c.Words // of numbers the most come first
		if c.Name == sorted {
			c.Sorted = "ascending"
			if descending {
				c.Sorted = "descending"
			}
			ascending = descending
		}
		order := c.Name
		if !ascending {
			order = "-" + order
		}
		values.Set("sort", order)
		c.Sort = "?" + values.Encode()
	}
	return list
}

// compare returns the order of two runs by a column.
func compare(column string, a, b *entry) int {
	switch column {
	case "games":
		return cmp.Compare(a.Games, b.Games)
	case "written":
		return a.Written.Compare(b.Written)
	}
	return slices.Compare(a.values(column), b.values(column))
}

// menu is a menu that chooses the runs to list.
type menu struct {
	Name, Title, Chosen string
	Values              []string
}

// menus get their values by [query.menus].
var menus = []menu{
	{Name: "status", Title: "Status"},
	{Name: "format", Title: "Format"},
	{Name: "rules", Title: "Rules"},
}

// menus returns the menus with the values to choose from.
func (q query) menus(all []entry) []menu {
	list := slices.Clone(menus)
	for i := range list {
		m := &list[i]
		m.Chosen = q.Get(m.Name)
		known := map[string]bool{m.Chosen: true}
		for _, e := range all {
			for _, value := range e.values(m.Name) {
				known[value] = true
			}
		}
		delete(known, "")
		m.Values = slices.Sorted(maps.Keys(known))
	}
	return list
}

// serveList writes the first page, which is the list of runs.
func (p *Pages) serveList(w http.ResponseWriter, r *http.Request) {
	now := p.list.now(p.pollInterval)
	if now.parts == nil {
		p.server.FailPage(w, errNoPage)
		return
	}
	all, q := now.page, query{r.URL.Query()}
	var shown []entry
	for _, e := range all.runs {
		if q.shows(&e) {
			shown = append(shown, e)
		}
	}
	sorted, descending := q.order()
	slices.SortStableFunc(shown, func(a, b entry) int {
		order := compare(sorted, &a, &b)
		if descending {
			order = -order
		}
		return cmp.Or(order, b.Written.Compare(a.Written), strings.Compare(a.ID, b.ID))
	})
	p.server.WritePage(w, http.StatusOK, "list", struct {
		Query   query
		Version int64
		Columns []column
		Menus   []menu
		Runs    []entry
		All     int
		More    bool
		Results string
	}{
		Query:   q,
		Version: now.version,
		Columns: q.columns(),
		Menus:   q.menus(all.runs),
		Runs:    shown,
		All:     len(all.runs),
		More:    all.more,
		Results: p.catalog.path,
	})
}
