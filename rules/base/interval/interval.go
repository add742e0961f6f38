// Package interval has the width of confidence intervals.
package interval

// Z95 is the number of standard errors in half a 95 % interval, by the normal distribution.
const Z95 = 1.959963984540054
