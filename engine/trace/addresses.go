package trace

import "fmt"

// addresses is the Symbolizer of a run without its binary.
type addresses struct{}

func (addresses) Frames(pcs []uint64) ([][]Frame, error) {
	out := make([][]Frame, len(pcs))
	for i, pc := range pcs {
		out[i] = []Frame{{Func: fmt.Sprintf("text+%#x", pc)}}
	}
	return out, nil
}

func (addresses) Sites(pcs []uint64) ([]string, error) {
	out := make([]string, len(pcs))
	for i, pc := range pcs {
		out[i] = fmt.Sprintf("text+%#x", pc)
	}
	return out, nil
}

func (addresses) Types(reqs []TypeReq) ([]TypeInfo, error) { return make([]TypeInfo, len(reqs)), nil }
func (addresses) Globals(reqs []GlobalReq) ([]GlobalInfo, error) {
	return make([]GlobalInfo, len(reqs)), nil
}
func (addresses) Escaped(sites []Frame) ([][]Local, error) { return make([][]Local, len(sites)), nil }
func (addresses) Meta() (Meta, error)                      { return Meta{}, nil }
func (addresses) Reasons(nums []uint64) ([]string, error)  { return make([]string, len(nums)), nil }

func (addresses) Entries(pcs []uint64) ([]Frame, error) {
	out := make([]Frame, len(pcs))
	for i, pc := range pcs {
		out[i].Func = fmt.Sprintf("text+%#x", pc)
	}
	return out, nil
}
