package from

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/core/coretest"
	"github.com/hocket-dev/hocket/engine/session"
)

// Reading a core ends with the budget, whatever is in it.
func TestReadEndsWithTheBudget(t *testing.T) {
	bin := coretest.Build(t, "package main\nfunc main() { panic(1) }\n")
	file, _ := coretest.Crash(t, bin)
	_, c, err := read(t.Context(), &Options{Core: file, Options: session.Options{Budget: 1}})
	if err == nil {
		c.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "core: its goroutines were not read within the budget of 1ns; give it more with -budget") {
		t.Errorf("got %v", err)
	}
}
