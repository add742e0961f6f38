// Package pgn writes game records as PGN, the text that chess programs exchange
// (Edwards: Portable Game Notation Specification and Implementation Guide,
// 1994), for rating tools and viewers of tables, and reads PGN.
//
// South is White. The seven usual tags come first, Round being pair.game. Other
// tags hold the rest of the record, and the moves are the short notation with
// scores and more in a comment: {+0.92/3 0.001250s n=570} is a score in points, the
// depth, the time in seconds and the positions visited; M3 is a win in three plies.
// Lines are at most 79 bytes long, short of single tags: PGN wants no line longer
// than 255, which a long name or opening may exceed.
//
// [Read] keeps what ratings and replays need of the games of any program; the lossless
// form of a record is its line of JSON.
package pgn

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

const (
	maxName   = 1000 // bytes of a player's name that readers of PGN take
	maxMove   = 16   // bytes
	lineWidth = 79   // bytes of a line of moves
	noStart   = "????.??.??"
	dateForm  = "2006.01.02"
	timeForm  = "15:04:05"
)

// The tags beside the usual ones.
const (
	tagTime       = "UTCTime"
	tagGame       = "GameId"
	tagPair       = "Pair"
	tagRules      = "Rules"
	tagFEN        = "FEN" // of other programs
	tagOpening    = "Opening"
	tagPolicy     = "OpeningPolicy"
	tagWhiteAgent = "WhiteAgent" // its spec, if its name is another
	tagBlackAgent = "BlackAgent"
	tagWhiteSeed  = "WhiteSeed"
	tagBlackSeed  = "BlackSeed"
	tagDepth      = "LimitDepth"
	tagNodes      = "LimitNodes"
	tagMoveTime   = "LimitMoveTime"
	tagClock      = "LimitClock"
	tagRepetition = "OnRepetition"
	tagAdjudicate = "Adjudication"
	tagPlies      = "PlyCount"
	tagReason     = "Reason"
	tagFault      = "Fault"
	tagDetail     = "FaultDetail"
)

// Append appends a game to b, with an empty line at its end. event names the
// run, and name returns what a player is called by its spec. The error says what
// PGN has no form for; b is returned as it was then.
func Append(b []byte, g *record.Game, event string, name func(spec string) string) ([]byte, error) {
	white, black := name(g.South.Agent), name(g.North.Agent)
	if err := check(g, event, white, black); err != nil {
		return b, fmt.Errorf("game %d: %w", g.Game, err)
	}
	b = appendRoster(b, g, event, white, black)
	if white != g.South.Agent {
		b = appendTag(b, tagWhiteAgent, g.South.Agent)
	}
	if black != g.North.Agent {
		b = appendTag(b, tagBlackAgent, g.North.Agent)
	}
	b = appendRest(b, g)
	b = append(b, '\n')
	return append(appendMoves(b, g), '\n', '\n'), nil
}

// errNotPlayed keeps games out that have a result only for the schedule's sake:
// other programs would count it.
var errNotPlayed = errors.New("expected a game that was played, found one of a suspended agent")

// check returns an error for a game that PGN has no form for.
func check(g *record.Game, event, white, black string) error {
	var errs []error
	if g.NotPlayed() {
		errs = append(errs, errNotPlayed)
	}
	texts := []struct{ what, text string }{
		{"South", white}, {"South", g.South.Agent}, {"North", black}, {"North", g.North.Agent},
		{"rules", g.Rules}, {"event", event},
	}
	for _, t := range slices.Compact(texts) {
		if !plain(t.text) {
			errs = append(errs, fmt.Errorf("%s: expected printable text, as PGN has no other, found %.80q", t.what, t.text))
		}
	}
	for _, name := range []string{white, black} {
		if name == "" || name == "?" || len(name) > maxName {
			errs = append(errs, fmt.Errorf("expected a player's name of 1 to %d bytes other than ?, found %.80q", maxName, name))
		}
	}
	for i, m := range g.Moves {
		if !isMove(m) {
			errs = append(errs, fmt.Errorf("move %d: expected a move in short notation, found %.40q", i+1, m))
			break
		}
	}
	return errors.Join(errs...)
}

// plain reports whether a text has a form in PGN.
func plain(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if unicode.IsControl(r) {
			return false
		}
	}
	return true
}

// isMove reports whether a text looks like a move in short notation. Whether it is
// one needs the position.
func isMove(text string) bool {
	for i := range len(text) {
		c := text[i]
		ok := 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '@' || c == '+'
		if !ok {
			return false
		}
	}
	return text != "" && len(text) <= maxMove
}

// appendRoster appends the seven tags that every game has.
func appendRoster(b []byte, g *record.Game, event, white, black string) []byte {
	date := noStart
	if start := g.Timing.Start; !start.IsZero() {
		date = start.UTC().Format(dateForm)
	}
	if event == "" {
		event = "?"
	}
	b = appendTag(b, "Event", event)
	b = appendTag(b, "Site", "?")
	b = appendTag(b, "Date", date)
	b = appendTag(b, "Round", fmt.Sprintf("%d.%d", g.Pair, g.Game))
	b = appendTag(b, "White", white)
	b = appendTag(b, "Black", black)
	return appendTag(b, "Result", g.Result)
}

