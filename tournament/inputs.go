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
	"gyges/rules/base/textfmt"
	"gyges/tournament/schedule"
)

// Inputs is everything beside the program that the games of a run depend on. [Run] makes it, the manifest keeps it, and
// a run goes on only with the same, see [Inputs.Compare]. Whatever else is found to change games, such as the programs
// of external engines, has its place here.
type Inputs struct {
	Config Config        `json:"config"`          // every default filled in; of imported games its name alone
	Files  []agents.File `json:"files,omitempty"` // that agents and openings name
}

// inputs returns what a run depends on, whose agents are made of files.
func (c *Config) inputs(files []agents.File) Inputs {
	return Inputs{c.Completed(), slices.Concat(files, c.Openings.Files())}
}

// Compare returns an error that says what differs from what a run began with, but for what changes no game, and for
// files that none but players name whose games are played anew.
func (was Inputs) Compare(now Inputs, anew ...string) error {
	err := CompareFiles(was.Files, now.Files, anew...)
	var changed *changedFile
	if errors.As(err, &changed) && len(changed.Players) > 0 && !was.Config.Schedule.Format().About().Adaptive {
		again := ""
		for _, player := range changed.Players {
			again += " --again " + textfmt.ShellWord(player)
		}
		return fmt.Errorf("%w, or play the games of its players anew with%s", err, again)
	}
	if err != nil {
		return err
	}
	return CompareConfigs(was.Config.played(), now.Config.played())
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

// CompareFiles is [Inputs.Compare] of files alone. The error names the first that has another content under its name.
func CompareFiles(was, now []agents.File, anew ...string) error {
	for _, old := range was {
		i := agents.IndexFile(now, old.Name)
		if i < 0 || now[i].SHA256 == old.SHA256 {
			continue
		}
		kept := slices.ContainsFunc(old.Players, func(player string) bool { return !slices.Contains(anew, player) })
		if !kept && len(old.Players) > 0 {
			continue
		}
		return &changedFile{old, now[i].SHA256}
	}
	return nil
}

// Resume prepares a config for the run in its folder, if there is one: a file has the name that it has there, wherever
// it lies now. The error says why that run can't go on. [Run] says so, too, but when others may depend on it already.
func (c *Config) Resume(registry *agents.Registry) error {
	old, err := ReadManifest(os.DirFS(c.Out))
	if err != nil || old == nil {
		return nil //nolint:nilerr // Run has the error
	}
	c.adopt(registry, old)
	now := c.inputs(registry.Reading(c.Agents, c.Files).Files())
	if _, err = checkManifest(0, c, newManifest(Running, now, time.Now())); err != nil {
		return fmt.Errorf("%s: %w", c.Out, err)
	}
	return nil
}

// adopt finds the agents that differ from agents of a run by the names of files alone, whose contents are the same.
// They get the names that they have in the run.
func (c *Config) adopt(registry *agents.Registry, run *Manifest) {
	now := registry.Reading(c.Agents, c.Files).Files()
	paths := map[string]string{}
	for _, was := range run.Files {
		for _, file := range now {
			if file.SHA256 == was.SHA256 && agents.IndexFile(now, was.Name) < 0 {
				paths[was.Name] = cmp.Or(c.Files[file.Name], file.Name)
			}
		}
	}
	maps.Copy(paths, c.Files)
	c.Files = paths
	renamed := map[string]agents.Spec{}
	for _, was := range run.Config.Agents {
		if !slices.Contains(c.Players(), was.String()) {
			renamed[identity(registry, was, run.Files)] = was
		}
	}
	c.Agents = slices.Clone(c.Agents)
	for i, spec := range c.Agents {
		sameFiles := identity(registry, spec, now)
		was, ok := renamed[sameFiles]
		if ok && !slices.Contains(run.Config.Players(), spec.String()) {
			c.Agents[i] = was
			delete(renamed, sameFiles) // another one would be the same player
		}
	}
	if c.Openings.Policy == schedule.FileOpenings && c.Openings.Sum() == run.Config.Openings.Hash {
		c.Openings.File = run.Config.Openings.File
	}
}

// identity returns a spec with the sums of files in place of their names.
func identity(registry *agents.Registry, spec agents.Spec, files []agents.File) string {
	kind, _ := registry.Kind(spec) // without one no parameter names a file
	for _, p := range spec.Params {
		d, _ := kind.Param(p.Name)
		inner, err := agents.ParseSpec(p.Value)
		i := agents.IndexFile(files, p.Value)
		switch {
		case d.IsFile(p.Value) && i >= 0:
			spec = spec.With(p.Name, files[i].SHA256)
		case d.NamesAgent() && err == nil:
			spec = spec.With(p.Name, identity(registry, inner, files))
		}
	}
	return spec.String()
}
