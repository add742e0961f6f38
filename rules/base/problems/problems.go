// Package problems collects what is wrong with settings, so that all is reported at once and at its
// place.
package problems

import (
	"cmp"
	"errors"
	"fmt"
)

// FieldError is an error in a field of settings.
type FieldError struct {
	Field string // as in YAML: "pairs", "agents[2]", "openings.plies"; elements count from 0
	Err   error  // what is wrong and what was expected
}

// Error returns the field and the error in one line.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns the error without the field.
func (e *FieldError) Unwrap() error { return e.Err }

// List collects the errors in settings.
type List []error

// Add adds an error in a field.
func (l *List) Add(field string, err error) { *l = append(*l, &FieldError{field, err}) }

// Expect adds an error in a field unless ok.
func (l *List) Expect(ok bool, field, format string, args ...any) {
	if !ok {
		l.Add(field, fmt.Errorf(format, args...))
	}
}

// Require adds an error in no field unless ok.
func (l *List) Require(ok bool, format string, args ...any) {
	if !ok {
		*l = append(*l, fmt.Errorf(format, args...))
	}
}

// Err joins the problems, a *FieldError for each that is in a field; nil if there are none.
func (l List) Err() error { return errors.Join(l...) }

// Prefix puts a text and a colon before each of the errors that [errors.Join] joined.
func Prefix(text string, err error) error {
	var errs []error
	for _, one := range Split(err) {
		errs = append(errs, fmt.Errorf("%s: %w", text, one))
	}
	return errors.Join(errs...)
}

// Split returns the errors that [errors.Join] joined, also those within them; one that joins none
// alone.
func Split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok:
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, Split(one)...)
	}
	return all
}

// Within reports whether a value is in a range, whose ends are part of it.
func Within[T cmp.Ordered](x, low, high T) bool { return low <= x && x <= high }
