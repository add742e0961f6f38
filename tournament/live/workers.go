package live

import (
	"fmt"
	"time"

	"gyges/rules/base/textfmt"
	"gyges/tournament/queue/status"
	"gyges/tournament/report"
)

// workersFresh is the age at which the workers' status is out of date: the coordinator
// writes it every second.
const workersFresh = 15 * time.Second

// isFresh reports whether the workers' status is that of a coordinator at work.
func isFresh(w *status.Run, now time.Time) bool {
	return w != nil && !w.Ended && now.Sub(w.Time).Abs() <= workersFresh
}

// workersSection is about the workers that play a run.
func workersSection(w *status.Run, now time.Time) report.Section {
	s := report.Section{ID: "workers", Title: "Workers"}
	at := w.Time.UTC().Format("2006-01-02 15:04:05 UTC")
	switch {
	case w.Ended:
		s.Blocks = []report.Block{{Text: "The last state of the run, " + at + "."}}
	case !isFresh(w, now):
		s.Blocks = []report.Block{{Text: "Out of date: the run's coordinator last wrote this at " + at + "."}}
	}
	s.Blocks = append(s.Blocks, report.Block{Facts: workersFacts(w)}, report.Block{Table: workersTable(w)})
	return s
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
	bounded := func(text string) string { return textfmt.Visible(textfmt.Cut(text, 100)) }
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
