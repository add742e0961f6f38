package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"time"

	"gyges/ratings/textfmt"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/report"
	"gyges/tournament/standings"
)

// What of a run is kept to be shown.
const (
	sampledGames = 200 // whole games
	latestGames  = 4   // on boards
	latestFaults = 20
)

// run is a run that is or was looked at.
type run struct {
	server *Server
	place  place
	feed   *feed
	used   time.Time // guarded by the catalog

	// What has been read. The feed renders one at a time.
	stamp     string    // of the files beside the records
	written   time.Time // when the last of them was
	live      bool      // whether it goes on
	about     report.Run
	tail      *tail
	games     *standings.Run
	collector *report.Collector
	hash      hash.Hash // of the records read
	index     *index    // to be verified; nil: there is none
	indexed   int64     // bytes of the records that the index file is about
	played    int64
	parsed    int64          // games read, without those of the index
	latest    []*record.Game // the last one first
	faults    faults
	problem   string // why the records can't be read further
	late      bool   // something came that the page doesn't show yet
	viewer    *report.Viewer
	page      map[string]any // the parts but for the workers
	workers   html           // who plays it elsewhere; "": nobody says
}

func newRun(s *Server, p place) *run {
	r := &run{server: s, place: p}
	r.feed = newFeed(s, r.render)
	return r
}

// begin forgets what has been read, and reads the index.
func (r *run) begin() {
	r.beginWithout()
	r.index = r.readIndex()
}

// beginWithout forgets what has been read, and the index.
func (r *run) beginWithout() {
	r.hash, r.index, r.indexed = sha256.New(), nil, 0
	r.tail = newTail(r.place.fsys())
	r.tail.most, r.tail.chunk = r.server.readMost, min(chunk, r.server.readMost)
	r.games = standings.NewRun()
	r.collector = report.NewCollector(report.Options{Games: sampledGames, Seed: 1})
	r.collector.AddRun(r.about)
	r.played, r.parsed, r.latest, r.faults = 0, 0, nil, faults{}
}

// render reads what has come and returns the parts of the page; nil if nothing
// has. It reads a bounded amount, and reports whether there is more: until all is
// read, the page says how far it is, or remains as it was.
func (r *run) render(ctx context.Context) (parts map[string]any, behind bool) {
	r.server.renders <- struct{}{}
	defer func() { <-r.server.renders }()
	changed := r.readAbout()
	came, err := r.read(ctx)
	if errors.Is(err, errAgain) {
		r.beginWithout()
		changed = true
		_, err = r.read(ctx)
	}
	if ctx.Err() != nil {
		return nil, false
	}
	if err == nil && r.tail.behind {
		r.late = r.late || came || changed
		return r.progress(), true
	}
	came, r.late = came || r.late, false
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	wasLive := r.live
	r.live = r.running()
	others := r.lookAtWorkers()
	if !came && !changed && problem == r.problem && r.live == wasLive && r.page != nil {
		if others {
			return r.withWorkers(r.page), false
		}
		return nil, false
	}
	r.problem = problem
	if parts, err = r.parts(ctx); err != nil {
		if ctx.Err() == nil {
			r.server.config.Log.Error("a run can't be shown", "run", r.place.id, "error", err)
		}
		return nil, false
	}
	r.page = parts
	if problem == "" {
		r.saveIndex()
	}
	return r.withWorkers(parts), false
}

// progress is the page of a run of which not all is read; nil if it was shown
// before.
func (r *run) progress() map[string]any {
	if r.page != nil {
		return nil
	}
	text := fmt.Sprintf("The records are being read: %.0f %% of %s MB. The figures follow when all are read.",
		100*float64(r.tail.offset)/float64(r.tail.size), textfmt.Thousands(r.tail.size/1e6))
	return map[string]any{
		"status": r.status(), "running": r.running(), "reading": true, "summary": []string{text},
		"facts": []report.Fact{{Name: "games read", Value: textfmt.Thousands(r.played)}}, "sampled": "",
		"agents": []string{}, "rules": []string{}, "latest": []latestGame{}, "order": []string{"games"}, "titles": map[string]string{"games": "Games"},
	}
}

// readAbout reads the manifest and the curves again if they have changed.
func (r *run) readAbout() bool {
	stamp := ""
	for _, name := range []string{tournament.ManifestFile, report.HistoryFile} {
		if info, err := fs.Stat(statFS{r.place}, name); err == nil {
			stamp += fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano(), " ")
			r.written = info.ModTime()
		} else {
			stamp += "- "
		}
	}
	if r.tail != nil && stamp == r.stamp {
		return false
	}
	r.stamp = stamp
	hadTest := r.about.Manifest != nil
	r.about = report.ReadRunFS(r.place.fsys(), r.place.id)
	if r.tail == nil || hadTest != (r.about.Manifest != nil) {
		r.begin()
	} else {
		r.collector.SetRun(r.about)
	}
	return true
}

