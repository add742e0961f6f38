package problems

import (
	"errors"
	"strings"

	"gyges/rules"
	"gyges/rules/base/textfmt"
)

// Hint returns an error of package rules, with the names that are near in that of an unknown one. It is
// here as that package imports nothing that finds them.
func Hint(err error) error {
	u, ok := errors.AsType[*rules.UnknownError](err)
	if !ok {
		return err
	}
	return errors.New(strings.Replace(err.Error(), u.Error(), textfmt.Unknown(u.What, u.Name, u.Known), 1))
}
