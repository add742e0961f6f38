package table

import (
	"bytes"
	"encoding/json"
	"gyges/ratings"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWriteHistory(t *testing.T) {
	var steps []ratings.Step
	for _, name := range []string{"p", "q"} {
		d := new(ratings.Data)
		for _, pairing := range [][2]string{{"a", "b"}, {"b", "c"}, {"c", "new"}, {"new", "a"}} {
			play(d, pairing[0], pairing[1], 3, 1, 2)
			play(d, pairing[1], pairing[0], 2, 1, 3)
		}
		steps = append(steps, ratings.Step{Name: name, Data: d})
	}
	top := &ratings.Data{}
	play(top, "x", "a", 2, 0, 0)
	steps[1].Data.Merge(top)
	s, err := ratings.FitSeries(t.Context(), steps, ratings.SeriesOptions{
		Options: ratings.Options{Prior: new(float64)}, Method: ratings.Windowed, Window: 1,
	})
	require.NoError(t, err)
	require.Equal(t, []string{"players who won or lost all games that count at a step have no rating there"}, s.Notes)
	var buf bytes.Buffer
	require.NoError(t, WriteHistory(&buf, Text, Layout{}, s))
	require.Contains(t, buf.String(), "\n1: p; South's first-move advantage ")
	require.Equal(t, 2+4, strings.Count(buf.String()[:strings.Index(buf.String(), "\n\n")+1], "\n"))
	buf.Reset()
	require.NoError(t, WriteHistory(&buf, CSV, Layout{}, s))
	require.Equal(t, 1+8, strings.Count(buf.String(), "\n"))
	buf.Reset()
	require.NoError(t, WriteHistory(&buf, JSON, Layout{}, s))
	var got struct {
		Series []struct {
			Name   string
			Points []struct {
				Step, Games int
				Elo, Error  float64
			}
		}
		Steps []struct{ Name string }
	}
	require.NoError(t, json.Unmarshal(buf.Bytes(), &got))
	require.Len(t, got.Series, 4)
	require.Equal(t, s.Players[0].Points[1].Elo, got.Series[0].Points[1].Elo)
	require.Equal(t, "q", got.Steps[1].Name)
	require.NoError(t, WriteHistory(&buf, Markdown, Layout{}, s))
	require.ErrorIs(t, WriteHistory(&buf, "xml", Layout{}, s), errFormat)
}
