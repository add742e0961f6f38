package report

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/rules/base/grid"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

// tuningFolder is the folder of a tuning run in memory.
func tuningFolder(t *testing.T, manifest string, more map[string]string) fstest.MapFS {
	t.Helper()
	weights := eval.Weights{Rules: "standard", Provenance: eval.Provenance{Method: "texel"}}
	weights.Values[0] = 7
	var b strings.Builder
	require.NoError(t, weights.Write(&b))
	fsys := fstest.MapFS{
		training.ManifestFile: {Data: []byte(manifest)},
		training.WeightsFile:  {Data: []byte(b.String())},
		training.HistoryFile:  {Data: []byte(`{"step":1,"loss":0.7,"parameters":{"` + eval.Names()[0] + `":3}}` + "\n")},
	}
	for name, text := range more {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// tuningPage is the page of a tuning run without games.
func tuningPage(t *testing.T, fsys fstest.MapFS) element {
	t.Helper()
	c := NewCollector(Options{Games: 10})
	c.AddRun(ReadRunFS(t.Context(), fsys, "results/a run"))
	p := Build(c, Input{Title: "tuned"})
	return parsePage(t, p)
}

// Each method's page says how the run stands.
func TestTuningPages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ manifest, state string }{
		"texel": {`{"method":"texel","status":"finished","config":{"rules":"standard"},"result":{"loss":[0.7,0.6]}}`, "finished"},
		"train": {`{"method":"train","status":"interrupted","config":{"rules":"standard","agent":"greedy"},` +
			`"result":{"best":1,"generations":[{"generation":1,"adopted":true}]}}`,
			"interrupted; the same command with --out resumes it"},
		"nothing adopted": {`{"method":"train","status":"running","config":{"rules":"standard","agent":"greedy"},"result":{"best":0}}`,
			"running, unless its program was ended by force"},
		"no result": {`{"method":"spsa","status":"failed","config":{}}`, "failed; the same command with --out resumes it"},
	} {
		page := tuningPage(t, tuningFolder(t, test.manifest, nil))
		title := "Tuning"
		if strings.Contains(test.manifest, `"train"`) {
			title = "Training"
		}
		require.Equal(t, []string{title, "Over time", "Reproducibility"}, texts(page.all("h2")), name)
		require.Equal(t, test.state, page.all("dd")[0].text(), name)
		if name == "texel" {
			require.Equal(t, []string{"3", "7"}, texts(page.all("td")), "the weights kept, not those of the last step")
		}
	}
}

// The tests of the last matches are drawn, with what became of the generations. Records that can't be read are noted.
func TestTrainingTests(t *testing.T) {
	t.Parallel()
	const match = `{"config":{"agents":["new","old"],"sprt":"elo0=0,elo1=20"}}`
	more := map[string]string{}
	for k := 1; k <= 3; k++ {
		dir := training.MatchFolder(k) + "/"
		more[dir+tournament.ManifestFile] = match
		more[dir+tournament.GamesFile] = "{}\n"
	}
	fsys := tuningFolder(t, `{"method":"train","status":"running","config":{},"result":{"best":2,"generations":[`+
		`{"generation":1,"adopted":false,"test":{"gain":0.1,"gain_margin":0.2}},{"generation":2,"adopted":true}]}}`, more)
	run := ReadRunFS(t.Context(), fsys, "x")
	require.Len(t, run.Notes, 3)
	piped := maps.Clone(fsys)
	piped[training.MatchFolder(1)+"/"+tournament.GamesFile] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	require.Contains(t, ReadRunFS(t.Context(), piped, "x").Notes[0], "expected a regular file, found a pipe")
	require.Contains(t, run.Notes[1], "1 game that can't be read; the first is "+training.MatchFolder(2)+"/games.jsonl:1: ")
	var names []string
	for _, c := range run.Charts {
		if c.YName == "LLR" {
			for _, curve := range c.Curves {
				names = append(names, curve.Name)
			}
		}
	}
	require.Equal(t, []string{"generation 1: rejected", "generation 2: adopted", "generation 3: not decided"}, names)
	page := tuningPage(t, fsys)
	require.Equal(t, "results/a run/weights.json: those of generation 2, the last one adopted",
		page.all("dd")[3].text())
}

