//go:build unix

package process

import (
	"context"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestNoCores: programs that are meant to fail leave no core files in the user's folder.
func TestNoCores(t *testing.T) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &l); err != nil {
		t.Fatal(err)
	}
	l.Cur = l.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &l); err != nil {
		t.Fatal(err)
	}
	ctx, done := Guard(context.Background())
	defer done()
	out, err := Output(ctx, exec.Command("sh", "-c", "ulimit -c"))
	if err != nil || strings.TrimSpace(string(out)) != "0" {
		t.Errorf("cores may have %q blocks: %v", out, err)
	}
}
