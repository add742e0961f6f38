package main

import (
	"fmt"

	"gyges/rules/base/build"
)

type versionCmd struct{}

// Run prints one line.
func (versionCmd) Run(e *env) error {
	_, err := fmt.Fprintln(e.out, version())
	return err
}

// version returns the line of the running program.
func version() string { return build.Read().String() }
