package strategy

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// Positions of the certificate in testdata/simplified, won by South twice, and once by North.
var certified = []string{
	"213132/000000/000000/000000/000000/112233 s",
	"232113/000000/000000/000000/000000/332211 s",
	"112233/000000/000000/000000/000000/213132 s",
}

// copyCertificate copies parts of a certificate of testdata by [Certificate.Add] and returns the copy and its folder.
func copyCertificate(t *testing.T, text string, parts int) (*Certificate, string) {
	t.Helper()
	dir := t.TempDir()
	c, err := ExtendCertificate(dir, rules.MustParse(text))
	require.NoError(t, err)
	for _, s := range readCertificate(t, filepath.Join("testdata", text), text)[:parts] {
		require.False(t, c.Has(s.Roots[0].Position))
		require.NoError(t, c.Add(s))
		require.True(t, c.Has(s.Roots[0].Position))
	}
	return c, dir
}

// readCertificate returns the parts of the certificate in a folder.
func readCertificate(t *testing.T, dir, text string) (parts []*Strategy) {
	t.Helper()
	c, err := ExtendCertificate(dir, rules.MustParse(text))
	require.NoError(t, err)
	for _, h := range c.header.Parts {
		p, err := c.read(h, map[string]rules.Side{"South": rules.South, "North": rules.North}[h.Winner])
		require.NoError(t, err)
		parts = append(parts, p)
	}
	return parts
}

// A certificate that was begun goes on, and wins by a few lines of code that share nothing with its check, before
// and after it is joined.
func TestCertificate(t *testing.T) {
	t.Parallel()
	_, dir := copyCertificate(t, "simplified", len(certified))
	c, err := ExtendCertificate(dir, rules.MustParse("simplified"))
	require.NoError(t, err)
	require.Len(t, readCertificate(t, dir, "simplified"), 3)
	requireWins(t, dir, "simplified", 3)
	require.NoError(t, c.Join(t.Context()))
	require.NoError(t, c.Join(t.Context()), "what is joined stays")
	require.Len(t, readCertificate(t, dir, "simplified"), 2)
	requireWins(t, dir, "simplified", 3)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3, "the header and two parts")
	require.Equal(t, "South wins from 2 of these positions and North from 1, whatever the other side plays", c.header.Claim)
	require.Empty(t, rejection(t, dir))

	_, err = ExtendCertificate(dir, rules.MustParse("italian-simplified"))
	require.ErrorContains(t, err, "expected a certificate under the rules italian-simplified, found simplified")
	_, err = ExtendCertificate(dir, rules.MustParse("kang"))
	require.ErrorContains(t, err, "expected rules other than those of Kang")
}

// requireWins plays the strategies of the certificate in a folder from all their positions.
func requireWins(t *testing.T, dir, text string, positions int) {
	t.Helper()
	for _, s := range readCertificate(t, dir, text) {
		for _, root := range s.Roots {
			g := rules.NewGame(s.Rules, root.Position)
			require.True(t, agenttest.Wins(g, s.Winner, s.Answer, root.Plies))
			require.False(t, agenttest.Wins(g, s.Winner, s.Answer, root.Plies-1))
			positions--
		}
	}
	require.Zero(t, positions)
}

// A win at once needs no answer; a position that comes twice is there once.
func TestCertificateOfAGoal(t *testing.T) {
	t.Parallel()
	c, dir := copyCertificate(t, "simplified", 0)
	g := agenttest.Game(t, c.rules, "000000/000000/000000/300002/011112/022333 s")
	none := func(rules.Position) (rules.Move, bool) { return rules.NoMove, false }
	win, unsafe, err := Play(c.rules, rules.South, []rules.Position{g.Position()}, none)
	require.NoError(t, err)
	require.Empty(t, unsafe)
	require.Equal(t, []Root{{g.Position(), 1}}, win.Roots)
	require.Equal(t, []rules.Move{c.rules.GoalMove(g.Position(), rules.South)}, win.Line(g.Position()))
	require.NoError(t, c.Add(win))
	require.NoError(t, c.Add(win))
	long := &Strategy{c.rules, rules.South, nil, []answer{{g.Position(), g.Legal().At(0), 256}}}
	require.ErrorContains(t, c.Add(long), "expected at most 255")
	require.NoError(t, c.Join(t.Context()))
	read := readCertificate(t, dir, "simplified")
	require.Len(t, read, 1)
	require.Equal(t, win.Roots, read[0].Roots)
	require.Zero(t, read[0].Len())
	require.Empty(t, rejection(t, dir))
}

