package dap_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-dap"
	"go.uber.org/goleak"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/proctest"
	adapter "github.com/hocket-dev/hocket/lsp/dap"
)

// The sessions here are real: a finding is made of a program in testdata, Delve
// runs it, and the client below is written with the protocol's own types.

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range findings.of {
		os.RemoveAll(f.dir)
	}
	os.RemoveAll(copies())
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

const patience = 60 * time.Second // for an answer, on a busy machine

// findings are those of the programs in testdata, made once.
var findings struct {
	sync.Mutex
	of map[string]searched
}

type searched struct {
	dir    string
	byKind map[string]*engine.Finding // the first of each
}

// found makes the findings of a program in testdata.
func found(t *testing.T, name string) searched {
	t.Helper()
	findings.Lock()
	defer findings.Unlock()
	if s, ok := findings.of[name]; ok {
		return s
	}
	dir, err := os.MkdirTemp("", "hocket-"+name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	rep, err := engine.Find(t.Context(), engine.FindOptions{Dir: dir, Patterns: []string{"."}, Budget: 30 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := searched{dir, map[string]*engine.Finding{}}
	for _, f := range rep.Findings {
		if s.byKind[f.Kind] == nil {
			s.byKind[f.Kind] = f
		}
	}
	if findings.of == nil {
		findings.of = map[string]searched{}
	}
	findings.of[name] = s
	return s
}

// debug connects to an adapter for a finding of a program.
func debug(t *testing.T, name, kind string) *client {
	t.Helper()
	needDelve(t)
	s := found(t, name)
	f := s.byKind[kind]
	if f == nil {
		t.Fatalf("the search found no %s in %s: %v", kind, name, s.byKind)
	}
	c := connectTo(t, func(ctx context.Context, p engine.Progress) (*engine.Debuggee, error) {
		return engine.PrepareDebug(ctx, engine.DebugOptions{Dir: s.dir, ID: f.ID}, p)
	})
	c.dir = s.dir
	return c
}

func needDelve(t *testing.T) string {
	t.Helper()
	path, err := engine.Delve()
	if err != nil {
		t.Fatal(err) // make test installs it
	}
	return path
}

// client is an editor.
type client struct {
	t         *testing.T
	dir       string // of the module
	conn      net.Conn
	seq       int
	messages  chan dap.Message
	kept      []dap.Message // arrived while something else was waited for
	served    chan error
	stops     []engine.DebugStop
	mu        sync.Mutex // of stops
	programID int
	// configuration is added to the launch arguments.
	configuration map[string]any
}

func connectTo(t *testing.T, prepare func(context.Context, engine.Progress) (*engine.Debuggee, error)) *client {
	t.Helper()
	c := newClient(t)
	c.serve(adapter.Options{Prepare: func(ctx context.Context, p engine.Progress) (*engine.Debuggee, error) {
		d, err := prepare(ctx, p)
		if d != nil {
			c.mu.Lock()
			c.stops = d.Stops
			c.mu.Unlock()
		}
		return d, err
	}})
	return c
}

func newClient(t *testing.T) *client {
	return &client{t: t, messages: make(chan dap.Message, 1000), served: make(chan error, 1)}
}

// serve connects the client to an adapter.
func (c *client) serve(opt adapter.Options) {
	c.t.Helper()
	opt.Delve = needDelve(c.t)
	here, there := net.Pipe()
	c.conn = here
	go func() {
		err := adapter.Serve(context.WithoutCancel(c.t.Context()), there, there, opt)
		there.Close()
		c.served <- err
	}()
	go func() {
		defer close(c.messages)
		in := bufio.NewReader(here)
		for {
			m, err := dap.ReadProtocolMessage(in)
			if err != nil {
				return
			}
			c.messages <- m
		}
	}()
	c.t.Cleanup(func() { here.Close() })
}

func (c *client) request(command string, args any) int {
	c.seq++
	data, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": args})
	if err == nil {
		err = dap.WriteBaseMessage(c.conn, data)
	}
	if err != nil {
		c.t.Fatalf("%s: %v", command, err)
	}
	return c.seq
}

// wait returns the first message that fits; others are kept.
func (c *client) wait(what string, fits func(dap.Message) bool) dap.Message {
	c.t.Helper()
	for i, m := range c.kept {
		if fits(m) {
			c.kept = append(c.kept[:i], c.kept[i+1:]...)
			return m
		}
	}
	timeout := time.After(patience)
	for {
		select {
		case m, ok := <-c.messages:
			if !ok {
				c.t.Fatalf("the adapter closed the connection before %s", what)
			}
			if p, ok := m.(*dap.ProcessEvent); ok {
				c.programID = p.Body.SystemProcessId
			}
			if fits(m) {
				return m
			}
			c.kept = append(c.kept, m)
		case <-timeout:
			c.t.Fatalf("no %s; there were %s", what, describe(c.kept))
		}
	}
}

func describe(ms []dap.Message) string {
	var all []string
	for _, m := range ms {
		data, _ := json.Marshal(m)
		all = append(all, string(data))
	}
	return strings.Join(all, "\n")
}

// waitFor is wait for a type.
func waitFor[M dap.Message](c *client) M {
	c.t.Helper()
	var m M
	return c.wait(fmt.Sprintf("%T", m), func(m dap.Message) bool { _, ok := m.(M); return ok }).(M)
}

// ask is a request and its good answer.
func ask[M dap.ResponseMessage](c *client, command string, args any) M {
	c.t.Helper()
	m := c.answer(c.request(command, args), command)
	got, ok := m.(M)
	if !ok || !m.GetResponse().Success {
		c.t.Fatalf("%s: %s", command, describe([]dap.Message{m}))
	}
	return got
}

func (c *client) answer(seq int, command string) dap.ResponseMessage {
	c.t.Helper()
	return c.wait("answer to "+command, func(m dap.Message) bool {
		r, ok := m.(dap.ResponseMessage)
		return ok && r.GetResponse().RequestSeq == seq
	}).(dap.ResponseMessage)
}

// start goes to the first stop; breakpoints are the editor's own.
func (c *client) start(breakpoints ...dap.SetBreakpointsArguments) {
	c.t.Helper()
	ask[*dap.InitializeResponse](c, "initialize", map[string]any{"adapterID": "hocket", "linesStartAt1": true, "pathFormat": "path"})
	arguments := map[string]any{"request": "launch", "mode": "debug", "program": "/nowhere"}
	maps.Copy(arguments, c.configuration)
	launch := c.request("launch", arguments)
	waitFor[*dap.InitializedEvent](c)
	for _, b := range breakpoints {
		got := ask[*dap.SetBreakpointsResponse](c, "setBreakpoints", b)
		if len(got.Body.Breakpoints) != len(b.Breakpoints) {
			c.t.Errorf("asked for %d breakpoints in %s, the answer has %d", len(b.Breakpoints), b.Source.Path, len(got.Body.Breakpoints))
		}
		for _, bp := range got.Body.Breakpoints {
			if !bp.Verified {
				c.t.Errorf("a breakpoint was refused: %+v", bp)
			}
		}
	}
	ask[*dap.ConfigurationDoneResponse](c, "configurationDone", nil)
	if m := c.answer(launch, "launch"); !m.GetResponse().Success {
		c.t.Fatalf("launch: %s", describe([]dap.Message{m}))
	}
}

func (c *client) goOn(thread int) {
	ask[*dap.ContinueResponse](c, "continue", map[string]int{"threadId": thread})
}

// top is where a thread stands.
func (c *client) top(thread int) dap.StackFrame {
	c.t.Helper()
	st := ask[*dap.StackTraceResponse](c, "stackTrace", map[string]int{"threadId": thread, "levels": 20})
	if len(st.Body.StackFrames) == 0 {
		c.t.Fatal("no stack")
	}
	return st.Body.StackFrames[0]
}

// variable is the value of a variable of a frame.
func (c *client) variable(frame dap.StackFrame, name string) string {
	c.t.Helper()
	for _, scope := range ask[*dap.ScopesResponse](c, "scopes", map[string]int{"frameId": frame.Id}).Body.Scopes {
		vars := ask[*dap.VariablesResponse](c, "variables", map[string]int{"variablesReference": scope.VariablesReference})
		for _, v := range vars.Body.Variables {
			if v.Name == name {
				return v.Value
			}
		}
	}
	return ask[*dap.EvaluateResponse](c, "evaluate", map[string]any{"expression": name, "frameId": frame.Id}).Body.Result
}

// end closes the session as an editor does, and waits for all to be gone.
func (c *client) end() {
	c.t.Helper()
	c.request("disconnect", map[string]bool{"terminateDebuggee": true})
	c.gone()
}

// gone waits until the adapter and the program have ended.
func (c *client) gone() {
	c.t.Helper()
	select {
	case err := <-c.served:
		if err != nil && !errors.Is(err, context.Canceled) {
			c.t.Errorf("Serve: %v", err)
		}
	case <-time.After(patience):
		c.t.Fatal("the adapter does not end")
	}
	if c.programID != 0 {
		proctest.Gone(c.t, "the program", c.programID)
	}
}
