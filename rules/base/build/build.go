// Package build says what the running program was built from.
package build

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Info is what a program was built from, also as manifests have it.
type Info struct {
	Version  string `json:"version"`            // of the module; "" if it is unknown
	Revision string `json:"revision,omitempty"` // of the source; "" if it is unknown
	Modified bool   `json:"modified,omitempty"` // the source was changed since the revision
	Time     string `json:"-"`                  // of the revision; "" in manifests
	Go       string `json:"go"`                 // release
}

// Read returns what the running program was built from.
func Read() Info {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{Go: runtime.Version()}
	}
	info := Info{Version: b.Main.Version, Go: b.GoVersion}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Revision = s.Value
		case "vcs.modified":
			info.Modified = s.Value == "true"
		case "vcs.time":
			info.Time = s.Value
		}
	}
	return info
}

// Unmodified reports whether the revision is known, and the source as it was then.
func (i Info) Unmodified() bool { return i.Revision != "" && !i.Modified }

// String returns one line: version, revision and Go release.
func (i Info) String() string {
	line := "gyges " + cmp.Or(i.Version, "(unknown version)")
	if i.Revision != "" {
		line += ", revision " + i.Revision
		if i.Modified {
			line += " with changes"
		}
		if i.Time != "" {
			line += " of " + i.Time
		}
	}
	if i.Go != "" {
		line += ", " + i.Go
	}
	return line
}
