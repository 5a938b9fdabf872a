package instrument

import (
	"fmt"
	"go/ast"
	"sort"
	"strings"
)

// addAtomics replaces sync/atomic's assembly by Go functions that are switch
// points and events. Which functions there are is read from the package.
func addAtomics(src func(string) ([]byte, error), out map[string][]byte) error {
	var bodies []string
	for _, name := range []string{"sync/atomic/doc.go", "sync/atomic/doc_64.go"} {
		text, err := src(name)
		if err != nil {
			return err
		}
		e, err := newSourceEdit(name, text)
		if err != nil {
			return err
		}
		for _, d := range e.file.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body != nil || isPointerWrite(fd.Name.Name) {
				continue
			}
			body, err := atomicBody(e, fd)
			if err != nil {
				return err
			}
			bodies = append(bodies, body)
			from := fd.Pos()
			if fd.Doc != nil {
				from = fd.Doc.Pos()
			}
			e.sub(e.offset(from), e.offset(fd.End()), "")
		}
		if out[name], err = e.bytes(); err != nil {
			return err
		}
	}
	sort.Strings(bodies)
	out["sync/atomic/hocket_atomic.go"] = []byte(atomicHead + strings.Join(bodies, "\n"))
	// The declarations that stay have their bodies in package runtime.
	out["sync/atomic/asm.s"] = []byte("// empty\n")
	return nil
}

const atomicHead = `package atomic

import (
	ra "internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

//go:linkname hkPoint runtime.hkPoint
func hkPoint(op uint8, addr unsafe.Pointer)

//go:linkname hkDone runtime.hkDone
func hkDone(op uint8, addr unsafe.Pointer, val, aux uint64)

//go:linkname hkDonePtr runtime.hkDonePtr
func hkDonePtr(op uint8, addr unsafe.Pointer, val, aux uintptr)

//go:linkname hkNote runtime.hkNote
func hkNote(op uint8, addr unsafe.Pointer, val, aux uint64)

//go:linkname hkAcquire runtime.hkAcquire
func hkAcquire(addr unsafe.Pointer)

//go:linkname hkReleaseMerge runtime.hkReleaseMerge
func hkReleaseMerge(addr unsafe.Pointer)

//go:linkname hkAtomicAccess runtime.hkAtomicAccess
func hkAtomicAccess(addr unsafe.Pointer, write bool, pc uintptr)

func hkBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

`

// isPointerWrite: these need write barriers and live in package runtime.
func isPointerWrite(name string) bool {
	return name == "StorePointer" || name == "SwapPointer" || name == "CompareAndSwapPointer"
}

// atomicType maps the type part of a function's name to its Go type, the type
// that internal/runtime/atomic works on and the suffix of its functions.
var atomicTypes = map[string]struct{ typ, raw, suffix, nsuffix, delta string }{
	"Int32":   {"int32", "uint32", "", "32", "int32"},
	"Uint32":  {"uint32", "uint32", "", "32", "int32"},
	"Int64":   {"int64", "uint64", "64", "64", "int64"},
	"Uint64":  {"uint64", "uint64", "64", "64", "int64"},
	"Uintptr": {"uintptr", "uintptr", "uintptr", "uintptr", "uintptr"},
}

