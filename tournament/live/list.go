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

// shows reports whether the query selects a run. Runs in others are for searches, and for lists of what is in a run.
func (q query) shows(e *entry) bool {
	in, words := q.Get("in"), strings.Fields(strings.ToLower(q.Get("q")))
	text := strings.ToLower(strings.Join(append([]string{e.ID, e.Status, e.Format, e.About}, e.Rules...), " "))
	is := func(name string, values ...string) bool {
		return q.Get(name) == "" || slices.Contains(values, q.Get(name))
	}
	return is("status", e.Status) && is("format", e.Format) && is("rules", e.Rules...) &&
		(in == "" || strings.HasPrefix(e.ID, in+"/")) && (in != "" || len(words) > 0 || e.In == "") &&
		!slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

type column struct {
	Name, Title string
	Words       bool
	compare     func(a, b *entry) int
	Sort        string // address of the list sorted by a click on its head, relative to the page
	Sorted      string // "" or as aria-sort
}

// columns are those of the list, with the order of the rows. Without one asked for the last written run is first.
func (q query) columns() []column {
	list := []column{
		{Name: "run", Title: "Run", compare: func(a, b *entry) int { return cmp.Compare(a.ID, b.ID) }},
		{Name: "status", Title: "Status", compare: func(a, b *entry) int { return cmp.Compare(a.Status, b.Status) }},
		{Name: "format", Title: "Format", compare: func(a, b *entry) int { return cmp.Compare(a.Format, b.Format) }},
		{Name: "games", Title: "Games", compare: func(a, b *entry) int { return cmp.Compare(a.Games, b.Games) }},
		{Name: "rules", Title: "Rules", compare: func(a, b *entry) int { return slices.Compare(a.Rules, b.Rules) }},
		{Name: "players", Title: "Players", compare: func(a, b *entry) int { return cmp.Compare(a.About, b.About) }},
		{Name: "written", Title: "Last written", compare: func(a, b *entry) int { return a.Written.Compare(b.Written) }},
	}
	now := cmp.Or(q.Get("sort"), "-written")
	for i := range list {
		c := &list[i]
		number := c.Name == "games" || c.Name == "written"
		c.Words = !number
		switch now {
		case c.Name:
			c.Sorted, c.Sort = "ascending", "-"+c.Name
		case "-" + c.Name:
			c.Sorted, c.Sort = "descending", c.Name
		default:
			if c.Sort = c.Name; number { // the most first
				c.Sort = "-" + c.Name
			}
		}
		values := maps.Clone(q.Values)
		values.Set("sort", c.Sort)
		maps.DeleteFunc(values, func(_ string, list []string) bool { return list[0] == "" })
		c.Sort = "?" + values.Encode()
	}
	return list
}

type menu struct {
	Name, Title, Chosen string
	Values              []string
}

func (q query) menus(all []entry) []menu {
	list := []menu{{Name: "status", Title: "Status"}, {Name: "format", Title: "Format"}, {Name: "rules", Title: "Rules"}}
	for i := range list {
		m := &list[i]
		m.Chosen = q.Get(m.Name)
		m.Values = []string{m.Chosen}
		for _, e := range all {
			m.Values = append(m.Values, [][]string{{e.Status}, {e.Format}, e.Rules}[i]...)
		}
		slices.Sort(m.Values)
		m.Values = slices.DeleteFunc(slices.Compact(m.Values), func(value string) bool { return value == "" })
	}
	return list
}

func (p *Pages) serveList(w http.ResponseWriter, r *http.Request) {
	now, q := p.list.now(p.pollInterval), query{r.URL.Query()}
	if now.parts == nil {
		p.server.FailPage(w, errNoPage)
		return
	}
	all := now.page
	shown, columns := slices.DeleteFunc(slices.Clone(all.runs), func(e entry) bool { return !q.shows(&e) }), q.columns()
	i := slices.IndexFunc(columns, func(c column) bool { return c.Sorted != "" })
	slices.SortStableFunc(shown, func(a, b entry) int {
		by := 0
		if i >= 0 {
			by = columns[i].compare(&a, &b)
			if columns[i].Sorted == "descending" {
				by = -by
			}
		}
		return cmp.Or(by, b.Written.Compare(a.Written), cmp.Compare(a.ID, b.ID))
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
	}{q, now.version, columns, q.menus(all.runs), shown, len(all.runs), all.more, p.catalog.path})
}
