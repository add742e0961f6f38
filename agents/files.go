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
	SHA256  string   `json:"sha256"`            // of its content, see [Sum]; "" if it can't be read
	Players []string `json:"players,omitempty"` // the labels of the specs that name it

	// Late says that the sum was taken when the run went on, as a version that kept none had begun it.
	Late bool `json:"late,omitempty"`

	Content []byte `json:"-"`
	err     error  // why it can't be read
}

// maxFile bounds the files that specs name, in bytes.
const maxFile = 64 << 20

// Sum returns the SHA-256 of a content in hexadecimal digits.
func Sum(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// Reading returns a registry that has read the files that specs name, each once: agents are made of what they hold now,
// whatever happens to them later. What can't be read, or is wrong with the specs, [Registry.New] says.
func (r *Registry) Reading(specs []Spec) *Registry {
	reading := &Registry{kinds: r.kinds, paths: r.paths}
	for _, spec := range specs {
		_ = r.Each([]Spec{spec}, func(_ Spec, kind Kind, v Values) error {
			for _, d := range kind.Params {
				if name := v[d.Name]; d.IsFile(name) {
					file := reading.file(name, r)
					if !slices.Contains(file.Players, spec.Label()) {
						file.Players = append(file.Players, spec.Label())
					}
				}
			}
			return nil
		})
	}
	return reading
}

// file returns a file that has been read, or that from reads now.
func (r *Registry) file(name string, from *Registry) *File {
	for i := range r.read {
		if r.read[i].Name == name {
			return &r.read[i]
		}
	}
	file := File{Name: name}
	if file.Content, file.err = from.ReadFile(name); file.err == nil {
		file.SHA256 = Sum(file.Content)
	}
	r.read = append(r.read, file)
	return &r.read[len(r.read)-1]
}

// Files returns what [Registry.Reading] has read, in the order of the specs.
func (r *Registry) Files() []File { return r.read }

// ReadFile returns the content of a file that specs name, as [Registry.Reading] has read it, or else as it is now.
func (r *Registry) ReadFile(name string) ([]byte, error) {
	path := name
	if r != nil {
		for _, file := range r.read {
			if file.Name == name {
				return file.Content, file.err
			}
		}
		if given, ok := r.paths[name]; ok {
			path = given
		}
	}
	return files.Read(path, maxFile)
}
