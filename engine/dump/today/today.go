// Package today carries the places of an artefact over to the sources of today: by
// the function, and by what its line did there, which the next call of the stack or
// the wait reason tells. The sources of then are not known.
//
// Invariants:
//   - It reads Go files of given folders only, whatever files an artefact names.
//   - A place that is not found has line 0, never another statement silently: each
//     that moved or is lost is listed.
package today

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/dump"
)

// Carried is what became of the user's calls of a state.
type Carried struct {
	Same, Moved, Lost int      // different calls
	Words             []string // a line for each that moved or is lost, at most wordsMost
}

const wordsMost = 20

// Carry returns the state with the files and lines of today. dirs are the folders of
// packages, by import path; "main" is the main package that is meant. Calls of other
// packages stay as they are.
func Carry(s *dump.State, dirs map[string]string) (*dump.State, Carried) {
	c := &carrier{dirs: dirs, packages: map[string]*syntax{}, known: map[string]dump.Frame{}}
	out := *s
	out.Goroutines = slices.Clone(s.Goroutines)
	for i := range out.Goroutines {
		g := &out.Goroutines[i]
		g.Frames = c.stack(g.Frames, g.Reason)
		if g.Created.Func != "" {
			g.Created = c.frame(g.Created, need{kind: starts})
		}
	}
	if s.Race != nil {
		r := *s.Race
		for i := range r.Accesses {
			r.Accesses[i].Frames = c.stack(r.Accesses[i].Frames, "running")
			r.Accesses[i].Created = c.stack(r.Accesses[i].Created, "running")
		}
		out.Race = &r
	}
	return &out, c.done
}

type carrier struct {
	dirs     map[string]string
	packages map[string]*syntax
	known    map[string]dump.Frame
	done     Carried
}

// stack carries calls over, innermost first: each tells what the next one called.
func (c *carrier) stack(frames []dump.Frame, reason string) []dump.Frame {
	out := slices.Clone(frames)
	for i, f := range frames {
		n := needOf(reason)
		if i > 0 {
			n = callOf(frames[i-1].Func, n)
		}
		out[i] = c.frame(f, n)
	}
	return out
}

func (c *carrier) frame(f dump.Frame, n need) dump.Frame {
	key := fmt.Sprint(f, n)
	if at, ok := c.known[key]; ok {
		return at
	}
	at := c.look(f, n)
	c.known[key] = at
	return at
}

func (c *carrier) look(f dump.Frame, n need) dump.Frame {
	pkg := f.Package()
	dir, ok := c.dirs[pkg]
	if !ok {
		pkg = strings.TrimSuffix(pkg, "_test")
		if dir, ok = c.dirs[pkg]; !ok {
			return f // a dependency's, or the standard library's
		}
	}
	if len(dump.User([]dump.Frame{f})) == 0 {
		return f
	}
	p := c.packages[dir]
	if p == nil {
		p = parse(dir)
		c.packages[dir] = p
	}
	at, how := p.find(f, n)
	switch {
	case how == lost:
		c.done.Lost++
		c.say(fmt.Sprintf("%s is not known today: %s", f, p.why(f)))
		at.Line = 0
	case at.Line != f.Line || filepath.Base(at.File) != base(f.File):
		c.done.Moved++
		c.say(fmt.Sprintf("%s is taken to be %s:%d today", f, filepath.Base(at.File), at.Line))
	default:
		c.done.Same++
	}
	return at
}

func (c *carrier) say(line string) {
	if len(c.done.Words) < wordsMost {
		c.done.Words = append(c.done.Words, line)
	}
}

func base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }
