package trace

import "github.com/hocket-dev/hocket/engine/image"

// A Symbolizer turns addresses of one binary into names. All addresses are
// relative to the start of its text (rt.WTextStart), so that position
// independent programs work too. Each method returns one answer for each
// question, in order.
type Symbolizer interface {
	// Frames expands return addresses to frames, innermost first, inlined calls
	// included. An unknown address has none.
	Frames(pcs []uint64) ([][]Frame, error)
	// Sites returns names for the places of return addresses that hold for all
	// builds (site.Site, as text). That of an unknown address is "".
	Sites(pcs []uint64) ([]string, error)
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

// What a Symbolizer is asked and answers.
type (
	Meta       = image.Meta
	TypeReq    = image.TypeReq
	TypeInfo   = image.TypeInfo
	GlobalReq  = image.GlobalReq
	GlobalInfo = image.GlobalInfo
	Local      = image.Local
)
