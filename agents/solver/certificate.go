package solver

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/strictjson"
)

// Certificate is a folder that proves wins from a list of positions to whoever reads it: a header,
// and parts of answers. Its format is in the manual of the agents, "Certificates". It belongs to one
// goroutine.
type Certificate struct {
	dir    string
	file   func(path string, most int64) ([]byte, error)
	rules  *rules.Rules
	header certificateHeader
}

// Part is a strategy of one side that wins from several positions.
type Part struct {
	Strategy
	Roots []Root
}

// Root is a position from which a part wins.
type Root struct {
	Position rules.Position
	Plies    int // to the win, at most
}

const (
	certificateFile   = "certificate.json"
	certificateFormat = "gyges certificate 1"
	maxHeader         = 4 << 20
	maxPart           = 256 << 20
	maxRecords        = 20_000_000
	boardBytes        = rules.NumSquares / 4
	recordBytes       = boardBytes + 4 // the board, the move's three squares and the plies
	noDrop            = 255
)

type certificateHeader struct {
	Format        string            `json:"format"`
	Claim         string            `json:"claim"`
	Rules         string            `json:"rules"`
	Options       map[string]string `json:"options"`
	OptionsSHA256 string            `json:"options_sha256"`
	Parts         []partHeader      `json:"parts"`
}

type partHeader struct {
	Winner  string       `json:"winner"`
	File    string       `json:"file"`
	SHA256  string       `json:"sha256"`
	Records int          `json:"records"`
	Roots   []rootHeader `json:"roots"`
}

type rootHeader struct {
	Position string `json:"position"`
	Plies    int    `json:"plies"`
}

// OpenCertificate opens the certificate in a folder.
func OpenCertificate(dir string) (*Certificate, error) { return openCertificate(dir, files.Read) }

func openCertificate(dir string, file func(path string, most int64) ([]byte, error)) (*Certificate, error) {
	name := filepath.Join(dir, certificateFile)
	text, err := file(name, maxHeader)
	if err != nil {
		return nil, err
	}
	c := &Certificate{dir: dir, file: file}
	if err = strictjson.Unmarshal(text, maxHeader, &c.header); err == nil {
		err = c.checkHeader()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// partFile are the names that a part's file may have, so that none leads out of the folder.
var partFile = regexp.MustCompile(`^[a-z]+-[0-9]+-[0-9a-f]{8}\.zz$`)

func (c *Certificate) checkHeader() error {
	h := &c.header
	if h.Format != certificateFormat {
		return fmt.Errorf("format: expected %q, found %.60q", certificateFormat, h.Format)
	}
	o := rules.MustParse("standard").Options()
	if len(h.Options) != len(o.Values()) {
		return fmt.Errorf("options: expected all %d rule options, found %d", len(o.Values()), len(h.Options))
	}
	for name, value := range h.Options {
		if err := o.Set(name, value); err != nil {
			return err
		}
	}
	if found := optionsSum(o); h.OptionsSHA256 != found {
		return fmt.Errorf("options_sha256: expected %s, found %.70q", found, h.OptionsSHA256)
	}
	r, err := rules.New(fmt.Sprintf("%.200s", h.Rules), o)
	if err != nil {
		return err
	}
	c.rules = r
	for _, p := range h.Parts {
		if !partFile.MatchString(p.File) {
			return fmt.Errorf("file: expected a name like south-90-0123abcd.zz, found %.60q", p.File)
		}
	}
	return certifiable(r)
}

// certifiable returns an error if a position of these rules is more than the board and the side to move.
func certifiable(r *rules.Rules) error {
	if r.Options().Kang {
		return errors.New("a certificate has no place for reserves and goals: expected rules other than those of Kang")
	}
	return nil
}

// optionsSum is the SHA-256 of the options, a line "name=value" each in the order of their names.
func optionsSum(o rules.Options) string {
	var lines []string
	for name, value := range o.Values() {
		lines = append(lines, name+"="+value+"\n")
	}
	slices.Sort(lines)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(lines, ""))))
}

// ExtendCertificate opens the certificate in a folder for more positions, or begins one.
func ExtendCertificate(dir string, r *rules.Rules) (*Certificate, error) {
	if err := certifiable(r); err != nil {
		return nil, err
	}
	files.Clean(dir)
	c, err := OpenCertificate(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		o := r.Options()
		c = &Certificate{dir: dir, file: files.Read, rules: r, header: certificateHeader{
			Format: certificateFormat, Rules: r.String(), Options: o.Values(), OptionsSHA256: optionsSum(o),
		}}
		return c, os.MkdirAll(dir, 0o777)
	case err != nil:
		return nil, err
	case c.rules.Options() != r.Options():
		return nil, fmt.Errorf("%s: expected a certificate under the rules %v, found %v", dir, r, c.rules)
	}
	return c, nil
}

