// Package image reads executables: their functions, direct calls, variables and
// debug information (Image, from the file), and, of programs built for control mode,
// inlining, lines, types and what else only the running program decodes (Program).
//
// Addresses are relative to the start of the Go text, so that position independent
// programs are served too.
package image

// Frame is one call frame, innermost first in a stack. File is as the compiler
// saw it, absolute but for builds with -trimpath.
type Frame struct {
	Func string // full name, e.g. "example.com/m.(*cell).get"
	File string
	Line int
}

// Place is a frame with the line at which its function begins.
type Place struct {
	Frame
	Start int
}

// Meta is what a binary says about its build.
type Meta struct {
	GoVersion string
	StdRoot   string // folder of std's sources, e.g. "/usr/local/go/src"; "" if unknown (-trimpath)
}

// TypeReq asks what lies at Offset of an allocation.
type TypeReq struct {
	Type   uint64 // address of the type descriptor that was given to the allocator, relative to text
	Offset uint64
	Want   uint16 // bytes of the access; 0 = the innermost element
}

// TypeInfo answers a TypeReq. Root is empty if the type is unknown.
type TypeInfo struct {
	Root     string // type given to the allocator: of a slice's elements if there are several
	RootSize uint64
	Index    uint64 // Offset / RootSize
	Path     string // ".state", ".cells[3].v"; empty if the element is the root
	Type     string // of the element
	Size     int    // of the element in bytes
	Kind     string // reflect's kind of the element; of the value inside for atomics
}

// GlobalReq asks for the variable at an address relative to text.
type GlobalReq struct {
	Addr uint64
	Want uint16 // as in TypeReq
}

// GlobalInfo answers a GlobalReq. Symbol is empty if no variable is there.
type GlobalInfo struct {
	Symbol string // linker symbol: "example.com/m.probing"
	Offset uint64
	Path   string // of the element below the variable: ".v"
	Type   string // of the element; "" without debug information
	Size   int
	Kind   string
}

// Local is a local variable.
type Local struct {
	Name string
	Type string
	Size int
}
