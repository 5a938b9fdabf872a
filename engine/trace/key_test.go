package trace

import "testing"

// Paths that don't tell the whole ancestry have no key. That keys are those of the runtime
// is tested with real runs, in engine/run/process.
func TestKeyOfPath(t *testing.T) {
	seen := map[uint64]string{}
	for _, name := range []string{"0", "0.1", "0.2", "0.1.2", "0.t1.1", "0.t1.2", "0.1.t2.1", "0.t2.1"} {
		key, ok := KeyOfPath(name)
		if !ok || seen[key] != "" {
			t.Errorf("%s: %x, %v, as %q", name, key, ok, seen[key])
		}
		seen[key] = name
	}
	for _, name := range []string{"", "1", "t.1", "0.t1", "0.x", "0.t1.t2", "0..1"} {
		if _, ok := KeyOfPath(name); ok {
			t.Errorf("%q has a key", name)
		}
	}
}
