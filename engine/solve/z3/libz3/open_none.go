//go:build noz3 || !(linux || darwin) || !(amd64 || arm64)

package libz3

import "errors"

var libraryNames = []string{"libz3"}

var errNotBuilt = errors.New("this binary was built without it; build it without -tags noz3")

func openLibrary(string) (uintptr, error)     { return 0, errNotBuilt }
func lookUp(uintptr, string) (uintptr, error) { return 0, errNotBuilt }

// call is never reached: without a library there is no Context.
//
//go:uintptrescapes
func (s *symbol) call(args ...uintptr) uintptr { panic("libz3: " + s.name + " is not loaded") }
