package live

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"sync/atomic"
	"time"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
	"gyges/tournament/runs"
	"gyges/tournament/web/report"
)

// Numbers of games kept for a run's page.
const (
	sampledGames = 200 // whole games
	latestGames  = 4   // on boards
	endsKept     = 256 // times
)

// run is a run that was opened. Its fields are guarded by the feed, which renders one page at a
// time.
type run struct {
	pages  *Pages
	folder folder
	feed   *feed[*page]
	used   atomic.Int64 // time in nanoseconds

	report.RunInfo        // by the files beside the records
	stamp          string // their sizes and times; "": they are to be read
	status         string
	running        bool         // a process has the run
	*reading                    // of the records
	problem        string       // why the records can't be read further
	late           bool         // games were read that the page doesn't show yet
	rated          *page        // but for its state, workers and games under way; nil: none yet
	names          agents.Names // of players
}

// page is the page of a run.
type page struct {
	*report.Page
	Status   string
	State    template.HTML
	Running  bool
	Reading  bool // its records; no section is made yet
	Latest   []boardGame
	Playing  []boardGame
	Sections []section

	expected float64 // games left until the run ends; NaN: unknown
}

// section is a section of a page; without HTML it is the viewer's.
type section struct {
	ID    string        `json:"id"`
	Title string        `json:"title"`
	HTML  template.HTML `json:"-"`
}

// Data is what the page's script has of it at first: the parts but for the sections.
func (p *page) Data() map[string]any {
	return map[string]any{
		"status":   p.Status,
		"state":    p.State,
		"running":  p.Running,
		"reading":  p.Reading,
		"summary":  p.Summary,
		"facts":    p.Facts,
		"sampled":  p.Sampled,
		"latest":   p.Latest,
		"playing":  p.Playing,
		"agents":   p.Viewer.Agents,
		"rules":    p.Viewer.Rules,
		"contents": p.Sections,
	}
}

// parts are the parts of the page that events send, by their names.
func (p *page) parts() map[string]any {
	parts := p.Data()
	for _, s := range p.Sections {
		if s.HTML != "" {
			parts["section "+s.ID] = s.HTML
		}
	}
	return parts
}

// reading is what was read of the records since their beginning.
type reading struct {
	tail      tail
	reader    runs.Stream
	file      runs.File
	collector *report.Collector
	latest    []*record.Record // the last one first
	ends      []time.Time      // of the last endsKept games
	faults    int64            // games lost by faults
}

// restart begins to read the records from their beginning.
func (r *run) restart() {
	r.reading = &reading{
		tail:      tail{folder: r.folder, most: r.pages.maxRead},
		collector: report.NewCollector(report.Options{Games: sampledGames, Seed: 1}),
		file: runs.File{
			Name:     tournament.GamesFile,
			Format:   source.Records,
			Manifest: r.Manifest,
		},
	}
	r.collector.AddRun(r.RunInfo)
}

// render reads what was appended and returns the page. It reads a bounded amount, and reports
// whether there is more: until all is read, the page shows the progress, or remains as it was.
func (r *run) render(ctx context.Context) (p *page, changed, behind bool) {
	r.used.Store(time.Now().UnixNano())
	changed = r.readAbout(ctx)
	// Records that were replaced are read from their beginning.
	appended, err := r.read(ctx)
	if errors.Is(err, errReplaced) {
		r.restart()
		changed = true
		_, err = r.read(ctx)
	}
	// When the server stops, nothing that was read is shown any more.
	if ctx.Err() != nil {
		return nil, false, false
	}
	if files.HostLacks(err) { // the page stays as it was; what was found may be wrong, too
		r.pages.server.Log.Error("a run can't be read", "run", r.folder.id, "error", err)
		r.stamp = ""
		return nil, false, false
	}
	// Whether a process has the run can change without a change of its files.
	if appended || r.late {
		changed = true
	}
	if running := r.isRunning(); running != r.running {
		r.running = running
		changed = true
	}
	r.late = err == nil && r.tail.behind
	if r.late {
		return r.progress(), r.rated == nil, true
	}
	// The figures are made anew if something has changed, the rest each time.
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if problem != r.problem {
		r.problem = problem
		changed = true
	}
	err = nil
	if changed || r.rated == nil {
		r.rated, err = r.rate(ctx)
	}
	if err == nil {
		p, err = r.withCurrent(*r.rated, time.Now())
	}
	if err != nil && ctx.Err() == nil {
		r.pages.server.Log.Error("a run can't be shown", "run", r.folder.id, "error", err)
	}
	return p, err == nil, false
}

// games is the place of the viewer.
var games = report.GamesSection()

// progress is the page until all records are read for the first time.
func (r *run) progress() *page {
	share := float64(r.tail.offset) / float64(r.tail.size)
	megabytes := textfmt.Thousands(r.tail.size / 1e6)
	summary := fmt.Sprintf("Reading the records: %.0f %% of %s MB. "+
		"The figures appear when all are read.", 100*share, megabytes)
	read := textfmt.Thousands(r.collector.Games())
	p := r.page(&report.Page{
		Summary: []string{summary},
		Facts:   []report.Fact{{Name: "games read", Value: read}},
		Viewer:  report.NewViewer(),
	})
	p.Reading = true
	p.Sections = []section{{ID: games.ID, Title: games.Title}}
	return p
}

