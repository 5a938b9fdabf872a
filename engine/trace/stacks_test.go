package trace

import "testing"

// Std's frames are known by the binary's std folder, or by another link to the
// same toolchain; a project below a folder named toolchain is the user's.
func TestUserFrameAcrossToolchainLinks(t *testing.T) {
	for _, tc := range []struct {
		file string
		user bool
	}{
		{"/a/toolchain/go1.27.3/src/sync/atomic/value.go", false},
		{"/b/toolchain/go1.27.3/src/sync/atomic/value.go", false},
		{"/b/toolchain/go1.26.8/src/x/x.go", true},
		{"/p/toolchain/src/x/x.go", true},
	} {
		tr := &Trace{GoVersion: "go1.27.3", StdRoot: "/a/toolchain/go1.27.3/src",
			Stacks: [][]Frame{nil, {{Func: "x.f", File: tc.file, Line: 1}}}}
		if _, ok := tr.UserFrame(1); ok != tc.user {
			t.Errorf("%s: user is %v", tc.file, ok)
		}
	}
}
