// Package pgn writes game records as PGN, the text that chess programs exchange (Edwards: Portable
// Game Notation Specification and Implementation Guide, 1994), for rating tools and viewers of
// tables, and reads PGN.
//
// South is White. The seven usual tags come first, Round being pair.game. Other tags hold the rest
// of the record, and the moves are the short notation with scores and more in a comment: {+0.92/3
// 0.001250s n=570} is a score in points, the depth, the time in seconds and the positions visited;
// M3 is a win in three plies. Lines are at most 79 bytes long, short of single tags: PGN wants no
// line longer than 255, which a long name or opening may exceed.
//
// A [Converter] keeps what ratings and replays need of the games of any program; the lossless
// form of a record is its line of JSON.
package pgn

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/textfmt"
	"gyges/tournament/game"
	"gyges/tournament/record"
)

const (
	maxName   = 1000 // bytes of a player's name that readers of PGN take
	lineWidth = 79   // bytes of a line of moves
)

// The tags beside the usual ones that are read, too.
const (
	tagUTCDate    = "UTCDate"
	tagUTCTime    = "UTCTime"
	tagFEN        = "FEN" // of other programs
	tagOpening    = "Opening"
	tagWhiteAgent = "WhiteAgent" // its spec, if its name is another
	tagBlackAgent = "BlackAgent"
)

// tag is a tag of a game.
type tag struct{ name, value string }

// Append appends a game to b, with an empty line at its end. event names the run, and name
// returns what a player is called by its spec. The error says what PGN has no form for; b is
// returned as it was then.
func Append(
	b []byte, g *record.Record, event string, name func(spec string) string,
) ([]byte, error) {
	white, black := name(g.South.Agent), name(g.North.Agent)
	if err := check(g, event, white, black); err != nil {
		return b, fmt.Errorf("game %d: %w", g.Game, err)
	}
	var whiteAgent, blackAgent string
	if g.South.Agent != white {
		whiteAgent = g.South.Agent
	}
	if g.North.Agent != black {
		blackAgent = g.North.Agent
	}
	var date, clock string
	if start := g.Timing.Start.UTC(); !start.IsZero() {
		date = start.Format("2006.01.02")
		clock = start.Format(time.TimeOnly)
	}
	whiteTime, blackTime := timeControl(g, g.South.Agent), timeControl(g, g.North.Agent)
	bothTimes := ""
	if whiteTime == blackTime {
		bothTimes = whiteTime
		whiteTime = ""
		blackTime = ""
	}
	var fault record.Fault
	if g.Fault != nil {
		fault = *g.Fault
	}
	tags := []tag{
		{"Event", cmp.Or(event, "?")},
		{"Site", "?"},
		{"Date", cmp.Or(date, "????.??.??")},
		{"Round", fmt.Sprintf("%d.%d", g.Pair, g.Game)},
		{"White", white},
		{"Black", black},
		{"Result", g.Result},
		{tagWhiteAgent, whiteAgent},
		{tagBlackAgent, blackAgent},
		{tagUTCDate, date},
		{tagUTCTime, clock},
		{"GameId", strconv.FormatInt(g.Game, 10)},
		{"Pair", strconv.FormatInt(g.Pair, 10)},
		{"Rules", g.Rules},
		{tagOpening, g.Opening},
		{"OpeningPolicy", g.Policy},
		{"WhiteSeed", number(g.South.Seed)},
		{"BlackSeed", number(g.North.Seed)},
		{"LimitDepth", number(g.Limits.Depth)},
		{"LimitNodes", number(g.Limits.Nodes)},
		{"LimitMoveTime", g.Limits.MoveTime},
		{"TimeControl", bothTimes},
		{"WhiteTimeControl", whiteTime},
		{"BlackTimeControl", blackTime},
		{"OnRepetition", g.OnRepetition},
		{"Adjudication", g.Adjudication},
		{"PlyCount", number(g.Plies)},
		{"Reason", g.Reason},
		{"Termination", game.EndingOf(g).Termination},
		{"Fault", fault.Side},
		{"FaultDetail", fault.Detail},
	}
	for _, t := range tags {
		if t.value == "" {
			continue
		}
		value := t.value
		if !printable(value) { // as in a string of Go
			value = strconv.Quote(value)
			value = value[1 : len(value)-1]
		}
		b = fmt.Appendf(b, "[%s \"%s\"]\n", t.name, escaper.Replace(value))
	}
	return fmt.Appendf(b, "\n%s\n\n", movesText(g)), nil
}

