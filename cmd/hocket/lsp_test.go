package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// TestLSP: the command serves a session with the flags that editors pass, and
// its log and trace go to the file.
func TestLSP(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	logfile := filepath.Join(t.TempDir(), "log")
	before := 0
	for _, stdio := range []string{"-stdio", "--stdio"} {
		cmd := exec.Command(self, "lsp", stdio, "-logfile", logfile, "-rpc.trace")
		cmd.Env = append(os.Environ(), asHocket+"=1")
		c := lsptest.Start(t, cmd)
		var result struct {
			ServerInfo struct{ Name, Version string }
		}
		if err := json.Unmarshal(c.Initialize(nil), &result); err != nil || result.ServerInfo.Name != "hocket" || result.ServerInfo.Version == "" {
			t.Errorf("initialize: %+v, %v", result, err)
		}
		c.Shutdown()
		if err := c.Ended(); err != nil {
			t.Errorf("after a shutdown: %v", err)
		}
		log, err := os.ReadFile(logfile)
		if err != nil || !bytes.Contains(log[before:], []byte("initialize")) {
			t.Errorf("the trace of %s lacks initialize: %q, %v", stdio, log[before:], err)
		}
		before = len(log)
	}
}
