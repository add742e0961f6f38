package agents

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"gyges/rules/base/files"
)

// File is a file that specs name, as it was when it was read. Its content identifies it, wherever it lies.
type File struct {
	Name    string   `json:"name"`              // in specs
	SHA256  string   `json:"sha256"`            // of its content, see [Sum]
	Players []string `json:"players,omitempty"` // the labels of the specs that name it

	Content []byte `json:"-"`
	Err     error  `json:"-"` // why it can't be read
}

// maxFile bounds the files that specs name, in bytes.
const maxFile = 64 << 20

// Sum returns the SHA-256 of a content in hexadecimal digits.
func Sum(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// ReadFile reads a file that has its path as its name.
func ReadFile(path string) File {
	content, err := files.Read(path, maxFile)
	return File{Name: path, SHA256: Sum(content), Content: content, Err: files.Plain(err)}
}

// Reading returns a registry that has read the files that specs name, each once: agents are made of what they hold now,
// whatever happens to them later. What can't be read, or is wrong with the specs, [Registry.New] says.
func (r *Registry) Reading(specs []Spec) *Registry {
	reading := &Registry{kinds: r.kinds, paths: r.paths}
	for _, spec := range specs {
		_ = r.Each([]Spec{spec}, func(_ Spec, kind Kind, v Values) error {
			for _, d := range kind.Params {
				if name := v[d.Key]; d.IsFile(name) {
					reading.add(name, spec.Label(), r)
				}
			}
			return nil
		})
	}
	return reading
}

// add adds a file that a player's spec names, unless it has been read.
func (r *Registry) add(name, player string, from *Registry) {
	i := slices.IndexFunc(r.read, func(f File) bool { return f.Name == name })
	if i < 0 {
		i, r.read = len(r.read), append(r.read, from.File(name))
		r.read[i].Players = nil
	}
	r.read[i].Players = slices.Compact(append(r.read[i].Players, player)) // a spec may name it twice
}

// Files returns what [Registry.Reading] has read, in the order of the specs.
func (r *Registry) Files() []File { return r.read }

// File returns a file that specs name, as [Registry.Reading] has read it, or else as it is now.
func (r *Registry) File(name string) File {
	for _, file := range r.read {
		if file.Name == name {
			return file
		}
	}
	path, ok := r.paths[name]
	if !ok {
		path = name
	}
	file := ReadFile(path)
	file.Name = name
	return file
}