// Has reports whether the certificate has a position among its roots.
func (c *Certificate) Has(p rules.Position) bool {
	text := c.rules.FormatPosition(p)
	for _, part := range c.header.Parts {
		if slices.ContainsFunc(part.Roots, func(r rootHeader) bool { return r.Position == text }) {
			return true
		}
	}
	return false
}

// Add adds a win that a search found from p, as a part of its own until [Certificate.Join]. A position that
// the certificate has stays as it is.
func (c *Certificate) Add(p rules.Position, w *Win) error {
	if c.Has(p) {
		return nil
	}
	header, err := c.write(Part{Strategy{c.rules, w.Winner, w.Moves}, []Root{{p, w.Plies}}})
	if err != nil {
		return err
	}
	return c.replace(append(slices.Clone(c.header.Parts), header))
}

// Join makes one part of all those of a side, or a few where superko would be in the way of a single
// one, and checks each as a whole.
func (c *Certificate) Join(ctx context.Context) error {
	var joined []partHeader
	for _, winner := range []rules.Side{rules.South, rules.North} {
		var parts []Part
		for _, h := range c.header.Parts {
			if h.Winner == winner.String() {
				part, err := c.read(h)
				if err != nil {
					return err
				}
				parts = append(parts, part)
			}
		}
		parts, err := join(ctx, parts)
		if err != nil {
			return err
		}
		for _, part := range parts {
			h, err := c.write(part)
			if err != nil {
				return err
			}
			joined = append(joined, h)
		}
	}
	if err := c.replace(joined); err != nil {
		return err
	}
	return c.clean()
}

