package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// readPGN reads the tags of PGN and skips the moves. White is South.
//
// A pair is known by a tag Pair, or by the tags Round and FEN together: two
// games of one round from one opening with sides swapped.
func readPGN(ctx context.Context, r io.Reader, h Handler) error {
	p := &pgn{h: h, lines: newLines(ctx, r), names: make(names)}
	for {
		piece, inside, err := p.lines.next()
		if errors.Is(err, io.EOF) {
			return p.end()
		}
		if err != nil {
			return err
		}
		if err := p.piece(piece, inside); err != nil {
			return err
		}
	}
}

// pgn is a game in the making.
type pgn struct {
	h     Handler
	lines *lines
	names names

	start   int  // line of the first tag; 0: none yet
	gap     bool // a blank line or moves came after the tags
	comment bool // in a comment of several lines
	bad     error
	badAt   int
	tags    [tagCount][]byte
	seen    [tagCount]bool
	at      [tagCount]int // lines
	key     []byte
	unquote []byte
	out     Game
}

// The tags that matter.
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
	tagCount
)

func tagOf(name []byte) int {
	switch string(name) {
	case "White":
		return tagWhite
	case "Black":
		return tagBlack
	case "Result":
		return tagResult
	case "GameId", "GameID":
		return tagID
	case "Pair":
		return tagPair
	case "Round":
		return tagRound
	case "FEN":
		return tagFEN
	case "Rules":
		return tagRules
	case "Variant":
		return tagVariant
	}
	return -1
}

// piece takes a line, or a part of one.
func (p *pgn) piece(line []byte, inside bool) error {
	if !inside && !p.comment {
		line = trimBlanks(line)
		switch {
		case len(line) == 0:
			p.gap = p.gap || p.start > 0
			return nil
		case line[0] == '[':
			return p.tagLine(line)
		case line[0] == '%':
			return nil
		}
	}
	p.gap = p.gap || p.start > 0
	if p.h.Moves != nil && p.start > 0 {
		p.h.Moves(line, inside)
	}
	p.moves(line)
	return nil
}

// moves looks for comments, in which a line may begin like a tag.
func (p *pgn) moves(line []byte) {
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

// tagLine reads a line of one tag, or of several.
func (p *pgn) tagLine(line []byte) error {
	if p.gap {
		if err := p.end(); err != nil {
			return err
		}
	}
	if p.start == 0 {
		p.start = p.lines.number
	}
	if p.lines.open {
		p.fail(p.lines.number, fmt.Errorf("expected a line of tags of at most %d bytes, found a longer one", bufferSize))
		return nil
	}
	for len(line) > 0 {
		name, value, rest, ok := splitTag(line)
		if !ok {
			p.fail(p.lines.number, fmt.Errorf("expected a tag [Name \"value\"], found %.60q", line))
			return nil
		}
		if err := p.tag(name, value); err != nil {
			return err
		}
		line = rest
	}
	return nil
}

// splitTag takes the first tag off a line.
func splitTag(line []byte) (name, value, rest []byte, ok bool) {
	open := bytes.IndexByte(line, '"')
	if open < 0 || line[0] != '[' {
		return nil, nil, nil, false
	}
	name = bytes.TrimRight(line[1:open], " \t")
	shut := open + 1
	for {
		i := bytes.IndexByte(line[shut:], '"')
		if i < 0 {
			return nil, nil, nil, false
		}
		shut += i
		escapes := 0
		for line[shut-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			break
		}
		shut++
	}
	value = line[open+1 : shut]
	rest = trimBlanks(line[shut+1:])
	if len(rest) == 0 || rest[0] != ']' || len(name) == 0 {
		return nil, nil, nil, false
	}
	return name, value, trimBlanks(rest[1:]), true
}

// tag keeps a tag that matters.
func (p *pgn) tag(name, value []byte) error {
	k := tagOf(name)
	if k < 0 && p.h.Tag == nil {
		return nil
	}
	if k >= 0 && p.seen[k] && k <= tagResult { // the tags of the next game follow without a gap
		line := p.lines.number
		if err := p.end(); err != nil {
			return err
		}
		p.start = line
	}
	if bytes.IndexByte(value, '\\') >= 0 {
		value = p.unescape(value)
	}
	if p.h.Tag != nil {
		p.h.Tag(name, value)
	}
	if k < 0 {
		return nil
	}
	p.seen[k], p.at[k] = true, p.lines.number
	p.tags[k] = append(p.tags[k][:0], value...)
	return nil
}

func (p *pgn) unescape(value []byte) []byte {
	p.unquote = p.unquote[:0]
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) {
			i++
		}
		p.unquote = append(p.unquote, value[i])
	}
	return p.unquote
}

// fail keeps the first mistake in a game.
func (p *pgn) fail(line int, err error) {
	if p.bad == nil {
		p.bad, p.badAt = err, line
	}
}

// end hands the game on and makes ready for the next.
func (p *pgn) end() error {
	if p.start == 0 {
		return nil
	}
	p.out = Game{Line: p.start}
	if p.bad == nil {
		if err := p.game(&p.out); err != nil {
			return err
		}
	}
	bad, line := p.bad, p.badAt
	p.seen = [tagCount]bool{}
	p.start, p.gap, p.bad = 0, false, nil
	switch {
	case bad == nil:
		return p.h.Game(&p.out)
	case errors.Is(bad, errUnfinished):
		p.h.Unfinished()
		return nil
	}
	return p.h.Bad(line, bad)
}

// game makes a game of the tags. Mistakes are kept in p; it returns only
// errors that end the reading.
func (p *pgn) game(g *Game) error {
	for k, name := range []string{tagWhite: "White", tagBlack: "Black", tagResult: "Result"} {
		if !p.seen[k] {
			p.fail(p.start, fmt.Errorf("expected tags White, Black and Result, found none of %s", name))
			return nil
		}
	}
	for _, k := range []int{tagWhite, tagBlack} {
		what := "White"
		if k == tagBlack {
			what = "Black"
		}
		if err := checkName(what, p.tags[k]); err != nil {
			p.fail(p.at[k], err)
			return nil
		}
	}
	var err error
	if g.Result, err = parseResult(p.tags[tagResult]); err != nil {
		p.fail(p.at[tagResult], err)
		return nil
	}
	if g.South, err = p.names.of(p.tags[tagWhite]); err != nil {
		return err
	}
	if g.North, err = p.names.of(p.tags[tagBlack]); err != nil {
		return err
	}
	if p.seen[tagID] {
		g.ID = p.tags[tagID]
	}
	g.Pair = p.pair()
	for _, k := range []int{tagRules, tagVariant} {
		if p.seen[k] && g.Rules == "" {
			if g.Rules, err = p.names.of(p.tags[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pair is what both games of a pair share.
func (p *pgn) pair() []byte {
	switch {
	case p.seen[tagPair]:
		return p.tags[tagPair]
	case p.seen[tagFEN] && len(p.tags[tagFEN]) > 0:
		p.key = append(p.key[:0], p.tags[tagFEN]...)
		if p.seen[tagRound] {
			p.key = append(append(p.key, 0), p.tags[tagRound]...)
		}
		return p.key
	}
	return nil
}
