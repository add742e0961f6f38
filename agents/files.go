package agents

// The files that specs name, such as weights: what they held when a run read them.

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"gyges/rules/base/files"
)

// File is a file that specs name, as it was when it was read. Its content identifies it, wherever
// it lies.
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

// Reading returns a registry that has read the files that specs name, each once: agents are made of
// what they hold now, whatever happens to them later. The path of a file is its name, unless paths
// has another one. [Registry.New] returns the errors of files and specs.
func (r *Registry) Reading(specs []Spec, paths map[string]string) *Registry {
	reading := &Registry{kinds: r.kinds, idle: r.idle}
	for _, spec := range specs {
		_ = r.Each([]Spec{spec}, func(_ Spec, kind Kind, v Values) error {
			for _, d := range kind.Params {
				name := v[d.Key]
				if !d.IsFile(name) {
					continue
				}
				i := IndexFile(reading.read, name)
				if i < 0 {
					file := r.file(name, cmp.Or(paths[name], name))
					file.Players = nil // where r has read it for others
					i = len(reading.read)
					reading.read = append(reading.read, file)
				}
				players := append(reading.read[i].Players, spec.Label())
				reading.read[i].Players = slices.Compact(players) // a spec may name a file twice
			}
			return nil
		})
	}
	return reading
}

// Files returns what [Registry.Reading] has read, in the order of the specs.
func (r *Registry) Files() []File { return r.read }

// File returns a file that specs name, as [Registry.Reading] has read it, or else as it is now.
func (r *Registry) File(name string) File { return r.file(name, name) }

func (r *Registry) file(name, path string) File {
	if i := IndexFile(r.read, name); i >= 0 {
		return r.read[i]
	}
	file := ReadFile(path)
	file.Name = name
	return file
}

// IndexFile returns the index of the file with a name in specs, -1 if there is none.
func IndexFile(list []File, name string) int {
	return slices.IndexFunc(list, func(f File) bool { return f.Name == name })
}
