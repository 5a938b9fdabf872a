package engine

import (
	"strings"

	"github.com/hocket-dev/hocket/analysis"
)

// VetTool serves the go command when it runs this binary as go vet -vettool; it
// does not return then. With other arguments it does nothing.
//
// The go command asks for -V=full and -flags, and then runs the tool once for
// each package with the name of a file vet.cfg, which describes it.
func VetTool(args []string) {
	asked := len(args) == 1 && (args[0] == "-V=full" || args[0] == "-flags")
	if asked || len(args) > 0 && strings.HasSuffix(args[len(args)-1], "vet.cfg") {
		analysis.VetMain()
	}
}
