package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"
)

// RecordedPrefix begins the names of sync/atomic's recorded functions.
const RecordedPrefix = "Hk"

// rawAtomics is the package of atomic operations that are none of the program's:
// what sync, and the lock of a file, are made of.
const rawAtomics = "internal/hkatomic"

// atomicFunc is a function of sync/atomic: its name, and how it is declared.
type atomicFunc struct{ name, verb, typ, signature string }

// atomicFuncs lists the functions of sync/atomic.
func atomicFuncs(src func(string) ([]byte, error)) ([]atomicFunc, error) {
	var out []atomicFunc
	for _, file := range []string{"sync/atomic/doc.go", "sync/atomic/doc_64.go"} {
		text, err := src(file)
		if err != nil {
			return nil, err
		}
		e, err := newSourceEdit(file, text)
		if err != nil {
			return nil, err
		}
		for _, d := range e.file.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body != nil {
				continue
			}
			f := atomicFunc{name: fd.Name.Name, signature: e.src[e.offset(fd.Name.End()):e.offset(fd.End())]}
			for _, verb := range []string{"CompareAndSwap", "Swap", "Add", "And", "Or", "Load", "Store"} {
				if typ, ok := strings.CutPrefix(f.name, verb); ok {
					f.verb, f.typ = verb, typ
					break
				}
			}
			if _, ok := atomicTypes[f.typ]; !ok && f.typ != "Pointer" || f.verb == "" {
				return nil, fmt.Errorf("sync/atomic of this Go version has a function that Hocket does not know: %s", f.name)
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// call is a call that does the function's work: of internal/runtime/atomic, with
// pkg "ra", or of the recorder's functions, with pkg "".
func (f atomicFunc) call(pkg string) string {
	if f.typ == "Pointer" {
		args := map[string]string{"Load": "addr", "Store": "addr, val", "Swap": "addr, new", "CompareAndSwap": "addr, old, new"}[f.verb]
		verb := map[string]string{"CompareAndSwap": "Cas"}[f.verb]
		if verb == "" {
			verb = f.verb
		}
		return "hk" + verb + "Ptr(" + args + ")"
	}
	t := atomicTypes[f.typ]
	wide := "64"
	if t.suffix == "" {
		wide = "32"
	}
	raw := "uint" + wide
	addr := "(*" + raw + ")(unsafe.Pointer(addr))"
	// internal/runtime/atomic names the 32-bit form of most without a suffix.
	short := strings.TrimPrefix(wide, "32")
	name, suffix, args := "", short, ""
	switch f.verb {
	case "Load":
		name, args = "Load", addr
	case "Store":
		name, args = "Store", addr+", "+raw+"(val)"
	case "Swap":
		name, args = "Xchg", addr+", "+raw+"(new)"
	case "CompareAndSwap":
		name, args = "Cas", addr+", "+raw+"(old), "+raw+"(new)"
	case "Add":
		name, args = "Xadd", addr+", int"+wide+"(delta)"
	case "And", "Or":
		name, suffix, args = f.verb, wide, addr+", "+raw+"(mask)"
	}
	if pkg == "" {
		name = map[string]string{"Xchg": "Swap", "Xadd": "Add"}[name] + strings.NewReplacer("Xchg", "", "Xadd", "").Replace(name)
		name, suffix = "hk"+name, wide
	} else {
		name = pkg + "." + name
	}
	call := name + suffix + "(" + args + ")"
	switch f.verb {
	case "Store", "CompareAndSwap":
		return call
	}
	return t.typ + "(" + call + ")"
}

// body is the function under a name of a prefix, made of one call.
func (f atomicFunc) body(prefix, pkg string) string {
	ret := "return "
	if f.verb == "Store" {
		ret = ""
	}
	return "func " + prefix + f.name + f.signature + " { " + ret + f.call(pkg) + " }\n"
}

// addRawAtomics makes the files of users, of which operations are made, use atomics of
// their own. Functions of sync are inlined into the program's packages, where those of
// sync/atomic would be recorded.
func addRawAtomics(src func(string) ([]byte, error), users []string, out map[string][]byte) error {
	types, err := src("sync/atomic/type.go")
	if err != nil {
		return err
	}
	out[rawAtomics+"/type.go"] = types
	funcs, err := atomicFuncs(src)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("package atomic\n\nimport (\n\tra \"internal/runtime/atomic\"\n\t\"unsafe\"\n)\n\n")
	for _, f := range funcs {
		switch {
		case f.typ != "Pointer":
			b.WriteString(f.body("", "ra"))
		case f.verb == "Load":
			b.WriteString("func LoadPointer(addr *unsafe.Pointer) unsafe.Pointer { return ra.Loadp(unsafe.Pointer(addr)) }\n")
		default:
			to := strings.NewReplacer("hk", "hkRaw", "(", " ").Replace(f.call(""))
			fmt.Fprintf(&b, "//go:linkname %s runtime.%s\nfunc %s%s\n", f.name, strings.Fields(to)[0], f.name, f.signature)
		}
	}
	out[rawAtomics+"/funcs.go"] = []byte(b.String())
	replaced := 0
	for _, name := range users {
		text, ok := out[name]
		if !ok {
			if text, err = src(name); err != nil {
				return err
			}
		}
		const imp = "\"sync/atomic\"\n"
		if n := bytes.Count(text, []byte(imp)); n > 1 {
			return fmt.Errorf("%s imports sync/atomic %d times", name, n)
		} else if n == 1 {
			out[name] = bytes.Replace(text, []byte(imp), []byte("atomic \""+rawAtomics+"\"\n"), 1)
			replaced++
		}
	}
	if replaced < 5 {
		return fmt.Errorf("only %d files of sync import sync/atomic: this Go version is not known to Hocket's recorder", replaced)
	}
	return nil
}

const recordedHead = `package atomic

import "unsafe"

//go:linkname hkFollows runtime.hkFollows
var hkFollows bool

//go:linkname hkGate runtime.hkGate
func hkGate(kind uint32) (do, value uint32)

//go:linkname hkBegin runtime.hkBegin
//go:noescape
func hkBegin(p unsafe.Pointer) unsafe.Pointer

//go:linkname hkEnd runtime.hkEnd
//go:noescape
func hkEnd(s unsafe.Pointer, kind uint32)

`

// addRecordedAtomics adds functions that are operations of the program to
// sync/atomic, beside those that the compiler knows, and makes its types' methods
// use them. Calls of the functions themselves are redirected in the sources (RecordTool).
func addRecordedAtomics(src func(string) ([]byte, error), out map[string][]byte) error {
	funcs, err := atomicFuncs(src)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	linked := map[string]string{}
	var b strings.Builder
	for _, f := range funcs {
		known[f.name] = true
		b.WriteString(f.body(RecordedPrefix, ""))
		name, decl := f.runtimeDecl()
		linked[name] = decl
	}
	text := recordedHead
	for _, f := range funcs {
		if name, _ := f.runtimeDecl(); linked[name] != "" {
			text += linked[name]
			linked[name] = ""
		}
	}
	out["sync/atomic/hk_funcs.go"] = []byte(text + b.String())

	types, err := src("sync/atomic/type.go")
	if err != nil {
		return err
	}
	e, err := newSourceEdit("sync/atomic/type.go", types)
	if err != nil {
		return err
	}
	n := 0
	for _, d := range e.file.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Recv == nil {
			continue
		}
		ast.Inspect(fd.Body, func(x ast.Node) bool {
			if c, ok := x.(*ast.CallExpr); ok {
				if id, ok := c.Fun.(*ast.Ident); ok && known[id.Name] {
					at := e.offset(id.Pos())
					e.sub(at, at, RecordedPrefix)
					n++
				}
			}
			return true
		})
	}
	if n < len(funcs)/2 {
		return fmt.Errorf("sync/atomic/type.go: only %d methods call a function: this Go version is not known to Hocket's recorder", n)
	}
	out["sync/atomic/type.go"], err = e.bytes()
	return err
}

// runtimeDecl is the declaration of the recorder's function behind f.
func (f atomicFunc) runtimeDecl() (name, decl string) {
	name, _, _ = strings.Cut(strings.TrimPrefix(f.call(""), atomicTypes[f.typ].typ+"("), "(")
	t, d, escape := "uint64", "int64", "//go:noescape\n"
	if atomicTypes[f.typ].suffix == "" {
		t, d = "uint32", "int32"
	}
	if f.typ == "Pointer" {
		t, escape = "unsafe.Pointer", "" // the new value is stored
	}
	sig := map[string]string{
		"Load": "(p *" + t + ") " + t, "Store": "(p *" + t + ", v " + t + ")", "Swap": "(p *" + t + ", v " + t + ") " + t,
		"CompareAndSwap": "(p *" + t + ", old, v " + t + ") bool", "Add": "(p *" + t + ", d " + d + ") " + t,
		"And": "(p *" + t + ", m " + t + ") " + t, "Or": "(p *" + t + ", m " + t + ") " + t,
	}[f.verb]
	return name, "//go:linkname " + name + " runtime." + name + "\n" + escape + "func " + name + sig + "\n\n"
}
