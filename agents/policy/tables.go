package policy

import (
	"errors"
	"fmt"
)

// tables are the tables of features in the order of their indices.
var tables = [...]struct {
	name  string
	first int
}{
	{"start_end", firstStartEnd}, {"start", firstStart},
	{"end", firstEnd}, {"end_near", firstEndNear}, {"end_own", firstEndOwn}, {"end_other", firstEndOther},
	{"end_row", firstEndRow},
	{"drop", firstDrop}, {"drop_near", firstDropNear}, {"drop_own", firstDropOwn}, {"drop_other", firstDropOther},
	{"drop_row", firstDropRow},
}

// Tables returns the names of the tables that weights files have.
func Tables() []string {
	names := make([]string, len(tables))
	for i := range tables {
		names[i] = tables[i].name
	}
	return names
}

// Table returns the weights of the i-th table.
func (w *Weights) Table(i int) []int16 {
	if i+1 < len(tables) {
		return w[tables[i].first:tables[i+1].first]
	}
	return w[tables[i].first:]
}

// Check returns an error that names the tables with weights out of bounds.
func (w *Weights) Check() error {
	var errs []error
	for i := range tables {
		for _, x := range w.Table(i) {
			if x < -MaxWeight || x > MaxWeight {
				errs = append(errs, fmt.Errorf("policy: table %s: expected numbers from %d to %d, found %d",
					tables[i].name, -MaxWeight, MaxWeight, x))
				break
			}
		}
	}
	return errors.Join(errs...)
}
