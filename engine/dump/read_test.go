package dump

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what Read tells into testdata/*.want")

// TestRead compares what Read tells of outputs of one program, in all forms.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if st, err := os.Stat(file); err != nil || st.IsDir() || strings.HasSuffix(file, ".want") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := words(read(t, data))
			if *update {
				if err := os.WriteFile(file+".want", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file + ".want")
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func read(t *testing.T, data []byte) []*State {
	t.Helper()
	states, err := Read(bytes.NewReader(data), "file")
	if err != nil {
		t.Fatal(err)
	}
	return states
}

// words is what states say, without the numbers of lines and of goroutines.
func words(states []*State) string {
	var b strings.Builder
	for _, s := range states {
		fmt.Fprintf(&b, "%s %q all %v package %q tests %q place %s cut %q left %d\n", s.Kind, s.Message, s.All, s.Package, s.Tests, s.Place, s.Cut, s.Left)
		for _, g := range s.Goroutines {
			user := User(g.Frames)
			fmt.Fprintf(&b, "  %d %q failing %v elided %v user %v created %s: %v of %d\n", g.Count, g.Reason, g.Failing, g.Elided, g.IsUser(), g.Created, user[:min(4, len(user))], len(user))
		}
		if s.Race != nil {
			for _, a := range s.Race.Accesses {
				fmt.Fprintf(&b, "  write %v atomic %v main %v created %v: %v\n", a.Write, a.Atomic, a.Main, User(a.Created), User(a.Frames))
			}
		}
	}
	return b.String()
}

// TestLogs: what a log puts before and between the lines changes nothing.
func TestLogs(t *testing.T) {
	each := func(change func(i int, line string) string) func([]byte) []byte {
		return func(data []byte) []byte {
			lines := strings.SplitAfter(string(data), "\n")
			for i, l := range lines {
				if l != "" {
					lines[i] = change(i, l)
				}
			}
			return []byte(strings.Join(lines, ""))
		}
	}
	logs := map[string]func([]byte) []byte{
		"time stamps": each(func(i int, l string) string {
			return fmt.Sprintf("2026-03-0%dT10:00:%02d.%07dZ %s", 1+i%9, i%60, i*12345, l)
		}),
		"time of the day": each(func(i int, l string) string { return fmt.Sprintf("[10:%02d:01] %s", i%60, l) }),
		"container":       each(func(_ int, l string) string { return "worker-1  | " + l }),
		"container and time": each(func(i int, l string) string {
			return fmt.Sprintf("worker-1  | 2026-03-01 10:00:%02d.5 %s", i%60, l)
		}),
		"kubernetes": each(func(i int, l string) string {
			return fmt.Sprintf("2026-03-01T10:00:%02d.123456789+01:00 stderr F %s", i%60, l)
		}),
		"journal":    each(func(i int, l string) string { return fmt.Sprintf("Mar  1 10:00:%02d box jobs[%d]: %s", i%60, 4321, l) }),
		"own prefix": each(func(i int, l string) string { return fmt.Sprintf("<%02d> %s", i%60, l) }),
		"indented":   each(func(_ int, l string) string { return "    " + l }),
		"colours":    each(func(_ int, l string) string { return "\x1b[31m" + strings.TrimSuffix(l, "\n") + "\x1b[0m\n" }),
		"windows":    each(func(_ int, l string) string { return strings.TrimSuffix(l, "\n") + "\r\n" }),
		"mixed with others": each(func(i int, l string) string {
			if i%3 == 1 && strings.TrimSpace(l) != "" && strings.HasPrefix(l, "\t") {
				return l + "level=info msg=\"served\" path=/rows\n"
			}
			return l
		}),
		"go test -json": func(data []byte) []byte {
			var b bytes.Buffer
			for _, l := range strings.SplitAfter(string(data), "\n") {
				out, _ := json.Marshal(event{Action: "output", Output: l})
				b.Write(append(out, '\n'))
			}
			return b.Bytes()
		},
	}
	for _, file := range []string{"deadlock.txt", "panic-all.txt", "timeout.txt", "race.txt", "fatal-maps.txt"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		want := words(read(t, data))
		for name, change := range logs {
			if name == "indented" && file == "panic-all.txt" {
				continue // the second line of a panic begins with a tab
			}
			t.Run(file+" "+name, func(t *testing.T) {
				if got := words(read(t, change(data))); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// TestCut: the beginning of an artefact tells of no goroutine that the whole does not.
func TestCut(t *testing.T) {
	for _, file := range []string{"deadlock.txt", "timeout.json", "race.txt", "goroutine.debug1"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		most := read(t, data)[0].Total()
		for n := 0; n < len(data); n += 7 {
			states, err := Read(bytes.NewReader(data[:n]), "file")
			if err == nil && states[0].Total() > most {
				t.Fatalf("%s, %d bytes of it: %d goroutines, the whole has %d", file, n, states[0].Total(), most)
			}
		}
	}
}

// TestMany: very many goroutines take little memory, and are counted.
func TestMany(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("fatal error: all goroutines are asleep - deadlock!\n")
	const equal, other = 20_000, 5000
	for i := range equal {
		fmt.Fprintf(&b, "\ngoroutine %d [chan receive, 3 minutes]:\nmain.work(%#x)\n\t/m/a.go:7 +0x1\ncreated by main.main in goroutine 1\n\t/m/a.go:3 +0x1\n", i+2, i)
	}
	for i := range other {
		fmt.Fprintf(&b, "\ngoroutine %d [chan send]:\nmain.f(...)\n\t/m/a.go:%d\n", equal+2+i, 10+i)
	}
	s := read(t, b.Bytes())[0]
	if s.Goroutines[0].Count != equal || s.Goroutines[0].Minutes != 3 {
		t.Errorf("equal goroutines: %+v", s.Goroutines[0])
	}
	if len(s.Goroutines) != maxGroups || s.Left != other-maxGroups+1 || s.Total()+s.Left != equal+other {
		t.Errorf("%d kinds, %d left out, %d in all", len(s.Goroutines), s.Left, s.Total())
	}
}

// TestNothing: bad input has one line that says what to do.
func TestNothing(t *testing.T) {
	for name, in := range map[string]string{
		"empty":          "",
		"other text":     "hello\nworld\n",
		"core":           "\x7fELF\x02\x01\x01",
		"damaged gzip":   "\x1f\x8b\x08\x00\x00\x00\x00\x00rubbish",
		"damaged trace":  "go 1.26 trace\x00\x00\x00rubbish",
		"passing test":   "=== RUN   TestX\n--- PASS: TestX (0.00s)\nPASS\n",
		"no second side": "WARNING: DATA RACE\nRead at 0x00c000 by goroutine 7:\n  main.f()\n      /m/a.go:3 +0x1\n",
	} {
		states, err := Read(strings.NewReader(in), "the-file")
		if name == "no second side" {
			if err == nil && states[0].Race != nil {
				t.Errorf("%s: %+v", name, states[0])
			}
			continue
		}
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "the-file") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestNoValues: nothing of the arguments that a dump shows is kept.
func TestNoValues(t *testing.T) {
	const in = "panic: closed\n\ngoroutine 1 [running]:\nmain.login({0xc000, 0x5}, \"secret\")\n\t/m/a.go:3 +0x1\nmain.main()\n\t/m/a.go:9 +0x1\n"
	if got := fmt.Sprintf("%+v", *read(t, []byte(in))[0]); strings.Contains(got, "secret") {
		t.Errorf("kept: %s", got)
	}
}