// timeControl returns the clock of a player of a game as PGN has it, in seconds: "60", "60+0.6",
// "40/60+1" with a period of 40 moves. It is "" without a clock.
func timeControl(g *record.Record, player string) string {
	spec, _ := agents.ParseSpec(player) // in imported games it may be any name
	own := spec.Get("clock")
	c, err := game.ParseClock(cmp.Or(own, g.Limits.Clock))
	if err != nil {
		return ""
	}
	text := strconv.FormatFloat(c.Base.Seconds(), 'f', -1, 64)
	if c.Moves > 0 {
		text = fmt.Sprintf("%d/%s", c.Moves, text)
	}
	if c.Increment > 0 {
		text += "+" + strconv.FormatFloat(c.Increment.Seconds(), 'f', -1, 64)
	}
	return text
}

// escaper escapes the values of tags.
var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// number returns a number as the value of a tag, which is left out for 0.
func number[T int | int64 | uint64](n T) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// move is the shape of moves in short notation. Whether a text is a move needs the position.
var move = regexp.MustCompile(`^[a-z0-9@+-]{1,16}$`)

// check returns what PGN has no form for.
func check(g *record.Record, event, white, black string) error {
	var p problems.List
	// A game that was not played has a result for the schedule's sake, which other
	// programs would count.
	p.Require(!g.NotPlayed(), "expected a game that was played, found one of a suspended agent")
	texts := slices.Compact([]tag{
		{"South", white}, {"South", g.South.Agent},
		{"North", black}, {"North", g.North.Agent},
		{"rules", g.Rules}, {"event", event},
	})
	for _, t := range texts {
		p.Require(printable(t.value),
			"%s: expected printable text, as PGN has no other, found %.80q", t.name, t.value)
	}
	for _, name := range []string{white, black} {
		if name == "" || name == "?" || len(name) > maxName {
			p.Require(false, "expected a player's name of 1 to %d bytes other than ?, found %.80q",
				maxName, name)
		}
	}
	for i, m := range g.Moves {
		if !move.MatchString(m) {
			p.Require(false, "move %d: expected a move in short notation, found %.40q", i+1, m)
			break
		}
	}
	return p.Err()
}

// printable reports whether a text may stand in a tag as it is.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// movesText returns the moves of a game with their numbers and comments, and the result.
func movesText(g *record.Record) string {
	turn := 0
	if side, err := rules.SideToMove(g.Opening); err == nil && side == rules.North {
		turn = 1 // Black begins; without an opening that can be read, White does
	}
	var words []string
	for i, m := range g.Moves {
		dots := "."
		if turn%2 == 1 {
			dots = "..."
		}
		words = append(words, strconv.Itoa(turn/2+1)+dots, m, comment(g, i))
		turn++
	}
	words = append(words, g.Result)
	lines := textfmt.Wrap(strings.Join(words, " "), lineWidth)
	for i, line := range lines {
		// Within a comment, readers would take such a line for no part of it.
		if strings.IndexAny(line, "%[") == 0 {
			lines[i] = " " + line
		}
	}
	return strings.Join(lines, "\n")
}

// comment returns what is known of move i as a comment; "" if nothing is.
func comment(g *record.Record, i int) string {
	var score, depth, clock string
	var words []string
	for list, value := range g.Said(i) {
		switch list.Each {
		case "score":
			score = scoreText(g.Scores[i])
		case "depth":
			depth = fmt.Sprint(value)
		case "ms":
			clock = fmt.Sprintf("%.6fs", g.Timing.MoveMS[i]/1000)
		default:
			if list.PGN != "" {
				words = append(words, commented(fmt.Sprintf(list.PGN, value)))
			}
		}
	}
	switch {
	case score != "" && depth != "":
		score += "/" + depth
	case depth != "": // no program reads a depth alone
		words = append(words, "d="+depth)
	}
	words = append([]string{score, clock}, words...)
	text := strings.TrimSpace(strings.Join(words, " "))
	if text == "" {
		return ""
	}
	return "{" + text + "}"
}

// commented returns a text as it stands in a comment: braces, which would end it, are escapes of
// Go, and so is what can't be printed.
func commented(text string) string {
	return strings.NewReplacer("{", `\x7b`, "}", `\x7d`).Replace(textfmt.Escape(text))
}

// scoreText returns a score as engines print it, in points with their sign; a proven result with
// its plies behind an M.
func scoreText(s record.Score) string {
	n, sign := agents.Score(s), '+'
	if n < 0 {
		n = -n
		sign = '-'
	}
	if agents.WinScore <= n && n <= agents.WinTop {
		return fmt.Sprintf("%cM%d", sign, agents.WinTop-n)
	}
	return fmt.Sprintf("%+.2f", float64(s)/100)
}
