package source

import (
	"bytes"
	"errors"
	"io"

	"gyges/ratings"
)

// pgnGame is a game of a PGN file being read: its tags, and the text of its moves. White is South.
//
// The games of a pair have the same tag Pair, or Round and FEN: two of one round and opening with sides swapped.
type pgnGame struct {
	start    int    // line of the first tag; 0: none yet
	ended    bool   // a blank line or moves came after the tags
	comment  bool   // in a comment of several lines, up to a tag behind a blank line
	blank    bool   // the line before was
	pending  []byte // tags of the next game, which end this one
	bad      error  // the first mistake
	tags     [tagCount][]byte
	tagLines [tagCount]int // their lines; 0 for a tag that wasn't read
	moves    []byte
	tooLong  bool // there were more moves than are kept
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
	tagRound
	tagFEN
	tagRules
	tagVariant
	tagFault
	tagEvent
	tagDate
	tagTime
	tagOpening
	tagWhiteAgent
	tagBlackAgent
	tagCount
)

var tagNames = map[string]int{
	"White": tagWhite, "Black": tagBlack, "Result": tagResult, "GameId": tagID, "GameID": tagID, "Pair": tagPair,
	"Round": tagRound, "FEN": tagFEN, "Rules": tagRules, "Variant": tagVariant, "Fault": tagFault, "Event": tagEvent,
	"Date": tagDate, "UTCTime": tagTime, "Opening": tagOpening, "WhiteAgent": tagWhiteAgent, "BlackAgent": tagBlackAgent,
}

// readPGN is [Results.ReadResult] for PGN.
func (r *Results) readPGN(o *Result) error {
	p := r.pgn
	line := p.pending
	if p.pending = nil; line != nil {
		p.begin(r.lines.Line())
	}
	for {
		if line != nil && r.readTags(line) {
			return r.endPGN(o)
		}
		var err error
		line, err = r.next()
		if errors.Is(err, io.EOF) && p.start > 0 {
			return r.endPGN(o)
		}
		if err != nil {
			return err
		}
		if p.comment && p.blank && len(line) > 0 && line[0] == '[' {
			_, _, isTag := p.splitTag(line)
			p.comment = !isTag // it was left open
		}
		if p.blank = len(line) == 0; !p.comment {
			line = trimBlanks(line)
		}
		if p.comment || len(line) == 0 || line[0] != '[' {
			p.addMoves(line)
			line = nil
		}
	}
}

// addMoves reads a line behind the tags.
func (p *pgnGame) addMoves(line []byte) {
	if !p.comment && len(line) > 0 && line[0] == '%' {
		return
	}
	if p.ended = p.start > 0; p.ended && len(line) > 0 {
		if p.tooLong = p.tooLong || len(p.moves)+len(line) >= maxLine; !p.tooLong {
			p.moves = append(append(p.moves, '\n'), line...)
		}
	}
	p.findComments(line)
}

// findComments finds out whether a comment goes on after a line of moves. In it a line may begin like a tag.
func (p *pgnGame) findComments(line []byte) {
	for {
		mark := byte('{')
		if p.comment {
			mark = '}'
		}
		i := bytes.IndexByte(line, mark)
		if i < 0 || (!p.comment && bytes.IndexByte(line[:i], ';') >= 0) {
			return
		}
		p.comment = !p.comment
		line = line[i+1:]
	}
}

// readTags reads a line of one or several tags, and reports whether they are of the next game.
func (r *Results) readTags(line []byte) (next bool) {
	p, n := r.pgn, r.lines.Line()
	if p.ended {
		p.pending = line
		return true
	}
	if p.start == 0 {
		p.begin(n)
	}
	if len(line) > maxFields {
		p.fail(r.wrong(n, "expected a line of tags of at most %d bytes, found a longer one", maxFields))
		return false
	}
	for len(line) > 0 {
		name, rest, ok := p.splitTag(line)
		if !ok {
			p.fail(r.wrong(n, "expected a tag [Name \"value\"], found %.60q", line))
			return false
		}
		if k := tagNames[string(name)]; k != tagNone {
			if p.tagLines[k] > 0 && k <= tagResult { // without a blank line before it
				p.pending = line
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
	p.start, p.ended, p.bad, p.moves, p.tooLong = line, false, nil, p.moves[:0], false
}

// splitTag takes the first tag off a line and stores its value, in which a backslash escapes a quote or a backslash.
func (p *pgnGame) splitTag(line []byte) (name, rest []byte, ok bool) {
	name, text, _ := bytes.Cut(line[1:], []byte{'"'})
	name = bytes.TrimRight(name, " \t")
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
	return name, trimBlanks(rest), line[0] == '[' && len(name) > 0 && closed && ended
}

// fail keeps the first mistake in a game.
func (p *pgnGame) fail(err error) {
	if p.bad == nil {
		p.bad = err
	}
}

// endPGN stores the game in o.
func (r *Results) endPGN(o *Result) error {
	p := r.pgn
	rules := p.tag(tagRules)
	if len(rules) == 0 {
		rules = p.tag(tagVariant)
	}
	*o = Result{
		Line: p.start, Sides: ratings.WhiteBlack, ID: p.tag(tagID), Pair: p.pair(),
		Fault: len(p.tag(tagFault)) > 0,
	}
	var required [tagResult + 1]value
	for k, name := range []string{tagWhite: "White", tagBlack: "Black", tagResult: "Result"} {
		if name != "" && p.tagLines[k] == 0 {
			p.fail(r.wrong(p.start, "expected tags White, Black and Result, found none of %s", name))
		}
		required[k] = value{name, p.tags[k], p.tagLines[k]}
	}
	p.start = 0
	if p.bad != nil {
		return p.bad
	}
	return r.result(o, required[tagWhite], required[tagBlack], required[tagResult], rules)
}

// tag returns the value of a tag; nil without it.
func (p *pgnGame) tag(k int) []byte {
	if p.tagLines[k] == 0 {
		return nil
	}
	return p.tags[k]
}

// pair returns what both games of a pair share.
func (p *pgnGame) pair() []byte {
	if p.tagLines[tagPair] > 0 || len(p.tag(tagFEN)) == 0 {
		return p.tag(tagPair)
	}
	p.key = append(p.key[:0], p.tags[tagFEN]...)
	if p.tagLines[tagRound] > 0 {
		p.key = append(append(p.key, 0), p.tags[tagRound]...)
	}
	return p.key
}
