package ugi

import (
	"log/slog"
	"net/url"
	"os"
	"sync"

	"gyges/rules/base/textfmt"
)

// Log receives what users should know of engines: notes, and the dialogues in files of a folder, if
// one is opened. A log that is nil receives nothing. Goroutines may share it.
type Log struct {
	Notes *slog.Logger // not nil

	dir   string   // of the dialogues; "": none are written
	known sync.Map // the notes, by engine and text
}

// note logs what users should know of an engine, once, however many processes it has.
func (l *Log) note(engine, text string) {
	if l == nil {
		return
	}
	_, known := l.known.LoadOrStore(engine+": "+text, true)
	if !known {
		l.Notes.Warn(text, "engine", engine)
	}
}

// Open has the dialogues of the engines that start from now on written into a folder, which is made
// if it isn't there. An empty name does nothing.
func (l *Log) Open(dir string) error {
	if dir == "" {
		return nil
	}
	l.dir = dir
	return os.MkdirAll(dir, 0o777)
}

// create makes the file of a process of an engine; nil without a folder. Its name is the engine's
// with a number, and no other file has it.
func (l *Log) create(engine string) (*os.File, error) {
	if l == nil || l.dir == "" {
		return nil, nil
	}
	// What not every system has in names is escaped.
	return os.CreateTemp(l.dir, url.QueryEscape(textfmt.Cut(engine, 60))+"-*.log")
}
