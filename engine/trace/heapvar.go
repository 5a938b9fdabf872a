package trace

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/image"
)

// heapObj is an object inside an allocation, about to get its display name.
type heapObj struct {
	obj    *Object
	info   TypeInfo
	alloc  int // index in decoder.allocs
	size   uint64
	offset uint64
	isChan bool
	local  string // variable of the user's that this memory is
	shown  bool
}

// showHeap sets Var. A field is called after its struct's type ("flight.free").
// Other memory takes the name of the variable that the compiler moved to the
// heap, or of the field or variable through which the program reached it
// ("queue.items[3]"), or else its type and where it was made.
func (d *decoder) showHeap(objs []heapObj) {
	insideChans(objs)
	d.escaped(objs)
	s := &shower{d: d, objs: objs, holder: d.heldBy(objs), byID: map[ObjID]*heapObj{}}
	for i := range objs {
		s.byID[objs[i].obj.ID] = &objs[i]
	}
	for i := range objs {
		s.show(&objs[i], 0)
	}
}

// insideChans makes what is accessed inside a channel the channel: its operations tell
// the race detector of themselves there.
func insideChans(objs []heapObj) {
	chans := map[int]bool{}
	for _, o := range objs {
		if o.isChan && o.offset == 0 {
			chans[o.alloc] = true
		}
	}
	for i := range objs {
		if o := &objs[i]; chans[o.alloc] && o.offset > 0 {
			o.isChan, o.obj.Kind = true, ObjChan
		}
	}
}

type shower struct {
	d      *decoder
	objs   []heapObj
	holder map[int]ObjID // by allocation
	byID   map[ObjID]*heapObj
}

// show names one object, after what holds it. Rings of pointers end at maxDepth.
func (s *shower) show(o *heapObj, depth int) {
	const maxDepth = 4
	if o.shown || depth > maxDepth {
		return
	}
	held := Object{}
	if id, ok := s.holder[o.alloc]; ok && id != o.obj.ID && o.local == "" {
		if h := s.byID[id]; h != nil {
			s.show(h, depth+1)
		}
		held = s.d.t.Objects[id]
	}
	o.shown = true
	if o.isChan {
		o.channel(held.Type)
	}
	if o.info.Root == "" {
		o.elementOf(held.Type)
	}
	_, where := s.d.t.placeOf(o.obj.Alloc)
	o.obj.Var = o.name(held, where)
}

// channel makes the object a channel: the allocator knows its elements only.
func (o *heapObj) channel(holder string) {
	typ := "chan"
	for _, t := range []string{o.info.Root, holder} {
		if strings.Contains(t, "chan ") {
			typ = t
			break
		}
	}
	o.info = TypeInfo{Root: typ, Type: typ}
	o.obj.Type, o.obj.Size, o.obj.Elem = typ, 0, "chan"
}

// elementOf takes the type of memory that was allocated without one (append
// does) from the slice that holds it.
func (o *heapObj) elementOf(holder string) {
	elem, ok := strings.CutPrefix(holder, "[]")
	size := scalarSizes[elem]
	if !ok || size == 0 {
		return
	}
	o.info = TypeInfo{Root: elem, RootSize: uint64(size), Index: o.offset / uint64(size), Type: elem, Size: size, Kind: elem}
	o.obj.Type, o.obj.Size, o.obj.Elem = elem, size, elem
}

var scalarSizes = map[string]int{
	"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float32": 4,
	"int": 8, "uint": 8, "int64": 8, "uint64": 8, "uintptr": 8, "float64": 8,
}

func (o *heapObj) name(held Object, where string) string {
	in := o.info
	if what := netObjects[in.Root]; what != "" {
		if strings.HasPrefix(where, "hocket_") { // std made it for the program
			where = ""
		}
		o.obj.Type, o.obj.Size, o.obj.Elem = what, 0, ""
		return strings.TrimSpace(what + " " + madeAt(where))
	}
	if m := mapGroup(in.Root); m != "" {
		return strings.TrimSpace("element of a " + m + " " + madeAt(where))
	}
	if o.obj.Elem == MapHeader {
		in.Path = "" // a field of the runtime's
	}
	own := isNamedStruct(in.Root) && !strings.HasPrefix(in.Root, "sync.") && !strings.HasPrefix(in.Root, "maps.")
	several := o.several() || strings.HasPrefix(held.Type, "[]") && in.Root != ""
	switch {
	case several && held.Var != "":
		return fmt.Sprintf("%s[%d]%s", held.Var, in.Index, in.Path)
	case several && !o.isChan:
		return strings.TrimSpace(fmt.Sprintf("element %d%s of a []%s %s", in.Index, in.Path, localType(in.Root), madeAt(where)))
	case own && in.Path != "":
		return shortType(in.Root) + in.Path
	case o.local != "":
		return o.local + in.Path
	case held.Var != "" && scalarSizes[in.Root] > 0:
		return "*" + held.Var
	case held.Var != "" && !own && in.Root != "":
		return held.Var + in.Path
	}
	what := localType(in.Root) + in.Path
	if in.Root == "" {
		what = "variable" + offsetText(o.offset)
	}
	return strings.TrimSpace(what + " " + madeAt(where))
}

// netObjects are what operations of the network are about: one direction of a
// connection, or what was sent to a socket for datagrams; and who accepts.
var netObjects = map[string]string{"syscall.hkPipe": "connection", "syscall.hkSock": "listener"}

// several is true when the allocation holds more than one of its type.
func (o *heapObj) several() bool {
	return !o.isChan && o.info.RootSize > 0 && o.size/o.info.RootSize > 1
}

func isNamedStruct(root string) bool {
	return root != "" && !strings.ContainsAny(root[:1], "[*") && !strings.ContainsAny(image.DropTypeArgs(root), " {(") && scalarSizes[root] == 0
}

// localType drops the package of types that are not from std's sync.
func localType(name string) string {
	switch {
	case strings.HasPrefix(name, "struct {"):
		return "struct"
	case strings.HasPrefix(name, "sync."), strings.HasPrefix(name, "atomic."):
		return image.DropTypeArgs(name)
	case name == "maps.Map":
		return "map"
	case isNamedStruct(name):
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

// mapGroup is the type of the map whose elements lie in memory of a type of the
// runtime's, "" for other types: "noalg.map.group[string]int" is of a map[string]int.
func mapGroup(root string) string {
	root = strings.TrimPrefix(root, "noalg.")
	if rest, ok := strings.CutPrefix(root, "map.group["); ok {
		return "map[" + rest
	}
	return ""
}

func offsetText(off uint64) string {
	if off == 0 {
		return ""
	}
	return fmt.Sprintf("+%d", off)
}