// statFS asks for files without opening them.
type statFS struct{ place }

func (s statFS) Open(name string) (fs.File, error) { return s.fsys().Open(name) }

func (s statFS) Stat(name string) (fs.FileInfo, error) {
	return s.root.Stat(path.Join(s.dir, name))
}

// status is the manifest's word for how the run stands.
func (r *run) status() string {
	switch m := r.about.Manifest; {
	case m != nil && m.Status != "":
		return string(m.Status)
	case r.about.Tuning != nil || len(r.about.Charts) > 0:
		return tuning
	}
	return noManifest
}

// running reports whether the run goes on, as far as can be told. A tuning doesn't
// say so; it has written something of late.
func (r *run) running() bool {
	return r.status() == string(tournament.Running) || r.status() == tuning && time.Since(r.written) < freshFor
}

// freshFor is how long after its last line a tuning is taken to go on.
const freshFor = 2 * time.Minute

// read takes the games in that have come.
func (r *run) read(ctx context.Context) (bool, error) {
	if r.index != nil {
		if behind, err := r.verify(ctx); behind || err != nil {
			r.tail.behind = behind
			return false, err
		}
	}
	return r.tail.read(ctx, r.status() != string(tournament.Running), time.Now(), func(lines io.Reader) error {
		return r.games.Read(ctx, io.TeeReader(lines, r.hash), r.add)
	})
}

func (r *run) add(o *record.GameResult, g *record.Game) {
	r.played++
	r.parsed++
	if g == nil {
		r.collector.AddResult(o)
		return
	}
	r.collector.Add(g)
	r.faults.add(g)
	r.latest = append([]*record.Game{g}, r.latest[:min(len(r.latest), latestGames-1)]...)
}

// latestGame is a game on one of the boards.
type latestGame struct {
	Game  report.ViewerGame `json:"game"`
	Rules string            `json:"rules"`
	South string            `json:"south"`
	North string            `json:"north"`
}

// html is a text that is HTML already.
type html = template.HTML

// parts makes the page.
func (r *run) parts(ctx context.Context) (map[string]any, error) {
	if r.status() == string(tournament.Running) {
		m := *r.about.Manifest
		m.Games.Played = r.played // the manifest says it at the end
		about := r.about
		about.Manifest = &m
		r.collector.SetRun(about)
	}
	rated, labels, err := r.games.Fit(ctx)
	if err != nil {
		return nil, err
	}
	p, err := report.Build(r.collector, report.Input{
		Title: path.Base(r.place.id), Tables: rated, Labels: labels, Commands: r.again(),
	})
	if err != nil {
		return nil, err
	}
	parts := map[string]any{
		"status": r.statusText(), "running": r.live, "reading": false, "summary": p.Summary, "facts": p.Facts, "sampled": p.Sampled,
		"agents": []string{}, "rules": []string{}, "latest": r.latestGames(labels),
	}
	if r.viewer = p.Viewer; p.Viewer != nil {
		parts["agents"], parts["rules"] = p.Viewer.Agents, p.Viewer.Rules
	}
	if p.Viewer == nil && r.played == 0 {
		parts["facts"], parts["sampled"] = []report.Fact{}, "There are none yet."
		if len(r.about.Charts) == 0 {
			parts["facts"] = []report.Fact{{Name: "games", Value: "0"}}
		}
	}
	sections := p.Sections
	if len(sections) == 1 || sections[len(sections)-2].ID != report.GamesSection().ID {
		sections = slices.Insert(sections, len(sections)-1, report.GamesSection())
	}
	if r.faults.n > 0 {
		sections = append([]report.Section{r.faults.section(labels)}, sections...)
	}
	order := []string{}
	for _, s := range sections {
		order = append(order, s.ID)
		if len(s.Blocks) == 0 {
			continue
		}
		var b bytes.Buffer
		if err := report.WriteFragment(&b, s); err != nil {
			return nil, err
		}
		parts["section "+s.ID] = html(b.String()) //nolint:gosec // written by html/template
	}
	parts["order"], parts["titles"] = order, titles(sections)
	return parts, nil
}

func titles(sections []report.Section) map[string]string {
	list := map[string]string{}
	for _, s := range sections {
		list[s.ID] = s.Title
	}
	return list
}

