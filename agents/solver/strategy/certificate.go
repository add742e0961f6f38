package strategy

import (
	"bytes"
	"compress/zlib"
	"context"
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

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/problems"
	"gyges/rules/base/strictjson"
)

// Certificate is a folder that proves wins from a list of positions: a header, and parts, which are
// strategies. README.md has the format. It belongs to one goroutine.
type Certificate struct {
	dir    string
	rules  *rules.Rules
	header certificateHeader
}

const (
	headerFile        = "certificate.json"
	certificateFormat = "gyges certificate 1"
	maxHeader         = 4 << 20
	maxPart           = 256 << 20
	maxRecords        = 20_000_000
	boardBytes        = rules.NumSquares / 4
	recordBytes       = boardBytes + 4 // the board, the move's three squares and the plies
	noDrop            = 255
)

// certificateHeader is the content of headerFile.
type certificateHeader struct {
	Format        string            `json:"format"`
	Claim         string            `json:"claim"`
	Rules         string            `json:"rules"`
	Options       map[string]string `json:"options"`
	OptionsSHA256 string            `json:"options_sha256"`
	Parts         []partHeader      `json:"parts"`
}

// partHeader describes a part and its file.
type partHeader struct {
	Winner  string       `json:"winner"`
	File    string       `json:"file"`
	SHA256  string       `json:"sha256"`
	Records int          `json:"records"`
	Roots   []rootHeader `json:"roots"`
}

// rootHeader is a position that a part wins, within so many plies.
type rootHeader struct {
	Position string `json:"position"`
	Plies    int    `json:"plies"`
}

// partFile are the names that a part's file may have, so that none leads out of the folder.
var partFile = regexp.MustCompile(`^[a-z]+-[0-9]+-[0-9a-f]{8}\.zz$`)

// ExtendCertificate opens the certificate in a folder for more positions, or begins one.
func ExtendCertificate(dir string, r *rules.Rules) (*Certificate, error) {
	o := r.Options()
	if o.Kang {
		return nil, errors.New("a certificate has no place for reserves and goals: " +
			"expected rules other than those of Kang")
	}
	files.Clean(dir)
	c := &Certificate{dir: dir, rules: r}
	name := filepath.Join(dir, headerFile)
	text, err := files.Read(name, maxHeader)
	if errors.Is(err, os.ErrNotExist) {
		c.header.Format = certificateFormat
		c.header.Rules = r.String()
		c.header.Options = o.Values()
		c.header.OptionsSHA256 = optionsSum(o.Values())
		return c, os.MkdirAll(dir, 0o777)
	}
	if err == nil {
		err = strictjson.Unmarshal(text, maxHeader, &c.header)
	}
	if err == nil {
		err = c.checkHeader()
	}
	return c, problems.Prefix(name, err)
}

// checkHeader returns what keeps the certificate from being extended: another format or other
// rules.
func (c *Certificate) checkHeader() error {
	h := c.header
	if h.Format != certificateFormat {
		return fmt.Errorf("format: expected %q, found %.60q", certificateFormat, h.Format)
	}
	options := c.rules.Options().Values()
	if !maps.Equal(h.Options, options) || h.OptionsSHA256 != optionsSum(options) {
		return fmt.Errorf("expected a certificate under the rules %v, found %.200s",
			c.rules, h.Rules)
	}
	for _, p := range h.Parts {
		if !partFile.MatchString(p.File) {
			return fmt.Errorf("file: expected a name like south-90-0123abcd.zz, found %.60q",
				p.File)
		}
	}
	return nil
}

// optionsSum is the SHA-256 of the options, a line "name=value" each in the order of their names.
func optionsSum(options map[string]string) string {
	var lines []byte
	for _, name := range slices.Sorted(maps.Keys(options)) {
		lines = fmt.Appendf(lines, "%s=%s\n", name, options[name])
	}
	return agents.Sum(lines)
}

