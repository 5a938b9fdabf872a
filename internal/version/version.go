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
// is being developed.
var Build = sync.OnceValue(func() string {
	self, err := os.Executable()
	if err != nil {
		return Version()
	}
	st, err := os.Stat(self)
	if err != nil {
		return Version()
	}
	return fmt.Sprintf("%s %d %x", Version(), st.Size(), st.ModTime().UnixNano())
})
