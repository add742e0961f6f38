package live

import (
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"strings"
	"time"

	"gyges/rules/base/textfmt"
	"gyges/tournament/queue/status"
	"gyges/tournament/report"
)

// workersFresh is the age at which the workers' status is out of date: the coordinator
// writes it every second.
const workersFresh = 15 * time.Second

const workersID, workersTitle = "workers", "Workers"

// workersPart is the section about the workers that play a run; "" without a usable
// status file.
func workersPart(fsys fs.FS, now time.Time) (template.HTML, error) {
	w, err := status.Read(fsys)
	if err != nil {
		return "", nil //nolint:nilerr // no usable file, no section
	}
	s := report.Section{ID: workersID, Title: workersTitle}
	at := w.Time.UTC().Format("2006-01-02 15:04:05 UTC")
	switch age := now.Sub(w.Time); {
	case w.Ended:
		s.Blocks = []report.Block{{Text: "The last state of the run, " + at + "."}}
	case age > workersFresh || age < -workersFresh:
		s.Blocks = []report.Block{{Text: "Out of date: the run's coordinator last wrote this at " + at + "."}}
	}
	s.Blocks = append(s.Blocks, report.Block{Facts: workersFacts(w)}, report.Block{Table: workersTable(w)})
	var b strings.Builder
	err = report.WriteFragment(&b, s)
	return template.HTML(b.String()), err //nolint:gosec // written by html/template
}

func workersFacts(w *status.Run) []report.Fact {
	facts := []report.Fact{}
	switch q := w.Queue; {
	case q != nil:
		facts = []report.Fact{
			{Name: "pairs waiting", Value: number(q.Waiting)}, {Name: "pairs on workers", Value: number(q.Playing)},
			{Name: "of these redelivered", Value: number(q.Redelivered)},
		}
	case !w.Ended:
		facts = []report.Fact{{Name: "queue", Value: "the server doesn't answer"}}
	}
	return append(facts, []report.Fact{
		{Name: "pairs done", Value: number(w.Pairs)}, {Name: "games done", Value: number(w.Games)},
		{Name: "recent pairs/s", Value: textfmt.Digits(max(w.PairsPerSecond, 0))},
		{Name: "recent games/s", Value: textfmt.Digits(max(w.GamesPerSecond, 0))},
	}...)
}

// number formats a count.
func number(n int64) string { return textfmt.Thousands(max(n, 0)) }

func workersTable(w *status.Run) *report.Table {
	t := &report.Table{Caption: "Workers: " + number(w.Count), Header: []report.Head{
		{Text: "Machine", Left: true}, {Text: "State", Left: true}, {Text: "Cores"}, {Text: "Games at a time"},
		{Text: "Playing"}, {Text: "Pairs played"}, {Text: "Positions/s"}, {Text: "Version", Left: true},
	}}
	if n := int64(len(w.Workers)); n < w.Count {
		t.Caption += fmt.Sprintf(", the first %d listed", n)
	}
	bounded := func(text string) string { return textfmt.Visible(shorten(text, 100)) }
	for _, x := range w.Workers {
		speed := "unknown"
		if x.Speed > 0 {
			speed = textfmt.Digits(x.Speed)
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: bounded(x.Name), Row: true}, {Text: bounded(string(x.State))}, {Text: number(x.Cores)},
			{Text: number(x.Workers)}, {Text: number(x.Playing)}, {Text: number(x.Pairs)}, {Text: speed},
			{Text: bounded(x.Version)},
		})
	}
	return t
}

// withWorkers returns the parts of a page with a section about the workers, if there are some.
func (r *run) withWorkers(parts map[string]any) map[string]any {
	parts = maps.Clone(parts)
	workers, err := workersPart(r.folder, time.Now())
	if err != nil {
		r.pages.server.Log.Error("the workers can't be shown", "run", r.folder.id, "error", err)
	}
	if workers == "" {
		return parts
	}
	titles := maps.Clone(parts["titles"].(map[string]string))
	titles[workersID] = workersTitle
	parts["titles"] = titles
	parts["order"] = append([]string{workersID}, parts["order"].([]string)...)
	parts["section "+workersID] = workers
	return parts
}