// Has reports whether the certificate has a position among its roots.
func (c *Certificate) Has(p rules.Position) bool {
	text := c.rules.FormatPosition(p)
	isRoot := func(root rootHeader) bool { return root.Position == text }
	for _, part := range c.header.Parts {
		if slices.ContainsFunc(part.Roots, isRoot) {
			return true
		}
	}
	return false
}

// Add adds a strategy, from positions that the certificate doesn't have, as a part of its own until
// [Certificate.Join].
func (c *Certificate) Add(s *Strategy) error {
	for _, root := range s.Roots {
		if c.Has(root.Position) {
			return nil
		}
	}
	header, err := c.write(s)
	if err != nil {
		return err
	}
	return c.replace(append(slices.Clone(c.header.Parts), header))
}

// Join makes one part of all those of a side, or a few where superko is in the way, and checks each
// as a whole.
func (c *Certificate) Join(ctx context.Context) error {
	var joined []partHeader
	for _, winner := range []rules.Side{rules.South, rules.North} {
		var parts []*Strategy
		for _, h := range c.header.Parts {
			if h.Winner != winner.String() {
				continue
			}
			part, err := c.read(h, winner)
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(c.dir, h.File), err)
			}
			parts = append(parts, part)
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
	return c.removeOthers()
}

// removeOthers removes files of parts that the certificate doesn't have.
func (c *Certificate) removeOthers() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		name := e.Name()
		has := func(part partHeader) bool { return part.File == name }
		if !slices.ContainsFunc(c.header.Parts, has) && partFile.MatchString(name) {
			errs = append(errs, os.Remove(filepath.Join(c.dir, name)))
		}
	}
	return errors.Join(errs...)
}

// join joins strategies of one winner. Of two answers that with fewer plies stays: plies fall from
// answer to answer.
func join(ctx context.Context, parts []*Strategy) ([]*Strategy, error) {
	if len(parts) < 2 || ctx.Err() != nil {
		return parts, ctx.Err()
	}
	all := &Strategy{}
	var roots []rules.Position
	for _, s := range parts {
		all.answers = append(all.answers, s.answers...)
		for _, root := range s.Roots {
			roots = append(roots, root.Position)
		}
	}
	all.answers = pack(all.answers)
	used, unsafe, err := Play(parts[0].Rules, parts[0].Winner, roots, all.Answer)
	if err != nil {
		return nil, err
	}
	if len(unsafe) == 0 {
		return []*Strategy{used}, nil
	}
	half := len(parts) / 2
	first, err := join(ctx, parts[:half])
	if err != nil {
		return nil, err
	}
	second, err := join(ctx, parts[half:])
	return append(first, second...), err
}

// replace writes a header with other parts.
func (c *Certificate) replace(parts []partHeader) error {
	h := c.header
	h.Parts = parts
	wins := map[string]int{}
	for _, p := range parts {
		wins[p.Winner] += len(p.Roots)
	}
	h.Claim = fmt.Sprintf("South wins from %d of these positions and North from %d, "+
		"whatever the other side plays", wins[rules.South.String()], wins[rules.North.String()])
	err := files.ReplaceJSON(filepath.Join(c.dir, headerFile), h)
	if err == nil {
		c.header = h
	}
	return err
}

// board packs the squares of a position, a1, b1 and so on, four in a byte, the first one highest.
func board(p rules.Position) (b [boardBytes]byte) {
	for s := range rules.Square(rules.NumSquares) {
		b[s/4] = b[s/4]<<2 | byte(p.At(s))
	}
	return b
}

// moveSquares returns the squares of a move: its start, its end, and where it drops a piece, noDrop
// if nowhere.
func moveSquares(m rules.Move) [3]byte {
	drop := byte(noDrop)
	if m.Drop() != rules.NoSquare {
		drop = byte(m.Drop())
	}
	return [...]byte{byte(m.From()), byte(m.To()), drop}
}

