package libz3

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain: where there is no libz3, that is said, and what is left to test is
// how its absence is borne.
func TestMain(m *testing.M) {
	flag.Parse()
	if _, err := Load(); err != nil {
		fmt.Fprintf(os.Stderr, "libz3: only the absence of Z3 is tested: %v\n", err)
		if err := flag.Set("test.run", "^TestAbsent$|^TestOlder$"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
