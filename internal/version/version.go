// Package version names this build of Hocket.
package version

import "runtime/debug"

// Version of this build of Hocket.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
