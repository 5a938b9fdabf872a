//go:build !unix

package jobs

import "os/exec"

// apart and sweep have no counterpart here: closing stdin is what ends a child.
func ownGroup(*exec.Cmd) {}
func sweep(int)          {}
