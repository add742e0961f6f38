package main

import (
	"fmt"
	"runtime/debug"
)

// versionCmd prints what the program was built from.
type versionCmd struct{}

func (versionCmd) examples() []example { return []example{{"gyges version", ""}} }

// Run prints one line.
func (versionCmd) Run(e *env) error {
	_, err := fmt.Fprintln(e.out, version())
	return err
}

// version returns the line of the running program.
func version() string { return versionLine(buildInfo()) }

// buildInfo returns the build information of the running program, empty if it has none.
func buildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{}
}

// versionLine returns the module's version, the revision and the Go release.
func versionLine(info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" {
		version = "(unknown version)"
	}
	line := "gyges " + version
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if rev := settings["vcs.revision"]; rev != "" {
		line += ", revision " + rev
		if settings["vcs.modified"] == "true" {
			line += " with changes"
		}
		line += " of " + settings["vcs.time"]
	}
	if info.GoVersion != "" {
		line += ", " + info.GoVersion
	}
	return line
}