// clean removes the files of parts that the header doesn't have any more.
func (c *Certificate) clean() error {
	entries, err := os.ReadDir(c.dir)
	errs := []error{err}
	for _, e := range entries {
		has := slices.ContainsFunc(c.header.Parts, func(h partHeader) bool { return h.File == e.Name() })
		if !has && partFile.MatchString(e.Name()) {
			errs = append(errs, os.Remove(filepath.Join(c.dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// join joins parts of one winner. Of two answers in a position the one with fewer plies to the win is
// kept: so the plies still fall from answer to answer.
func join(ctx context.Context, parts []Part) ([]Part, error) {
	if len(parts) < 2 || ctx.Err() != nil {
		return parts, ctx.Err()
	}
	all := Part{Strategy: Strategy{parts[0].Rules, parts[0].Winner, map[rules.Position]Answer{}}}
	for _, part := range parts {
		all.Roots = append(all.Roots, part.Roots...)
		for p, a := range part.Moves {
			if before, ok := all.Moves[p]; !ok || a.Plies < before.Plies {
				all.Moves[p] = a
			}
		}
	}
	used, unsafe, err := all.check()
	if err != nil {
		return nil, err
	}
	if len(unsafe) == 0 {
		return []Part{used}, nil
	}
	half := len(parts) / 2
	first, err := join(ctx, parts[:half])
	if err != nil {
		return nil, err
	}
	second, err := join(ctx, parts[half:])
	return append(first, second...), err
}

// check plays a part from all its roots. It returns the part with the plies found and without answers
// that are of no use, and the positions whose moves superko might forbid.
func (part *Part) check() (used Part, unsafe []rules.Position, err error) {
	c := newStrategyCheck(part.Strategy)
	used.Strategy = Strategy{part.Rules, part.Winner, c.used}
	for _, root := range part.Roots {
		l, err := c.check(root.Position)
		if err != nil {
			return Part{}, nil, err
		}
		used.Roots = append(used.Roots, Root{root.Position, int(l.Plies)})
	}
	unsafe, err = c.unsafe()
	return used, unsafe, err
}

// Check plays all parts against every reply, as [Strategy.Check] does, and compares the plies that the
// certificate tells. It calls each with every part that holds.
func (c *Certificate) Check(ctx context.Context, each func(Part) error) error {
	for _, h := range c.header.Parts {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		part, err := c.read(h)
		if err != nil {
			return err
		}
		used, unsafe, err := part.check()
		if err == nil {
			err = part.compare(used, unsafe)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(c.dir, h.File), err)
		}
		if err := each(part); err != nil {
			return err
		}
	}
	return nil
}

// compare returns an error where a part says something else than what is used of it.
func (part *Part) compare(used Part, unsafe []rules.Position) error {
	r := part.Rules
	if len(unsafe) > 0 {
		return fmt.Errorf("in %s superko might forbid the move", r.FormatPosition(unsafe[0]))
	}
	if most := r.Options().MaxPlies; slices.ContainsFunc(used.Roots, func(root Root) bool { return root.Plies > most }) {
		return fmt.Errorf("a win takes longer than the %d plies of a game", most)
	}
	for i, root := range part.Roots {
		if want := used.Roots[i].Plies; root.Plies != want {
			return fmt.Errorf("%s: expected %d plies, found %d", r.FormatPosition(root.Position), want, root.Plies)
		}
	}
	for p, a := range part.Moves {
		switch found, ok := used.Moves[p]; {
		case !ok:
			return fmt.Errorf("%s: no game leads to it", r.FormatPosition(p))
		case found != a:
			return fmt.Errorf("%s: expected %d plies, found %d", r.FormatPosition(p), found.Plies, a.Plies)
		}
	}
	return nil
}

// Print writes the answers as text, a line 'POSITION ; MOVE ; PLIES' each, in the order of the files.
func (c *Certificate) Print(w io.Writer) error {
	for _, h := range c.header.Parts {
		part, err := c.read(h)
		if err != nil {
			return err
		}
		for _, p := range sortedPositions(part.Moves) {
			a := part.Moves[p]
			if _, err := fmt.Fprintf(w, "%s ; %v ; %d\n", c.rules.FormatPosition(p), a.Move, a.Plies); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace writes the header with other parts.
func (c *Certificate) replace(parts []partHeader) error {
	h := c.header
	h.Parts = parts
	wins := map[string]int{}
	for _, p := range parts {
		wins[p.Winner] += len(p.Roots)
	}
	h.Claim = fmt.Sprintf("South wins from %d of these positions and North from %d, whatever the other side plays",
		wins[rules.South.String()], wins[rules.North.String()])
	if err := files.ReplaceJSON(filepath.Join(c.dir, certificateFile), h); err != nil {
		return err
	}
	c.header = h
	return nil
}

// board packs the squares of a position, a1, b1 and so on, four in a byte, the first one highest.
func board(p rules.Position) (b [boardBytes]byte) {
	for s := range rules.Square(rules.NumSquares) {
		b[s/4] = b[s/4]<<2 | byte(p.At(s))
	}
	return b
}

// squares are those of a move: its start, its end, and where it drops a piece, noDrop if nowhere.
func squares(m rules.Move) [3]byte {
	drop := byte(noDrop)
	if m.Drop() != rules.NoSquare {
		drop = byte(m.Drop())
	}
	return [...]byte{byte(m.From()), byte(m.To()), drop}
}

// moveBetween returns the legal move in p of these squares, NoMove if there is none.
func moveBetween(r *rules.Rules, p rules.Position, want [3]byte) rules.Move {
	var legal rules.MoveSet
	r.Moves(p, &legal)
	for m := range legal.All() {
		if squares(m) == want {
			return m
		}
	}
	return rules.NoMove
}

// sortedPositions returns the positions in the order of their boards.
func sortedPositions(answers map[rules.Position]Answer) []rules.Position {
	return slices.SortedFunc(maps.Keys(answers), func(p, q rules.Position) int {
		for s := range rules.Square(rules.NumSquares) {
			if c := cmp.Compare(p.At(s), q.At(s)); c != 0 {
				return c
			}
		}
		return 0
	})
}

// write writes a part's file, whose name has the beginning of its sum, and returns its header.
func (c *Certificate) write(part Part) (partHeader, error) {
	records := make([]byte, 0, recordBytes*len(part.Moves))
	for _, p := range sortedPositions(part.Moves) {
		a, b := part.Moves[p], board(p)
		if a.Plies > math.MaxUint8 {
			return partHeader{}, fmt.Errorf("a certificate has no place for a win in %d plies: expected at most 255", a.Plies)
		}
		records = append(records, b[:]...)
		move := squares(a.Move)
		records = append(append(records, move[:]...), byte(a.Plies))
	}
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestCompression)
	if err == nil {
		_, err = z.Write(columns(records, len(part.Moves), recordBytes))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return partHeader{}, err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(packed.Bytes()))
	h := partHeader{
		Winner: part.Winner.String(), SHA256: sum, Records: len(part.Moves),
		File: fmt.Sprintf("%s-%d-%.8s.zz", strings.ToLower(part.Winner.String()), len(part.Roots), sum),
	}
	for _, root := range part.Roots {
		h.Roots = append(h.Roots, rootHeader{c.rules.FormatPosition(root.Position), root.Plies})
	}
	return h, files.Replace(filepath.Join(c.dir, h.File), packed.Bytes())
}

// columns turns n rows of some bytes into columns, which pack better: the first bytes of all rows, then
// the second ones, and so on. With n and width exchanged it turns them back.
func columns(rows []byte, n, width int) []byte {
	out := make([]byte, len(rows))
	for i := range n {
		for j := range width {
			out[j*n+i] = rows[i*width+j]
		}
	}
	return out
}

// read reads and checks a part's file, but for whether it wins.
func (c *Certificate) read(h partHeader) (part Part, err error) {
	text, err := c.unpack(h)
	if err == nil {
		part.Winner, part.Roots, err = c.parseRoots(h)
	}
	if err == nil {
		part.Rules, part.Moves = c.rules, map[rules.Position]Answer{}
		err = part.parseRecords(columns(text, recordBytes, h.Records))
	}
	if err != nil {
		return Part{}, fmt.Errorf("%s: %w", filepath.Join(c.dir, h.File), err)
	}
	return part, nil
}

// unpack reads a part's file and returns the columns of its records.
func (c *Certificate) unpack(h partHeader) ([]byte, error) {
	packed, err := c.file(filepath.Join(c.dir, h.File), maxPart)
	if err != nil {
		return nil, err
	}
	if h.Records < 0 || h.Records > maxRecords {
		return nil, fmt.Errorf("records: expected at most %d, found %d", maxRecords, h.Records)
	}
	if found := fmt.Sprintf("%x", sha256.Sum256(packed)); found != h.SHA256 {
		return nil, fmt.Errorf("sha256: expected %.70s, found %s", h.SHA256, found)
	}
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	size := h.Records * recordBytes
	text, err := io.ReadAll(io.LimitReader(z, int64(size)+1))
	if err == nil && len(text) != size {
		err = fmt.Errorf("expected %d records of %d bytes", h.Records, recordBytes)
	}
	return text, err
}

func (c *Certificate) parseRoots(h partHeader) (winner rules.Side, roots []Root, err error) {
	switch {
	case h.Winner == rules.North.String():
		winner = rules.North
	case h.Winner != rules.South.String():
		return winner, nil, fmt.Errorf("winner: expected South or North, found %.60q", h.Winner)
	}
	for _, root := range h.Roots {
		p, err := c.rules.ParsePosition(root.Position)
		if err != nil {
			return winner, nil, fmt.Errorf("position %.60q: %w", root.Position, err)
		}
		roots = append(roots, Root{p, root.Plies})
	}
	return winner, roots, nil
}

// parseRecords fills in the answers. The boards must rise, so that none comes twice.
func (part *Part) parseRecords(records []byte) error {
	r := part.Rules
	var before []byte
	for i := 0; len(records) > 0; i++ {
		b, rest := records[:boardBytes], records[boardBytes:recordBytes]
		if bytes.Compare(before, b) >= 0 {
			return fmt.Errorf("record %d: expected a position behind the one before", i+1)
		}
		p, err := position(r, b, part.Winner)
		if err != nil {
			return fmt.Errorf("record %d: %w", i+1, err)
		}
		m := moveBetween(r, p, [3]byte(rest))
		if m == rules.NoMove {
			return fmt.Errorf("record %d: in %s the move is not legal", i+1, r.FormatPosition(p))
		}
		part.Moves[p] = Answer{m, int32(rest[3])}
		before, records = b, records[recordBytes:]
	}
	return nil
}

// position is the position of a packed board.
func position(r *rules.Rules, packed []byte, side rules.Side) (rules.Position, error) {
	text := make([]byte, 0, rules.NumSquares+rules.Rows+1)
	for s := range rules.Square(rules.NumSquares) {
		if s > 0 && s.File() == 0 {
			text = append(text, '/')
		}
		text = append(text, '0'+packed[s/4]>>(6-2*(s%4))&3)
	}
	return r.ParsePosition(string(append(text, ' ', "sn"[side])))
}
