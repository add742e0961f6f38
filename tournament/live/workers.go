package live

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"gyges/ratings/textfmt"
	"gyges/tournament/queue/status"
	"gyges/tournament/report"
)

// workersFresh is the age at which the workers' status is out of date: the coordinator
// writes it every two seconds.
const workersFresh = 15 * time.Second

// workers is the status of the workers that play a run.
type workers struct{ *status.Run }

// workersPart is the section about the workers, "" if there is nothing to say.
func workersPart(fsys fs.FS, now time.Time) (html, error) {
	run, err := status.Read(fsys)
	if err != nil {
		return "", nil //nolint:nilerr // no usable file, no section
	}
	w := workers{run}
	var b bytes.Buffer
	if err := report.WriteFragment(&b, w.section(now)); err != nil {
		return "", err
	}
	return html(b.String()), nil //nolint:gosec // written by html/template
}

const workersID, workersTitle = "workers", "Workers"

func (w workers) section(now time.Time) report.Section {
	blocks := []report.Block{}
	at := w.Time.UTC().Format("2006-01-02 15:04:05 UTC")
	switch age := now.Sub(w.Time); {
	case w.Ended:
		blocks = append(blocks, report.Block{Text: "As it stood when the run was left, " + at + "."})
	case age > workersFresh || age < -workersFresh:
		blocks = append(blocks, report.Block{Text: "This is of the past, " + at + ": nothing has been heard of the run's coordinator since."})
	}
	blocks = append(blocks, report.Block{Facts: w.facts()}, report.Block{Table: w.table()})
	return report.Section{ID: workersID, Title: workersTitle, Blocks: blocks}
}

func (w workers) facts() []report.Fact {
	facts := []report.Fact{}
	add := func(name, value string) { facts = append(facts, report.Fact{Name: name, Value: value}) }
	switch q := w.Queue; {
	case q != nil:
		add("pairs waiting", number(q.Waiting))
		add("pairs on workers", number(q.Playing))
		add("of these redelivered", number(q.Redelivered))
	case !w.Ended:
		add("queue", "the server doesn't answer")
	}
	add("pairs done", number(w.Pairs))
	add("games done", number(w.Games))
	add("pairs/s of late", figures(w.PairsPerSecond))
	add("games/s of late", figures(w.GamesPerSecond))
	return facts
}

// number prints how many there are of something.
func number(n int64) string { return textfmt.Thousands(max(n, 0)) }

// figures prints a number with three figures, or whole.
func figures(x float64) string {
	if x >= 100 && x < 1e15 {
		return number(int64(math.Round(x)))
	}
	return strconv.FormatFloat(max(x, 0), 'g', 3, 64)
}

func (w workers) table() *report.Table {
	t := &report.Table{Caption: "Workers: " + number(w.Count), Header: []report.Head{
		{Text: "Machine", Left: true}, {Text: "State", Left: true}, {Text: "Cores"}, {Text: "Games at a time"}, {Text: "Playing"},
		{Text: "Pairs played"}, {Text: "Positions/s"}, {Text: "Version", Left: true},
	}}
	if n := int64(len(w.Workers)); n < w.Count {
		t.Caption += fmt.Sprintf(", the first %d listed", n)
	}
	for _, x := range w.Workers {
		speed := "unknown"
		if x.Speed > 0 {
			speed = figures(x.Speed)
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: said(x.Name), Row: true}, {Text: said(string(x.State))}, {Text: number(x.Cores)}, {Text: number(x.Workers)}, {Text: number(x.Playing)},
			{Text: number(x.Pairs)}, {Text: speed}, {Text: said(x.Version)},
		})
	}
	return t
}

// said is what a worker says of itself, bounded.
func said(text string) string {
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return textfmt.Visible(text)
}

// withWorkers adds the section about the workers to the page.
func (r *run) withWorkers(parts map[string]any) map[string]any {
	if r.workers == "" {
		return parts
	}
	parts = maps.Clone(parts)
	titles := maps.Clone(parts["titles"].(map[string]string))
	titles[workersID] = workersTitle
	parts["titles"] = titles
	parts["order"] = append([]string{workersID}, parts["order"].([]string)...)
	parts["section "+workersID] = r.workers
	return parts
}

// lookAtWorkers reads what is said of the workers, and reports whether it differs.
func (r *run) lookAtWorkers() bool {
	now, err := workersPart(r.place.fsys(), time.Now())
	if err != nil {
		r.server.config.Log.Error("the workers can't be shown", "run", r.place.id, "error", err)
	}
	was := r.workers
	r.workers = now
	return now != was
}
