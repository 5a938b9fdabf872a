package dap

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"pgregory.net/rapid"

	"github.com/hocket-dev/hocket/engine"
)

// stackFrom makes frames of lines "function file:line".
func stackFrom(lines ...string) []frame {
	var out []frame
	for i, l := range lines {
		name, at, _ := strings.Cut(l, " ")
		f := frame{ID: i + 1000, Name: name}
		f.Source.Path, _, _ = strings.Cut(at, ":")
		fmt.Sscanf(at[strings.LastIndex(at, ":")+1:], "%d", &f.Line)
		out = append(out, f)
	}
	return out
}

// As Delve gives them.
var (
	held = []string{"runtime.gopark /go/src/runtime/proc.go:463", "runtime.selectgo /go/src/runtime/select.go:351",
		"hocketpoints.(*sleeper).nap /go/src/hocketpoints/clock.go:64", "hocketpoints.Side /go/src/hocketpoints/side.go:40"}
	hitting = []string{"hocketpoints.hit /go/src/hocketpoints/side.go:16", "hocketpoints.Side /go/src/hocketpoints/side.go:40"}
	exit    = "runtime.goexit /go/src/runtime/asm_amd64.s:1771"
)

func TestAbove(t *testing.T) {
	user := []string{"main.reader /m/main.go:14", exit}
	for _, c := range []struct {
		name  string
		stack []string
		want  int
	}{
		{"ordinary", user, 0},
		{"in a system call", append([]string{"syscall.read /go/src/syscall/s.go:1", "os.Read /go/src/os/f.go:1"}, user...), 0},
		{"held", append(held[:len(held):len(held)], user...), 4},
		{"the last arriver", append(hitting[:2:2], user...), 2},
		// A breakpoint of the user's on the line may stop in the condition.
		{"in the local predicate", append([]string{"main.reader.func1 /m/main.go:14", "hocketpoints.Side /go/src/hocketpoints/side.go:40"}, user...), 2},
		{"no user frame", held, 4},
		{"none", nil, 0},
	} {
		if got := above(stackFrom(c.stack...)); got != c.want {
			t.Errorf("%s: %d frames are hidden, not %d", c.name, got, c.want)
		}
	}
}

func TestNameOf(t *testing.T) {
	for _, c := range []struct {
		want  string
		stack []string
	}{
		{"reader", []string{"main.reader /m/main.go:14", exit}},
		{"(*Cache).Get", []string{"cache.(*Cache).Get /m/cache/cache.go:3", "cache.Serve.func1 /m/cache/cache.go:9", exit}},
		{"Serve.func1", []string{"cache.Serve.func1 /m/cache/cache.go:9", exit}},
		{"writer", []string{"main.writer /m/main.go:2", "main.main.gowrap1 /m/main.go:9", exit}},
		{"reader", []string{"main.reader /m/main.go:2", "main.main.func1 /m/main.go:9", "sync.(*WaitGroup).Go.func1 /go/src/sync/waitgroup.go:258", exit}},
		{"main", []string{"os.Read /go/src/os/f.go:1", "main.main /m/main.go:9", "runtime.main /go/src/runtime/proc.go:290", exit}},
		{"TestX", []string{"pool.(*Pool).put /m/p.go:1", "pool.TestX /m/p_test.go:9", "testing.tRunner /go/src/testing/testing.go:1", exit}},
		{"worker", append(append([]string{}, held...), "main.worker /m/main.go:3", exit)},
		{"goroutine", []string{"runtime.gopark /go/src/runtime/proc.go:463", "runtime.bgsweep /go/src/runtime/m.go:3", exit}},
		{"goroutine", nil},
	} {
		if got := nameOf(stackFrom(c.stack...)); got != c.want {
			t.Errorf("%q is called %q, not %q", c.stack, got, c.want)
		}
	}
}

