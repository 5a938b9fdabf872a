package breakpoints

import (
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"unsafe"
)

// How a goroutine is known. Spawn puts a fresh profiler label on the parent
// just before a child is started; the child inherits it (one pointer, read in
// a nanosecond), and Back restores the parent's. The label value extends the
// labels that the parent had, so the user's profiles keep them.
//
// Goroutines of timers (time.AfterFunc), and those that the standard library or the
// runtime starts, as for a request or a cleanup, are announced by nobody: they are
// known by the order in which they come to their first points, if the plan has any.
//
// A goroutine that sets labels of its own is then known by its number, if it
// has been at a point before; else by who created it: the parent's number is
// in its stack, and it is taken for the parent's first child not yet bound.

//go:linkname getLabel runtime/pprof.runtime_getProfLabel
func getLabel() unsafe.Pointer

//go:linkname setLabel runtime/pprof.runtime_setProfLabel
func setLabel(unsafe.Pointer)

// labelSet has the memory layout of runtime/pprof's label set (Go 1.25 on).
type labelSet struct {
	list []pair
}

type pair struct{ key, value string }

// ownLabel is what Spawn puts on goroutines. It is known by its key, which no
// label set of the user's has: theirs are built from contexts, not from what
// goroutines carry.
type ownLabel struct {
	labelSet
	role *role
}

const (
	labelKey = "hocket"
	rootRole = "/"
	// TimerRole and a number are the role of a goroutine that a timer started.
	TimerRole = "/timer#"
	// LibraryRole and a number are that of one that the standard library started by
	// itself, package testing apart.
	LibraryRole = "/std#"
)

// role is one goroutine's identity, or that of all those nobody announced.
type role struct {
	name  string
	cur   cursor
	label unsafe.Pointer // what its goroutine carries; nil for the root
	back  unsafe.Pointer // label of the parent before Spawn
	sites []siteCount    // children started
	kids  []*role
	goid  int64 // 0 until it has been at a point
	next  *role // in roles.bound
}

type siteCount struct{ site, n int }

// roles is guarded by core.mu.
type roles struct {
	root  *role
	bound *role // those whose goid is known

	inOrder bool    // the plan has roles by the order of arrival
	fired   int     // goroutines of timers so far
	library int     // and of the standard library
	others  []int64 // goroutines without label that belong to the root role
}

//go:norace
func newRoles(p Plan) *roles {
	rs := &roles{root: &role{name: rootRole}}
	for _, s := range p.Steps {
		rs.inOrder = rs.inOrder || strings.HasPrefix(s.Role, TimerRole) || strings.HasPrefix(s.Role, LibraryRole)
	}
	return rs
}

// labelled finds a role by the label that the calling goroutine carries.
//
//go:norace
func (rs *roles) labelled() *role {
	p := getLabel()
	if p == nil {
		return rs.root
	}
	for _, l := range (*labelSet)(p).list {
		if l.key == labelKey {
			return (*ownLabel)(p).role
		}
	}
	return nil
}

// me finds the calling goroutine's role.
//
//go:norace
func (rs *roles) me() *role {
	r := rs.labelled()
	if r == nil {
		return rs.foreign()
	}
	if r == rs.root && rs.inOrder {
		r = rs.unlabelled()
	}
	if r.goid == 0 {
		rs.bind(r, goid())
	}
	return r
}

//go:norace
func (rs *roles) bind(r *role, id int64) {
	r.goid = id
	r.next, rs.bound = rs.bound, r
}

//go:norace
func (rs *roles) byGoid(id int64) *role {
	for r := rs.bound; r != nil; r = r.next {
		if r.goid == id {
			return r
		}
	}
	return nil
}

// foreign finds the role of a goroutine that carries labels of the user's.
//
//go:norace
func (rs *roles) foreign() *role {
	id := goid()
	if r := rs.byGoid(id); r != nil {
		return r
	}
	parent := rs.byGoid(creator())
	if parent == nil {
		return rs.root
	}
	for _, k := range parent.kids {
		if k.goid == 0 {
			rs.bind(k, id)
			return k
		}
	}
	return parent
}

