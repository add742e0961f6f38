package source

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"gyges/ratings"
)

// pgnGame is a game of a PGN file being read: its tags, and its moves. White is South.
//
// The games of a pair have the same tag Pair, or Round and FEN: two of one round and opening with sides swapped.
type pgnGame struct {
	start    int      // its first line; 0: none yet
	ended    bool     // a blank line or moves came after the tags
	comment  int      // the line in which one began that goes on; 0: none
	blank    bool     // the line before was
	ahead    [][]byte // tags that follow each other in a comment
	bad      error    // the first mistake
	damage   error    // of the moves
	tags     [tagCount][]byte
	tagLines [tagCount]int // their lines; 0 for a tag that wasn't read
	moves    []byte        // without comments
	tooLong  bool          // there were more moves than are kept
	open     int           // parentheses in them
	end      string        // the result behind them; "": none yet
	endLine  int
	key      []byte
	value    []byte
}

// The tags that are read.
const (
	tagNone = iota
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
	"White": tagWhite, "Black": tagBlack, "Result": tagResult, "GameId": tagID, "GameID": tagID, "Pair": tagPair,
	"Round": tagRound, "FEN": tagFEN, "Rules": tagRules, "Variant": tagVariant, "Fault": tagFault, "Event": tagEvent,
	"Date": tagDate, "Time": tagTime, "StartTime": tagStartTime, "UTCDate": tagUTCDate, "UTCTime": tagUTCTime,
	"Opening": tagOpening, "WhiteAgent": tagWhiteAgent, "BlackAgent": tagBlackAgent,
}

// readPGN is [Results.ReadResult] for PGN.
func (r *Results) readPGN(o *Result) error {
	p := r.pgn
	for {
		line, err := r.next()
		switch {
		case err != nil:
			if p.closeComment(r, "file"); errors.Is(err, io.EOF) && p.start > 0 {
				return r.endPGN(o)
			}
			return err
		case p.comment == 0:
			line = trimBlanks(line)
		case p.followedByTags(line):
			r.back(p.ahead...)
			p.closeComment(r, "game")
			return r.endPGN(o)
		}
		p.blank = len(line) == 0
		switch isTags := p.comment == 0 && !p.blank && line[0] == '['; {
		case isTags && r.readTags(line), !isTags && r.readMoves(line):
			return r.endPGN(o)
		}
	}
}

// followedByTags reports whether a comment was left open, as a line in it shows that is a tag behind a blank line, or
// the third tag after one another. These lines are ahead then.
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
	if p.damage = err; p.start == 0 {
		p.begin(p.comment)
		p.bad = err
	}
	p.comment = 0
}

// readMoves reads a line that has no tags, and reports whether it belongs to the next game.
func (r *Results) readMoves(line []byte) (next bool) {
	p := r.pgn
	if p.comment == 0 && len(line) > 0 && line[0] == '%' {
		return false
	}
	for p.ended = p.start > 0; len(line) > 0; {
		if p.comment > 0 {
			_, rest, closed := bytes.Cut(line, []byte{'}'})
			if line = rest; closed {
				p.comment = 0
			}
			continue
		}
		text, rest, opened := bytes.Cut(line, []byte{'{'})
		if i := bytes.IndexByte(text, ';'); i >= 0 { // a comment up to the end of the line
			text, rest, opened = text[:i], nil, false
		}
		if text = bytes.TrimSpace(text); len(text) > 0 && p.addMoves(text, r.line) {
			r.back(line) // without what has been read of it, so that this ends
			return true
		}
		if line = rest; opened {
			p.comment, p.ahead = r.line, p.ahead[:0]
		}
	}
	return false
}

// addMoves adds moves that stand in a line, unless the game has ended with a result before.
func (p *pgnGame) addMoves(text []byte, n int) (next bool) {
	if p.start == 0 {
		p.begin(n)
		p.ended = true
	}
	switch {
	case p.end != "":
		return string(text) != p.end && bytes.IndexByte([]byte("($)"), text[0]) < 0
	case p.tooLong || len(p.moves)+len(text) >= maxLine:
		p.tooLong = true
		return false
	}
	p.moves = append(append(p.moves, ' '), text...)
	p.open += bytes.Count(text, []byte{'('}) - bytes.Count(text, []byte{')'})
	if p.open != 0 || strings.IndexByte("012*5\xbd", text[len(text)-1]) < 0 { // their last bytes
		return false
	}
	for _, result := range [...]string{"1/2-1/2", "1-0", "0-1", "*", "½-½", "0.5-0.5"} {
		if bytes.HasSuffix(text, []byte(result)) {
			p.end, p.endLine = result, n
		}
	}
	return false
}

