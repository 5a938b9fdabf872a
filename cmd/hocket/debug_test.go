package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/proctest"
)

// self is the hocket command: this test binary, in a folder.
func self(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asHocket+"=1")
	return cmd
}

// deadlocked is a module with a finding, and its id.
func deadlocked(t *testing.T) (dir, id string) {
	t.Helper()
	if _, err := engine.Delve(); err != nil {
		t.Fatal(err) // make test installs it
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../lsp/dap/testdata/transfer")); err != nil {
		t.Fatal(err)
	}
	out, err := self(dir, "find", "-json", "-budget=40s", ".").Output()
	if _, failing := err.(*exec.ExitError); err != nil && !failing {
		t.Fatal(err)
	}
	var rep struct{ Findings []struct{ ID, Kind string } }
	if err := json.Unmarshal(out, &rep); err != nil || len(rep.Findings) != 1 || rep.Findings[0].Kind != "deadlock" {
		t.Fatalf("find: %v, %s", err, out)
	}
	return dir, rep.Findings[0].ID
}

// TestDebug is one finding under Delve by all ways: it is searched for once.
func TestDebug(t *testing.T) {
	dir, id := deadlocked(t)
	t.Run("terminal", func(t *testing.T) { inTerminal(t, dir, id) })
	t.Run("killed", func(t *testing.T) { adapterKilled(t, self(dir, "replay", "-debug=dap", id)) })
	t.Run("address", func(t *testing.T) { atAddress(t, dir, id) })
	t.Run("no debugger", func(t *testing.T) {
		cmd := self(dir, "replay", "-debug", id)
		goDir := filepath.Dir(lookPath(t, "go"))
		cmd.Env = append(cmd.Env, "PATH="+goDir, "GOPATH=/none", "GOBIN=", "HOME=/none")
		fails(t, cmd, engine.DelveInstall)
	})
	t.Run("no such way", func(t *testing.T) {
		fails(t, self(dir, "replay", "-debug=gdb", id), "invalid -debug=gdb: use -debug")
	})
	t.Run("no such finding", func(t *testing.T) { fails(t, self(dir, "replay", "-debug", "0000"), "no finding 0000") })
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// fails runs a command that can't work: exit 2, one line that says so.
func fails(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(lines[len(lines)-1], want) {
		t.Errorf("%v: %s", err, stderr.String())
	}
}

// inTerminal types commands: the stops are reached in order, and again after
// restart.
func inTerminal(t *testing.T, dir, id string) {
	cmd := self(dir, "replay", "-debug", id)
	once := strings.Repeat("continue\n", 3)
	cmd.Stdin = strings.NewReader(once + "restart\ncontinue\n" + once + "exit\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var at []string
	for _, m := range regexp.MustCompile(`> \[(\S+)\] (\S+)\(\) (?:\S*/)?(\w+\.go:\d+)`).FindAllStringSubmatch(string(out), -1) {
		at = append(at, m[1]+" "+m[3])
	}
	run := "stop1 main.go:25, stop2and3 main.go:14, stop2and3 main.go:14, failure hocket_end.go:"
	got := regexp.MustCompile(`(hocket_end.go:)\d+`).ReplaceAllString(strings.Join(at, ", "), "$1")
	if got != run+", "+run {
		t.Errorf("stops: %s\n%s", got, out)
	}
}

// editor is the least of a debug session: it gets to the first stop.
type editor struct {
	t   *testing.T
	out io.Writer
	in  *bufio.Reader
	seq int
}

func (e *editor) send(command string) {
	e.seq++
	body := fmt.Sprintf(`{"seq":%d,"type":"request","command":%q,"arguments":{}}`, e.seq, command)
	if err := dap.WriteBaseMessage(e.out, []byte(body)); err != nil {
		e.t.Fatal(err)
	}
}

// until reads to the first message of a type.
func until[M dap.Message](e *editor) M {
	e.t.Helper()
	for {
		m, err := dap.ReadProtocolMessage(e.in)
		if err != nil {
			e.t.Fatalf("the adapter ended: %v", err)
		}
		if got, ok := m.(M); ok {
			return got
		}
	}
}

// firstStop returns the process of the program.
func (e *editor) firstStop() (program int) {
	e.t.Helper()
	e.send("initialize")
	until[*dap.InitializeResponse](e)
	e.send("launch")
	program = until[*dap.ProcessEvent](e).Body.SystemProcessId
	until[*dap.InitializedEvent](e)
	e.send("configurationDone")
	until[*dap.StoppedEvent](e)
	return program
}

// adapterKilled: neither Delve nor the program outlives an adapter that has no
// time to end them.
func adapterKilled(t *testing.T, cmd *exec.Cmd) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, out: stdin, in: bufio.NewReader(stdout)}
	program := e.firstStop()
	delve := proctest.ParentOf(t, program)
	cmd.Process.Kill()
	cmd.Wait()
	for name, pid := range map[string]int{"the program": program, "Delve": delve} {
		proctest.Gone(t, name, pid)
	}
}

func atAddress(t *testing.T, dir, id string) {
	cmd := self(dir, "replay", "-debug=127.0.0.1:0", id)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	addr := line[strings.LastIndex(line, " ")+1:]
	if err != nil || !strings.Contains(line, "waiting for an editor at 127.0.0.1:") {
		t.Fatalf("%v: %q", err, line)
	}
	conn, err := net.Dial("tcp", strings.TrimSpace(addr))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	e := &editor{t: t, out: conn, in: bufio.NewReader(conn)}
	program := e.firstStop()
	e.send("disconnect")
	until[*dap.DisconnectResponse](e)
	if err := cmd.Wait(); err != nil {
		t.Errorf("the adapter ended with %v", err)
	}
	proctest.Gone(t, "the program", program)
}
