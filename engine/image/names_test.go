package image

import "testing"

func TestFuncPackage(t *testing.T) {
	for name, want := range map[string]string{
		"sync/atomic.(*Int64).Add": "sync/atomic", "example.com/sync.Do": "example.com/sync",
		"main.F[example.com/x.T]": "main", "runtime.main": "runtime", "nodot": "",
	} {
		if got := FuncPackage(name); got != want {
			t.Errorf("FuncPackage(%q) = %q, want %q", name, got, want)
		}
	}
}
