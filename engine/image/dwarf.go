package image

import (
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"fmt"
	"net/url"
	"strings"
)

// dwarfNames reads the debug information of one package at a time: that of a
// whole program takes seconds, that of the few packages which a trace is about
// milliseconds.
type dwarfNames struct {
	data  *dwarf.Data
	units map[string]dwarf.Offset // by import path
	pkgs  map[string]*dwarfPackage
}

// dwarfPackage is what the unit of one package declares.
type dwarfPackage struct {
	vars   map[string]dwarf.Offset // type by linker symbol
	locals map[string][]dwarfLocal // by function
}

type dwarfLocal struct {
	name string
	line int
	typ  dwarf.Offset
}

// readDWARF opens the debug information of a file, nil if it has none.
func readDWARF(path string) *dwarfNames {
	var d *dwarf.Data
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		d, _ = f.DWARF()
	} else if f, err := macho.Open(path); err == nil {
		defer f.Close()
		d, _ = f.DWARF()
	}
	if d == nil {
		return nil
	}
	return newDwarfNames(d)
}

func newDwarfNames(d *dwarf.Data) *dwarfNames {
	n := &dwarfNames{data: d, units: map[string]dwarf.Offset{}, pkgs: map[string]*dwarfPackage{}}
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return n
		}
		if e.Tag == dwarf.TagCompileUnit {
			name, _ := e.Val(dwarf.AttrName).(string)
			if _, ok := n.units[name]; !ok {
				n.units[name] = e.Offset
			}
		}
		r.SkipChildren()
	}
}

// pkg returns the package that a linker symbol belongs to, nil if unknown.
func (n *dwarfNames) pkg(symbol string) *dwarfPackage {
	path := FuncPackage(symbol)
	if p, ok := n.pkgs[path]; ok {
		return p
	}
	name := path
	if plain, err := url.PathUnescape(path); err == nil { // gopkg.in/yaml%2ev3
		name = plain
	}
	var p *dwarfPackage
	if off, ok := n.units[name]; ok {
		p = n.read(off)
	}
	n.pkgs[path] = p
	return p
}

// read goes through one unit. Variables inside a subprogram carry no function
// of their own, so the enclosing one is kept by depth.
func (n *dwarfNames) read(unit dwarf.Offset) *dwarfPackage {
	p := &dwarfPackage{vars: map[string]dwarf.Offset{}, locals: map[string][]dwarfLocal{}}
	r := n.data.Reader()
	r.Seek(unit)
	origin := map[dwarf.Offset]string{} // functions by offset, for their concrete instances
	var fn string
	depth := 0
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit && e.Offset != unit {
			return p
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		typ, hasType := e.Val(dwarf.AttrType).(dwarf.Offset)
		switch {
		case e.Tag == dwarf.TagSubprogram:
			fn = name
			if of, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok && name == "" {
				fn = origin[of]
			}
			origin[e.Offset] = fn
		case e.Tag == dwarf.TagInlinedSubroutine:
			r.SkipChildren() // its function has an entry of its own
			continue
		case e.Tag == dwarf.TagVariable && depth == 1 && hasType:
			p.vars[name] = typ
		case (e.Tag == dwarf.TagVariable || e.Tag == dwarf.TagFormalParameter) && depth > 1 && hasType && fn != "":
			line, _ := e.Val(dwarf.AttrDeclLine).(int64)
			key := DropTypeArgs(fn)
			p.locals[key] = append(p.locals[key], dwarfLocal{name, int(line), typ})
		}
		if e.Children {
			depth++
		}
	}
}

// variable returns the type of a package variable, nil if unknown.
func (n *dwarfNames) variable(symbol string) dwarf.Type {
	p := n.pkg(symbol)
	if p == nil {
		return nil
	}
	off, ok := p.vars[symbol]
	if !ok {
		return nil
	}
	t, err := n.data.Type(off)
	if err != nil {
		return nil
	}
	return t
}

// localsAt lists the variables that a function declares on a line. The
// compiler calls those that it moved to the heap "&x", of type *T.
func (n *dwarfNames) localsAt(fn string, line int) []Local {
	p := n.pkg(fn)
	if p == nil {
		return nil
	}
	var out []Local
	for _, l := range p.locals[DropTypeArgs(fn)] {
		if l.line != line {
			continue
		}
		t, err := n.data.Type(l.typ)
		if err != nil {
			continue
		}
		name, moved := strings.CutPrefix(l.name, "&")
		if ptr, ok := t.(*dwarf.PtrType); ok && moved {
			t = ptr.Type
		}
		if t != nil {
			out = append(out, Local{Name: name, Type: typeName(t), Size: int(t.Size())})
		}
	}
	return out
}

