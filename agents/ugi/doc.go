// Package ugi implements UGI, the line protocol of Gygès engines on standard input
// and output, in both directions: [Kind] makes an external program an agent, and
// [Serve] makes an agent an engine for another program. [Check] tests a program's
// conformance, point by point.
//
// README.md, its manual, has the protocol, the numbers of squares and moves in it, and our extensions.
package ugi
