package live

import (
	"fmt"
	"time"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/queue/status"
	"gyges/tournament/report"
)

// isFresh reports whether the workers' status is that of a coordinator at work.
func isFresh(w *status.Run, now time.Time) bool {
	const workersFresh = 15 * time.Second // the coordinator writes it every second
	return w != nil && !w.Ended && now.Sub(w.Time).Abs() <= workersFresh
}

func workersSection(w *status.Run, now time.Time) report.Section {
	s := report.Section{ID: "workers", Title: "Workers"}
	at := w.Time.UTC().Format("2006-01-02 15:04:05 UTC")
	switch {
	case w.Ended:
		s.Parts = []report.Part{{Text: "The last state of the run, " + at + "."}}
	case !isFresh(w, now):
		s.Parts = []report.Part{{Text: "Out of date: the run's coordinator last wrote this at " + at + "."}}
	}
	var facts []report.Fact
	switch q := w.Queue; {
	case q != nil:
		facts = []report.Fact{
			{Name: "pairs waiting", Value: number(q.Waiting)}, {Name: "pairs on workers", Value: number(q.Playing)},
			{Name: "of these redelivered", Value: number(q.Redelivered)},
		}
	case !w.Ended:
		facts = []report.Fact{{Name: "queue", Value: "the server doesn't answer"}}
	}
	facts = append(facts, report.Fact{Name: "games done", Value: number(w.Games)},
		report.Fact{Name: "recent games/s", Value: textfmt.Digits(max(w.GamesPerSecond, 0))})
	title := "Workers: " + number(w.Count)
	if n := int64(len(w.Workers)); n < w.Count {
		title += fmt.Sprintf(", the first %d listed", n)
	}
	table := grid.Make(workersColumns, w.Workers).WithTitle(title)
	s.Parts = append(s.Parts, report.Part{Facts: facts}, report.Part{Table: table})
	return s
}

func number(n int64) string { return textfmt.Thousands(max(n, 0)) }

// workersColumns are those of the table of workers, whose texts come over the network.
var workersColumns = []grid.Column[status.Worker]{
	{Title: "Machine", Left: true, Value: func(x status.Worker) any { return bounded(x.Name) }},
	{Title: "State", Left: true, Value: func(x status.Worker) any { return bounded(string(x.State)) }},
	{Title: "Cores", Value: func(x status.Worker) any { return number(x.Cores) }},
	{Title: "Games at a time", Value: func(x status.Worker) any { return number(x.Workers) }},
	{Title: "Playing", Value: func(x status.Worker) any { return number(x.Playing) }},
	{Title: "Pairs played", Value: func(x status.Worker) any { return number(x.Pairs) }},
	{Title: "Positions/s", Value: func(x status.Worker) any {
		if x.Speed <= 0 {
			return "unknown"
		}
		return textfmt.Digits(x.Speed)
	}},
	{Title: "Version", Left: true, Value: func(x status.Worker) any { return bounded(x.Version) }},
}

func bounded(text string) grid.Name { return grid.Name(textfmt.Cut(text, 100)) }
