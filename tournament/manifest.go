package tournament

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/build"
	"gyges/rules/base/files"
	"gyges/rules/base/lists"
	"gyges/rules/base/settings"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// The files of a run's folder.
const (
	GamesFile    = "games.jsonl"   // the records, see package record
	ManifestFile = "manifest.json" // what was run, where and when
	TuningFile   = "tuning.json"   // the manifest of a run that learns, which has folders of games
)

// PlayedPrefix begins the names of the folders of games played in the browser, which have no
// manifest.
const PlayedPrefix = "play-"

// Status says how a run stands.
type Status string

// The statuses. A run whose manifest says running and that no program plays was cut off.
const (
	Running     Status = "running"
	Finished    Status = "finished"    // every game has been played
	Interrupted Status = "interrupted" // stopped by its user; what had been played is kept
	Failed      Status = "failed"      // stopped by an error; what had been played is kept
	Imported    Status = "imported"    // games from elsewhere; it can't go on
)

// Manifest is the content of [ManifestFile].
type Manifest struct {
	Schema  int        `json:"schema"`       // version of the records and of this file
	ID      string     `json:"id,omitempty"` // of the run, the same in every copy of its folder
	Status  Status     `json:"status"`
	Error   string     `json:"error,omitempty"`   // why it failed
	From    string     `json:"from,omitempty"`    // the file whose games were imported
	Players int        `json:"players,omitempty"` // of imported games
	Games   GameCounts `json:"games"`
	Inputs
	Start   time.Time `json:"start"`
	Resumed time.Time `json:"resumed,omitzero"` // when it went on last; zero if it was never stopped
	End     time.Time `json:"end,omitzero"`     // zero while the run goes on

	Program build.Info   `json:"program"`
	Earlier []build.Info `json:"earlier_programs,omitempty"` // that played in this folder before, the first one first
	Host    Host         `json:"host"`
	Text    string       `json:"-"` // the file it was read from
}

// GameCounts are the numbers of games in a [Manifest].
type GameCounts struct {
	Scheduled int64 `json:"scheduled"`
	Played    int64 `json:"played"` // on the disk; while the run goes on, as of a second ago
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

func newManifest(status Status, inputs Inputs, start time.Time) *Manifest {
	b := build.Read()
	b.Version = cmp.Or(b.Version, "unknown")
	b.Time = ""
	return &Manifest{
		Schema:  record.Version,
		Status:  status,
		Inputs:  inputs,
		Start:   start.Round(0).UTC(),
		Program: b,
		Host:    Host{runtime.GOOS, runtime.GOARCH, runtime.NumCPU()},
	}
}

// Completed returns the config with every default filled in, as manifests have it.
func (c *Config) Completed() Config {
	to := *c
	to.Schedule = cmp.Or(c.Schedule, schedule.RoundRobin)
	to.OnRepetition = cmp.Or(c.OnRepetition, agents.Forfeit)
	if c.Openings.Policy == schedule.FileOpenings {
		to.Openings.Hash = c.Openings.Sum()
	}
	if f := c.Schedule.Format(); f.About().MostRounds != nil {
		to.Rounds = len(f.Stages(len(c.Agents), c.Rounds))
	}
	return to
}

// MarshalJSON returns the settings as manifests and workers have them, see [settings.Marshal].
func (c Config) MarshalJSON() ([]byte, error) { return settings.Marshal(&c) }

// UnmarshalJSON reads what MarshalJSON returned, here or in another version, without values that
// this program doesn't know, see [Config].Unknown; players of such specs have these as their kind.
// Positions of openings aren't there.
func (c *Config) UnmarshalJSON(text []byte) error {
	c.Unknown = settings.Unmarshal(text, c)
	if len(c.Agents) > 0 {
		return nil
	}
	var texts struct {
		Agents []string `json:"agents"`
	}
	_ = json.Unmarshal(text, &texts) // what is wrong is in Unknown
	for _, text := range texts.Agents {
		spec, err := agents.ParseSpec(text)
		if err != nil {
			spec = agents.Spec{Kind: text}
		}
		c.Agents = append(c.Agents, spec)
	}
	return nil
}

// Players returns the names of the players in records, which are their specs.
func (c *Config) Players() []string { return lists.Map(c.Agents, agents.Spec.String) }

// RuleSets returns the names of the rule sets.
func (c *Config) RuleSets() []string { return lists.Map(c.Rules, (*rules.Rules).String) }

func (m *Manifest) save(dir string) error {
	return files.ReplaceJSON(filepath.Join(dir, ManifestFile), m)
}

const maxManifest = 16 << 20 // bytes

// ReadManifest reads the manifest of a run's folder; nil if there is none. Unknown keys are
// ignored.
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
