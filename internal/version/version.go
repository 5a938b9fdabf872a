// Package version names this build of Hocket.
package version

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
)

// Version of this build of Hocket.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// Build tells this build from others, also from those of the same version while it
// is being developed. Tests that serve what another executable has found set it to that
// one's.
var Build = sync.OnceValue(func() string {
	self, err := os.Executable()
	if err != nil {
		return Version()
	}
	return Of(self)
})

// Of is the Build of an executable, Version of one that can't be read.
func Of(executable string) string {
	st, err := os.Stat(executable)
	if err != nil {
		return Version()
	}
	return fmt.Sprintf("%d %x", st.Size(), st.ModTime().UnixNano())
}
