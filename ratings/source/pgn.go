package source

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"gyges/ratings"
)

// pgnGame is a game of a PGN file being read: its tags, and its moves. White is South.
//
// The games of a pair have the same tag Pair, or Round and FEN: two of one round and opening with
// sides swapped.
type pgnGame struct {
	start   int             // its first line; 0: none yet
	ended   bool            // a blank line or moves came after the tags
	bad     error           // the first mistake
	damage  error           // of the moves
	tags    [tagCount]value // line 0 for a tag that wasn't read
	moves   []byte          // without comments
	tooLong bool            // there were more moves than are kept
	open    int             // parentheses in them
	end     value           // the result behind them; line 0: none yet

	comment int      // the line in which a comment began that goes on; 0: none
	blank   bool     // the line before was
	ahead   [][]byte // tags that follow each other in a comment
	key     []byte   // memory of [pgnGame.pair]
	value   []byte   // memory of [pgnGame.splitTag]
}

// The tags that are read.
const (
	tagNone = iota // any other
	tagWhite
	tagBlack
	tagResult
	tagID
	tagPair
	tagFEN
	tagRules
	tagVariant
	tagFault
	tagRound
	tagEvent
	tagDate
	tagUTCDate
	tagUTCTime
	tagTime
	tagStartTime
	tagOpening
	tagWhiteAgent
	tagBlackAgent
	tagCount
)

var tagNames = map[string]int{
	"White": tagWhite, "Black": tagBlack, "Result": tagResult,
	"GameId": tagID, "GameID": tagID, "Pair": tagPair, "FEN": tagFEN,
	"Rules": tagRules, "Variant": tagVariant, "Fault": tagFault,
	"Round": tagRound, "Event": tagEvent, "Date": tagDate,
	"UTCDate": tagUTCDate, "UTCTime": tagUTCTime, "Time": tagTime, "StartTime": tagStartTime,
	"Opening": tagOpening, "WhiteAgent": tagWhiteAgent, "BlackAgent": tagBlackAgent,
}

func newPGN() *pgnGame {
	p := new(pgnGame)
	for name, k := range tagNames {
		p.tags[k].what = name
	}
	return p
}

// readPGN is [Results.ReadResult] for PGN.
func (r *Results) readPGN(o *Result) error {
	p := r.pgn
	for {
		line, err := r.next()
		if err != nil {
			p.closeComment(r, "file")
			if errors.Is(err, io.EOF) && p.start > 0 {
				return r.endPGN(o)
			}
			return err
		}
		if p.comment == 0 {
			line = trimBlanks(line)
		} else if p.followedByTags(line) {
			r.back(p.ahead...)
			p.closeComment(r, "game")
			return r.endPGN(o)
		}
		p.blank = len(line) == 0
		read := r.readMoves
		if p.comment == 0 && !p.blank && line[0] == '[' {
			read = r.readTags
		}
		if read(line) {
			return r.endPGN(o)
		}
	}
}

// followedByTags reports whether a comment was left open, as a line in it shows that is a tag
// behind a blank line, or the third tag after one another. These lines are ahead then.
func (p *pgnGame) followedByTags(line []byte) bool {
	if _, _, isTag := p.splitTag(line); !isTag {
		p.ahead = p.ahead[:0]
		return false
	}
	p.ahead = append(p.ahead, bytes.Clone(line))
	return p.blank || len(p.ahead) >= 3
}

// closeComment ends a comment that was left open up to the end of something.
func (p *pgnGame) closeComment(r *Results, what string) {
	if p.comment == 0 {
		return
	}
	err := r.wrong(p.comment, "expected } at the end of a comment, found the end of the %s", what)
	if p.start == 0 {
		p.begin(p.comment)
		p.bad = err
	}
	p.damage = err
	p.comment = 0
}

