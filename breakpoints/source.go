package breakpoints

import "embed"

// Source is this package's own source, for injection into builds of programs
// that do not import it. The injected copy leaves this file out.
//
//go:embed *.go
var Source embed.FS
