package csvfile

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFormulasAreText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, NewWriter(&b).WriteAll([][]string{
		{"=1+1", "+a", "-b", "@c", "\td", "plain", ""},
		{"-12.5", "+3", "-1e-7", "1-0", "'quoted'", "'=x", "+2-c2 d1-c3"},
	}))
	require.Equal(t, "'=1+1,'+a,'-b,'@c,'\td,plain,\n-12.5,+3,-1e-7,1-0,'quoted',''=x,'+2-c2 d1-c3\n", b.String())
}

// Reading gives the cells back.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.StringMatching(`['=+@\-a1.]{0,5}`), 2, 5).Draw(t, "row")
		want := append([]string{}, row...)
		var b bytes.Buffer
		require.NoError(t, NewWriter(&b).WriteAll([][]string{row}))
		got, err := csv.NewReader(&b).Read()
		require.NoError(t, err)
		for i := range got {
			got[i] = Text(got[i])
		}
		require.Equal(t, want, got)
	})
}
