package human

import (
	"cmp"

	"gyges/agents"
)

// Helped returns a person who had help as an agent of records: under a name of its own, so that it
// has a rating of its own.
func Helped(person agents.Spec) agents.Spec {
	name := cmp.Or(person.Get("name"), person.Kind)
	return person.With("name", name+", helped")
}
