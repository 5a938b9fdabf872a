package trace

import (
	"fmt"
	"strings"
)

// heapObj is an object inside an allocation, about to get its name for people.
type heapObj struct {
	obj    *Object
	info   TypeInfo
	alloc  alloc
	isChan bool
}

// showHeap sets Var. A field is called after its struct's type ("flight.free"),
// an element after its slice ("[]int element 3"). A variable that the compiler
// moved to the heap has a name of its own, which debug information knows.
func (d *decoder) showHeap(objs []heapObj) {
	locals := d.escaped(objs)
	for i := range objs {
		o := &objs[i]
		_, where := d.t.placeOf(o.obj.Alloc)
		if o.isChan && !strings.Contains(o.obj.Type, "chan ") {
			// The allocator knows the elements only.
			o.info.Root, o.info.Path, o.obj.Type, o.obj.Size, o.obj.Elem = "chan", "", "chan", 0, "chan"
		}
		o.obj.Var = o.show(locals[i], where)
	}
}

func (o *heapObj) show(local, where string) string {
	in := o.info
	named := isNamedStruct(in.Root)
	switch {
	case in.Root == "":
		return strings.TrimSpace(fmt.Sprintf("memory%s %s", offsetText(o.obj.Addr-o.alloc.addr), madeAt(where)))
	case o.several():
		return fmt.Sprintf("[]%s element %d%s", localType(in.Root), in.Index, in.Path)
	case in.Path != "" && named:
		return shortType(in.Root) + in.Path
	case local != "":
		return local + in.Path
	case in.Path != "":
		return shortType(in.Root) + in.Path + " " + madeAt(where)
	}
	return strings.TrimSpace(localType(in.Root) + " " + madeAt(where))
}

// several is true when the allocation holds more than one of its type.
func (o *heapObj) several() bool {
	return !o.isChan && o.info.RootSize > 0 && o.alloc.size/o.info.RootSize > 1
}

func isNamedStruct(root string) bool {
	return root != "" && !strings.ContainsAny(root[:1], "[*") && !strings.ContainsAny(dropBrackets(root), " {(")
}

// localType drops the package of types that are not from std's sync.
func localType(name string) string {
	if strings.HasPrefix(name, "sync.") || strings.HasPrefix(name, "atomic.") {
		return name
	}
	if isNamedStruct(name) {
		return shortType(name)
	}
	return name
}

func madeAt(where string) string {
	if where == "" {
		return ""
	}
	return "(" + where + ")"
}

func offsetText(off uint64) string {
	if off == 0 {
		return ""
	}
	return fmt.Sprintf("+%d", off)
}

// escaped asks for the names of local variables that were allocated where they
// are declared. Several of one size on a line stay unnamed.
func (d *decoder) escaped(objs []heapObj) []string {
	names := make([]string, len(objs))
	var idx []int
	var sites []Frame
	for i, o := range objs {
		fs := d.t.Stack(o.obj.Alloc)
		if o.isChan || o.several() || len(fs) == 0 || o.info.Root == "" {
			continue
		}
		idx = append(idx, i)
		sites = append(sites, fs[0])
	}
	if len(idx) == 0 {
		return names
	}
	locals, err := d.sym.Escaped(sites)
	d.fail("name local variables", err)
	for k, ls := range locals {
		names[idx[k]] = matchLocal(ls, objs[idx[k]].info)
	}
	return names
}

func matchLocal(ls []Local, info TypeInfo) string {
	name := ""
	for _, l := range ls {
		if uint64(l.Size) != info.RootSize || l.Type != "" && shortType(l.Type) != shortType(info.Root) {
			continue
		}
		if name != "" && name != l.Name {
			return ""
		}
		name = l.Name
	}
	return name
}