// page returns a page of the report made, without sections.
func (r *run) page(made *report.Page) *page {
	return &page{
		Page:    made,
		Status:  r.statusText(),
		Running: r.running,
		Latest:  []boardGame{},
		Playing: []boardGame{},
	}
}

// readAbout reads the manifest and the history again if they have changed.
func (r *run) readAbout(ctx context.Context) bool {
	stamp, _ := r.folder.state(filesBeside)
	if stamp == r.stamp {
		return false
	}
	r.stamp = stamp
	hadManifest := r.Manifest != nil
	r.RunInfo = report.ReadRunFS(ctx, r.folder, r.folder.id)
	r.Folder = r.folder.path()
	r.status = describe(r.folder).Status
	hasManifest := r.Manifest != nil
	if r.reading == nil || hadManifest != hasManifest {
		r.restart()
		return true
	}
	r.collector.SetRun(r.RunInfo)
	r.file.Manifest = r.Manifest
	return true
}

// isFinal reports whether the run has ended by its manifest.
func (r *run) isFinal() bool { return r.status != string(tournament.Running) }

// isRunning reports whether the run is in progress; of a tuning without a manifest, whether its
// files changed recently.
func (r *run) isRunning() bool {
	const recently = 2 * time.Minute
	if r.status != tuning {
		return !r.isFinal() && !r.folder.isLeft(filesBeside, r.stamp)
	}
	_, written := r.folder.state(runFiles)
	return time.Since(written) < recently
}

// read counts the games that were appended, and reports whether there were any.
func (r *run) read(ctx context.Context) (bool, error) {
	return r.tail.read(func(lines io.Reader) error {
		r.file.In = lines
		return r.collector.Read(ctx, &r.reader, &r.file, r.add)
	})
}

// add takes a game that was counted.
func (r *reading) add(g *record.Record) {
	r.collector.Sample(g)
	if !g.OnlyResult() {
		r.latest = slices.Insert(r.latest, 0, g)
		r.latest = r.latest[:min(len(r.latest), latestGames)]
	}
	r.ends = append(r.ends, endOf(g))
	r.ends = r.ends[max(0, len(r.ends)-endsKept):]
	if g.Fault != nil {
		r.faults++
	}
}

// boardGame is a game that the page shows on a board.
type boardGame struct {
	Game  report.ViewerGame `json:"game"`
	Rules string            `json:"rules"`
	South string            `json:"south"`
	North string            `json:"north"`
}

// boardGames returns games as boards show them.
func (r *run) boardGames(games []*record.Record) []boardGame {
	return lists.Map(games, func(g *record.Record) boardGame {
		return boardGame{
			Game:  report.Replay(0, g),
			Rules: textfmt.Visible(g.Rules),
			South: r.label(g.South.Agent),
			North: r.label(g.North.Agent),
		}
	})
}

// underWay are the games under way, as the run's file of them says if it was written lately.
func (r *run) underWay() []boardGame {
	file, err := tournament.ReadPlaying(r.folder)
	if err != nil || !r.running {
		return []boardGame{}
	}
	if time.Since(file.Time).Abs() > tournament.PlayingFresh {
		return []boardGame{}
	}
	// Those that are over, or recorded, are no longer under way.
	list := slices.DeleteFunc(file.Games, func(g *record.Record) bool {
		if g.Result != "" || g.Game < r.reader.Found() {
			return true
		}
		return record.VerifyPlaying(g) != nil
	})
	return r.boardGames(list)
}

// rate makes the page but for what changes by itself.
func (r *run) rate(ctx context.Context) (*page, error) {
	// While the run goes on its manifest is older than its records.
	if about := r.RunInfo; about.Manifest != nil && !r.isFinal() {
		m := *about.Manifest
		m.Games.Played = r.reader.Found() // the file has it at the end
		about.Manifest = &m
		r.collector.SetRun(about)
	}
	rated, err := r.collector.Fit(ctx, ratings.Options{}, true)
	if err != nil {
		return nil, err
	}
	rated.Notes = append(rated.Notes, r.reader.Notes()...)
	r.names = r.collector.Names()
	hasGames := r.collector.Games() > 0
	isTuning := r.Tuning != nil || len(r.Charts) > 0 // it may have no games
	isEmpty := !hasGames && !isTuning
	var commands []string // that print the same figures
	if hasGames {
		commands = append(commands, "gyges rate "+textfmt.ShellWord(r.Folder))
	}
	if !isEmpty {
		commands = append(commands, "gyges report "+textfmt.ShellWord(r.Folder))
	}
	made := report.Build(r.collector, report.Input{
		Title:    path.Base(r.folder.id),
		Tables:   rated,
		Labels:   r.names,
		Commands: commands,
	})
	// A run without games has a place for those that come.
	if isEmpty {
		made.Facts = []report.Fact{{Name: "games", Value: "0"}}
		made.Sampled = "There are none yet."
		made.Sections = slices.Insert(made.Sections, len(made.Sections)-1, games)
	}
	p := r.page(made)
	p.Latest = r.boardGames(r.latest)
	p.expected = r.gamesLeft(ctx)
	for _, s := range made.Sections {
		written, err := writeSection(s)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, written)
	}
	return p, nil
}

