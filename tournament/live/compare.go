package live

import (
	"bytes"
	"html/template"
	"net/http"

	"gyges/tournament/report"
)

// maxCompared bounds the bytes of each run's records that are read to compare two runs.
const maxCompared = 64 << 20

// comparePage is the data of the page of two runs.
type comparePage struct {
	Runs    []entry // to choose from
	A, B    string  // ids; "": not chosen
	Game    *report.ComparedGame
	Section template.HTML
}

// compare shows two runs side by side, with a form to choose them.
func (p *Pages) compare(w http.ResponseWriter, q *http.Request) {
	page := comparePage{A: q.FormValue("a"), B: q.FormValue("b")}
	page.Runs, _ = p.catalog.entries()
	if page.A != "" && page.B != "" {
		a, okA := p.catalog.find(page.A)
		b, okB := p.catalog.find(page.B)
		if !okA || !okB {
			p.server.Refuse(w, http.StatusNotFound, "there is no such run")
			return
		}
		p.renders <- struct{}{}
		defer func() { <-p.renders }()
		var text bytes.Buffer
		c, err := report.Compare(q.Context(), a, b, maxCompared)
		if err == nil {
			err = report.WriteFragment(&text, c.Section())
		}
		if err != nil {
			p.server.Log.Error("two runs can't be compared", "a", page.A, "b", page.B, "error", err)
			p.server.Refuse(w, http.StatusInternalServerError, "the runs can't be compared; the server's log has the reason")
			return
		}
		page.Game, page.Section = c.Game, template.HTML(text.String()) //nolint:gosec // written by html/template
	}
	p.server.WritePage(w, http.StatusOK, "compare", page)
}