// TestWords: what is said of a meeting.
func TestWords(t *testing.T) {
	sides := []engine.DebugSide{{File: "/m/a.go", Line: 12}, {File: "/m/b.go", Line: 40}, {File: `C:\m\c.go`, Line: 7}}
	for _, c := range []struct {
		order []int
		names []string
		want  string
	}{
		{[]int{2, 1}, []string{"reader", "writer"}, "concurrent breakpoint b1 hit: reader at a.go:12 and writer at b.go:40 meet; writer goes first"},
		{[]int{1, 2}, []string{"buy", "buy"}, "concurrent breakpoint b1 hit: buy (goroutine 7) at a.go:12 and buy (goroutine 8) at b.go:40 meet; buy (goroutine 7) goes first"},
		{[]int{3, 1, 2}, []string{"x", "y", "z"}, "concurrent breakpoint b1 hit: x at a.go:12, y at b.go:40 and z at c.go:7 meet; z goes first, then x, then y"},
	} {
		m := &meeting{of: &engine.DebugBreak{ID: "b1", Order: c.order, Sides: sides[:len(c.order)]}}
		for i, n := range c.names {
			m.sides = append(m.sides, side{thread: 7 + i, name: n, above: 2})
		}
		if got := m.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	m := &meeting{of: &engine.DebugBreak{ID: "b1", Order: []int{2, 1}, Sides: sides[:2]},
		sides: []side{{thread: 7, name: "reader", above: 4}, {thread: 8}}}
	if got, want := m.String(), "concurrent breakpoint b1 hit: side 2 has passed b.go:40; reader at a.go:12 goes on now"; got != want || m.first().thread != 7 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestPages: whatever pages of a stack an editor asks for, it gets those of the
// stack without the hidden frames, and each frame keeps its id.
func TestPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		if rapid.Bool().Draw(t, "held") {
			lines = append(lines, held...)
		}
		for i := range rapid.IntRange(1, 60).Draw(t, "user frames") {
			lines = append(lines, fmt.Sprintf("main.f%d /m/main.go:%d", i, i+1))
		}
		delve := stackFrom(lines...)
		want := delve[above(delve):]
		start, levels := rapid.IntRange(0, 70).Draw(t, "start"), rapid.IntRange(0, 70).Draw(t, "levels")

		got, total := page(t, delve, start, levels)
		want = want[min(start, len(want)):]
		if levels > 0 {
			want = want[:min(levels, len(want))]
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("frames %d+%d of\n%v\nare\n%v\nnot\n%v", start, levels, delve, got, want)
		}
		if n := len(delve) - above(delve); total < min(start+len(got), n) {
			t.Fatalf("%d frames in all, but %d were shown", total, start+len(got))
		}
	})
}

// page asks a session for a part of a stack that Delve has.
func page(t *rapid.T, delve []frame, start, levels int) (got []frame, total int) {
	var toEditor, toDelve bytes.Buffer
	s := &session{editor: newPeer(&toEditor), delve: newPeer(&toDelve), calls: map[int]func(*message){}, stops: newStops()}
	args := map[string]int{"threadId": 7}
	if start > 0 {
		args["startFrame"] = start
	}
	if levels > 0 {
		args["levels"] = levels
	}
	m := &message{Seq: 1, Type: "request", Command: "stackTrace", Arguments: raw(args)}
	s.open = append(s.open, m)
	s.hidden(m, above, func(int, frame) int { return 0 })

	var asked struct {
		Arguments struct{ StartFrame, Levels int }
		Seq       int
	}
	sentOf(t, &toDelve, &asked)
	end := len(delve)
	if asked.Arguments.Levels > 0 {
		end = min(asked.Arguments.StartFrame+asked.Arguments.Levels, end)
	}
	s.fromDelve(&message{Type: "response", RequestSeq: asked.Seq, Body: raw(map[string]any{
		"stackFrames": delve[asked.Arguments.StartFrame:end], "totalFrames": len(delve)})})

	var answer struct {
		Body struct {
			StackFrames []frame
			TotalFrames int
		}
	}
	sentOf(t, &toEditor, &answer)
	return answer.Body.StackFrames, answer.Body.TotalFrames
}

func sentOf(t *rapid.T, b *bytes.Buffer, into any) {
	data, err := dap.ReadBaseMessage(bufio.NewReader(b))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSubstitutions keeps the editor's own, and adds where dependencies are.
func TestSubstitutions(t *testing.T) {
	args := fields(launchArguments(raw(map[string]any{"substitutePath": []map[string]string{{"from": "/a", "to": "/b"}}, "env": "theirs"}),
		program{path: "/p", env: []string{"X=1=2"}, moved: map[string]string{"/virtual/m": "/cache/m@v1"}}))
	if got, want := string(args["substitutePath"]), `[{"from":"/a","to":"/b"},{"from":"/cache/m@v1","to":"/virtual/m"}]`; got != want {
		t.Errorf("got %s", got)
	}
	if got := string(args["env"]); got != `{"X":"1=2"}` {
		t.Errorf("env is %s", got)
	}
}
