//go:build !noz3 && (linux || darwin) && (amd64 || arm64)

package libz3

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// libraryNames are tried in this order: the soname of Debian and its kin first,
// then the name without a version, which development packages install.
var libraryNames = names()

func names() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libz3.dylib", "/opt/homebrew/lib/libz3.dylib", "/usr/local/lib/libz3.dylib"}
	}
	return []string{"libz3.so.4", "libz3.so"}
}

func openLibrary(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func lookUp(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

// call calls the function. Pointers to Go memory among the arguments are
// converted in the call expression, which keeps what they point to alive and in
// place until call returns.
//
//go:uintptrescapes
func (s *symbol) call(args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(s.addr, args...)
	return r
}