// readMoves reads a line that has no tags, and reports whether it belongs to the next game.
func (r *Results) readMoves(line []byte) (next bool) {
	p := r.pgn
	if p.comment == 0 && bytes.HasPrefix(line, []byte{'%'}) {
		return false
	}
	p.ended = p.start > 0
	for len(line) > 0 {
		if p.comment > 0 {
			_, rest, closed := bytes.Cut(line, []byte{'}'})
			if closed {
				p.comment = 0
			}
			line = rest
			continue
		}
		text, rest, opened := bytes.Cut(line, []byte{'{'})
		if i := bytes.IndexByte(text, ';'); i >= 0 { // a comment up to the end of the line
			text, rest, opened = text[:i], nil, false
		}
		text = bytes.TrimSpace(text)
		if len(text) > 0 && p.addMoves(text, r.line) {
			r.back(line) // without what has been read of it, so that this ends
			return true
		}
		if opened {
			p.comment = r.line
			p.ahead = p.ahead[:0]
		}
		line = rest
	}
	return false
}

// endings are the results that stand behind the moves.
var endings = []string{"1/2-1/2", "1-0", "0-1", "*", "½-½", "0.5-0.5"}

// addMoves adds moves that stand in a line, and reports whether they belong to the next game: the
// game has ended with a result before.
func (p *pgnGame) addMoves(text []byte, line int) (next bool) {
	if p.start == 0 {
		p.begin(line)
		p.ended = true
	}
	if p.end.line > 0 {
		isRemark := bytes.IndexByte([]byte("($)"), text[0]) >= 0
		return !isRemark && !bytes.Equal(text, p.end.text)
	}
	p.tooLong = p.tooLong || len(p.moves)+len(text) >= maxLine
	if p.tooLong {
		return false
	}
	p.moves = append(p.moves, ' ')
	p.moves = append(p.moves, text...)
	p.open += bytes.Count(text, []byte{'('}) - bytes.Count(text, []byte{')'})
	const lastBytes = "012*5\xbd" // of endings
	if p.open != 0 || strings.IndexByte(lastBytes, text[len(text)-1]) < 0 {
		return false
	}
	for _, result := range endings {
		if bytes.HasSuffix(text, []byte(result)) {
			p.end = value{text: []byte(result), line: line}
		}
	}
	return false
}

// readTags reads a line of one or several tags, and reports whether they are of the next game.
func (r *Results) readTags(line []byte) (next bool) {
	p := r.pgn
	if p.ended {
		r.back(line)
		return true
	}
	if p.start == 0 {
		p.begin(r.line)
	}
	if len(line) > maxFields {
		p.fail(r.wrong(r.line, "expected a line of tags of at most %d bytes, found a longer one",
			maxFields))
		return false
	}
	for len(line) > 0 {
		name, rest, ok := p.splitTag(line)
		if !ok {
			p.fail(r.wrong(r.line, "expected a tag [Name \"value\"], found %.60q", line))
			return false
		}
		if k := tagNames[string(name)]; k != tagNone {
			if p.beginsNext(k) {
				r.back(line)
				return true
			}
			p.tags[k].line = r.line
			p.tags[k].text = append(p.tags[k].text[:0], p.value...)
		}
		line = rest
	}
	return false
}

// beginsNext reports whether a tag, whose value was read, is of the next game although there is no
// blank line before it. Tags that stand behind the players may be repeated.
func (p *pgnGame) beginsNext(k int) bool {
	if p.tags[k].line == 0 {
		return false
	}
	if k <= tagResult {
		return true
	}
	for _, required := range p.tags[tagWhite : tagResult+1] {
		if required.line == 0 {
			return false
		}
	}
	isHead := tagRound <= k && k <= tagDate
	return isHead || !bytes.Equal(p.tags[k].text, p.value)
}

// begin begins a game with a line.
func (p *pgnGame) begin(line int) {
	for k := range p.tags {
		p.tags[k].line = 0
	}
	p.start = line
	p.ended = false
	p.bad = nil
	p.damage = nil
	p.moves = p.moves[:0]
	p.tooLong = false
	p.open = 0
	p.end.line = 0
}

