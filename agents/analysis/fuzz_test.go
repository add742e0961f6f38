package analysis

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRequest reads lines of any kind: each is a request with positions to search, an action, or
// an error.
func FuzzRequest(f *testing.F) {
	for _, line := range []string{
		`{"id":"a","position":"` + middle + `","moves":["a1-b2"],"plies":"all","multi":3,"priority":-1}`,
		`{"id":"a","rules":"kang:kang_goals=1","plies":[0],"nodes":5,"time":0.5,"depth":3,"report_every":1}`,
		`{"id":"a","action":"terminate","terminate_id":"b"}`, `{"id":null,"plies":null}`, `[`, `{"plies":{}}`, `{"ID":"x"}`, "\xff",
	} {
		f.Add([]byte(line))
	}
	c := config(1)
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := readMessage(line)
		if err != nil || m.Action != "" {
			return
		}
		q, err := c.newRequest(m)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.Equal(t, q.open, len(q.plies))
		require.NotEmpty(t, q.plies)
		for _, n := range q.plies {
			require.False(t, q.start.Rules().SettingUp(q.game(n).Position()))
		}
	})
}