// Displaced pieces are in a certificate, too.
func TestCertificateWithDisplacement(t *testing.T) {
	t.Parallel()
	_, dir := copyCertificate(t, "italian", 1)
	requireWins(t, dir, "italian", 1)
}

// rejection is what the checker in Python says against a certificate; "" if it accepts it. It runs if
// GYGES_PYTHON names a program, as it does in .ci/run.
func rejection(t *testing.T, dir string) string {
	python := os.Getenv("GYGES_PYTHON")
	if python == "" {
		return ""
	}
	out, err := exec.CommandContext(t.Context(), python, "../../../results/studies/solved/check.py", dir).CombinedOutput()
	if err == nil {
		return ""
	}
	require.Regexp(t, `(?m)^wrong: .*$`, string(out))
	require.NotContains(t, string(out), "Traceback")
	return string(out)
}

// corruption is a certificate's content while it is being spoiled. Sums and counts are made anew.
type corruption struct {
	header  certificateHeader
	records [][]byte // of the first part, South's
	packed  []byte   // in place of the records
	sum     string   // in place of the right one
	more    int      // records that there aren't
}

// at returns the record of a position.
func (c *corruption) at(t *testing.T, text string) []byte {
	p, err := rules.MustParse("simplified").ParsePosition(text)
	require.NoError(t, err)
	want := board(p)
	for _, record := range c.records {
		if bytes.Equal(record[:boardBytes], want[:]) {
			return record
		}
	}
	t.Fatalf("no record of %s", text)
	return nil
}

func readCorruption(t *testing.T, dir string) *corruption {
	c, err := ExtendCertificate(dir, rules.MustParse("simplified"))
	require.NoError(t, err)
	packed, err := os.ReadFile(filepath.Join(dir, c.header.Parts[0].File))
	require.NoError(t, err)
	z, err := zlib.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	rows := columns(text, recordBytes, c.header.Parts[0].Records)
	s := &corruption{header: c.header}
	for ; len(rows) > 0; rows = rows[recordBytes:] {
		s.records = append(s.records, rows[:recordBytes])
	}
	return s
}

func (c *corruption) write(t *testing.T) (dir string) {
	dir = t.TempDir()
	packed := c.packed
	if packed == nil {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, err := z.Write(columns(bytes.Join(c.records, nil), len(c.records), recordBytes))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		packed = b.Bytes()
	}
	part := &c.header.Parts[0]
	part.Records = len(c.records) + c.more
	part.SHA256 = cmp.Or(c.sum, fmt.Sprintf("%x", sha256.Sum256(packed)))
	text, err := json.Marshal(c.header)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, headerFile), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(c.header.Parts[0].File)), packed, 0o600))
	return dir
}