// atomicBody writes one function. The happens-before edges are those of Go's
// memory model: an operation that observes another's effect follows it. The
// access itself is reported between the acquire and the release, so that what
// an operation observes does not race with it, nor what follows operations that
// observe it.
func atomicBody(e *sourceEdit, fd *ast.FuncDecl) (string, error) {
	name := fd.Name.Name
	if name == "LoadPointer" {
		return `//go:noinline
func LoadPointer(addr *unsafe.Pointer) (val unsafe.Pointer) {
	hkPoint(hkOpAtomicLoad, unsafe.Pointer(addr))
	hkAcquire(unsafe.Pointer(addr))
	hkAtomicAccess(unsafe.Pointer(addr), false, sys.GetCallerPC())
	val = ra.Loadp(unsafe.Pointer(addr))
	hkDonePtr(hkOpAtomicLoad, unsafe.Pointer(addr), uintptr(val), 0)
	return
}
`, nil
	}
	for _, verb := range []string{"CompareAndSwap", "Swap", "Add", "And", "Or", "Load", "Store"} {
		rest, ok := strings.CutPrefix(name, verb)
		t, known := atomicTypes[rest]
		if !ok || !known {
			continue
		}
		raw := "(*" + t.raw + ")(unsafe.Pointer(addr))"
		done := "hkDone"
		wide := "uint64"
		if rest == "Uintptr" {
			done, wide = "hkDonePtr", "uintptr"
		}
		sig := e.src[e.offset(fd.Pos()):e.offset(fd.End())]
		point := func(op string) string {
			return "\thkPoint(" + op + ", unsafe.Pointer(addr))\n"
		}
		end := func(op, val, aux string) string {
			return "\t" + done + "(" + op + ", unsafe.Pointer(addr), " + wide + "(" + val + "), " + wide + "(" + aux + "))\n"
		}
		access := func(write string) string {
			return "hkAtomicAccess(unsafe.Pointer(addr), " + write + ", sys.GetCallerPC())\n"
		}
		body := "//go:noinline\n" + sig + " {\n"
		switch verb {
		case "Load":
			body += point("hkOpAtomicLoad") + "\thkAcquire(unsafe.Pointer(addr))\n\t" + access("false") +
				"\tval = " + t.typ + "(ra.Load" + t.suffix + "(" + raw + "))\n" + end("hkOpAtomicLoad", "val", "0") + "\treturn\n"
		case "Store":
			body += point("hkOpAtomicStore") + "\t" + access("true") + "\thkReleaseMerge(unsafe.Pointer(addr))\n" +
				"\tra.Store" + t.suffix + "(" + raw + ", " + t.raw + "(val))\n" + end("hkOpAtomicStore", "val", "0")
		case "CompareAndSwap":
			body += point("hkOpAtomicCAS") + "\tswapped = ra.Cas" + t.suffix + "(" + raw + ", " + t.raw + "(old), " + t.raw + "(new))\n" +
				"\thkAcquire(unsafe.Pointer(addr))\n\t" + access("swapped") +
				"\tif swapped {\n\t\thkReleaseMerge(unsafe.Pointer(addr))\n\t}\n" +
				"\thkNote(hkOpAtomicOld, unsafe.Pointer(addr), uint64(old), 0)\n" +
				"\taux := uint64(new)\n\tif !swapped {\n\t\taux = uint64(" + t.typ + "(ra.Load" + t.suffix + "(" + raw + ")))\n\t}\n" +
				"\thkDone(hkOpAtomicCAS, unsafe.Pointer(addr), hkBool(swapped), aux)\n\treturn\n"
		case "Swap", "Add", "And", "Or":
			call := map[string]string{
				"Swap": "old = " + t.typ + "(ra.Xchg" + t.suffix + "(" + raw + ", " + t.raw + "(new)))",
				"Add":  "new = " + t.typ + "(ra.Xadd" + t.suffix + "(" + raw + ", " + t.delta + "(delta)))",
				"And":  "old = " + t.typ + "(ra.And" + t.nsuffix + "(" + raw + ", " + t.raw + "(mask)))",
				"Or":   "old = " + t.typ + "(ra.Or" + t.nsuffix + "(" + raw + ", " + t.raw + "(mask)))",
			}[verb]
			now := map[string]string{"Swap": "new", "Add": "new", "And": "old & mask", "Or": "old | mask"}[verb]
			was := "old"
			if verb == "Add" {
				was = "new - delta"
			}
			body += point("hkOpAtomicRMW") + "\thkAcquire(unsafe.Pointer(addr))\n\t" + access("true") +
				"\thkReleaseMerge(unsafe.Pointer(addr))\n\t" + call + "\n" + end("hkOpAtomicRMW", now, was) + "\treturn\n"
		}
		return body + "}\n", nil
	}
	return "", fmt.Errorf("sync/atomic of this Go version has a function that Hocket does not know: %s", name)
}
