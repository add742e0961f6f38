package ugi

// What is kept of an engine, so that another one is noticed.

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gyges/agents"
	"gyges/rules/base/files"
)

// maxSummed bounds the bytes of a file that its sum is of: it takes about a second.
const maxSummed = 1 << 30

// Program returns what the program was when it was started last.
func (h *host) Program() *agents.Program { return h.program }

// look returns what the program said of itself, with the sums of its files as they are now: the
// program, and files that words of its command name, but for those that were written since the
// start, such as a log.
func (h *host) look() *agents.Program {
	p := &agents.Program{Name: printable(h.name), Files: map[string]string{}, Options: h.announced}
	for i, path := range h.command {
		if i == 0 {
			path = h.proc.cmd.Path // where it was found
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(h.dir, path)
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		isLog := i > 0 && info.ModTime().After(h.proc.started)
		if sum, err := files.Load(path, sumOf); err == nil && !isLog {
			name := filepath.Base(path) // machines have folders of their own
			if other := p.Files[name]; other != "" && other != sum {
				name = fmt.Sprintf("%s (word %d)", name, i+1)
			}
			p.Files[name] = sum
		}
	}
	return p
}

// sumOf returns the SHA-256 of a file, of its first maxSummed bytes if it has more.
func sumOf(in io.Reader, _ string) (string, error) {
	hash := sha256.New()
	part := io.LimitReader(in, maxSummed)
	_, err := io.Copy(hash, part)
	return fmt.Sprintf("%x", hash.Sum(nil)), err
}
