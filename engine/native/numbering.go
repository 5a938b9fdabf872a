package native

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/trace"
)

// numbering gives numbers to points and spawn sites.
type numbering struct {
	t      *trace.Trace
	points map[place]int
	sites  map[trace.Frame]int
	roles  []string // by GID
	places []points.Place
}

func newNumbering(t *trace.Trace) *numbering {
	n := &numbering{t: t, points: map[place]int{}, sites: map[trace.Frame]int{}, roles: make([]string, len(t.Goroutines))}
	type key struct {
		parent string
		site   int
	}
	started := map[key]int{}
	inOrder := byArrival(t)
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		parent := "/"
		if int(g.Parent) < i {
			parent = n.roles[g.Parent]
		}
		if role := inOrder[g.ID]; role != "" {
			n.roles[i] = role
			continue
		}
		f, ok := t.UserFrame(g.Spawn)
		if i == 0 || g.Parent == 0 || !ok {
			n.roles[i] = parent
			if parent == "" {
				n.roles[i] = "/"
			}
			continue
		}
		k := key{parent, n.site(f)}
		started[k]++
		if parent == "/" {
			parent = ""
		}
		n.roles[i] = fmt.Sprintf("%s/%d#%d", parent, k.site, started[k])
	}
	return n
}

// byArrival names the goroutines of timers and those that the standard library or the
// runtime started, in the order in which they come to their first points.
func byArrival(t *trace.Trace) map[trace.GID]string {
	roles := map[trace.GID]string{}
	count := map[string]int{}
	name := func(g trace.GID) {
		if kind := unannounced(t, g); kind != "" && roles[g] == "" {
			count[kind]++
			roles[g] = fmt.Sprint(kind, count[kind])
		}
	}
	for _, e := range t.Events {
		if _, ok := t.UserFrame(e.Stack); ok && e.G != 0 && isOp(e.Op) {
			name(e.G)
		}
	}
	for _, g := range t.Goroutines { // those that come to none before the end
		if g.ByTimer() {
			name(g.ID)
		}
	}
	return roles
}

// unannounced is the kind of role of a goroutine that no statement of the program
// started; "" of others, and of a test's.
func unannounced(t *trace.Trace, id trace.GID) string {
	g := t.Goroutine(id)
	if g.ByTimer() {
		return breakpoints.TimerRole
	}
	if _, ok := t.UserFrame(g.Spawn); ok || id <= 1 {
		return ""
	}
	if by := t.Stack(g.Spawn); g.Parent == 0 || len(by) > 0 && !strings.HasPrefix(by[0].Func, "testing.") {
		return breakpoints.LibraryRole
	}
	return ""
}

func (n *numbering) role(g trace.GID) string { return n.roles[g] }

func (n *numbering) site(f trace.Frame) int {
	f = trace.Frame{Func: f.Func, File: f.File, Line: f.Line}
	id := n.sites[f]
	if id == 0 {
		id = len(n.sites) + 1
		n.sites[f] = id
		n.places = append(n.places, points.Place{ID: id, Kind: points.Spawn, File: f.File, Line: f.Line, Func: f.Func})
	}
	return id
}

func (n *numbering) point(at place) int {
	id := n.points[at]
	if id == 0 {
		id = len(n.points) + 1
		n.points[at] = id
		n.places = append(n.places, points.Place{ID: id, Kind: at.kind, File: at.file, Line: at.line, Op: at.op, Func: at.fn, Nth: at.nth, Call: at.call, Case: at.pref})
	}
	return id
}
