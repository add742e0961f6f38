package strictjson

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/problems"
)

type value struct {
	Name  string        `json:"name"`
	Sizes []int         `json:"sizes"`
	Share *float64      `json:"share"`
	On    bool          `json:"on"`
	Wait  time.Duration `json:"wait"`
	Inner struct {
		Seed uint64 `json:"seed"`
	} `json:"inner"`
	Even even `json:"even"`
}

type even int

func (e *even) UnmarshalJSON(text []byte) error {
	if _, err := fmt.Sscan(string(text), (*int)(e)); err != nil || *e%2 != 0 {
		return fmt.Errorf("expected an even number, found %s", text)
	}
	return nil
}

func TestUnmarshal(t *testing.T) {
	var v value
	text := `{"name":"a","sizes":[1,2],"share":0.5,"on":true,"wait":1500,"inner":{"seed":7},"even":4}` + "\n"
	require.NoError(t, Unmarshal([]byte(text), len(text), &v))
	require.Equal(t, value{Name: "a", Sizes: []int{1, 2}, Share: v.Share, On: true, Wait: 1500, Inner: v.Inner, Even: 4}, v)
	require.InDelta(t, 0.5, *v.Share, 0)
	require.EqualValues(t, 7, v.Inner.Seed)
	require.EqualError(t, Unmarshal([]byte(text), 10, &v), "expected at most 10 bytes, found 89")
	require.NoError(t, Unmarshal([]byte(`{"name":"-1"}`), 100, new(map[string]string)))
}

func TestUnmarshalErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"nome":1}`:              "nome: there is no such field",
		`{"NAME":"a"}`:            "NAME: there is no such field",
		`{"inner":{"x":[]}}`:      "inner.x: there is no such field",
		`{"name":"a","name":"b"}`: "name: given twice",
		`{"name":1}`:              "name: expected a text, found a number",
		`{"name":{}}`:             "name: expected a text, found an object",
		`{"sizes":1}`:             "sizes: expected a list, found a number",
		`{"sizes":[1,"b"]}`:       `sizes[1]: expected a whole number, found a text`,
		`{"sizes":[1.5]}`:         "sizes[0]: expected a whole number, found 1.5",
		`{"share":"NaN"}`:         `share: expected a number, found a text`,
		`{"share":1e999}`:         "share: expected a smaller number, found 1e999",
		`{"on":[]}`:               "on: expected true or false, found a list",
		`{"inner":true}`:          "inner: expected an object, found a truth value",
		`{"inner":{"seed":-1}}`:   "inner.seed: expected a whole number from 0, found -1",
		`{"inner":{"seed":18446744073709551616}}`: "inner.seed: expected a smaller number, found 18446744073709551616",
		`{"even":3}`:                             "even: expected an even number, found 3",
		`[]`:                                     "expected an object, found a list",
		`{"name":"a"} {}`:                        "expected JSON, found an error in byte 14: invalid character '{' after top-level value",
		`{"name":"a"`:                            "expected JSON, found a text that is cut short",
		``:                                       "expected JSON, found a text that is cut short",
		`name`:                                   "expected JSON, found an error in byte 2: invalid character 'a' in literal null (expecting 'u')",
		"{\"name\":\"\xff\"}":                    "expected JSON, found an error in byte 10: invalid UTF-8",
		strings.Repeat("[", 20_000):              "expected an object, found a list",
		`{"sizes":[` + "1,]}":                    "expected JSON, found an error in byte 12: invalid character ',' at start of value",
		`{"` + strings.Repeat("n", 900) + `":1}`: strings.Repeat("n", 200) + ": there is no such field",
	} {
		var v value
		err := Unmarshal([]byte(text), 1<<20, &v)
		require.EqualError(t, err, want, "%.100s", text)
		field, ok := errors.AsType[*problems.FieldError](err)
		require.Equal(t, !strings.HasPrefix(want, "expected"), ok, want)
		require.True(t, !ok || field.Field != "")
	}
	require.ErrorIs(t, Unmarshal([]byte(`{"name":"a`), 100, new(value)), ErrCut)
}
