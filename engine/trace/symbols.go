package trace

// A Symbolizer turns addresses of one binary into names. All addresses are
// relative to the start of its text (rt.WTextStart), so that position
// independent programs are served too. Answers come in the order of the
// questions, one each.
type Symbolizer interface {
	// PCs expands return addresses to frames, innermost first, inlined calls
	// included. An unknown address has none.
	PCs(pcs []uint64) ([][]Frame, error)
	// Types says what lies at an offset of an allocation.
	Types(reqs []TypeReq) ([]TypeInfo, error)
	// Entries names the functions that start at the given addresses, wrappers
	// of go statements looked through. Unknown ones have an empty Func.
	Entries(pcs []uint64) ([]Frame, error)
	// Globals says which package variables lie at the given addresses.
	Globals(reqs []GlobalReq) ([]GlobalInfo, error)
	// Reasons are the runtime's wait reasons by number.
	Reasons(nums []uint64) ([]string, error)
	// Escaped names the local variables that the function of a frame moved to
	// the heap by its declaration at that line.
	Escaped(sites []Frame) ([][]Local, error)
	// Meta says how the binary was built.
	Meta() (Meta, error)
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
