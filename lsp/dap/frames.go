package dap

import (
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// runtimePackage is the injected package whose calls stand before the
// statements of a breakpoint's sides. Its frames, and those above them, are
// not the user's: whoever stands in one stands before the statement.
const runtimePackage = "hocketpoints."

// deepest is how many frames can stand above a statement, the waiting inside
// of the runtime and of package time included.
const deepest = 32

// allFrames is how many are shown where an editor asks for all.
const allFrames = 1000

// frame is what a guide needs to know of a stack frame.
type frame struct {
	ID     int    `json:"id"`
	Name   string `json:"name"` // "pool.(*Cache).Get": the package by its last element
	Line   int    `json:"line"`
	Source struct {
		Path string `json:"path"`
	} `json:"source"`
	PC string `json:"instructionPointerReference"`
}

// stackOf are the frames of an answer to stackTrace, innermost first.
func stackOf(answer *message) []frame {
	var body struct {
		StackFrames []frame `json:"stackFrames"`
	}
	_ = json.Unmarshal(answer.Body, &body)
	return body.StackFrames
}

// above is how many frames stand above the user's own, 0 where a goroutine is
// at no side of a breakpoint.
func above(stack []frame) int {
	for i := min(len(stack), deepest) - 1; i >= 0; i-- {
		if strings.HasPrefix(stack[i].Name, runtimePackage) {
			return i + 1
		}
	}
	return 0
}

// aboveRuntime is how many frames of the runtime stand above the first one that is not
// its own, 0 if there is no other.
func aboveRuntime(stack []frame) int {
	for i, f := range stack {
		if !strings.HasPrefix(f.Name, "runtime.") && !strings.HasPrefix(f.Name, "internal/runtime/") {
			return i
		}
	}
	return 0
}

// nameOf names a goroutine after the outermost function that is the user's; a
// function literal gives its name to what it calls.
func nameOf(stack []frame) string {
	name := "goroutine"
	std := stdOf(stack)
	for i := len(stack) - 1; i >= 0; i-- {
		if strings.HasPrefix(stack[i].Source.Path, std) || strings.HasPrefix(stack[i].Name, runtimePackage) {
			continue
		}
		if _, fn, ok := strings.Cut(stack[i].Name, "."); ok {
			if name == "goroutine" || !literal.MatchString(fn) {
				name = fn
			}
			if !literal.MatchString(fn) {
				break
			}
		}
	}
	return name
}

// literal is how the compiler names function literals.
var literal = regexp.MustCompile(`\.(func|gowrap)\d+(\.\d+)*$`)

// stdOf is the folder of the standard library: every goroutine starts in
// package runtime.
func stdOf(stack []frame) string {
	if len(stack) > 0 {
		if root, _, ok := strings.Cut(stack[len(stack)-1].Source.Path, "/src/runtime/"); ok {
			return root + "/src/"
		}
	}
	return "\x00" // cut off: it is not known
}

// below is a file by its name below a folder, where it lies there.
func below(dir, file string) string {
	if rel, err := filepath.Rel(resolved(dir), resolved(file)); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}

// place is "a.go:12".
func place(file string, line int) string {
	return path.Base(strings.ReplaceAll(file, `\`, "/")) + ":" + strconv.Itoa(line)
}

// hidden answers a request for a stack without the frames above the user's.
// What is asked of Delve is the stack from its top, so that they are known.
func (s *session) hidden(m *message, above func(stack []frame) int, columns func(thread int, top frame) int) {
	args := fields(m.Arguments)
	var thread, start, levels int
	decode(args["threadId"], &thread)
	decode(args["startFrame"], &start)
	decode(args["levels"], &levels)
	if levels <= 0 { // all
		levels = allFrames
	}
	args["levels"] = raw(max(start, 0) + levels + deepest)
	args["startFrame"] = raw(0)
	s.call(m.Command, raw(args), func(a *message) {
		body := fields(a.Body)
		var all []map[string]json.RawMessage
		if json.Unmarshal(body["stackFrames"], &all) != nil {
			s.answer(m, *a)
			return
		}
		stack := stackOf(a)
		n := above(stack)
		if n < len(all) {
			if column := columns(thread, stack[n]); n > 0 && column > 0 {
				all[n]["column"] = raw(column)
			}
		}
		from := min(n+max(start, 0), len(all))
		body["stackFrames"] = raw(all[from:min(from+levels, len(all))])
		var total int
		if decode(body["totalFrames"], &total); total > 0 {
			body["totalFrames"] = raw(total - n)
		}
		a.Body = raw(body)
		s.answer(m, *a)
	})
}

// decode reads an integer, if there is one.
func decode(data json.RawMessage, n *int) { _ = json.Unmarshal(data, n) }