// readTags reads a line of one or several tags, and reports whether they are of the next game.
func (r *Results) readTags(line []byte) (next bool) {
	p, n := r.pgn, r.line
	if p.ended {
		r.back(line)
		return true
	}
	if p.start == 0 {
		p.begin(n)
	}
	if len(line) > maxFields {
		p.bad = cmp.Or(p.bad, r.wrong(n, "expected a line of tags of at most %d bytes, found a longer one", maxFields))
		return false
	}
	for len(line) > 0 {
		name, rest, ok := p.splitTag(line)
		if !ok {
			p.bad = cmp.Or(p.bad, r.wrong(n, "expected a tag [Name \"value\"], found %.60q", line))
			return false
		}
		if k := tagNames[string(name)]; k != tagNone {
			// Without a blank line before it. Tags that stand behind the players may be repeated.
			if p.tagLines[k] > 0 && (k <= tagResult || slices.Min(p.tagLines[tagWhite:tagResult+1]) > 0 &&
				(tagRound <= k && k <= tagDate || !bytes.Equal(p.tags[k], p.value))) {
				r.back(line)
				return true
			}
			p.tagLines[k], p.tags[k] = n, append(p.tags[k][:0], p.value...)
		}
		line = rest
	}
	return false
}

// begin begins a game with a line.
func (p *pgnGame) begin(line int) {
	p.tagLines = [tagCount]int{}
	p.start, p.ended, p.bad, p.damage, p.moves, p.tooLong = line, false, nil, nil, p.moves[:0], false
	p.open, p.end = 0, ""
}

// splitTag takes the first tag off a line and stores its value, in which a backslash escapes a quote or a backslash.
func (p *pgnGame) splitTag(line []byte) (name, rest []byte, ok bool) {
	if len(line) == 0 || line[0] != '[' {
		return nil, nil, false
	}
	name, text, _ := bytes.Cut(line[1:], []byte{'"'})
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
	if ok = closed && ended; !ok { // quotes in it may have no backslashes
		text, ok = bytes.CutSuffix(bytes.TrimRight(text, " \t"), []byte(`"]`))
		p.value, rest = append(p.value[:0], text...), nil
	}
	return name, trimBlanks(rest), len(name) > 0 && ok
}

// endPGN stores the game in o.
func (r *Results) endPGN(o *Result) error {
	p := r.pgn
	rules, opening := p.tag(tagRules, tagVariant), p.tag(tagFEN, tagOpening)
	if strings.EqualFold(string(rules), "From Position") { // by lichess, of any rules
		rules = nil
	}
	if p.end != "" && p.end != "*" && p.end != string(p.tag(tagResult)) {
		p.checkEnd(r)
	}
	*o = Result{
		Line: p.start, Sides: ratings.WhiteBlack, ID: p.tag(tagID), Pair: p.pair(), Fault: len(p.tag(tagFault)) > 0,
		Damage: p.damage,
	}
	if len(o.Pair) > 0 {
		o.Opening = Hash(opening)
	}
	if len(o.ID) > 0 {
		date, clock := p.tag(tagUTCDate, tagDate), p.tag(tagUTCTime, tagTime, tagStartTime)
		o.Content = Hash(p.tags[tagWhite], p.tags[tagBlack], rules, opening, p.moves, p.tags[tagResult],
			date, clock, o.Pair, p.tag(tagFault))
	}
	var required [tagResult + 1]value
	for k, name := range []string{tagWhite: "White", tagBlack: "Black", tagResult: "Result"} {
		if name != "" && p.tagLines[k] == 0 {
			p.bad = cmp.Or(p.bad, r.wrong(p.start, "expected tags White, Black and Result, found none of %s", name))
		}
		required[k] = value{name, p.tags[k], p.tagLines[k]}
	}
	p.start, p.ended = 0, false
	if p.bad != nil {
		return p.bad
	}
	return r.result(o, required[tagWhite], required[tagBlack], required[tagResult], rules)
}

// checkEnd compares the result behind the moves with another one of the tag, in whose place it counts if that is none.
func (p *pgnGame) checkEnd(r *Results) {
	tag := string(p.tag(tagResult))
	if tag == "" || tag == "*" || tag == "?" {
		p.tagLines[tagResult], p.tags[tagResult] = p.endLine, append(p.tags[tagResult][:0], p.end...)
		return
	}
	said, err := parseResult([]byte(tag))
	if end, _ := parseResult([]byte(p.end)); err == nil && end != said {
		p.bad = cmp.Or(p.bad, r.wrong(p.endLine, "expected the result %s of the tag behind the moves, found %s", tag, p.end))
	}
}

// tag returns the value of the first of some tags that has one; nil without it.
func (p *pgnGame) tag(tags ...int) []byte {
	for _, k := range tags {
		if p.tagLines[k] > 0 && len(p.tags[k]) > 0 {
			return p.tags[k]
		}
	}
	return nil
}

// pair returns what both games of a pair share.
func (p *pgnGame) pair() []byte {
	if p.tagLines[tagPair] > 0 || len(p.tag(tagFEN)) == 0 {
		return p.tag(tagPair)
	}
	p.key = append(append(append(p.key[:0], p.tags[tagFEN]...), 0), p.tag(tagRound)...)
	return p.key
}
