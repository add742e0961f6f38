package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

func TestRulesList(t *testing.T) {
	for text, want := range map[string][]string{
		"standard,kang": {"standard", "kang"},
		"kang,standard:null_move=allow,repetition=none": {
			"kang", "standard:null_move=allow,repetition=none",
		},
		"": nil, ",standard,": nil, "repetition=no": nil,
	} {
		var list rulesList
		err := list.UnmarshalText([]byte(text))
		require.Equal(t, want == nil, err != nil, text)
		require.Equal(t, strings.Join(want, ","), list.String(), text)
	}
}

func TestChangedRulesAreNamedAsTheyParse(t *testing.T) {
	r, err := rules.MustParse("standard:max_plies=9").With("null_move=allow", "max_plies=8")
	require.NoError(t, err)
	const want = "standard:null_move=allow,max_plies=8"
	require.Equal(t, want, r.String())
	require.Equal(t, rules.MustParse(want).Options(), r.Options())
}
