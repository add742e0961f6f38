package browsertest

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { os.Exit(Main{m}.Run()) }

// Wait goes on while pages give way to others.
func TestWaitAcrossPages(t *testing.T) {
	const last = 15
	b := Open(t)
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Path[1:])
		next := ""
		if n < last {
			next = fmt.Sprintf("<script>location = '/%d'</script>", n+1)
		}
		w.Header().Set("Content-Type", "text/html")
		_, err := fmt.Fprintf(w, "<!doctype html><title>%d</title>%s", n, next)
		if err != nil {
			t.Error(err)
		}
	})
	address := Serve(t, pages, func() error { return nil })
	b.Eval(fmt.Sprintf("void (location = %q)", address+"/1"), nil)
	b.Wait(fmt.Sprintf(`document.title === "%d"`, last))
	require.Equal(t, fmt.Sprintf("/%d", last), b.Text("location.pathname"))
}