// element is what walkType finds.
type element struct {
	path, typ, kind string
	size            int
}

// walkType descends to the element at an offset, as hkSymWalk does: it stops
// at the types of sync and at a whole of the size wanted.
func walkType(t dwarf.Type, off, want int64) element {
	e := element{}
	for {
		size := t.Size()
		if off == 0 && (isSyncType(t) || want != 0 && size <= want) {
			break
		}
		inner, rest, step := stepInto(t, off)
		if inner == nil || isSyncType(t) {
			break
		}
		e.path += step
		t, off = inner, rest
	}
	e.typ, e.size, e.kind = typeName(t), int(t.Size()), typeKind(t)
	return e
}

// stepInto returns the member of a struct or array that covers off.
func stepInto(t dwarf.Type, off int64) (inner dwarf.Type, rest int64, step string) {
	switch t := underlying(t).(type) {
	case *dwarf.StructType:
		if isBuiltinStruct(t.StructName) {
			return nil, 0, ""
		}
		for _, f := range t.Field {
			if size := f.Type.Size(); off >= f.ByteOffset && off-f.ByteOffset < size {
				return f.Type, off - f.ByteOffset, "." + f.Name
			}
		}
	case *dwarf.ArrayType:
		if size := t.Type.Size(); size > 0 {
			return t.Type, off % size, fmt.Sprintf("[%d]", off/size)
		}
	}
	return nil, 0, ""
}

func underlying(t dwarf.Type) dwarf.Type {
	for {
		d, ok := t.(*dwarf.TypedefType)
		if !ok || d.Type == nil {
			return t
		}
		t = d.Type
	}
}

// isBuiltinStruct is true of strings, slices and interfaces, which debug
// information shows as structs.
func isBuiltinStruct(name string) bool {
	return name == "string" || strings.HasPrefix(name, "[]") || name == "runtime.iface" || name == "runtime.eface"
}

func isSyncType(t dwarf.Type) bool {
	switch _, ok := underlying(t).(*dwarf.StructType); {
	case !ok:
		return false
	}
	name := dwarfName(t)
	return strings.HasPrefix(name, "sync.") || strings.HasPrefix(name, "sync/atomic.") || strings.HasPrefix(name, "internal/sync.")
}

func dwarfName(t dwarf.Type) string {
	if s, ok := t.(*dwarf.StructType); ok && s.StructName != "" {
		return s.StructName
	}
	if name := t.Common().Name; name != "" {
		return name
	}
	return t.String()
}

// typeName spells a type as reflect does: "m.cell" for "example.com/m.cell".
func typeName(t dwarf.Type) string {
	name := dwarfName(t)
	stars := len(name) - len(strings.TrimLeft(name, "*"))
	if head, _, _ := strings.Cut(name, "["); !strings.ContainsAny(head, " {(") {
		if i := strings.LastIndexByte(head, '/'); i >= 0 {
			return name[:stars] + name[i+1:]
		}
	}
	return name
}

// typeKind names reflect's kind of a type, of the value inside for atomics.
func typeKind(t dwarf.Type) string {
	if name := dwarfName(t); strings.HasPrefix(name, "sync/atomic.") {
		if s, ok := underlying(t).(*dwarf.StructType); ok && len(s.Field) > 0 {
			return typeKind(s.Field[len(s.Field)-1].Type)
		}
	}
	switch u := underlying(t).(type) {
	case *dwarf.BoolType:
		return "bool"
	case *dwarf.IntType:
		return fmt.Sprintf("int%d", 8*u.Size())
	case *dwarf.UintType:
		return fmt.Sprintf("uint%d", 8*u.Size())
	case *dwarf.CharType:
		return "int8"
	case *dwarf.UcharType:
		return "uint8"
	case *dwarf.FloatType:
		return fmt.Sprintf("float%d", 8*u.Size())
	case *dwarf.PtrType, *dwarf.FuncType:
		return "ptr"
	case *dwarf.ArrayType:
		return "array"
	case *dwarf.StructType:
		switch {
		case u.StructName == "string":
			return "string"
		case strings.HasPrefix(u.StructName, "[]"):
			return "slice"
		case isBuiltinStruct(u.StructName):
			return "interface"
		}
		return "struct"
	}
	return ""
}
