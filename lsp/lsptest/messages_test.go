package lsptest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

var (
	messages  = flag.Int("messages", 5000, "how many messages TestMessages sends")
	seed      = flag.Uint64("seed", 1, "what TestMessages makes of its messages")
	writeSeed = flag.Bool("write-seeds", false, "write the seed corpus of FuzzMessages")
)

const perSession = 1000

// watcher is a log that keeps what must not happen.
type watcher struct {
	mu  sync.Mutex
	bad []string
}

func (*watcher) Enabled(context.Context, slog.Level) bool { return true }
func (w *watcher) WithAttrs([]slog.Attr) slog.Handler     { return w }
func (w *watcher) WithGroup(string) slog.Handler          { return w }

func (w *watcher) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "panic") || strings.Contains(r.Message, "do not end") {
		w.mu.Lock()
		defer w.mu.Unlock()
		line := r.Message
		r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
		w.bad = append(w.bad, line)
	}
	return nil
}

func (w *watcher) check(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.bad {
		t.Errorf("the log: %s", b)
	}
}

// module is a folder with a module and a file with a test.
func module(t testing.TB) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module a\n\ngo 1.26\n", "a_test.go": goTexts[0]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMessages sends sessions of mutated, truncated, reordered and repeated
// messages. Every request among them is answered exactly once, nothing panics,
// and at the end nothing is left (TestMain looks for goroutines).
func TestMessages(t *testing.T) {
	dir := module(t)
	sent := &tally{kinds: map[string]int{}}
	t.Run("sessions", func(t *testing.T) { // ends when all of them have
		for n, s := 0, uint64(0); n < *messages; s++ {
			count := min(perSession, *messages-n)
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				t.Parallel()
				session(t, dir, s, count, sent)
			})
			n += count
		}
	})
	t.Logf("%d messages: %v", *messages, sent.kinds)
}

// tally counts the messages by what they are.
type tally struct {
	mu    sync.Mutex
	kinds map[string]int
}

func (t *tally) add(kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kinds[kind]++
}

// session sends n messages, then a sound request, so that all before it have
// been seen, and compares the answers with the requests.
func session(t *testing.T, dir string, s uint64, n int, sent *tally) {
	g := &generator{r: rand.New(rand.NewPCG(*seed, s)), dir: dir}
	log := &watcher{}
	command := pick(g, []string{"/nonexistent"}, []string{"/nonexistent"}, []string{"/bin/sh", "-c", "sleep 0.02; echo {}"})
	c := lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Log: slog.New(log), Command: command})
	})
	if g.r.IntN(4) == 0 {
		for _, method := range []string{"workspace/configuration", "client/registerCapability", "window/workDoneProgress/create", "workspace/codeLens/refresh"} {
			c.Handle(method, func(json.RawMessage) (any, error) { return nil, lsptest.ErrSilent })
		}
	}
	if g.r.IntN(10) > 0 {
		c.Initialize(lsptest.Object{"rootUri": "file://" + dir})
	}
	g.ids = 1000                                    // apart from the client's own
	want, may := map[string]int{}, map[string]int{} // answers by id: at least, and more at most
	bodies := map[string]string{}
	padding := bytes.Repeat(lsptest.Frame(`{"jsonrpc":"2.0","method":"$/padding"}`), 20) // what a length too great may eat
	for i, p := range g.stream(n) {
		if p.sound {
			if id := requestID(p.body); id != "" {
				want[id]++
				bodies[id] = p.body
				sent.add("requests")
			} else if json.Valid([]byte(p.body)) {
				sent.add("other JSON")
			} else {
				sent.add("no JSON")
			}
		} else {
			sent.add("broken frames")
			may[requestID(p.body)]++
		}
		c.Raw(p.bytes)
		if i == n/2 && g.r.IntN(20) == 0 {
			c.Raw(padding)
			c.Request("shutdown", nil) //nolint:errcheck // an error in sessions that were not initialized
		}
	}
	c.Raw(padding)
	c.Request("no/such", nil) //nolint:errcheck // it is an error
	var got map[string]int
	defer func() {
		missing := false
		for id, n := range want {
			if got[id] < n {
				missing = true
				t.Logf("request %s was sent %d times and answered %d times: %s", id, n, got[id], bodies[id])
			}
		}
		if missing {
			t.Logf("what runs:\n%s", working())
		}
	}()
	c.Until(fmt.Sprintf("all answers of session %d", s), func() bool {
		got = map[string]int{}
		for _, a := range c.Unasked() {
			var m lsptest.Message
			if json.Unmarshal([]byte(a), &m) == nil {
				got[string(m.ID)]++
			}
		}
		for id, n := range want {
			if got[id] < n {
				return false
			}
		}
		return true
	})
	c.Notify("exit", nil)
	c.Ended() //nolint:errcheck // without shutdown it is an error
	for id, n := range got {
		if id != "null" && n > want[id]+may[id] {
			t.Errorf("session %d: request %s was sent %d times and answered %d times", s, id, want[id], n)
		}
	}
	for _, p := range c.Problems() {
		if !strings.HasPrefix(p, "an answer to nothing") {
			t.Errorf("session %d: %s", s, p)
		}
	}
	log.check(t)
	if t.Failed() {
		t.Logf("repeat with -seed %d; session %d of %d messages; the last messages:\n%s", *seed, s, n, c.Transcript())
	}
}

// working is the stacks of the goroutines in the server's code.
func working() string {
	all := make([]byte, 4<<20)
	all = all[:runtime.Stack(all, true)]
	var ours []string
	for _, g := range strings.Split(string(all), "\n\n") {
		if strings.Contains(g, "/lsp/") {
			ours = append(ours, g)
		}
	}
	return strings.Join(ours, "\n\n")
}

// FuzzMessages feeds bytes to a server that was initialized. What it writes are
// frames, it does not panic, and it ends.
func FuzzMessages(f *testing.F) {
	if *writeSeed {
		writeSeeds(f)
	}
	dir := module(f)
	f.Fuzz(func(t *testing.T, stream []byte) {
		log := &watcher{}
		c := lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
			return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Log: slog.New(log), Command: []string{"/nonexistent"}})
		})
		c.Initialize(lsptest.Object{"rootUri": "file://" + dir})
		c.Raw(stream)
		c.CloseInput()
		start := time.Now()
		c.Ended() //nolint:errcheck // without shutdown it is an error
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("the end took %v", d)
		}
		for _, p := range c.Problems() {
			if !strings.HasPrefix(p, "an answer to nothing") {
				t.Error(p)
			}
		}
		log.check(t)
	})
}

// writeSeeds makes the corpus: short streams as TestMessages sends them.
func writeSeeds(f *testing.F) {
	dir := filepath.Join("testdata", "fuzz", "FuzzMessages")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		f.Fatal(err)
	}
	for s := range uint64(40) {
		g := &generator{r: rand.New(rand.NewPCG(0, s)), dir: "/nowhere"}
		var stream []byte
		for _, p := range g.stream(12) {
			stream = append(stream, p.bytes...)
		}
		text := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", stream)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("stream-%02d", s)), []byte(text), 0o600); err != nil {
			f.Fatal(err)
		}
	}
}
