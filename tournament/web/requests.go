package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"gyges/rules/base/files"
	"gyges/rules/base/strictjson"
)

// MaxBody bounds a request's body, in bytes.
const MaxBody = 16 << 10

const retryAfter = "10" // seconds until a request beyond a limit may succeed

// Error is what is wrong with a request.
type Error struct {
	Status int // of HTTP
	Text   string
}

func (e Error) Error() string { return e.Text }

// Conflict is the error of a request that doesn't fit the state of its game.
func Conflict(format string, args ...any) error {
	return Error{http.StatusConflict, fmt.Sprintf(format, args...)}
}

// Unprocessable is the error of a request whose values are wrong.
func Unprocessable(format string, args ...any) error {
	return Error{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...)}
}

// TooMany is the error of a request beyond the bound of its address.
func TooMany(format string, args ...any) error {
	return Error{http.StatusTooManyRequests, fmt.Sprintf(format, args...)}
}

// Unavailable is the error of a request that may succeed later.
func Unavailable(format string, args ...any) error {
	return Error{http.StatusServiceUnavailable, fmt.Sprintf(format, args...)}
}

// Post adds the handler of a pattern, of requests with a JSON body, which it answers as [Answer]
// does.
func Post[Q any](s *Server, pattern string, status int, act func(*http.Request, Q) (any, error)) {
	Answer(s, pattern, status, func(r *http.Request) (any, error) {
		var q Q
		if err := ReadJSON(r, &q); err != nil {
			return nil, err
		}
		return act(r, q)
	})
}

// Answer adds the handler of a pattern, of requests without a body: it responds with the status and
// the result of act as JSON.
func Answer(s *Server, pattern string, status int, act func(*http.Request) (any, error)) {
	s.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		// It may wait for an event. A recorder in tests has no limit.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longWriteTimeout))
		result, err := act(r)
		if err != nil {
			s.Fail(w, err)
			return
		}
		writeJSON(w, status, result)
	})
}

// Fail responds with an error as JSON. It logs one that isn't an [Error].
func (s *Server) Fail(w http.ResponseWriter, err error) {
	e := s.clientError(w, err)
	writeJSON(w, e.Status, map[string]string{"error": e.Text})
}

// FailPage responds with an error as a page. It logs one that isn't an [Error].
func (s *Server) FailPage(w http.ResponseWriter, err error) {
	e := s.clientError(w, err)
	s.Refuse(w, e.Status, e.Text)
}

// clientError returns what the client is told of an error, and adds to the head of the answer when
// to try again.
func (s *Server) clientError(w http.ResponseWriter, err error) Error {
	e := s.errorOf(err)
	if e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	return e
}

// errorOf returns what the client is told of an error, and logs an error that isn't the client's.
func (s *Server) errorOf(err error) Error {
	if e, ok := errors.AsType[Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) {
		// Nobody waits for the answer any more, or the server is being stopped.
		return Error{http.StatusServiceUnavailable, "the request was given up"}
	}
	s.Log.Error("a request failed", "error", err)
	if files.HostLacks(err) {
		return Error{http.StatusServiceUnavailable,
			"the server has no file descriptors or memory left; try again later"}
	}
	return Error{http.StatusInternalServerError, "the server failed; its log has the reason"}
}

// ReadJSON reads a request's body, which is bounded, into to.
func ReadJSON(r *http.Request, to any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return Error{http.StatusUnsupportedMediaType, "expected application/json"}
	}
	// The guard has bounded the body.
	text, err := io.ReadAll(r.Body)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		text := fmt.Sprintf("expected at most %d bytes", MaxBody)
		return Error{http.StatusRequestEntityTooLarge, text}
	}
	if err == nil {
		err = strictjson.Unmarshal(text, MaxBody, to)
	}
	if err != nil {
		return Error{http.StatusBadRequest, "expected JSON as the page sends it: " + err.Error()}
	}
	return nil
}

// writeJSON responds with a value.
func writeJSON(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "the response can't be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the client may have gone
}
