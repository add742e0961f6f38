// Package ugi implements UGI, the line protocol of Gygès engines on standard input
// and output, in both directions: [Kind] makes an external program an agent, and
// [Serve] makes an agent an engine for another program. [Check] tests a program's
// conformance, point by point.
//
// # The protocol
//
// The host sends ugi, isready, setoption NAME VALUE, setpos, go, stop and quit.
// The engine answers ugi by lines id and option and then ugiok, isready by
// readyok, and go by any number of lines info and one bestmove.
//
// Squares are numbered from 0 to 35 along rows, from the left of the bottom
// player, whose home row comes first; 36 is the goal at the top, 37 the one at
// the bottom. A move is start|end or start|end|drop. After setpos data ROWS, six
// rows of six digits separated by slashes, the bottom player is to move: a host
// for which North is to move rotates the board by 180°.
//
// # Our extensions
//
// An engine that announces an option rules supports more: setoption rules
// with the text of a rule set; setoption seed; setpos pos POSITION with
// a position text as package rules prints it, numbered from South's left whoever
// is to move; moves and a list of moves after any setpos, so that the history
// is known; and limits after go: movetime, depth, nodes, and clocks. A piece that
// enters from the hand is written +height|end, one that is placed during set-up
// @height|end, and a pass null.
package ugi