// again is the command lines that give the same figures.
func (r *run) again() []string {
	dir := r.place.root.Name()
	if r.place.dir != "." {
		dir = path.Join(dir, r.place.dir)
	}
	word := report.ShellWord(dir)
	return []string{"gyges rate " + word, "gyges report " + word}
}

func (r *run) statusText() string {
	text := r.status()
	if t := r.about.Tuning; t != nil && t.Method != "" {
		text += " · " + textfmt.Visible(t.Method)
	}
	if m := r.about.Manifest; m != nil && m.Games.Scheduled > 0 {
		text += " · " + strconv.FormatInt(m.Games.Scheduled, 10) + " games planned"
	}
	if !r.tail.changed.IsZero() && len(r.latest) > 0 {
		g := r.latest[0]
		if end := g.Timing.Start.Add(time.Duration(g.Timing.Seconds * float64(time.Second))); !end.IsZero() {
			text += " · last game ended " + end.UTC().Format("2006-01-02 15:04:05 UTC")
		}
	}
	if r.problem != "" {
		text += " · can't be read further: " + textfmt.Visible(r.problem)
	}
	return text
}

// latestGames are the games that ended last, to be shown on boards.
func (r *run) latestGames(labels map[string]string) []latestGame {
	list := []latestGame{}
	for _, g := range r.latest {
		list = append(list, latestGame{report.Replay(0, g), textfmt.Visible(g.Rules), nameOf(labels, g.South.Agent), nameOf(labels, g.North.Agent)})
	}
	return list
}

// nameOf is what tables call an agent.
func nameOf(labels map[string]string, agent string) string {
	if label, ok := labels[agent]; ok {
		agent = label
	}
	return textfmt.Visible(agent)
}

// faults are games that were lost outside the rules.
type faults struct {
	n    int64
	last []*record.Game // the last one first
}

func (f *faults) add(g *record.Game) {
	if g.Fault == nil || g.NotPlayed() {
		return
	}
	f.n++
	f.last = append([]*record.Game{g}, f.last[:min(len(f.last), latestFaults-1)]...)
}

func (f *faults) section(labels map[string]string) report.Section {
	t := &report.Table{Caption: fmt.Sprintf("Games lost by faults: %d", f.n)}
	if int(f.n) > len(f.last) {
		t.Caption += fmt.Sprintf(", the last %d listed", len(f.last))
	}
	t.Header = []report.Head{{Text: "Game"}, {Text: "Player", Left: true}, {Text: "Side", Left: true}, {Text: "Fault", Left: true}, {Text: "What happened", Left: true}}
	for _, g := range f.last {
		player := g.South.Agent
		if g.Fault.Side != rulesSide(rules.South) {
			player = g.North.Agent
		}
		const most = 300
		var detail []rune
		if g.Fault.Detail != "" {
			detail = []rune(textfmt.Visible(g.Fault.Detail))
		}
		if len(detail) > most {
			detail = append(detail[:most], '…')
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: strconv.FormatInt(g.Game, 10)}, {Text: nameOf(labels, player), Row: true}, {Text: g.Fault.Side},
			{Text: string(g.Fault.Kind)}, {Text: string(detail)},
		})
	}
	return report.Section{ID: "faults", Title: "Faults", Blocks: []report.Block{{Table: t}}}
}

// rulesSide is how records write a side.
func rulesSide(s rules.Side) string {
	if s == rules.North {
		return "north"
	}
	return "south"
}

// serveRun shows a run.
func (s *Server) serveRun(w http.ResponseWriter, r *http.Request) {
	run := s.catalog.run(r.PathValue("id"))
	if run == nil {
		s.refuse(w, http.StatusNotFound, "there is no such run")
		return
	}
	now, viewer := run.show()
	if now.parts == nil {
		s.refuse(w, http.StatusInternalServerError, "the run can't be shown; the server's log says why")
		return
	}
	s.pages.write(s, w, "run", runPage{
		Title: run.place.id, ID: run.place.id, Version: s.versionText(now.version), Snapshot: now, Viewer: viewer,
	})
}

// show returns the page and the games to begin with.
func (r *run) show() (snapshot, *report.Viewer) {
	now := r.feed.now(r.server.poll)
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	if r.viewer == nil {
		return now, &report.Viewer{Rules: []string{}, Agents: []string{}, Runs: []string{}, Games: []report.ViewerGame{}}
	}
	return now, r.viewer
}

func (s *Server) serveRunEvents(w http.ResponseWriter, r *http.Request) {
	run := s.catalog.run(r.PathValue("id"))
	if run == nil {
		s.refuse(w, http.StatusNotFound, "there is no such run")
		return
	}
	run.feed.serve(w, r)
}
