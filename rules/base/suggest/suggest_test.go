package suggest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnknown(t *testing.T) {
	known := []string{"standard", "simplified", "kang", "italian", "italian-kang"}
	require.Equal(t, `unknown rules "kong", did you mean "kang"?`, Unknown("rules", "kong", known))
	require.Equal(t, `unknown rules "ital", did you mean one of "italian", "italian-kang"?`, Unknown("rules", "ital", known))
	require.Equal(t, `unknown rules "chess"; expected one of: standard, simplified, kang, italian, italian-kang`,
		Unknown("rules", "chess", known))
	require.Equal(t, `unknown rules ""; expected one of: kang`, Unknown("rules", "", []string{"kang"}))
	many := make([]string, 700)
	for i := range many {
		many[i] = fmt.Sprintf("input %d", i)
	}
	require.Equal(t, `unknown input "inputs 699", did you mean one of "input 699", "input 69", "input 99"`+
		`, "input 199", "input 299", "input 399"?`, Unknown("input", "inputs 699", many), "the nearest of all")
	require.Contains(t, Unknown("input", "weight", many), "input 38, input 39")
}

func TestDidYouMean(t *testing.T) {
	known := []string{"ratings", "rate", "rules", "ugi"}
	for word, want := range map[string]string{
		"ratngs": `, did you mean "ratings"?`,
		"ra":     `, did you mean one of "ratings", "rate"?`,
		"role":   `, did you mean one of "rate", "rules"?`,
		"x":      "",
		"":       "",
		"ig":     "",
	} {
		require.Equal(t, want, DidYouMean(word, known), word)
	}
	require.Equal(t, 3, distance("kitten", "sitting"))
	require.Equal(t, 4, distance("", "four"))
	require.Equal(t, 4, distance("four", ""))
}
