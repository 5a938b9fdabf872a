package breakpoints

import (
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
// A goroutine that sets labels of its own is then known by its number, if it
// has been at a point before; else by who created it: the parent's number is
// in its stack, and it is taken for the parent's first child not yet bound.

//go:linkname getLabel runtime/pprof.runtime_getProfLabel
func getLabel() unsafe.Pointer

//go:linkname setLabel runtime/pprof.runtime_setProfLabel
func setLabel(unsafe.Pointer)

// labelSet has the memory layout of runtime/pprof's label set (Go 1.25 on).
type labelSet struct {
	list []struct{ key, value string }
}

const rootRole = "/"

// role is one goroutine's identity, or that of all those nobody announced.
type role struct {
	name  string
	cur   cursor
	label unsafe.Pointer // what its goroutine carries; nil for the root
	back  unsafe.Pointer // label of the parent before Spawn
	sites map[int]int    // children started, by site
	kids  []*role
	goid  int64 // 0 until it has been at a point
}

// roles is guarded by core.mu.
type roles struct {
	byLabel map[unsafe.Pointer]*role
	byGoid  map[int64]*role
}

func newRoles() *roles {
	root := &role{name: rootRole, sites: map[int]int{}}
	return &roles{byLabel: map[unsafe.Pointer]*role{nil: root}, byGoid: map[int64]*role{}}
}

// me finds the calling goroutine's role.
func (rs *roles) me() *role {
	r := rs.byLabel[getLabel()]
	if r == nil {
		return rs.foreign()
	}
	if r.goid == 0 {
		r.goid = goid()
		rs.byGoid[r.goid] = r
	}
	return r
}

// foreign finds the role of a goroutine that carries labels of the user's.
func (rs *roles) foreign() *role {
	id := goid()
	if r := rs.byGoid[id]; r != nil {
		return r
	}
	r := rs.byLabel[nil]
	if parent := rs.byGoid[creator()]; parent != nil {
		r = parent
		for _, k := range parent.kids {
			if k.goid == 0 {
				k.goid, r = id, k
				break
			}
		}
	}
	rs.byGoid[id] = r
	return r
}

// creator is the number of the goroutine that started the calling one.
func creator() int64 {
	buf := make([]byte, 1<<16)
	text := string(buf[:runtime.Stack(buf, false)])
	at := strings.LastIndex(text, "\ncreated by ")
	if at < 0 {
		return 0
	}
	line, _, _ := strings.Cut(text[at+1:], "\n")
	_, num, _ := strings.Cut(line, " in goroutine ")
	id, _ := strconv.ParseInt(num, 10, 64)
	return id
}

// spawn announces that the caller is about to start a goroutine at site.
func (rs *roles) spawn(site int) {
	r, old := rs.me(), getLabel()
	r.sites[site]++
	name := strings.TrimSuffix(r.name, "/") + "/" + strconv.Itoa(site) + "#" + strconv.Itoa(r.sites[site])
	set := &labelSet{}
	if old != nil {
		set.list = append(set.list, (*labelSet)(old).list...)
	}
	set.list = withLabel(set.list, "hocket", name)
	kid := &role{name: name, label: unsafe.Pointer(set), back: old, sites: map[int]int{}}
	r.kids = append(r.kids, kid)
	rs.byLabel[kid.label] = kid
	setLabel(kid.label)
}

// withLabel sets a label and keeps the keys sorted and unique, as pprof does.
func withLabel(list []struct{ key, value string }, key, value string) []struct{ key, value string } {
	for i := range list {
		if list[i].key == key {
			list[i].value = value
			return list
		}
	}
	list = append(list, struct{ key, value string }{key, value})
	for i := len(list) - 1; i > 0 && list[i].key < list[i-1].key; i-- {
		list[i], list[i-1] = list[i-1], list[i]
	}
	return list
}

// back undoes the last spawn of the calling goroutine.
func (rs *roles) back() {
	if r := rs.byLabel[getLabel()]; r != nil && r.label != nil {
		setLabel(r.back)
	}
}
