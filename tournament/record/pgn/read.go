package pgn

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gyges/agents"
	"gyges/ratings/source"
	"gyges/tournament/record"
)

// maxMoves bounds the text of a game's moves, in bytes. A game of 100,000 plies,
// the longest the rules allow, has some 5 MB.
const maxMoves = record.MaxLine

// maxPairs is how many pairs of games wait for their second one.
const maxPairs = 4096

// Handler is told what a file holds, in its order.
type Handler struct {
	Game func(*record.Game) error
	// Bad is told of each game that can't be read: its line from 1, and what was
	// expected there. An error that it returns ends the reading.
	Bad func(line int, err error) error
}

// Tally counts what a file held beside the games that the handler was told of.
type Tally struct {
	Event      string // of the first game; "" if it has none
	Twice      int    // games whose id had come before
	Unfinished int    // games without a result yet
	Unchecked  bool   // there were too many ids to find all that came twice

	// Dropped counts games that were kept without their moves, as these could not be
	// played again. DroppedAt is the line of the first, and DroppedErr says why.
	Dropped    int
	DroppedAt  int
	DroppedErr error
}

// Read reads games of PGN or CSV as records. Those that [Append] wrote are played
// again and verified, move by move. Of all others players, result, rules and which
// two are a pair are kept, and the moves if they can be played: see [Tally.Dropped].
// They are numbered from 0 in the order of the file. A file is the one or the other,
// as its first game is. ruleSet is that of games whose tags name none; "": unknown.
// Text that is no UTF-8 is read as Latin-1.
func Read(ctx context.Context, format source.Format, r io.Reader, ruleSet string, h Handler) (Tally, error) {
	in := reader{h: h, rules: ruleSet, tags: map[string]string{}, pairs: map[string]int64{}}
	err := source.Read(ctx, format, r, source.Handler{
		Game: in.game,
		Bad: func(line int, err error) error {
			in.reset()
			return h.Bad(line, err)
		},
		Unfinished: func() {
			in.reset()
			in.tally.Unfinished++
		},
		Tag:   in.tag,
		Moves: in.moveText,
	})
	in.tally.Unchecked = in.seen.Full()
	return in.tally, err
}

// reader is a file being read.
type reader struct {
	h     Handler
	rules string // of games that name none
	tally Tally
	seen  source.Seen

	tags    map[string]string // of the game at hand, those that matter
	moves   []byte            // its moves, as they stand there
	tooLong bool

	games     int64 // handed on
	numbered  bool  // games have numbers of their own
	pairs     map[string]int64
	pairQueue []string // its keys, the oldest first
	nextPair  int64
}

func (in *reader) reset() {
	clear(in.tags)
	in.moves, in.tooLong = in.moves[:0], false
}

func (in *reader) tag(name, value []byte) {
	switch string(name) {
	case "Event", "Date", tagFEN, tagTime, tagGame, tagPair, tagRules, tagOpening, tagPolicy, tagWhiteAgent, tagBlackAgent, tagWhiteSeed, tagBlackSeed, tagDepth, tagNodes,
		tagMoveTime, tagClock, tagRepetition, tagAdjudicate, tagPlies, tagReason, tagFault, tagDetail:
		in.tags[string(name)] = string(value)
	}
}

func (in *reader) moveText(text []byte) {
	in.moves = append(in.moves, '\n')
	if in.tooLong = in.tooLong || len(in.moves)+len(text) > maxMoves; !in.tooLong {
		in.moves = append(in.moves, text...)
	}
}

// game takes a game whose tags are known.
func (in *reader) game(g *source.Game) error {
	defer in.reset()
	if in.games == 0 && in.tally.Event == "" {
		in.tally.Event = utf8Text(in.tags["Event"])
	}
	if len(g.ID) > 0 && in.seen.Add(g.ID) {
		in.tally.Twice++
		return nil
	}
	r, err := in.record(g)
	if err != nil {
		return in.h.Bad(g.Line, err)
	}
	in.games++
	return in.h.Game(r)
}

// record makes the record of a game.
func (in *reader) record(g *source.Game) (*record.Game, error) {
	r := &record.Game{
		Rules: utf8Text(g.Rules), South: record.Player{Agent: utf8Text(g.South)}, North: record.Player{Agent: utf8Text(g.North)},
		Result: record.ResultText(g.Result), Reason: record.Imported, Moves: []string{},
	}
	r.Timing.Start = in.start()
	if err := in.number(r, g); err != nil {
		return nil, err
	}
	if err := in.agents(r); err != nil {
		return nil, err
	}
	if reason := in.tags[tagReason]; reason == "" || reason == record.Imported {
		in.foreign(r, g.Line)
		return r, nil
	}
	if err := in.details(r); err != nil {
		return nil, fmt.Errorf("game %d: %w", r.Game, err)
	}
	if err := in.readMoves(r); err != nil {
		return nil, fmt.Errorf("game %d: %w", r.Game, err)
	}
	_, err := record.Replay(r)
	return r, err
}

