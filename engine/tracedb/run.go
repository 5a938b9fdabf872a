package tracedb

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Program is what was recorded: paths of different programs are kept apart.
type Program struct {
	Package string `json:"package"` // import path
	Entry   string `json:"entry"`   // "TestX", "TestX/sub" or "main"
	Mode    string `json:"mode"`    // how it was recorded: what tokens mean
	Content string `json:"content"` // identifies the program, as built from its sources
	Go      string `json:"go"`      // "go1.26.8"
	OS      string `json:"os"`
	Arch    string `json:"arch"`

	// Functions are the content ids of the program's functions by name, as far as
	// they are known. They tell what of a path holds for another program.
	Functions map[string]string `json:"functions,omitempty"`
	// Sites say of what function a token is: a token's site is token/2. None if
	// tokens are not of sites.
	Sites []Site `json:"sites,omitempty"`
}

// Site is the place of a token: the Index-th of a function, from 0. It is the same
// in two programs in which the function is the same.
type Site struct {
	Func  string `json:"func"`
	Index int    `json:"index"`
	// Line is where it is, for people: file:line without a path of the machine.
	Line string `json:"line,omitempty"`
}

// Thread is the path of one goroutine.
type Thread struct {
	Name   string // of the goroutine, the same in each run of the program
	Site   string // where it was started; threads of one site share a tree. "": Name
	Tokens []uint64
}

// tree is the name of the thread's tree.
func (t *Thread) tree() string {
	if t.Site != "" {
		return t.Site
	}
	return t.Name
}

// Run is one recorded execution.
type Run struct {
	Program *Program // shared by the runs of one program
	Machine string   // where it was recorded: a name that its owner chose, or ""
	Time    time.Time
	Seed    uint64
	Outcome string // Passed, or another word
	Failure string // what it said, "" if it passed
	Torn    bool   // the end of the run is missing: paths are beginnings of paths
	Threads []Thread
}

// Passed is the outcome of a run that did not fail.
const Passed = "passed"

// ID names a run by its content.
type ID [16]byte

func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Limits of what a run may hold: more is an error.
const (
	maxText    = 4 << 10 // bytes; Failure is cut there
	maxThreads = 1 << 20
	maxTokens  = 1 << 28 // of one run
)

// ID is computed from all that the run holds but the program's tables.
func (r *Run) ID() ID {
	b := []byte(r.Program.identity())
	b = r.appendFacts(b)
	b = binary.AppendUvarint(b, uint64(len(r.Threads)))
	h := sha256.New()
	for i := range r.Threads {
		t := &r.Threads[i]
		b = appendText(appendText(b, t.Name), t.Site)
		b = binary.AppendUvarint(b, uint64(len(t.Tokens)))
		for _, x := range t.Tokens {
			b = binary.AppendUvarint(b, x)
		}
		h.Write(b)
		b = b[:0]
	}
	h.Write(b)
	return ID(h.Sum(nil)[:16])
}

func (r *Run) appendFacts(b []byte) []byte {
	b = appendText(b, r.Machine)
	b = binary.AppendVarint(b, unixNano(r.Time))
	b = binary.AppendUvarint(b, r.Seed)
	b = appendText(b, r.Outcome)
	b = appendText(b, cutText(r.Failure))
	return append(b, b2i(r.Torn))
}

// unixNano is 0 for the zero time, whose nanoseconds are not defined.
func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromUnixNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func cutText(s string) string {
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

// identity tells programs apart.
func (p *Program) identity() string {
	return strings.Join([]string{p.Package, p.Entry, p.Mode, p.Content, p.Go, p.OS, p.Arch}, "\x00")
}

// check refuses what could not be told apart or kept.
func (r *Run) check() error {
	switch p := r.Program; {
	case p == nil:
		return errors.New("a run without a program")
	case p.Package == "" || p.Entry == "" || p.Mode == "" || p.Content == "":
		return fmt.Errorf("a run lacks its package, entry, mode or program (%q, %q, %q, %q)", p.Package, p.Entry, p.Mode, p.Content)
	case r.Outcome == "":
		return fmt.Errorf("a run of %s %s has no outcome", p.Package, p.Entry)
	case len(r.Threads) > maxThreads:
		return fmt.Errorf("a run of %s %s has %d goroutines; at most %d can be kept", p.Package, p.Entry, len(r.Threads), maxThreads)
	}
	n := 0
	for i := range r.Threads {
		n += len(r.Threads[i].Tokens)
	}
	if n > maxTokens {
		return fmt.Errorf("a run of %s %s has paths of %d tokens; at most %d can be kept", r.Program.Package, r.Program.Entry, n, maxTokens)
	}
	for _, s := range []string{r.Machine, r.Outcome} {
		if len(s) > maxText {
			return fmt.Errorf("a run of %s %s has a name of %d bytes", r.Program.Package, r.Program.Entry, len(s))
		}
	}
	return nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func b2i(b bool) byte {
	if b {
		return 1
	}
	return 0
}
