package tuning

import (
	"errors"
	"fmt"
)

// FieldError is an error in a field of a method's settings.
type FieldError struct {
	Field string // as in YAML: "steps", "parameters.c"
	Err   error  // what is wrong and what was expected
}

// Error returns the field and the error in one line.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns the error without the field.
func (e *FieldError) Unwrap() error { return e.Err }

// Problems collects the errors in settings.
type Problems []error

// Expect adds an error in a field unless ok.
func (p *Problems) Expect(ok bool, field, format string, args ...any) {
	if !ok {
		*p = append(*p, &FieldError{field, fmt.Errorf(format, args...)})
	}
}

// Err joins the problems, a *FieldError each; nil if there are none.
func (p Problems) Err() error { return errors.Join(p...) }