// write writes a part's file, whose name has the beginning of its sum, and returns its header.
func (c *Certificate) write(s *Strategy) (partHeader, error) {
	records := make([]byte, 0, recordBytes*s.Len())
	for _, a := range s.answers {
		if a.plies > math.MaxUint8 {
			return partHeader{}, fmt.Errorf(
				"a certificate has no place for a win in %d plies: expected at most 255", a.plies)
		}
		squares := board(a.position)
		move := moveSquares(a.move)
		records = append(records, squares[:]...)
		records = append(records, move[:]...)
		records = append(records, byte(a.plies))
	}
	var packed bytes.Buffer
	z, _ := zlib.NewWriterLevel(&packed, zlib.BestCompression) // which is a level
	_, _ = z.Write(columns(records, s.Len(), recordBytes))     // a buffer takes all
	_ = z.Close()
	h := partHeader{
		Winner:  s.Winner.String(),
		SHA256:  agents.Sum(packed.Bytes()),
		Records: s.Len(),
	}
	h.File = fmt.Sprintf("%s-%d-%.8s.zz", strings.ToLower(h.Winner), len(s.Roots), h.SHA256)
	for _, root := range s.Roots {
		h.Roots = append(h.Roots, rootHeader{c.rules.FormatPosition(root.Position), root.Plies})
	}
	return h, files.Replace(filepath.Join(c.dir, h.File), packed.Bytes())
}

// columns turns n rows of some bytes into columns, which pack better: the first bytes of all rows,
// then the second ones, and so on. With n and width exchanged it turns them back.
func columns(rows []byte, n, width int) []byte {
	out := make([]byte, len(rows))
	for i := range n {
		for j := range width {
			out[j*n+i] = rows[i*width+j]
		}
	}
	return out
}

// read reads a part's file.
func (c *Certificate) read(h partHeader, winner rules.Side) (*Strategy, error) {
	s := &Strategy{Rules: c.rules, Winner: winner}
	for _, r := range h.Roots {
		p, err := c.rules.ParsePosition(r.Position)
		if err != nil {
			return nil, fmt.Errorf("position %.60q: %w", r.Position, err)
		}
		s.Roots = append(s.Roots, Root{p, r.Plies})
	}
	text, err := c.unpack(h)
	if err != nil {
		return nil, err
	}
	s.answers = make([]answer, h.Records)
	rows := columns(text, recordBytes, h.Records)
	for i := range s.answers {
		record := rows[i*recordBytes:][:recordBytes]
		s.answers[i], err = s.parse(record)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", i+1, err)
		}
	}
	s.answers = pack(s.answers)
	return s, nil
}

// unpack returns the records of a part's file, in columns.
func (c *Certificate) unpack(h partHeader) ([]byte, error) {
	packed, err := files.Read(filepath.Join(c.dir, h.File), maxPart)
	if err != nil {
		return nil, err
	}
	if h.Records < 0 || h.Records > maxRecords {
		return nil, fmt.Errorf("records: expected at most %d, found %d", maxRecords, h.Records)
	}
	if found := agents.Sum(packed); found != h.SHA256 {
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

// parse returns the answer that a record holds.
func (s *Strategy) parse(record []byte) (answer, error) {
	var text []byte
	for square := range rules.Square(rules.NumSquares) {
		if square > 0 && square.File() == 0 {
			text = append(text, '/')
		}
		// A byte has four squares, of which the first is in the highest two bits.
		height := record[square/4] >> (6 - 2*(square%4)) & 3
		text = append(text, '0'+height)
	}
	text = append(text, ' ', s.Winner.Letter())
	p, err := s.Rules.ParsePosition(string(text))
	if err != nil {
		return answer{}, err
	}
	var legal rules.MoveSet
	s.Rules.Moves(p, &legal)
	for m := range legal.All() {
		if moveSquares(m) == [3]byte(record[boardBytes:]) {
			return answer{p, m, int32(record[recordBytes-1])}, nil
		}
	}
	return answer{}, fmt.Errorf("in %s the move is not legal", s.Rules.FormatPosition(p))
}
