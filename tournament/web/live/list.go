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

type listing struct {
	runs []entry
	more bool // some were left out
}

// parts is for a [feed]: events tell pages that the list has changed, and these ask for what they show of it.
func (l listing) parts() map[string]any {
	text, _ := json.Marshal(l.runs) // which it takes
	return map[string]any{"runs": fmt.Sprintf("%x", sha256.Sum256(text))}
}

// query is the query in the address of the list, which says what is shown of it: "status", "format" and "rules" of the
// runs, words that they contain ("q"), the run that they are in ("in"), and the column to sort by, after "-" in
// descending order ("sort").
type query struct{ url.Values }

// values returns what a run has in the column of a menu.
func (e *entry) values(column string) []string {
	switch column {
	case "status":
		return []string{e.Status}
	case "format":
		return []string{e.Format}
	}
	return e.Rules
}

// shows reports whether the query selects a run. Runs in others are for searches, and for lists of what is in a run.
func (q query) shows(e *entry) bool {
	for _, m := range menus {
		wanted := q.Get(m.Name)
		if wanted != "" && !slices.Contains(e.values(m.Name), wanted) {
			return false
		}
	}
	words := strings.Fields(strings.ToLower(q.Get("q")))
	if in := q.Get("in"); in != "" {
		if !strings.HasPrefix(e.ID, in+"/") {
			return false
		}
	} else if e.In != "" && len(words) == 0 {
		return false
	}
	text := strings.ToLower(strings.Join(append([]string{e.ID, e.Status, e.Format, e.About}, e.Rules...), " "))
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

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

// columns are those of the list.
func (q query) columns() []column {
	list := []column{
		{Name: "run", Title: "Run", Words: true}, {Name: "status", Title: "Status", Words: true},
		{Name: "format", Title: "Format", Words: true}, {Name: "games", Title: "Games"},
		{Name: "rules", Title: "Rules", Words: true}, {Name: "players", Title: "Players", Words: true},
		{Name: "written", Title: "Last written"},
	}
	sorted, descending := q.order()
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
		c.Sort = c.Name
		if !ascending {
			c.Sort = "-" + c.Name
		}
		values := maps.Clone(q.Values)
		values.Set("sort", c.Sort)
		maps.DeleteFunc(values, func(_ string, list []string) bool { return list[0] == "" })
		c.Sort = "?" + values.Encode()
	}
	return list
}

// compare returns the order of two runs by a column.
func compare(column string, a, b *entry) int {
	switch column {
	case "run":
		return strings.Compare(a.ID, b.ID)
	case "status":
		return strings.Compare(a.Status, b.Status)
	case "format":
		return strings.Compare(a.Format, b.Format)
	case "games":
		return cmp.Compare(a.Games, b.Games)
	case "rules":
		return slices.Compare(a.Rules, b.Rules)
	case "players":
		return strings.Compare(a.About, b.About)
	case "written":
		return a.Written.Compare(b.Written)
	}
	return 0
}

type menu struct {
	Name, Title, Chosen string
	Values              []string
}

// menus choose the runs to list. They get their values by [query.menus].
var menus = []menu{
	{Name: "status", Title: "Status"}, {Name: "format", Title: "Format"}, {Name: "rules", Title: "Rules"},
}

// menus returns the menus with the values to choose from.
func (q query) menus(all []entry) []menu {
	list := slices.Clone(menus)
	for i := range list {
		m := &list[i]
		m.Chosen = q.Get(m.Name)
		m.Values = []string{m.Chosen}
		for _, e := range all {
			m.Values = append(m.Values, e.values(m.Name)...)
		}
		slices.Sort(m.Values)
		m.Values = slices.DeleteFunc(slices.Compact(m.Values), func(value string) bool { return value == "" })
	}
	return list
}

func (p *Pages) serveList(w http.ResponseWriter, r *http.Request) {
	now := p.list.now(p.pollInterval)
	if now.parts == nil {
		p.server.FailPage(w, errNoPage)
		return
	}
	all, q := now.page, query{r.URL.Query()}
	shown := slices.DeleteFunc(slices.Clone(all.runs), func(e entry) bool { return !q.shows(&e) })
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
	}{q, now.version, q.columns(), q.menus(all.runs), shown, len(all.runs), all.more, p.catalog.path})
}
