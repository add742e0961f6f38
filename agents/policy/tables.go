package policy

// The tables of weights, as weights files name them, with the bounds of their numbers.

import (
	"errors"
	"fmt"
	"strings"

	"gyges/rules/base/lists"
)

var tables = []table{
	{"start_end", firstStartEnd, MaxWeight},
	{"start", firstStart, MaxWeight},
	{"end", firstEnd, MaxWeight},
	{"end_near", firstEndNear, MaxWeight},
	{"end_own", firstEndOwn, MaxWeight},
	{"end_other", firstEndOther, MaxWeight},
	{"end_row", firstEndRow, MaxWeight},
	{"drop", firstDrop, MaxWeight},
	{"drop_near", firstDropNear, MaxWeight},
	{"drop_own", firstDropOwn, MaxWeight},
	{"drop_other", firstDropOther, MaxWeight},
	{"drop_row", firstDropRow, MaxWeight},
	{"network_inputs", NumFeatures, MaxRow},
	{"network_starts", NumFeatures + startRows*Units, MaxRow},
	{"network_ends", NumFeatures + endRows*Units, MaxRow},
	{"network_drops", NumFeatures + dropRows*Units, MaxRow},
	{"network_bias", NumFeatures + BiasRow*Units, MaxRow},
	{"network_out", NumFeatures + OutRow*Units, MaxOut},
}

type table struct {
	name  string
	first int
	bound int16
}

// Tables returns the names of the tables that weights files have.
func Tables() []string { return lists.Map(tables, func(t table) string { return t.name }) }

// OfNetwork reports whether the table of a name holds weights of the network.
func OfNetwork(name string) bool { return strings.HasPrefix(name, "network_") }

// Table returns the weights of the i-th table.
func (w *Weights) Table(i int) []int16 {
	end := NumWeights
	if i+1 < len(tables) {
		end = tables[i+1].first
	}
	return w[tables[i].first:end]
}

// Bound returns the bound of the size of the i-th weight.
func Bound(i int) int16 {
	k := len(tables) - 1
	for tables[k].first > i {
		k--
	}
	return tables[k].bound
}

// Check returns an error that names the tables with weights out of bounds.
func (w *Weights) Check() error {
	var errs []error
	for i, t := range tables {
		errs = append(errs, CheckBounds("policy: table "+t.name, w.Table(i), t.bound))
	}
	return errors.Join(errs...)
}

// CheckBounds returns an error, which begins with what the list is, if the size of a number exceeds
// bound.
func CheckBounds(what string, list []int16, bound int16) error {
	for _, x := range list {
		if x < -bound || x > bound {
			const format = "%s: expected numbers from %d to %d, found %d"
			return fmt.Errorf(format, what, -bound, bound, x)
		}
	}
	return nil
}
