package tournament

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules/base/build"
	"gyges/rules/base/files"
	"gyges/rules/base/settings"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// The files of a run's folder.
const (
	GamesFile    = "games.jsonl"   // the records, see package record
	ManifestFile = "manifest.json" // what was run, where and when
)

// PlayedPrefix begins the names of the folders of games played in the browser, which have no manifest.
const PlayedPrefix = "play-"

// Status says how a run stands.
type Status string

// The statuses. A run whose manifest says running and that no program plays was
// cut off.
const (
	Running     Status = "running"
	Finished    Status = "finished"    // every game has been played
	Interrupted Status = "interrupted" // stopped by its user; what had been played is kept
	Failed      Status = "failed"      // stopped by an error; what had been played is kept
	Imported    Status = "imported"    // games from elsewhere; it can't go on
)

// Manifest is the content of [ManifestFile].
type Manifest struct {
	Schema  int            `json:"schema"`       // version of the records and of this file
	ID      string         `json:"id,omitempty"` // of the run, the same in every copy of its folder
	Status  Status         `json:"status"`
	Error   string         `json:"error,omitempty"`   // why it failed
	From    string         `json:"from,omitempty"`    // the file whose games were imported
	Players int            `json:"players,omitempty"` // of imported games; 0 in runs of earlier versions
	Games   GameCounts     `json:"games"`
	Config  ManifestConfig `json:"config"`
	Start   time.Time      `json:"start"`
	End     time.Time      `json:"end,omitzero"` // zero while the run goes on

	Program build.Info   `json:"program"`
	Earlier []build.Info `json:"earlier_programs,omitempty"` // that played in this folder before, the first one first
	Host    Host         `json:"host"`
	Text    string       `json:"-"` // the file it was read from
}

// GameCounts are the numbers of games in a [Manifest].
type GameCounts struct {
	Scheduled int64 `json:"scheduled"`
	Played    int64 `json:"played"` // 0 until the run ends
}

// ManifestConfig is a [Config] as data, every default filled in. Imported games have a
// name alone.
type ManifestConfig struct {
	Name       string            `json:"name"`
	Rules      []string          `json:"rules"`
	Agents     []string          `json:"agents"`
	Schedule   schedule.Name     `json:"schedule"`
	Rounds     int               `json:"rounds,omitempty"`
	Pairs      int               `json:"pairs"`
	SPRT       string            `json:"sprt,omitempty"`
	UntilError float64           `json:"until_error,omitempty"`
	Openings   schedule.Openings `json:"openings"`
	Limits     record.Limits     `json:"limits"`
	TimeMargin string            `json:"time_margin,omitempty"`
	Seed       uint64            `json:"seed,string"`
	Workers    int               `json:"workers"`

	Adjudication string `json:"adjudication,omitempty"`
	OnRepetition string `json:"on_repetition"`
	StallTimeout string `json:"stall_timeout"`
	Suspend      int    `json:"suspend"`
}

// Host is the machine that a program ran on.
type Host struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
}

// String returns system and cores; "" if they aren't known.
func (h Host) String() string {
	if h.OS == "" {
		return ""
	}
	return fmt.Sprintf("%s/%s, %d cores", h.OS, h.Arch, h.CPUs)
}

func newManifest(c *Config, start time.Time) *Manifest {
	return &Manifest{
		Schema:  record.Version,
		ID:      rand.Text(),
		Status:  Running,
		Games:   GameCounts{Scheduled: c.Games()},
		Config:  c.Manifest(),
		Start:   start.Round(0).UTC(),
		Program: thisProgram(),
		Host:    thisHost(),
	}
}

// Manifest returns the config as the run's manifest has it.
func (c *Config) Manifest() ManifestConfig {
	var m ManifestConfig
	if err := settings.Copy(&m, c); err != nil {
		panic(err) // the values of a manifest are texts and numbers
	}
	m.Schedule = cmp.Or(c.Schedule, schedule.RoundRobin)
	m.Limits = game.RecordLimits(c.Limits, c.Clock)
	if m.TimeMargin = ""; c.TimeMargin >= 0 { // otherwise the default
		m.TimeMargin = c.TimeMargin.String()
	}
	m.OnRepetition = string(cmp.Or(c.OnRepetition, agents.Forfeit))
	m.StallTimeout = c.StallTimeout.String()
	if c.Openings.Policy == schedule.FileOpenings {
		m.Openings.Hash = c.Openings.Sum()
	}
	if f := c.Schedule.Format(); f.About().Rounds {
		m.Rounds = len(f.Stages(len(c.Agents), c.Rounds))
	}
	return m
}

// Recorded returns the schedule to which results of the run's records are added. It has no stages if there is none.
func (m *ManifestConfig) Recorded() *schedule.Schedule {
	return schedule.Recorded(m.Schedule.Format(), schedule.Size{
		Players: len(m.Agents), Rounds: m.Rounds, Pairs: m.Pairs, RuleSets: len(m.Rules),
	})
}

// Settings returns the settings of the run, but for the positions of a list of openings. The error joins one for
// each value that this program doesn't know.
func (m *ManifestConfig) Settings() (Config, error) {
	to := Config{TimeMargin: game.DefaultTimeMargin}
	err := settings.Copy(&to, m)
	if m.Limits.Clock != "" {
		var clockErr error
		to.Clock, clockErr = game.ParseClock(m.Limits.Clock)
		err = errors.Join(err, clockErr)
	}
	return to, err
}

func thisHost() Host { return Host{runtime.GOOS, runtime.GOARCH, runtime.NumCPU()} }

func thisProgram() build.Info {
	b := build.Read()
	b.Version, b.Time = cmp.Or(b.Version, "unknown"), ""
	return b
}

// end fills in how the run ended.
func (m *Manifest) end(s *Summary, err error) {
	m.Status, m.Games.Played, m.End = s.Status, s.Played, s.End
	if s.Status == Failed && err != nil {
		m.Error = err.Error()
	}
}

func (m *Manifest) save(dir string) error {
	return files.ReplaceJSON(filepath.Join(dir, ManifestFile), m)
}

// maxManifest bounds the size of a manifest, in bytes.
const maxManifest = 16 << 20

// ReadManifest reads the manifest of a run's folder; nil if there is none. Unknown keys are ignored, and what is
// missing is zero.
func ReadManifest(dir fs.FS) (*Manifest, error) {
	text, err := files.ReadFS(dir, ManifestFile, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("expected a manifest: %w", err)
	}
	m.Text = strings.TrimSpace(string(text))
	return m, nil
}
