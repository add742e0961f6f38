// Package report turns the records of runs and the ratings drawn from them into
// pages that people look at: one HTML file that asks nothing of any network, or
// Markdown with SVG pictures.
//
// The way is one line. A [Collector] takes games one at a time, as they are read
// or as they end: it keeps exact counts of all and a sample of whole games to be
// replayed. [Build] makes a [Page] of it and of a [table.Tables]: plain data,
// every figure already a text. [WriteHTML], [WriteFragment] and [WriteMarkdown]
// write that down and work nothing out. A server shows a run that goes on by
// building a page now and then and sending its fragments; it serves [Script] and
// [Style] beside them.
//
// Everything in a record comes from outside: names, rules, reasons, even moves.
// It is bounded where it is counted and escaped where it is written.
package report