// fail keeps the first mistake.
func (p *pgnGame) fail(err error) {
	if p.bad == nil {
		p.bad = err
	}
}

// splitTag takes the first tag off a line and stores its value, in which a backslash escapes a
// quote or a backslash.
func (p *pgnGame) splitTag(line []byte) (name, rest []byte, ok bool) {
	line, ok = bytes.CutPrefix(line, []byte{'['})
	if !ok {
		return nil, nil, false
	}
	name, text, _ := bytes.Cut(line, []byte{'"'})
	name = bytes.TrimSpace(name)
	p.value = p.value[:0]
	i := 0
	for ; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		p.value = append(p.value, text[i])
	}
	rest, closed := bytes.CutPrefix(text[i:], []byte{'"'})
	rest, ended := bytes.CutPrefix(trimBlanks(rest), []byte{']'})
	if !closed || !ended { // quotes in it may have no backslashes
		text, ended = bytes.CutSuffix(bytes.TrimRight(text, " \t"), []byte(`"]`))
		p.value = append(p.value[:0], text...)
		rest = nil
	}
	return name, trimBlanks(rest), len(name) > 0 && ended
}

// endPGN stores the game in o.
func (r *Results) endPGN(o *Result) error {
	p := r.pgn
	rules, opening := p.tag(tagRules, tagVariant), p.tag(tagFEN, tagOpening)
	if strings.EqualFold(string(rules), "From Position") { // by lichess, of any rules
		rules = nil
	}
	p.checkEnd(r)
	*o = Result{
		Line:   p.start,
		Sides:  ratings.WhiteBlack,
		ID:     p.tag(tagID),
		Pair:   p.pair(),
		Fault:  len(p.tag(tagFault)) > 0,
		Damage: p.damage,
	}
	players := p.tags[tagWhite : tagResult+1]
	white, black, result := players[0], players[1], players[2]
	if len(o.Pair) > 0 {
		o.Opening = Hash(opening)
	}
	if len(o.ID) > 0 {
		date, clock := p.tag(tagUTCDate, tagDate), p.tag(tagUTCTime, tagTime, tagStartTime)
		o.Content = Hash(white.text, black.text, rules, opening, p.moves, result.text, date, clock,
			o.Pair, p.tag(tagFault))
	}
	for _, tag := range players {
		if tag.line == 0 {
			p.fail(r.wrong(p.start, "expected tags White, Black and Result, found none of %s",
				tag.what))
		}
	}
	p.start = 0
	p.ended = false
	if p.bad != nil {
		return p.bad
	}
	return r.result(o, white, black, result, rules)
}

// checkEnd compares the result behind the moves with the tag, in whose place it counts if the tag
// has none.
func (p *pgnGame) checkEnd(r *Results) {
	end, tag := string(p.end.text), string(p.tag(tagResult))
	if p.end.line == 0 || end == "*" || end == tag {
		return
	}
	if tag == "" || tag == "*" || tag == "?" {
		p.tags[tagResult].line = p.end.line
		p.tags[tagResult].text = p.end.text
		return
	}
	result, err := parseResult([]byte(tag))
	played, _ := parseResult(p.end.text)
	if err == nil && played != result {
		p.fail(r.wrong(p.end.line, "expected the result %s of the tag behind the moves, found %s",
			tag, end))
	}
}

// tag returns the value of the first of some tags that has one; nil without it.
func (p *pgnGame) tag(tags ...int) []byte {
	for _, k := range tags {
		if tag := &p.tags[k]; tag.line > 0 && len(tag.text) > 0 {
			return tag.text
		}
	}
	return nil
}

// pair returns what both games of a pair share.
func (p *pgnGame) pair() []byte {
	opening := p.tag(tagFEN)
	if p.tags[tagPair].line > 0 || len(opening) == 0 {
		return p.tag(tagPair)
	}
	p.key = append(p.key[:0], opening...)
	p.key = append(p.key, 0)
	p.key = append(p.key, p.tag(tagRound)...)
	return p.key
}