// appendRest appends the tags of the rest of the record. Those without a content
// are left out.
func appendRest(b []byte, g *record.Game) []byte {
	if start := g.Timing.Start; !start.IsZero() {
		b = appendTag(b, tagTime, start.UTC().Format(timeForm))
	}
	b = appendTag(b, tagGame, strconv.FormatInt(g.Game, 10))
	b = appendTag(b, tagPair, strconv.FormatInt(g.Pair, 10))
	if g.Rules != "" {
		b = appendTag(b, tagRules, g.Rules)
	}
	b = appendQuoted(b, tagOpening, g.Opening)
	b = appendQuoted(b, tagPolicy, g.Policy)
	b = appendNumber(b, tagWhiteSeed, g.South.Seed)
	b = appendNumber(b, tagBlackSeed, g.North.Seed)
	b = appendNumber(b, tagDepth, uint64(max(g.Limits.Depth, 0)))
	b = appendNumber(b, tagNodes, uint64(max(g.Limits.Nodes, 0)))
	b = appendQuoted(b, tagMoveTime, g.Limits.MoveTime)
	b = appendQuoted(b, tagClock, g.Limits.Clock)
	b = appendQuoted(b, tagRepetition, g.OnRepetition)
	b = appendQuoted(b, tagAdjudicate, g.Adjudication)
	b = appendNumber(b, tagPlies, uint64(max(g.Plies, 0)))
	b = appendQuoted(b, tagReason, g.Reason)
	b = appendTag(b, "Termination", termination(g))
	if f := g.Fault; f != nil {
		b = appendQuoted(b, tagFault, f.Side)
		b = appendQuoted(b, tagDetail, f.Detail)
	}
	return b
}

// termination says how the game ended in the words that PGN has for it.
func termination(g *record.Game) string {
	switch {
	case g.Reason == record.Imported:
		return "unterminated"
	case g.Reason == string(record.FaultTimeout):
		return "time forfeit"
	case g.Fault != nil && g.Fault.Kind == record.FaultIllegal:
		return "rules infraction"
	case g.Fault != nil:
		return "abandoned"
	case strings.HasPrefix(g.Reason, "adjudicated-"):
		return "adjudication"
	}
	return "normal"
}

// appendTag appends a tag with a printable value.
func appendTag(b []byte, name, value string) []byte {
	b = append(append(append(b, '['), name...), ` "`...)
	for i := range len(value) {
		if c := value[i]; c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, value[i])
	}
	return append(b, '"', ']', '\n')
}

// appendQuoted appends a tag, unless its value is empty. What is not printable is
// written as in a string of Go, and a backslash twice.
func appendQuoted(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	quoted := strconv.Quote(value)
	quoted = strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) // PGN's own escape is enough
	return appendTag(b, name, quoted)
}

// appendNumber appends a tag, unless the number is 0.
func appendNumber(b []byte, name string, n uint64) []byte {
	if n == 0 {
		return b
	}
	return appendTag(b, name, strconv.FormatUint(n, 10))
}

// appendMoves appends the moves, numbered as in chess, and the result.
func appendMoves(b []byte, g *record.Game) []byte {
	w := wrapper{text: b, start: len(b)}
	first := 0 // 1: Black begins
	if side, err := rules.SideToMove(g.Opening); err == nil && side == rules.North {
		first = 1 // without an opening that can be read the moves are numbered from White's first
	}
	var word []byte
	for i, m := range g.Moves {
		turn := first + i
		word = strconv.AppendInt(word[:0], int64(turn/2+1), 10)
		if turn%2 == 0 {
			word = append(word, '.')
		} else {
			word = append(word, "..."...)
		}
		w.add(word)
		w.add(append(word[:0], m...))
		w.addComment(word, g, i)
	}
	w.add(append(word[:0], g.Result...))
	return w.text
}

// wrapper puts words into lines.
type wrapper struct {
	text  []byte
	start int // of the line in text
}

func (w *wrapper) add(word []byte) {
	if n := len(w.text) - w.start; n > 0 {
		if n+1+len(word) > lineWidth {
			w.text = append(w.text, '\n')
			w.start = len(w.text)
		} else {
			w.text = append(w.text, ' ')
		}
	}
	w.text = append(w.text, word...)
}

// addComment adds what is known of move i, if anything is. text is scratch space.
func (w *wrapper) addComment(text []byte, g *record.Game, i int) {
	text = append(text[:0], '{')
	if i < len(g.Scores) {
		text = appendScore(text, g.Scores[i])
	}
	if i < len(g.Depths) && g.Depths[i] > 0 {
		text = strconv.AppendInt(append(text, '/'), int64(g.Depths[i]), 10)
	}
	if i < len(g.Timing.MoveMS) {
		text = appendSeconds(spaced(text), g.Timing.MoveMS[i])
	}
	if i < len(g.Nodes) && g.Nodes[i] > 0 {
		text = strconv.AppendInt(append(spaced(text), "n="...), g.Nodes[i], 10)
	}
	if len(text) == 1 {
		return
	}
	for word := range bytes.SplitSeq(append(text, '}'), []byte{' '}) {
		w.add(word)
	}
}

// spaced adds a space behind the first word of a comment.
func spaced(text []byte) []byte {
	if len(text) > 1 {
		text = append(text, ' ')
	}
	return text
}

// appendScore appends a score as engines print it, in points with their sign; a
// proven result with its plies behind an M. Without a score it appends nothing.
func appendScore(b []byte, s record.Score) []byte {
	if s == record.NoScore {
		return b
	}
	n, sign := agents.Score(s), '+'
	if n < 0 {
		n, sign = -n, '-'
	}
	if agents.WinScore <= n && n <= agents.WinTop {
		return fmt.Appendf(b, "%cM%d", sign, agents.WinTop-n)
	}
	return fmt.Appendf(b, "%+.2f", float64(s)/100)
}

// appendSeconds appends milliseconds as seconds, to the microsecond.
func appendSeconds(b []byte, ms float64) []byte {
	return append(strconv.AppendFloat(b, ms/1000, 'f', 6, 64), 's')
}