// A training's page has the ratings of its generations by the minutes of training, and the
// losses of the test positions.
func TestTrainingStrength(t *testing.T) {
	t.Parallel()
	fsys := tuningFolder(t, `{"method":"train","status":"finished","config":{},"result":{"best":2,"generations":[`+
		`{"generation":1,"adopted":true,"test":{"loss":0.61,"gain":0.1,"gain_margin":0.2},"timing":{"selfplay":60,"tune":30}},`+
		`{"generation":2,"adopted":true,"timing":{"selfplay":100,"match":50}}],"rating":[`+
		`{"player":"gen-002","elo":12,"elo_margin":9},{"player":"reference","elo":0,"elo_margin":0},`+
		`{"player":"gen-000","elo":-500,"elo_margin":80}]}}`, nil)
	run := ReadRunFS(t.Context(), fsys, "x")
	require.Empty(t, run.Notes)
	chart := run.Charts[slices.IndexFunc(run.Charts, func(c Chart) bool { return c.XName == "minutes" })]
	require.Len(t, chart.Curves, 1)
	var points [][3]float64
	for _, p := range chart.Curves[0].Points {
		points = append(points, [3]float64{p.X, p.Y, p.Error})
	}
	require.Equal(t, [][3]float64{{0, -500, 80}, {4, 12, 9}}, points)
	require.Equal(t, []level{{0, "reference"}}, chart.levels)
	page := tuningPage(t, fsys)
	cells := strings.Join(texts(page.all("td")), " ")
	require.Contains(t, cells, "0.61000")
	require.Contains(t, cells, "1 - 1.5")
	require.Contains(t, cells, "2 +12 ± 9 4.0")
	require.NotContains(t, texts(page.all("th")), "Rating", "it is the Elo to the reference")
	require.Contains(t, page.all("p")[0].text(), "Elo to the reference: +12 ± 9", "as in the table")
}

// Of parameters those that changed most are drawn, from the initial values on; constants are
// counted.
func TestParametersThatChanged(t *testing.T) {
	t.Parallel()
	initial, parameters := map[string]float64{}, map[string]float64{}
	for i := range 12 {
		name := string(rune('a' + i))
		initial[name] = float64(i) - 3 // d is 0
		parameters[name] = initial[name]
		if i >= 2 {
			parameters[name] += 0.1 * float64(i)
		}
	}
	tuning := &Tuning{Outline: training.Outline{Method: "train"}, kept: parameters}
	tuning.Config.Weights = initial
	steps := []training.Line{{Step: 1, Parameters: parameters}, {Step: 2, Parameters: parameters}}
	charts := historyCharts(steps, tuning)
	values := charts[len(charts)-1]
	require.Len(t, values.Curves, 10)
	require.Equal(t, 2, values.constant)
	require.Equal(t, "d", values.Curves[0].Name, "from 0 to its largest size")
	for _, c := range values.Curves {
		require.Len(t, c.Points, 3, "the initial value is the first")
		require.Positive(t, c.change())
	}
	rows := cellTexts(values.Table)
	require.Len(t, rows, 12)
	require.Equal(t, []string{"d", "0", "0.3"}, rows[0])
	require.Equal(t, [][]string{{"a", "-3", "-3"}, {"b", "-2", "-2"}}, rows[10:])

	c := NewCollector(Options{})
	c.AddRun(RunInfo{Name: "trained", Charts: charts, Tuning: tuning})
	all := strings.Join(texts(parsePage(t, Build(c, Input{})).all("p")), "\n")
	require.Contains(t, all, "Of the 10 that changed the 8 that changed most are drawn.")
	require.Contains(t, all, "2 parameters never changed.")
}

