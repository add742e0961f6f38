package agents

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A program is another one by its name, by one of its files, or by its options; what isn't known
// differs from nothing.
func TestProgramsThatDiffer(t *testing.T) {
	t.Parallel()
	was := Program{Name: "a", Files: map[string]string{"engine": "12345678901234567", "net": "old"}, Options: []string{"Hash"}}
	for _, test := range []struct {
		change func(p *Program)
		want   string
	}{
		{func(*Program) {}, ""},
		{func(p *Program) { p.Name = "b\x1b" }, `its id name was "a", now "b\x1b"`},
		{func(p *Program) { p.Files["engine"] = "other" }, `the SHA-256 of engine was "1234567890123456", now "other"`},
		{func(p *Program) { delete(p.Files, "net") }, "net isn't a file of it any more, or was written since its start"},
		{func(p *Program) { p.Files["log"] = "x" }, ""},
		{func(p *Program) { p.Options = append(p.Options, "Threads") }, "it announces other options"},
		{func(p *Program) { p.Options = nil }, "it announces other options"},
	} {
		now := Program{Name: "a", Files: map[string]string{"engine": "12345678901234567", "net": "old"}, Options: []string{"Hash"}}
		test.change(&now)
		require.Equal(t, test.want, now.Difference(&was))
	}
	var none *Program
	require.Empty(t, none.Difference(&was))
	require.Empty(t, was.Difference(none))
}
