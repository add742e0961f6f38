// Package pgn writes game records as PGN, the text that chess programs exchange
// (Edwards: Portable Game Notation Specification and Implementation Guide,
// 1994), for rating tools and viewers of tables, and reads PGN back.
//
// South is White. The seven usual tags come first, Round being pair.game. Other
// tags hold the rest of the record, and the moves are the short notation with
// what the mover said in a comment: {+0.92/3 0.001250s n=570} is a score in
// points, the depth, the time in seconds and the positions visited; M3 stands
// for a win in three plies. So [Read] gives back the record that [Append] wrote
// but for clock readings, of which only the start, to the second, and the time
// of each move, to the microsecond, are kept. Lines are at most 79 bytes long,
// short of single tags: PGN wants no line longer than 255, which a long name
// or opening may exceed.
//
// Games of other programs are played again, too, if their rules are known. What
// can't be played again, such as chess, is read for its tags alone: those records
// have no moves. The reason of a game that is not over by the rules after its moves
// is [record.Imported].
package pgn
