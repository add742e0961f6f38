package web

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// visit is a search of a client: it comes after so many seconds and lasts for some, unless its client gives up.
type visit struct {
	client       string
	comes, lasts int
	givesUp      int // seconds after it came; 0: never
}

// Whoever waits comes after at most share searches of each other client, and at once while no client may hold all slots.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	attack := slices.Repeat([]visit{{client: "a", lasts: 10}}, 6)
	for name, c := range map[string]struct {
		slots, share int
		visits       []visit
		began        []int // in which second; -1: never
	}{
		"one slot":            {1, 1, append(attack, visit{client: "b", comes: 1, lasts: 3}), []int{0, 13, 23, 33, 43, 53, 10}},
		"a slot for others":   {2, 1, append(attack, visit{client: "b", comes: 1, lasts: 3}), []int{0, 10, 20, 30, 40, 50, 1}},
		"no slot for others":  {2, 2, append(attack, visit{client: "b", comes: 1, lasts: 3}), []int{0, 0, 10, 13, 20, 23, 10}},
		"more than two":       {1, 1, []visit{{"a", 0, 5, 0}, {"b", 1, 1, 0}, {"b", 1, 1, 0}, {"c", 2, 1, 0}, {"d", 3, 1, 0}}, []int{0, 5, 8, 6, 7}},
		"two who attack":      {2, 1, append(attack, visit{"b", 0, 10, 0}, visit{"b", 0, 10, 0}, visit{"c", 1, 3, 0}), []int{0, 10, 20, 30, 40, 50, 0, 13, 10}},
		"who gives up":        {1, 1, []visit{{"a", 0, 9, 2}, {"a", 0, 9, 1}, {"b", 1, 9, 0}}, []int{0, -1, 2}},
		"who gives up queued": {1, 1, []visit{{"a", 0, 9, 0}, {"b", 0, 9, 1}, {"b", 1, 1, 0}}, []int{0, -1, 9}},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := NewQueue(c.slots, c.share)
			began, start := make([]int, len(c.visits)), time.Now()
			var work sync.WaitGroup
			for i, v := range c.visits {
				work.Go(func() {
					time.Sleep(time.Duration(v.comes)*time.Second + time.Duration(i)) // one after another
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if v.givesUp > 0 {
						time.AfterFunc(time.Duration(v.givesUp)*time.Second, cancel)
					}
					end, err := q.Turn(ctx, v.client)
					defer end()
					if began[i] = -1; err != nil {
						return
					}
					began[i] = int(time.Since(start).Seconds())
					select {
					case <-time.After(time.Duration(v.lasts) * time.Second):
					case <-ctx.Done():
					}
				})
			}
			work.Wait()
			require.Equal(t, c.began, began, name)
			require.Empty(t, q.turns)
			require.Empty(t, q.clients, "none is kept")
		})
	}
}
