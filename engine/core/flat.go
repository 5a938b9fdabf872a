package core

import (
	"github.com/go-delve/delve/pkg/dwarf/godwarf"
	"github.com/go-delve/delve/pkg/proc"
)

// Bounds of what Delve may load at once.
const (
	mostAtOnce  = 2048    // values of something flat
	mostBytes   = 1 << 20 // that it has
	mostOfMap   = 1 << 16 // values of a map's entries
	mostGroups  = 1 << 14 // groups of a map that are looked at: a damaged one has any number
	deepestType = 64      // a type that lies deeper in others is one that holds itself
	tooMany     = 1 << 30
)

// isFlat is true of types that have a small, known number of values, and lead to more by
// pointers alone.
func isFlat(t godwarf.Type) bool {
	return t.Size() >= 0 && t.Size() <= mostBytes && parts(t, 0) <= mostAtOnce
}

// parts is how many values are in a variable of a type, 1 at least; tooMany if that
// depends on it.
func parts(t godwarf.Type, depth int) int {
	if depth > deepestType {
		return tooMany
	}
	switch t := godwarf.ResolveTypedef(t).(type) {
	case *godwarf.StructType:
		n := 0
		for _, f := range t.Field {
			n = min(n+parts(f.Type, depth+1), tooMany)
		}
		return max(n, 1)
	case *godwarf.ArrayType:
		return min(int(min(max(t.Count, 1), maxElements))*parts(t.Type, depth+1), tooMany)
	case *godwarf.SliceType, *godwarf.MapType, *godwarf.ChanType, *godwarf.InterfaceType, *godwarf.FuncType:
		return tooMany
	}
	return 1
}

// entries says how many entries of a map are loaded: as many as take bounded memory with
// all that Delve loads of slices in them. Structs, maps and what is in interfaces are left
// for later.
func entries(t *godwarf.MapType) proc.LoadConfig {
	cfg := proc.LoadConfig{MaxVariableRecurse: 0, MaxStringLen: maxText, MaxStructFields: -1, MaxMapBuckets: mostGroups}
	for n := maxElements; n >= 8; n /= 4 {
		if n*(loaded(t.KeyType, n, 0)+loaded(t.ElemType, n, 0)) <= mostOfMap {
			cfg.MaxArrayValues = n
			break
		}
	}
	return cfg
}

// loaded is how many values Delve loads of an entry's part, with at most n elements of
// each slice.
func loaded(t godwarf.Type, n, depth int) int {
	if depth > deepestType {
		return tooMany
	}
	switch t := godwarf.ResolveTypedef(t).(type) {
	case *godwarf.SliceType:
		return min(n*loaded(t.ElemType, n, depth+1), tooMany)
	case *godwarf.ArrayType:
		return min(int(min(max(t.Count, 0), int64(n)))*loaded(t.Type, n, depth+1), tooMany)
	case *godwarf.ChanType:
		return heldBy(t)
	}
	return 1
}

// heldBy is how many values Delve loads of a channel, of which it takes more than asked
// for.
func heldBy(t *godwarf.ChanType) int {
	const held = 64
	elem := godwarf.ResolveTypedef(t.ElemType)
	if p, ok := elem.(*godwarf.PtrType); ok {
		elem = godwarf.ResolveTypedef(p.Type)
	}
	switch elem.(type) {
	case *godwarf.SliceType, *godwarf.ArrayType, *godwarf.ChanType, *godwarf.MapType, *godwarf.PtrType:
		return tooMany
	}
	return held
}