// agents reads the specs of the players whose names are others.
func (in *reader) agents(r *record.Game) error {
	f := fields{tags: in.tags}
	r.South.Agent = cmp.Or(f.text(tagWhiteAgent), r.South.Agent)
	r.North.Agent = cmp.Or(f.text(tagBlackAgent), r.North.Agent)
	return f.err
}

// utf8Text returns text, or if it is no UTF-8, what it says in Latin-1, which old
// PGN is written in.
func utf8Text(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}

// start is when the game began, as far as its tags say.
func (in *reader) start() time.Time {
	t, err := time.Parse(dateForm+" "+timeForm, in.tags["Date"]+" "+in.tags[tagTime])
	if err != nil {
		t, err = time.Parse(dateForm, in.tags["Date"])
	}
	if err != nil || t.Year() < 1 {
		return time.Time{}
	}
	return t
}

// number gives the game its number and that of its pair.
func (in *reader) number(r *record.Game, g *source.Game) error {
	game, errGame := number(in.tags[tagGame])
	pair, errPair := number(in.tags[tagPair])
	if in.games == 0 {
		in.numbered = errGame == nil && errPair == nil
	}
	if in.numbered {
		r.Game, r.Pair = game, pair
		return cmp.Or(wrong(tagGame, errGame), wrong(tagPair, errPair))
	}
	r.Game, r.Pair = in.games, in.pair(g.Pair)
	return nil
}

func wrong(tag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w, as the first game has one", tag, err)
}

// number reads a number from 0 that is written as [Append] does.
func number(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || strconv.FormatUint(n, 10) != text {
		return 0, fmt.Errorf("expected a number from 0, found %.40q", text)
	}
	return int64(n), nil
}

// pair numbers pairs by what both games of one share; without it a game has a
// number for itself.
func (in *reader) pair(key []byte) int64 {
	if n, ok := in.pairs[string(key)]; ok && len(key) > 0 {
		return n
	}
	n := in.nextPair
	in.nextPair++
	if len(key) == 0 {
		return n
	}
	in.pairs[string(key)] = n
	in.pairQueue = append(in.pairQueue, string(key))
	if len(in.pairQueue) > 2*maxPairs {
		for _, old := range in.pairQueue[:maxPairs] {
			delete(in.pairs, old)
		}
		in.pairQueue = append(in.pairQueue[:0], in.pairQueue[maxPairs:]...)
	}
	return n
}

// details reads the tags that only [Append] writes.
func (in *reader) details(r *record.Game) error {
	f := fields{tags: in.tags}
	r.Opening, r.Policy = f.text(tagOpening), f.text(tagPolicy)
	r.South.Seed, r.North.Seed = f.number(tagWhiteSeed, math.MaxUint64), f.number(tagBlackSeed, math.MaxUint64)
	r.Limits = record.Limits{
		Depth: int(f.number(tagDepth, math.MaxInt)), Nodes: int64(f.number(tagNodes, math.MaxInt64)),
		MoveTime: f.text(tagMoveTime), Clock: f.text(tagClock),
	}
	r.OnRepetition, r.Adjudication = f.text(tagRepetition), f.text(tagAdjudicate)
	r.Plies = int(f.number(tagPlies, math.MaxInt))
	r.Reason = f.text(tagReason)
	if side := f.text(tagFault); side != "" {
		r.Fault = &record.Fault{Side: side, Kind: record.FaultKind(r.Reason), Detail: f.text(tagDetail)}
		if len(r.Fault.Detail) > record.MaxDetail {
			f.fail(tagDetail, fmt.Errorf("expected at most %d bytes, found %d", record.MaxDetail, len(r.Fault.Detail)))
		}
	}
	if r.NotPlayed() {
		f.fail(tagReason, errNotPlayed)
	}
	return f.err
}

// fields reads tags and keeps the first mistake.
type fields struct {
	tags map[string]string
	err  error
}

func (f *fields) fail(tag string, err error) {
	if f.err == nil {
		f.err = fmt.Errorf("%s: %w", tag, err)
	}
}

// text reads a text as appendQuoted writes it.
func (f *fields) text(tag string) string {
	value := f.tags[tag]
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(value, `"`, `\"`) + `"`)
	if err != nil || !utf8.ValidString(text) {
		f.fail(tag, fmt.Errorf("expected a text as in Go's strings, found %.80q", value))
	}
	return text
}

// number reads a number up to most; 0 where there is none.
func (f *fields) number(tag string, most uint64) uint64 {
	value, ok := f.tags[tag]
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n > most {
		f.fail(tag, fmt.Errorf("expected a number from 0 to %d, found %.40q", most, value))
	}
	return n
}

// readMoves reads the moves and what is said of them.
func (in *reader) readMoves(r *record.Game) error {
	if in.tooLong {
		return fmt.Errorf("expected moves of at most %d bytes, found more", maxMoves)
	}
	said := remarks{}
	for text := in.moves; ; {
		var word []byte
		var comment bool
		var err error
		if word, comment, text, err = nextWord(text); err != nil {
			return err
		}
		switch {
		case comment:
			if err := said.comment(r, string(word)); err != nil {
				return fmt.Errorf("move %d: %w", len(r.Moves), err)
			}
		case len(word) == 0:
			said.fill(r)
			return nil
		case isTurn(word):
		case string(word) == r.Result && len(bytes.TrimSpace(text)) == 0:
		case !isMove(string(word)):
			return fmt.Errorf("move %d: expected a move in short notation, found %.40q", len(r.Moves)+1, word)
		default:
			r.Moves = append(r.Moves, string(word))
		}
	}
}

