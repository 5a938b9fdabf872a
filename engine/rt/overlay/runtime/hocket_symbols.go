//go:build hocket_overlay

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"unsafe"
)

// The program answers for itself which function, line or field an address
// belongs to: only its own runtime decodes its tables without a copy of their
// format. When the run file asks for it (FlagSymbolize), nothing of the user's
// runs. The watch section holds requests of three words each: kind in the low
// byte and its argument above, then a and b. The text section receives lines;
// engine/image/program.go is the other half and documents both.

// Words of the run file's header and kinds of requests. A test keeps the words
// equal to engine/rt's, the kinds to engine/image's.
const (
	hkSymWWatchOff = 22
	hkSymWWatchCap = 23
	hkSymWWatchLen = 24
	hkSymWTextOff  = 46
	hkSymWTextCap  = 47
	hkSymWTextLen  = 48

	hkSymKindPC     = 1 // a = return address relative to text
	hkSymKindType   = 2 // a = type descriptor relative to text, b = offset; argument = size wanted, 0 = the leaf
	hkSymKindEntry  = 3 // a = function entry relative to text
	hkSymKindReason = 4 // a = wait reason
)

// hkSymWriter appends to the text section. n counts what did not fit too, so
// that the asker learns how much room to give.
type hkSymWriter struct {
	base unsafe.Pointer
	n    uintptr
	max  uintptr
}

func (w *hkSymWriter) byte(c byte) {
	if w.n < w.max {
		*(*byte)(add(w.base, w.n)) = c
	}
	w.n++
}

// str keeps answers one line each, whatever a file is called.
func (w *hkSymWriter) str(s string) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\n' || c == '\t' {
			c = '?'
		}
		w.byte(c)
	}
}

func (w *hkSymWriter) field(s string) {
	w.byte('\t')
	w.str(s)
}

func (w *hkSymWriter) num(n uint64) {
	var buf [20]byte
	w.field(string(itoa(buf[:], n)))
}

// hkSymbolize answers all requests and ends the process.
func hkSymbolize() {
	hdr := hkHdr
	file := unsafe.Pointer(hdr)
	w := &hkSymWriter{base: add(file, uintptr(hdr[hkSymWTextOff])), max: uintptr(hdr[hkSymWTextCap])}
	hkSymHeader(w)
	n := min(hdr[hkSymWWatchLen], hdr[hkSymWWatchCap])
	req := add(file, uintptr(hdr[hkSymWWatchOff]))
	for i := uint64(0); i+3 <= n; i += 3 {
		r := (*[3]uint64)(add(req, uintptr(i)*8))
		hkSymAnswer(w, r[0], r[1], r[2])
	}
	hdr[hkSymWTextLen] = uint64(w.n)
	exit(0)
}

func hkSymAnswer(w *hkSymWriter, kind, a, b uint64) {
	text := firstmoduledata.text
	switch kind & 0xff {
	case hkSymKindPC:
		hkSymPC(w, text+uintptr(a))
	case hkSymKindType:
		hkSymType(w, text+uintptr(a), uintptr(b), uintptr(kind>>8))
	case hkSymKindEntry:
		hkSymEntry(w, text+uintptr(a))
	case hkSymKindReason:
		w.str("R")
		if a < uint64(len(waitReasonStrings)) {
			w.field(waitReason(a).String())
		}
		w.byte('\n')
	default:
		w.str("?\n")
	}
}

// hkSymHeader says the Go version and where std's sources were.
func hkSymHeader(w *hkSymWriter) {
	const self = "/runtime/proc.go"
	root := ""
	f := findfunc(abi.FuncPCABIInternal(main))
	if f.valid() {
		file, _ := funcline1(f, f.entry(), false)
		if n := len(file) - len(self); n > 0 && file[n:] == self {
			root = file[:n]
		}
	}
	w.str("hocket-symbols 2")
	w.field(buildVersion)
	w.field(root)
	w.byte('\n')
}

// hkSymPC writes "F n" and n lines, innermost first. Wrappers that the
// compiler made are left out, as tracebacks do.
func hkSymPC(w *hkSymWriter, pc uintptr) {
	f := findfunc(pc)
	if !f.valid() {
		w.str("F\t0\n")
		return
	}
	if pc > f.entry() {
		pc--
	}
	n := uint64(0)
	u, uf := newInlineUnwinder(f, pc)
	for ; uf.valid(); uf = u.next(uf) {
		if u.srcFunc(uf).funcID != abi.FuncIDWrapper {
			n++
		}
	}
	all := n == 0
	w.str("F")
	w.num(max(n, 1))
	w.byte('\n')
	u, uf = newInlineUnwinder(f, pc)
	for ; uf.valid(); uf = u.next(uf) {
		sf := u.srcFunc(uf)
		if sf.funcID == abi.FuncIDWrapper && !(all && uf.index < 0) {
			continue
		}
		file, line := u.fileLine(uf)
		w.num(uint64(line))
		w.num(uint64(max(sf.startLine, 0)))
		w.field(funcNameForPrint(sf.name()))
		w.field(file)
		w.byte('\n')
	}
}

// hkSymEntry names the function at an entry point. A wrapper of a go statement
// (main.gowrap1) is replaced by what it calls.
func hkSymEntry(w *hkSymWriter, pc uintptr) {
	w.str("E")
	f := findfunc(pc)
	if f.valid() && f.funcID == abi.FuncIDWrapper {
		if name := hkSymInlinedIn(f); name != "" {
			w.num(0)
			w.field(name)
			w.field("")
			w.byte('\n')
			return
		}
		if g := hkSymCalled(f); g.valid() {
			f = g
		}
	}
	if f.valid() {
		file, line := funcline1(f, f.entry(), false)
		w.num(uint64(line))
		w.field(funcNameForPrint(funcname(f)))
		w.field(file)
	}
	w.byte('\n')
}

