package libz3

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// ErrAbsent means that there is no usable libz3; the error that wraps it says
// what was found and how to get one.
var ErrAbsent = errors.New("Z3 is not available")

// HowToInstall is how to get libz3.
const HowToInstall = "install libz3 " + oldest + " or newer (Debian, Ubuntu: apt install libz3-dev; macOS: brew install z3)"

// oldest is the version that the binding is tested with.
const oldest = "4.8.12"

var loaded struct {
	once    sync.Once
	version string
	err     error
}

// Load opens libz3, once, and gives its version, such as "4.8.12". An error
// wraps ErrAbsent.
func Load() (version string, err error) {
	loaded.once.Do(func() { loaded.version, loaded.err = load(libraryNames) })
	return loaded.version, loaded.err
}

// load opens the first of the libraries that can be opened.
func load(names []string) (version string, err error) {
	var tried []string
	for _, name := range names {
		lib, err := openLibrary(name)
		if err != nil {
			tried = append(tried, err.Error())
			continue
		}
		return bind(name, lib)
	}
	return "", fmt.Errorf("%w: %s; %s", ErrAbsent, strings.Join(tried, "; "), HowToInstall)
}

// bind looks up all functions, unless the library is another one or too old.
func bind(name string, lib uintptr) (version string, err error) {
	found := make([]uintptr, len(symbols))
	for i, s := range symbols {
		if found[i], err = lookUp(lib, s.name); err != nil {
			return "", fmt.Errorf("%w: %s has no function %s; %s", ErrAbsent, name, s.name, HowToInstall)
		}
	}
	// Nothing is kept of a library that lacks something.
	for i, s := range symbols {
		s.addr = found[i]
	}
	// "4.8.12.0", or with the name of a build behind it.
	version, _, _ = strings.Cut(goString(fullVersion.call()), " ")
	version = strings.TrimSuffix(version, ".0")
	if older(version, oldest) {
		return "", fmt.Errorf("%w: %s is version %s; %s", ErrAbsent, name, version, HowToInstall)
	}
	return version, nil
}

// older compares versions number by number; what is no number counts as 0.
func older(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if m, n := part(x, i), part(y, i); m != n {
			return m < n
		}
	}
	return false
}

func part(version []string, i int) int {
	if i >= len(version) {
		return 0
	}
	n, _ := strconv.Atoi(version[i])
	return n
}

// symbol is a function of libz3.
type symbol struct {
	name string
	addr uintptr
}

// symbols are all functions that the binding needs.
var symbols []*symbol

func function(name string) *symbol {
	s := &symbol{name: name}
	symbols = append(symbols, s)
	return s
}