// writeSection writes a section, but for the viewer's, which the page has by itself.
func writeSection(s report.Section) (written section, err error) {
	written = section{ID: s.ID, Title: s.Title}
	if len(s.Parts) > 0 {
		written.HTML, err = s.HTML()
	}
	return written, err
}

// withCurrent adds what changes by itself to a page: state, workers and games under way.
func (r *run) withCurrent(p page, now time.Time) (*page, error) {
	p.Playing = r.underWay()
	w, err := status.Read(r.folder)
	if err != nil {
		w = nil // no usable file, no workers
	}
	p.State, err = r.pages.server.HTML("state", r.state(w, now))
	if err != nil || w == nil {
		return &p, err
	}
	workers, err := writeSection(workersSection(w, now))
	isStandings := func(s section) bool { return s.ID == "standings" }
	after := 1 + slices.IndexFunc(p.Sections, isStandings) // the first section if there are none
	p.Sections = slices.Insert(slices.Clone(p.Sections), after, workers)
	return &p, err
}

// statusText says how the run stands.
func (r *run) statusText() string {
	text := r.status
	if !r.isFinal() && !r.running {
		text = "stopped without an end; " + r.folder.goesOn(r.Manifest)
	}
	if t := r.Tuning; t != nil && t.Method != "" {
		text += " · " + textfmt.Visible(t.Method)
	}
	// Of imported games only days are known, perhaps in no order.
	isImported := r.status == string(tournament.Imported)
	if n := len(r.ends); n > 0 && !isImported {
		if last := r.ends[n-1]; !last.IsZero() {
			text += " · last game ended " + timeOf(last)
		}
	}
	if r.problem != "" {
		text += " · can't be read further: " + textfmt.Visible(r.problem)
	}
	return text
}

// label is the name of an agent in tables.
func (r *run) label(agent string) string {
	return textfmt.Visible(textfmt.Cut(r.names.Of(agent), 200))
}

// serveEvents sends the parts of the page that change.
func (r *run) serveEvents(w http.ResponseWriter, q *http.Request) { r.feed.serve(w, q) }

// serve writes the page.
func (r *run) serve(w http.ResponseWriter, q *http.Request) {
	now, err := r.feed.asked(q.Context(), q.RemoteAddr, r.pages.pollInterval)
	if err != nil {
		r.pages.server.FailPage(w, err)
		return
	}
	r.pages.server.WritePage(w, http.StatusOK, "run", struct {
		ID      string
		Version int64
		*page
	}{r.folder.id, now.version, now.page})
}

// tail reads the records of a run as they are appended, in complete lines.
type tail struct {
	folder fs.FS
	offset int64 // of the first byte not read
	file   fs.FileInfo
	size   int64 // of the file
	most   int64 // maximum bytes to read in one call, if a line ends in them
	behind bool  // the file had more
}

// readAtOnce is the maximum bytes read in one call: processing them lasts some 0.2 s.
const readAtOnce = 4 << 20

// errReplaced is returned if the file no longer begins with the bytes read.
var errReplaced = errors.New("the records have been replaced")

// read passes the lines that were appended to take and reports whether there were any.
func (t *tail) read(take func(io.Reader) error) (bool, error) {
	opened, err := t.folder.Open(tournament.GamesFile)
	if errors.Is(err, fs.ErrNotExist) {
		if t.offset == 0 {
			return false, nil // there are none yet
		}
		return false, errReplaced
	}
	if err != nil {
		return false, err
	}
	f := opened.(*os.File)           // as those of folder are
	defer func() { _ = f.Close() }() // it was only read
	// A file that is smaller than what was read of it, or another one, was replaced.
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	t.size = info.Size()
	isOther := t.size < t.offset || !os.SameFile(t.file, info)
	if t.offset > 0 && isOther {
		return false, errReplaced
	}
	t.file = info

	// More is read at a time until a line ends in it.
	end := t.offset
	for most := t.most; end == t.offset; most *= 2 {
		high := min(t.size, t.offset+most)
		t.behind = high < t.size
		end, err = jsonl.LastEnd(f, t.offset, high, record.MaxLine)
		if errors.Is(err, files.ErrTooLong) {
			err = fmt.Errorf("%s: expected lines of at most %d bytes, found a longer one",
				tournament.GamesFile, record.MaxLine)
		}
		if err != nil {
			return false, err
		}
		if end == t.offset && !t.behind {
			return false, nil
		}
	}
	err = take(io.NewSectionReader(f, t.offset, end-t.offset))
	if err == nil {
		t.offset = end
	}
	return true, err
}