// The page begins with the strength that a run has come to, and says whether a gain is one.
func TestHeadlines(t *testing.T) {
	t.Parallel()
	train := func(result string) string {
		return `{"method":"train","status":"running","config":{},"result":{` + result + `}}`
	}
	measured := map[string]string{
		training.HistoryFile: `{"step":1,"elo":12.5,"elo_margin":12,"parameters":{}}` + "\n" +
			`{"step":2,"parameters":{}}` + "\n"}
	const first = `{"generation":1,"adopted":true,"elo":31,"elo_margin":20}`
	weights := eval.Weights{Rules: "standard", Provenance: eval.Provenance{Method: "texel",
		Gain: &eval.Gain{Measure: "test loss", Value: -0.02, Margin: 0.01}}}
	var fitted strings.Builder
	require.NoError(t, weights.Write(&fitted))
	for _, c := range []struct {
		manifest string
		more     map[string]string
		want     []string
	}{
		{train(`"best":0`), nil, nil},
		{train(`"best":1,"generations":[` + first + `],"gain":{"measure":"Elo","value":18,"margin":8,"count":100}`), nil,
			[]string{"Generation 1 of 1: stronger than the initial weights by 18.0 ± 8.0 Elo (95 %)"}},
		{train(`"best":7,"generations":[` + first + `]`), nil, nil},
		{`{"method":"spsa"}`, measured, []string{"Verdict: stronger than the agent at the start by 12.5 ± 12.0 Elo (95 %)"}},
		{`{"method":"spsa","status":"finished"}`, map[string]string{training.HistoryFile: `{"step":1,"parameters":{}}` + "\n"},
			[]string{"Nothing was verified, so no gain is shown: a match would tell."}},
		{`{"method":"spsa","status":"finished"}`, map[string]string{
			training.HistoryFile: `{"step":1,"pairs":[0,0,0,0,9],"parameters":{}}` + "\n"},
			[]string{"Verdict: stronger than the agent at the start: it won all 9 pairs"}},
		{`{"method":"texel"}`, map[string]string{training.WeightsFile: fitted.String()},
			[]string{"Verdict: worse than the weights at the start by 0.02000 ± 0.01000 nats of test loss (95 %)"}},
	} {
		page := NewCollector(Options{})
		page.AddRun(ReadRunFS(t.Context(), tuningFolder(t, c.manifest, c.more), "x"))
		require.Equal(t, c.want, Build(page, Input{}).Summary, c.manifest)
	}
}

// A match of which not all is read is said to be cut, and a table of which not all rows are shown.
func TestCutsAreTold(t *testing.T) {
	t.Parallel()
	var games strings.Builder
	south, north := "new", "old"
	for n := int64(0); games.Len() < maxMatch; n++ {
		line, err := record.Lines(runtest.DrawGame("simplified", n, south, north))
		require.NoError(t, err)
		south, north = north, south
		games.Write(line[:len(line)-1])
		games.WriteString(strings.Repeat(" ", 4<<20) + "\n")
	}
	fsys := fstest.MapFS{
		"m/manifest.json": {Data: []byte(`{"config":{"agents":["new","old"],"rules":["simplified"],"pairs":9,` +
			`"sprt":"elo0=0,elo1=20"}}`)},
		"m/games.jsonl": {Data: []byte(games.String())},
	}
	_, course, notes := readMatch(fsys, "m")
	require.NotEmpty(t, course)
	require.Equal(t, []string{"m/games.jsonl: only the first 64 MiB are counted"}, notes)

	rows := func(n int) *grid.Table {
		table := grid.New("Title", 1, "Number")
		for i := range n {
			table.Add(i)
		}
		return firstRows(table)
	}
	require.Equal(t, "Title", rows(maxAgentRows).Title)
	require.Len(t, rows(maxAgentRows).Rows, maxAgentRows)
	require.Equal(t, "Title, the first 200 of 201 rows", rows(maxAgentRows+1).Title)
	require.Len(t, rows(maxAgentRows+1).Rows, maxAgentRows)
}