// nextWord takes a word, or what stands in a comment's braces, off a text. An
// empty word is the text's end.
func nextWord(text []byte) (word []byte, comment bool, rest []byte, err error) {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) > 0 && text[0] == '{' {
		end := bytes.IndexByte(text, '}')
		if end < 0 {
			return nil, false, nil, errors.New("expected } at the end of a comment, found the end of the game")
		}
		return text[1:end], true, text[end+1:], nil
	}
	end := bytes.IndexAny(text, " \t\r\n{")
	if end < 0 {
		end = len(text)
	}
	return text[:end], false, text[end:], nil
}

// isTurn reports whether a word is the number of a turn: "12." or "12...".
func isTurn(word []byte) bool {
	number := bytes.TrimRight(word, ".")
	return len(number) < len(word) && len(bytes.Trim(number, "0123456789")) == 0
}

// remarks are what the comments hold, by the number of the move.
type remarks struct {
	scores []record.Score
	depths []int
	nodes  []int64
	times  []float64
}

// set puts x in place i of a list, and what stands for nothing in those before.
func set[T any](list []T, i int, x, nothing T) []T {
	for len(list) <= i {
		list = append(list, nothing)
	}
	list[i] = x
	return list
}

// comment reads a comment on the last move.
func (s *remarks) comment(r *record.Game, text string) error {
	i := len(r.Moves) - 1
	if i < 0 {
		return fmt.Errorf("expected a comment behind a move, found %.40q", text)
	}
	for _, word := range strings.Fields(text) {
		number, isNodes := strings.CutPrefix(word, "n=")
		seconds, isTime := strings.CutSuffix(word, "s")
		var err error
		switch {
		case isNodes:
			var n uint64
			n, err = strconv.ParseUint(number, 10, 63)
			s.nodes = set(s.nodes, i, int64(n), 0)
		case isTime:
			var ms float64
			ms, err = parseSeconds(seconds)
			s.times = set(s.times, i, ms, 0)
		default:
			err = s.judgement(i, word)
		}
		if err != nil {
			return fmt.Errorf("expected a comment like {+0.92/3 0.001250s n=570}, found %.40q", word)
		}
	}
	return nil
}

// judgement reads a score and a depth, or one of them.
func (s *remarks) judgement(i int, word string) error {
	score, depth, both := strings.Cut(word, "/")
	if both {
		n, err := strconv.Atoi(depth)
		if err != nil || n < 0 {
			return errors.New("no depth")
		}
		s.depths = set(s.depths, i, n, 0)
	}
	if score == "" {
		return nil
	}
	x, err := parseScore(score)
	s.scores = set(s.scores, i, x, record.NoScore)
	return err
}

// parseScore reads what appendScore writes.
func parseScore(text string) (record.Score, error) {
	wrong := errors.New("no score")
	if len(text) < 2 || text[0] != '+' && text[0] != '-' {
		return 0, wrong
	}
	var n int64
	if plies, proven := strings.CutPrefix(text[1:], "M"); proven {
		k, err := strconv.ParseUint(plies, 10, 31)
		if err != nil || int64(k) > int64(agents.WinTop-agents.WinScore) {
			return 0, wrong
		}
		n = int64(agents.WinTop) - int64(k)
	} else {
		points, cents, _ := strings.Cut(text[1:], ".")
		k, err := strconv.ParseUint(points+cents, 10, 31)
		if err != nil || len(cents) != 2 {
			return 0, wrong
		}
		n = int64(k)
	}
	if text[0] == '-' {
		n = -n
	}
	return record.Score(n), nil
}

// parseSeconds reads seconds with six decimals as milliseconds.
func parseSeconds(text string) (float64, error) {
	whole, part, _ := strings.Cut(text, ".")
	us, err := strconv.ParseUint(whole+part, 10, 53)
	if err != nil || len(part) != 6 {
		return 0, errors.New("no time")
	}
	return float64(us) / 1000, nil
}

// fill puts what is known beside the moves. A list of which nothing is known
// stays empty.
func (s *remarks) fill(r *record.Game) {
	last := len(r.Moves) - 1
	if len(s.scores) > 0 && len(s.scores) <= last {
		s.scores = set(s.scores, last, record.NoScore, record.NoScore)
	}
	if len(s.depths) > 0 && len(s.depths) <= last {
		s.depths = set(s.depths, last, 0, 0)
	}
	if len(s.nodes) > 0 && len(s.nodes) <= last {
		s.nodes = set(s.nodes, last, 0, 0)
	}
	if len(s.times) > 0 && len(s.times) <= last {
		s.times = set(s.times, last, 0, 0)
	}
	r.Scores, r.Depths, r.Nodes, r.Timing.MoveMS = s.scores, s.depths, s.nodes, s.times
}
