package ratings

import "gyges/rules/base/lists"

// partSize is how many things are done by one goroutine before others: sums are those of the parts, in their order, and
// so the same on any number of cores.
const partSize = 1 << 16

// inParts calls do for all parts of n things, on all cores.
func inParts(n int, do func(part, from, to int)) {
	lists.OnAllCores((n+partSize-1)/partSize, func(part int) {
		do(part, part*partSize, min(n, (part+1)*partSize))
	})
}

// sumInParts returns the sum of what sum returns for all parts of n things.
func sumInParts(n int, sum func(from, to int) float64) (total float64) {
	sums := make([]float64, n/partSize+1)
	inParts(n, func(part, from, to int) { sums[part] = sum(from, to) })
	for _, s := range sums {
		total += s
	}
	return total
}