// unlabelled finds the role of a goroutine that nobody announced.
//
//go:norace
func (rs *roles) unlabelled() *role {
	id := goid()
	for _, other := range rs.others {
		if other == id {
			return rs.root
		}
	}
	if r := rs.byGoid(id); r != nil {
		return r
	}
	r := &role{}
	switch by, file := createdBy(); {
	case by == "" || strings.HasPrefix(by, "testing.") || !fromLibrary(file):
		rs.others = append(rs.others, id)
		return rs.root
	case strings.HasPrefix(by, "time.goFunc"):
		rs.fired++
		r.name = TimerRole + strconv.Itoa(rs.fired)
	default:
		rs.library++
		r.name = LibraryRole + strconv.Itoa(rs.library)
	}
	rs.bind(r, id)
	return r
}

// fromLibrary reports whether a goroutine was started in a file of the standard library.
//
//go:norace
func fromLibrary(file string) bool {
	of := runtime.FuncForPC(reflect.ValueOf(runtime.GC).Pointer())
	name, _ := of.FileLine(of.Entry())
	root, _, ok := strings.Cut(name, "runtime/mgc.go")
	return ok && strings.HasPrefix(file, root) && (root != "" || !strings.Contains(strings.Split(file, "/")[0], "."))
}

// creator is the number of the goroutine that started the calling one.
//
//go:norace
func creator() int64 {
	by, _ := createdBy()
	_, num, _ := strings.Cut(by, " in goroutine ")
	id, _ := strconv.ParseInt(num, 10, 64)
	return id
}

// createdBy is the function that started the calling goroutine, as in its stack,
// "main.f in goroutine 1", and its file. Both are "" for the first one.
//
//go:norace
func createdBy() (by, file string) {
	const mark = "\ncreated by "
	buf := make([]byte, 1<<16)
	text := string(buf[:runtime.Stack(buf, false)])
	at := strings.LastIndex(text, mark)
	if at < 0 {
		return "", ""
	}
	by, rest, _ := strings.Cut(text[at+len(mark):], "\n")
	file, _, _ = strings.Cut(strings.TrimSpace(rest), ":")
	return by, file
}

// spawn announces that the caller is about to start a goroutine at site.
//
//go:norace
func (rs *roles) spawn(site int) {
	r, old := rs.me(), getLabel()
	name := strings.TrimSuffix(r.name, "/") + "/" + strconv.Itoa(site) + "#" + strconv.Itoa(r.count(site))
	label := &ownLabel{}
	if old != nil {
		label.list = append(label.list, (*labelSet)(old).list...)
	}
	label.list = withLabel(label.list, labelKey, name)
	label.role = &role{name: name, label: unsafe.Pointer(label), back: old}
	r.kids = append(r.kids, label.role)
	setLabel(label.role.label)
}

// count is how many children the role has started at site, this one included.
//
//go:norace
func (r *role) count(site int) int {
	for i := range r.sites {
		if r.sites[i].site == site {
			r.sites[i].n++
			return r.sites[i].n
		}
	}
	r.sites = append(r.sites, siteCount{site, 1})
	return 1
}

// withLabel sets a label and keeps the keys sorted and unique, as pprof does.
//
//go:norace
func withLabel(list []pair, key, value string) []pair {
	for i := range list {
		if list[i].key == key {
			list[i].value = value
			return list
		}
	}
	list = append(list, pair{key, value})
	for i := len(list) - 1; i > 0 && list[i].key < list[i-1].key; i-- {
		list[i], list[i-1] = list[i-1], list[i]
	}
	return list
}

// back undoes the last spawn of the calling goroutine.
//
//go:norace
func (rs *roles) back() {
	if r := rs.labelled(); r != nil && r.label != nil {
		setLabel(r.back)
	}
}
