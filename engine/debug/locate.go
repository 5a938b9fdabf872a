package debug

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/image"
)

// Locate sets the addresses of the stops at which a function of an executable
// begins. It leaves out stops whose function the executable does not have.
func Locate(stops []Stop, path string) ([]Stop, error) {
	if !slices.ContainsFunc(stops, func(s Stop) bool { return s.Entry }) {
		return stops, nil
	}
	m, err := image.Open(path)
	if err != nil {
		return nil, err
	}
	for i := range stops {
		if stops[i].Entry {
			stops[i].Address = m.Address(stops[i].Func)
		}
	}
	return slices.DeleteFunc(stops, func(s Stop) bool { return s.Entry && s.Address == 0 }), nil
}
