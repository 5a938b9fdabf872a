package site

import (
	"github.com/hocket-dev/hocket/engine/image"
)

// CallPlace is a direct call and the places of its address, innermost first: those
// that the compiler inlined come before the function that has the code.
type CallPlace struct {
	Return uint64 // address, relative to the start of the text
	Places []image.Place
}

// CallsIn are the direct calls that the code of some packages makes, by address. A
// call through an interface or a function value is not among them.
func (x *Index) CallsIn(packages map[string]bool) ([]CallPlace, error) {
	m, err := x.Image()
	if err != nil {
		return nil, err
	}
	var pcs []uint64
	for _, f := range m.All() {
		if packages[image.FuncPackage(f.Name)] {
			for _, c := range m.Calls(f) {
				pcs = append(pcs, c.Return)
			}
		}
	}
	places, err := x.Places(pcs)
	if err != nil {
		return nil, err
	}
	out := make([]CallPlace, len(pcs))
	for i, pc := range pcs {
		out[i] = CallPlace{pc, places[i]}
	}
	return out, nil
}
