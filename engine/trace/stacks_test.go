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

// Package breakpoints, which programs import, is no code of theirs.
func TestUserFrameIsNotTheLibrarys(t *testing.T) {
	lib := Frame{Func: Library + ".(*gate).isOpen", File: "/m/hocket@v1.0.0/breakpoints/race_off.go", Line: 12}
	caller := Frame{Func: "example.com/pool.(*Pool).Get", File: "/p/pool.go", Line: 50}
	own := Frame{Func: Library + ".TestX", File: "/h/breakpoints/x_test.go", Line: 3}
	sub := Frame{Func: Library + "x.F", File: "/h/breakpointsx/x.go", Line: 3}
	tr := &Trace{StdRoot: "/go/src", Stacks: [][]Frame{nil, {lib, caller}, {lib, own}, {lib, sub}}}
	for id, want := range map[StackID]Frame{1: caller, 2: own, 3: sub} {
		if f, ok := tr.UserFrame(id); !ok || f != want {
			t.Errorf("stack %d: %v, %v, want %v", id, f, ok, want)
		}
	}
}

// A test fails where it calls an assertion, not in the library of that.
func TestWhereATestFails(t *testing.T) {
	helper := Frame{Func: "github.com/x/assert.Fail", File: "/go/pkg/mod/github.com/x/assert@v1.10.0/assert.go", Line: 9}
	vendored := Frame{Func: "github.com/x/assert.Fail", File: "/m/vendor/github.com/x/assert/assert.go", Line: 9}
	own := Frame{Func: "m.TestX", File: "/m/x_test.go", Line: 3}
	for _, c := range []struct {
		kind  OutcomeKind
		stack []Frame
		want  Frame
	}{
		{TestFailed, []Frame{helper, own}, own},
		{TestFailed, []Frame{vendored, helper, own}, own},
		{TestFailed, []Frame{own, helper}, own},
		{TestFailed, []Frame{helper}, helper},
		{Panicked, []Frame{helper, own}, helper},
	} {
		tr := &Trace{Stacks: [][]Frame{nil, c.stack}, Outcome: Outcome{Kind: c.kind, Stack: 1}}
		if got := tr.FailureFrames(); len(got) == 0 || got[0] != c.want {
			t.Errorf("%s %v: %v, want %v first", c.kind, c.stack, got, c.want)
		}
	}
}
