package csvfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Formulas become text, numbers stay, and what is read back is what was written.
func TestFormulasAreText(t *testing.T) {
	for text, want := range map[string]string{
		"name": "name", "": "", "-1.5": "-1.5", "+2e3": "+2e3", "=1+1": "'=1+1", "+cmd": "'+cmd", "-x": "'-x", "@SUM": "'@SUM",
		"\tx": "'\tx", "'=1": "''=1", "'x": "'x",
	} {
		require.Equal(t, want, Cell(text))
		require.Equal(t, text, Text(want))
	}
}

// Characters that tables escape, such as those without a width, are read back.
func TestEscapesAreRead(t *testing.T) {
	require.Equal(t, "a\u200db\U000e0041", Text(`a\u200db\U000e0041`))
	require.Equal(t, `c:\new\user`, Text(`c:\new\user`))
}