// hkSymInlinedIn returns the outermost function that was inlined into wrapper f.
func hkSymInlinedIn(f funcInfo) string {
	size := uintptr(0)
	if next := hkSymEnd(f); next > f.entry() {
		size = next - f.entry()
	}
	for off := uintptr(0); off < size; off++ {
		u, uf := newInlineUnwinder(f, f.entry()+off)
		name := ""
		for ; uf.valid() && uf.index >= 0; uf = u.next(uf) {
			if sf := u.srcFunc(uf); sf.funcID != abi.FuncIDWrapper {
				name = funcNameForPrint(sf.name())
			}
		}
		if name != "" && !hkSymIsRuntime(name) {
			return name
		}
	}
	return ""
}

// hkSymEnd returns the first address past f's code.
func hkSymEnd(f funcInfo) uintptr {
	const most = 1 << 12 // wrappers are short
	pc := f.entry()
	for end := pc + most; pc < end && findfunc(pc)._func == f._func; pc += 16 {
	}
	return pc
}

// hkSymCalled returns the first function outside runtime that f calls
// directly: the target of a call instruction must be some function's entry.
func hkSymCalled(f funcInfo) funcInfo {
	end := hkSymEnd(f)
	for pc := f.entry(); pc+5 <= end; pc++ {
		target := uintptr(0)
		switch goarch.GOARCH {
		case "amd64":
			if *(*byte)(unsafe.Pointer(pc)) == 0xe8 {
				var rel [4]byte
				memmove(unsafe.Pointer(&rel), unsafe.Pointer(pc+1), 4)
				target = pc + 5 + uintptr(*(*int32)(unsafe.Pointer(&rel)))
			}
		case "arm64":
			if ins := *(*uint32)(unsafe.Pointer(pc &^ 3)); pc%4 == 0 && ins>>26 == 0x25 {
				target = pc + uintptr(int64(int32(ins<<6)>>6)*4)
			}
		}
		if target == 0 {
			continue
		}
		g := findfunc(target)
		if g.valid() && g.entry() == target && !hkSymIsRuntime(funcname(g)) {
			return g
		}
	}
	return funcInfo{}
}

func hkSymIsRuntime(name string) bool {
	const p = "runtime."
	return len(name) >= len(p) && name[:len(p)] == p
}

// hkSymType writes "T root rootSize index path type size kind pkg"; only "T"
// for an address that is no type descriptor of the binary (reflect makes types
// at run time).
func hkSymType(w *hkSymWriter, addr, off, want uintptr) {
	w.str("T")
	md := &firstmoduledata
	if addr < md.types || addr >= md.etypes || addr%goarch.PtrSize != 0 {
		w.byte('\n')
		return
	}
	t := (*abi.Type)(unsafe.Pointer(addr))
	index := uint64(0)
	if t.Size_ > 0 {
		index = uint64(off / t.Size_)
		off %= t.Size_
	}
	w.field(toRType(t).string())
	w.num(uint64(t.Size_))
	w.num(index)
	w.byte('\t')
	leaf := hkSymWalk(w, t, off, want)
	w.field(toRType(leaf).string())
	w.num(uint64(leaf.Size_))
	w.field(hkSymBasic(leaf).Kind().String())
	w.byte('\n')
}

// hkSymWalk writes the path of the element at off and returns its type. It
// stops at what the user did not take apart: the types of sync and atomic, and
// a whole of the size wanted.
func hkSymWalk(w *hkSymWriter, t *abi.Type, off, want uintptr) *abi.Type {
	for {
		if off == 0 && (hkSymSync(t) || want != 0 && t.Size_ <= want) {
			return t
		}
		switch t.Kind() {
		case abi.Struct:
			f := hkSymField((*abi.StructType)(unsafe.Pointer(t)), off)
			if f == nil {
				return t
			}
			if hkSymSync(t) {
				return t
			}
			w.byte('.')
			w.str(f.Name.Name())
			t, off = f.Typ, off-f.Offset
		case abi.Array:
			e := (*abi.ArrayType)(unsafe.Pointer(t)).Elem
			if e.Size_ == 0 {
				return t
			}
			w.byte('[')
			var buf [20]byte
			w.str(string(itoa(buf[:], uint64(off/e.Size_))))
			w.byte(']')
			t, off = e, off%e.Size_
		default:
			return t
		}
	}
}

// hkSymField returns the field that covers off.
func hkSymField(st *abi.StructType, off uintptr) *abi.StructField {
	for i := range st.Fields {
		f := &st.Fields[i]
		if off >= f.Offset && off-f.Offset < f.Typ.Size_ {
			return f
		}
	}
	return nil
}

func hkSymSync(t *abi.Type) bool {
	if t.TFlag&abi.TFlagNamed == 0 || t.Kind() != abi.Struct {
		return false
	}
	switch toRType(t).pkgpath() {
	case "sync", "sync/atomic", "internal/sync":
		return true
	}
	return false
}

// hkSymBasic looks through the atomics' wrapping for the kind of the value.
func hkSymBasic(t *abi.Type) *abi.Type {
	if t.Kind() != abi.Struct || toRType(t).pkgpath() != "sync/atomic" {
		return t
	}
	st := (*abi.StructType)(unsafe.Pointer(t))
	if len(st.Fields) == 0 {
		return t
	}
	return st.Fields[len(st.Fields)-1].Typ
}
