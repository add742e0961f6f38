package tournament

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"gyges/agents"
	"gyges/rules/base/problems"
	"gyges/rules/base/textfmt"
	"gyges/tournament/schedule"
)

// Inputs is everything beside the program that the games of a run depend on. [Run] makes it, the
// manifest keeps it, and a run goes on only with the same, see [Inputs.Compare] and
// [Manifest.addEngines]. Whatever else is found to change games has its place here.
type Inputs struct {
	Config Config        `json:"config"`          // every default filled in; of imported games its name alone
	Files  []agents.File `json:"files,omitempty"` // that agents and openings name

	// Engines are the external programs that players are, by the players' labels, as they were when
	// they started.
	Engines map[string]*agents.Program `json:"engines,omitempty"`
}

// inputs returns what a run depends on, whose agents are made of files.
func (c *Config) inputs(files []agents.File) Inputs {
	return Inputs{c.Completed(), slices.Concat(files, c.Openings.Files()), c.Engines}
}

// Compare returns an error that says what differs from what a run began with, but for what changes
// no game, and for files that none but players name whose games are played anew.
func (was Inputs) Compare(now Inputs, anew ...string) error {
	err := CompareFiles(was.Files, now.Files, anew...)
	changed, ok := errors.AsType[*changedFile](err)
	switch {
	case err == nil:
		return CompareConfigs(was.Config.played(), now.Config.played())
	case !ok, len(changed.Players) == 0, was.Config.Schedule.Format().About().Adaptive:
		return err
	}
	again := ""
	for _, player := range changed.Players {
		again += " --again " + textfmt.ShellWord(player)
	}
	return fmt.Errorf("%w, or play the games of its players anew with%s", err, again)
}

// changedFile is the error of a file that has another content than it had.
type changedFile struct {
	agents.File
	now string // its SHA-256
}

func (f *changedFile) Error() string {
	return fmt.Sprintf("%s has changed since the run began: its SHA-256 was %.16s, now %.16s; "+
		"put the old file back, or begin another run in another folder", f.Name, f.SHA256, f.now)
}

// CompareFiles is [Inputs.Compare] of files alone. The error names the first that has another
// content under its name.
func CompareFiles(was, now []agents.File, anew ...string) error {
	for _, old := range was {
		i := agents.IndexFile(now, old.Name)
		if i < 0 || now[i].SHA256 == old.SHA256 {
			continue
		}
		stays := func(player string) bool { return !slices.Contains(anew, player) }
		if len(old.Players) == 0 || slices.ContainsFunc(old.Players, stays) {
			return &changedFile{old, now[i].SHA256}
		}
	}
	return nil
}

// Resume prepares a config for the run in its folder, if there is one: a file has the name that it
// has there, wherever it lies now. The error says why that run can't go on. [Run] says so, too, but
// when others may depend on it already.
func (c *Config) Resume(registry *agents.Registry) error {
	old, err := ReadManifest(os.DirFS(c.Out))
	if err != nil || old == nil {
		return nil //nolint:nilerr // Run has the error
	}
	files := slices.Clone(registry.Reading(c.Agents, c.Files).Files())
	c.adopt(registry, old, files)
	m := newManifest(Running, c.inputs(files), time.Now())
	return problems.Prefix(c.Out, m.goOn(old, c))
}

// adopt gives files, and agents and openings by them, the names that they have in a run: those of
// files with the same content that aren't where they were.
func (c *Config) adopt(registry *agents.Registry, run *Manifest, files []agents.File) {
	paths := map[string]string{}
	maps.Copy(paths, c.Files)
	names := map[string]string{} // in the run, by their names now
	for _, was := range run.Files {
		i := slices.IndexFunc(files, func(now agents.File) bool {
			return now.SHA256 == was.SHA256 && agents.IndexFile(run.Files, now.Name) < 0
		})
		if i >= 0 && agents.IndexFile(files, was.Name) < 0 {
			now := files[i].Name
			names[now] = was.Name
			paths[was.Name] = cmp.Or(paths[now], now)
			files[i].Name = was.Name
		}
	}
	c.Files = paths
	players := map[string]agents.Spec{} // of the run, by their specs without needless quotes
	for _, was := range run.Config.Agents {
		players[withFiles(registry, was, nil).String()] = was
	}
	c.Agents = slices.Clone(c.Agents)
	for i, spec := range c.Agents {
		if was, ok := players[withFiles(registry, spec, names).String()]; ok {
			c.Agents[i] = was
		}
	}
	if c.Openings.Policy == schedule.FileOpenings && c.Openings.Sum() == run.Config.Openings.Hash {
		c.Openings.File = run.Config.Openings.File
	}
}

// withFiles returns a spec with other names of files.
func withFiles(registry *agents.Registry, spec agents.Spec, names map[string]string) agents.Spec {
	kind, _ := registry.Kind(spec) // without one no parameter names a file
	for _, p := range spec.Params {
		declared, _ := kind.Param(p.Name)
		inner, err := agents.ParseSpec(p.Value)
		name, renamed := names[p.Value]
		switch {
		case declared.IsFile(p.Value) && renamed:
			spec = spec.With(p.Name, name)
		case declared.NamesAgent() && err == nil:
			spec = spec.With(p.Name, withFiles(registry, inner, names).String())
		}
	}
	return spec
}
