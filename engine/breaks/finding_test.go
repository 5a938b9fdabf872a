package breaks

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

const foundModule = `
-- go.mod --
module example.com/m

go 1.26
-- m_test.go --
package m

import (
	"sync"
	"testing"
)

var (
	mu sync.Mutex
	n  int
)

func add() {
	mu.Lock()
	n++
	mu.Unlock()
}

func TestX(t *testing.T) {
	go add()
	mu.Lock()
	if n > 0 {
		panic("x")
	}
}
`

// foundTrace is of a run in which add came first.
const foundTrace = `
main spawn add m_test.go:20
add start
add lock mu m_test.go:14
add unlock mu m_test.go:16
add end
main lock mu m_test.go:21
outcome panic main "panic: x" m_test.go:23
`

// foundIn makes a module with a finding.
func foundIn(t *testing.T) (root string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root = testmodule.New(t, foundModule)
	fail, err := tracetest.Build(foundTrace, tracetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := trace.Write(&data, fail); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	r := &store.Record{Found: time.Now(), Module: "example.com/m", Package: "example.com/m", Entry: "TestX", TestRun: "^TestX$",
		Sources: store.Sum(site.Roots{Module: root}, root, nil),
		Finding: &report.Finding{ID: "0badcafe", Package: "example.com/m", Entry: "TestX", Kind: "panic", Message: "panic: x"}}
	if err := st.Put(r, map[string][]byte{stored.Failing: data.Bytes()}, nil); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestFromFindingAsksFirst: if the breakpoint can't be kept, the error says so
// before the program is built and run.
func TestFromFindingAsksFirst(t *testing.T) {
	for _, c := range []struct {
		name, inTheWay string
		want           string // after the name of the file
	}{
		{"writable", "", ""},
		{"the lock", "lock-breakpoints", " (is a directory); they belong to the module: make its folder writable, or copy the module to one that is"},
		{"the file", breakfile.Name, " is not a file but a folder; move it away"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := foundIn(t)
			if c.inTheWay != "" {
				if err := os.Mkdir(filepath.Join(root, breakfile.Folder, c.inTheWay), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			proving := false
			_, err := FromFinding(ctx, FromFindingOptions{Dir: root, ID: "0badcafe"}, func(u progress.Update) {
				if u.Phase == progress.RunningBreaks { // the build follows
					proving = true
					cancel()
				}
			})
			if proving != (c.inTheWay == "") {
				t.Errorf("the proof was started: %v (%v)", proving, err)
			}
			if c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), breakfile.Path(root)+c.want)) {
				t.Errorf("error %v, want %s", err, breakfile.Path(root)+c.want)
			}
		})
	}
}
