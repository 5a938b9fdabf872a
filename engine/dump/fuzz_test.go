package dump

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"
)

// mostMemory is what reading a small artefact may take beside it, in bytes.
const mostMemory = 200 << 20

// fuzz adds the files of testdata that a pattern names, and reads what is made of them.
func fuzz(f *testing.F, keep func(data []byte) bool, patterns ...string) {
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join("testdata", p))
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: no seeds (%v)", p, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !keep(data) {
			t.Skip()
		}
		before := allocated()
		states, err := Read(bytes.NewReader(data), "file")
		if got := allocated() - before; got > mostMemory {
			t.Errorf("%d MB allocated for %d bytes", got>>20, len(data))
		}
		switch {
		case err != nil && strings.Contains(strings.TrimSpace(err.Error()), "\n"):
			t.Errorf("an error of several lines: %v", err)
		case err == nil && len(states) == 0:
			t.Error("neither states nor an error")
		}
		for _, s := range states {
			if len(s.Goroutines) > maxGroups || len(s.Tests) > maxTests {
				t.Errorf("%d goroutines, %d tests", len(s.Goroutines), len(s.Tests))
			}
			for _, g := range s.Goroutines {
				if g.Count < 1 || len(g.Frames) > maxDepth {
					t.Errorf("goroutine %+v", g)
				}
			}
		}
	})
}

// allocated is how many bytes have been allocated so far, asked for without a stop of the
// world, which would take most of the time.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func isText(data []byte) bool { return !isTrace(data) && !isProfile(data) }

func FuzzText(f *testing.F)    { fuzz(f, isText, "*.txt", "*.json", "*.debug?") }
func FuzzProfile(f *testing.F) { fuzz(f, isProfile, "*.pb.gz") }
func FuzzTrace(f *testing.F)   { fuzz(f, isTrace, "*.flight") }

// A small file that becomes a large profile is refused before it takes memory.
func TestProfileOfManyParts(t *testing.T) {
	for name, part := range map[string]string{"samples": "\x12\x00", "numbers": "\x48\x01", "one text": "\x32\x83\x80\x80\x04" + strings.Repeat("a", 8<<20+3)} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(strings.Repeat(part, max(4<<20/len(part), 1))))
		z.Close()
		before := allocated()
		_, err := Read(&b, "file")
		if err == nil || !strings.Contains(err.Error(), "are read; take /debug/pprof/goroutine?debug=1") {
			t.Errorf("%s: got %v", name, err)
		}
		if got := allocated() - before; got > mostMemory {
			t.Errorf("%s: %d MB allocated", name, got>>20)
		}
	}
}
