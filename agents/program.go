package agents

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Program is an external program that an agent is, as it was found when it started.
type Program struct {
	Name    string            `json:"name,omitempty"`    // what it calls itself
	Files   map[string]string `json:"files,omitempty"`   // SHA-256 of the program, and of files among its arguments
	Options []string          `json:"options,omitempty"` // that it announces, one a line of text
}

// Difference says in what the program differs from the one that it was; "" if nothing is known to
// differ. Either may be nil, which is unknown.
func (p *Program) Difference(was *Program) string {
	if p == nil || was == nil {
		return ""
	}
	if p.Name != was.Name {
		return fmt.Sprintf("its id name was %.60q, now %.60q", was.Name, p.Name)
	}
	for _, file := range slices.Sorted(maps.Keys(was.Files)) {
		sum := was.Files[file]
		now, known := p.Files[file]
		if !known {
			return fmt.Sprintf("%.60s isn't a file of it any more, or was written since its start",
				file)
		}
		if now != sum {
			return fmt.Sprintf("the SHA-256 of %.60s was %.16q, now %.16q", file, sum, now)
		}
	}
	if !slices.Equal(p.Options, was.Options) {
		return "it announces other options"
	}
	return ""
}

// OptionPrefix begins the names of the parameters that set options of a program.
const OptionPrefix = "opt."

// maxIdle is how many programs are kept at most: two for each game at a time.
const maxIdle = 2048

// Keeping returns the registry with agents whose external programs aren't ended with them, but go
// on as the next agents, until [Registry.End]. It is for a run whose agents differ in the values of
// parameters alone.
func (r *Registry) Keeping() *Registry {
	return &Registry{r.kinds, r.read, make(chan io.Closer, maxIdle)}
}

// End ends the programs that are kept. All agents must have been closed.
func (r *Registry) End() (err error) {
	for len(r.idle) > 0 {
		program := <-r.idle
		err = errors.Join(err, program.Close())
	}
	return err
}
