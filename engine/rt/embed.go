package rt

import "embed"

// Overlay holds the files of overlay/, which engine/instrument adds to the
// user's build, and RunFile this package's own layout constants as source, from
// which the runtime half gets its copy.
//
//go:embed overlay
var Overlay embed.FS

//go:embed runfile.go
var RunFile string

// Paths and PathLayout are the same for builds that record paths.
//
//go:embed paths
var Paths embed.FS

//go:embed pathlog.go
var PathLayout string

// Record and RecordLayout are the same for recording builds.
//
//go:embed record
var Record embed.FS

//go:embed reclog.go
var RecordLayout string
