package ratings

import "gyges/rules/base/lists"

// partSize is how many things one goroutine does before others: a sum is the sum of its parts'
// sums, in their order, and so the same on any number of cores.
const partSize = 1 << 16

// partCount returns how many parts n things have.
func partCount(n int) int { return (n + partSize - 1) / partSize }

// inParts calls do for all parts of n things, on all cores.
func inParts(n int, do func(part, from, to int)) {
	lists.OnAllCores(partCount(n), func(part int) {
		from := part * partSize
		do(part, from, min(n, from+partSize))
	})
}

// sumInParts returns the sum of what sum returns for all parts of n things.
func sumInParts(n int, sum func(from, to int) float64) (total float64) {
	sums := make([]float64, partCount(n))
	inParts(n, func(part, from, to int) { sums[part] = sum(from, to) })
	for _, s := range sums {
		total += s
	}
	return total
}
