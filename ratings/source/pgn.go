package source

import (
	"bytes"
	"fmt"

	"gyges/ratings"
)

// readPGN reads the tags of PGN. White is South.
//
// The games of a pair have the same tag Pair, or the same tags Round and FEN: two
// games of one round from one opening with sides swapped.
func readPGN(r reader) error {
	p := &pgnReader{reader: r}
	if err := p.each(p.read); err != nil {
		return err
	}
	return p.end()
}

// pgnReader is a game of a PGN file being read.
type pgnReader struct {
	reader
	start    int  // line of the first tag; 0: none yet
	ended    bool // a blank line or moves came after the tags
	comment  bool // in a comment of several lines
	bad      error
	badLine  int
	tags     [tagCount][]byte
	tagLines [tagCount]int // their lines; 0 for a tag that wasn't read
	key      []byte
	value    []byte
}

// The tags that are read.
const (
	tagWhite = iota
	tagBlack
	tagResult
	tagID
	tagPair
	tagRound
	tagFEN
	tagRules
	tagVariant
	tagFault
	tagCount
)

var tagNames = map[string]int{
	"White": tagWhite, "Black": tagBlack, "Result": tagResult, "GameId": tagID, "GameID": tagID, "Pair": tagPair,
	"Round": tagRound, "FEN": tagFEN, "Rules": tagRules, "Variant": tagVariant, "Fault": tagFault,
}

func (p *pgnReader) read(line []byte) error {
	if !p.comment {
		line = trimBlanks(line)
		switch {
		case len(line) == 0:
			p.ended = p.start > 0
			return nil
		case line[0] == '[':
			return p.readTags(line)
		case line[0] == '%':
			return nil
		}
	}
	p.ended = p.start > 0
	if p.h.Moves != nil && p.start > 0 {
		p.h.Moves(line)
	}
	p.findComments(line)
	return nil
}

// findComments finds out whether a comment goes on after a line of moves. In it a line
// may begin like a tag.
func (p *pgnReader) findComments(line []byte) {
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

// readTags reads a line of one or several tags.
func (p *pgnReader) readTags(line []byte) error {
	if p.ended {
		if err := p.end(); err != nil {
			return err
		}
	}
	if p.start == 0 {
		p.begin()
	}
	if len(line) > maxFields {
		p.fail(p.lines.Line(), fmt.Errorf("expected a line of tags of at most %d bytes, found a longer one", maxFields))
		return nil
	}
	for len(line) > 0 {
		name, rest, ok := p.splitTag(line)
		if !ok {
			p.fail(p.lines.Line(), fmt.Errorf("expected a tag [Name \"value\"], found %.60q", line))
			return nil
		}
		if err := p.addTag(name, p.value); err != nil {
			return err
		}
		line = rest
	}
	return nil
}

// begin begins a game with the present line.
func (p *pgnReader) begin() {
	p.start = p.lines.Line()
	if p.h.Begin != nil {
		p.h.Begin()
	}
}

// splitTag takes the first tag off a line and stores its value, in which a backslash
// escapes a quote or a backslash.
func (p *pgnReader) splitTag(line []byte) (name, rest []byte, ok bool) {
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

func (p *pgnReader) addTag(name, value []byte) error {
	k, known := tagNames[string(name)]
	if known && p.tagLines[k] > 0 && k <= tagResult { // the tags of the next game follow without a blank line
		if err := p.end(); err != nil {
			return err
		}
		p.begin()
	}
	if p.h.Tag != nil {
		p.h.Tag(name, value)
	}
	if known {
		p.tagLines[k], p.tags[k] = p.lines.Line(), append(p.tags[k][:0], value...)
	}
	return nil
}

// fail keeps the first mistake in a game.
func (p *pgnReader) fail(line int, err error) {
	if p.bad == nil {
		p.bad, p.badLine = err, line
	}
}

// end calls the handler for the game, if there is one.
func (p *pgnReader) end() error {
	if p.start == 0 {
		return nil
	}
	rules := p.tag(tagRules)
	if len(rules) == 0 {
		rules = p.tag(tagVariant)
	}
	p.out = Game{
		Line: p.start, Sides: ratings.WhiteBlack, ID: p.tag(tagID), Pair: p.pair(),
		Fault: len(p.tag(tagFault)) > 0,
	}
	var required [3]value
	for k, name := range []string{tagWhite: "White", tagBlack: "Black", tagResult: "Result"} {
		if p.tagLines[k] == 0 {
			p.fail(p.start, fmt.Errorf("expected tags White, Black and Result, found none of %s", name))
		}
		required[k] = value{name, p.tags[k], p.tagLines[k]}
	}
	bad, line := p.bad, p.badLine
	p.tagLines = [tagCount]int{}
	p.start, p.ended, p.bad, p.badLine = 0, false, nil, 0
	if bad != nil {
		return p.h.Bad(line, bad)
	}
	return p.game(required[tagWhite], required[tagBlack], required[tagResult], rules)
}

// tag returns the value of a tag; nil without it.
func (p *pgnReader) tag(k int) []byte {
	if p.tagLines[k] == 0 {
		return nil
	}
	return p.tags[k]
}

// pair returns what both games of a pair share.
func (p *pgnReader) pair() []byte {
	if p.tagLines[tagPair] > 0 || len(p.tag(tagFEN)) == 0 {
		return p.tag(tagPair)
	}
	p.key = append(p.key[:0], p.tags[tagFEN]...)
	if p.tagLines[tagRound] > 0 {
		p.key = append(append(p.key, 0), p.tags[tagRound]...)
	}
	return p.key
}