// The checker in Python refuses certificates that are wrong; one that can't be read isn't extended.
func TestCorruptedCertificates(t *testing.T) {
	t.Parallel()
	root := certified[0]
	_, good := copyCertificate(t, "simplified", 1)
	var plies int
	for name, c := range map[string]struct {
		spoil func(c *corruption)
		err   string // of joining its parts; "": none
	}{
		"illegal move":           {func(c *corruption) { c.at(t, root)[boardBytes+1] = 35 }, "the move is not legal"},
		"other move":             {func(c *corruption) { c.at(t, root)[boardBytes] = 2; c.at(t, root)[boardBytes+1] = 20 }, ""},
		"move of no piece":       {func(c *corruption) { c.at(t, root)[boardBytes] = 20 }, "the move is not legal"},
		"move off the board":     {func(c *corruption) { c.at(t, root)[boardBytes+1] = 200 }, "the move is not legal"},
		"move that displaces":    {func(c *corruption) { c.at(t, root)[boardBytes+2] = 20 }, "the move is not legal"},
		"goal that isn't one":    {func(c *corruption) { c.at(t, root)[boardBytes+1] = 36 }, "the move is not legal"},
		"rank too low":           {func(c *corruption) { c.at(t, root)[recordBytes-1] -= 2 }, ""},
		"rank of a leaf too low": {func(c *corruption) { lowestRank(c.records)[recordBytes-1] = 1 }, ""},
		"rank of nothing":        {func(c *corruption) { lowestRank(c.records)[recordBytes-1] = 0 }, ""},
		"missing answer":         {func(c *corruption) { c.records = c.records[1:] }, ""},
		"missing last answer":    {func(c *corruption) { c.records = c.records[:len(c.records)-1] }, ""},
		"no answers":             {func(c *corruption) { c.records = nil }, ""},
		"twice the same answer":  {func(c *corruption) { c.records = append(c.records, c.records[len(c.records)-1]) }, ""},
		"answers out of order":   {func(c *corruption) { c.records[0], c.records[1] = c.records[1], c.records[0] }, ""},
		"piece too many":         {func(c *corruption) { c.records[0][0] = 0xff }, "record 1: "},
		"other root":             {func(c *corruption) { c.header.Parts[0].Roots[0].Position = certified[2] }, ""},
		"root that is none":      {func(c *corruption) { c.header.Parts[0].Roots[0].Position = "213132 s" }, "position "},
		"root that North begins": {func(c *corruption) { c.header.Parts[0].Roots[0].Position = strings.Replace(root, " s", " n", 1) }, ""},
		"plies of the root":      {func(c *corruption) { c.header.Parts[0].Roots[0].Plies -= 2 }, ""},
		"winner":                 {func(c *corruption) { c.header.Parts[0].Winner = "North" }, "the move is not legal"},
		"winner that is none":    {func(c *corruption) { c.header.Parts[0].Winner = "West" }, ""},
		"wrong sum":              {func(c *corruption) { c.sum = strings.Repeat("0", 64) }, "sha256: expected 0000"},
		"wrong count":            {func(c *corruption) { c.more = 1 }, "records of 13 bytes"},
		"truncated":              {func(c *corruption) { c.packed = []byte{0x78, 0x9c, 1} }, "EOF"},
		"no packed data":         {func(c *corruption) { c.packed = []byte("certificate") }, "zlib"},
		"other rules":            {func(c *corruption) { c.header.Options["door_rule"] = "directed" }, "expected a certificate under the rules simplified"},
		"file elsewhere":         {func(c *corruption) { c.header.Parts[0].File = "../south-1-00000000.zz" }, "expected a name like"},
		"other format":           {func(c *corruption) { c.header.Format = "gyges certificate 2" }, "format: expected"},
	} {
		s := readCorruption(t, good)
		plies = max(plies, s.header.Parts[0].Roots[0].Plies)
		c.spoil(s)
		dir := s.write(t)
		extended, err := ExtendCertificate(dir, rules.MustParse("simplified"))
		if err == nil {
			err = extended.Join(t.Context())
		}
		if c.err == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.err, name)
		}
		if os.Getenv("GYGES_PYTHON") != "" {
			require.NotEmpty(t, rejection(t, s.write(t)), name)
		}
	}
	require.Greater(t, plies, 10)
}

// A strategy that wins where positions may return proves nothing under superko if it might forbid a move of the
// winner, or every move of the loser's row, so that he may move another one.
func TestCertificateUnderSuperko(t *testing.T) {
	t.Parallel()
	for i, python := range []string{"superko may forbid the move", "superko may block every reply"} {
		c, dir := copyCertificate(t, "simplified", 0)
		s := readCertificate(t, "testdata/italian-simplified", "italian-simplified")[i]
		_, unsafe, err := Play(c.rules, s.Winner, []rules.Position{s.Roots[0].Position}, s.Answer)
		require.NoError(t, err)
		require.NotEmpty(t, unsafe)
		blocked := slices.ContainsFunc(unsafe, func(p rules.Position) bool { return p.Side() == rules.North })
		require.Equal(t, strings.Contains(python, "block"), blocked)
		require.NoError(t, c.Add(s))
		if os.Getenv("GYGES_PYTHON") != "" {
			require.Contains(t, rejection(t, dir), python)
		}
	}
}

// lowestRank returns a record with the lowest rank.
func lowestRank(records [][]byte) []byte {
	low := records[0]
	for _, r := range records {
		if r[recordBytes-1] < low[recordBytes-1] {
			low = r
		}
	}
	return low
}
