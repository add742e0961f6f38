package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEPD(t *testing.T) {
	const board = "321123/000000/000000/000000/000000/321123 s"
	r := MustParse("simplified")
	for text, want := range map[string]string{
		" ;D1 24 ;D2 574":                      "",
		";D1 24;D2 574;":                       "",
		" D1 24; D2 574;":                      "",
		"\tD1\t24;\tD2 574 ;":                  "",
		` ;D1 24 ;c0 "ERET; Queen" ;D2 574`:    "",
		` id "a; D1 25; b"; D1 24; D2 574;`:    "",
		` ;D1 24 ;id "a \"; D1 25" ;D2 574`:    "",
		` ;D1 24 ;id "a \\" ;D2 574 ;c1 "\\;"`: "",
		` ;D1 24 ;id "" ;D2 574`:               "",
		` ;D1 24 ;id "a; D2 574`:               `expected a depth D0 to D20 and a count, like ';D2 4096', found ";id \"a"`,
		` ;D1 24 ;id a" ;D2 574`:               `expected a depth`,
		` ;D1 24 ;id "a\" ;D2 574`:             `expected a depth`,
		" ;D1 24 ;D1 24":                       `expected D1 once, found it again in ";D1 24"`,
		" ;D1 24 ;D1 25":                       "expected D1 once",
		" ;D1 24 ;D02 25":                      "a count, like ';D2 4096', without leading zeros, found \";D02 25\"",
		" ;D1 024":                             "a count, like ';D2 4096', without leading zeros, found \";D1 024\"",
		" ;D1 24 ;d2 574":                      `expected a depth D0 to D20 and a count, like ';D2 4096', found ";d2 574"`,
		" ;D1 -24":                             "expected a depth",
		" ;D1":                                 "expected a depth",
		` ;D1 "24"`:                            `expected a depth`,
		" ;D1 24 D2 574":                       "expected a depth",
		" bm a1-a4;":                           `position`,
		"":                                     "expected ';D1 n' after the position, found the end",
		" ;":                                   "expected ';D1 n' after the position, found the end",
	} {
		l, err := r.ParseEPD(board + text)
		if want != "" {
			require.ErrorContains(t, err, want, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, EPD{board, l.Position, []PerftCount{{1, 24}, {2, 574}}}, l, text)
	}
	l, err := MustParse("kang").ParseEPD(board + " 000/000 1-2 sn D1 24; id \"x;y\";")
	require.NoError(t, err)
	require.Equal(t, board+" 000/000 1-2 sn", l.Text)
}
