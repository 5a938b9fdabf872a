package breakfile

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sources are texts like those of real programs, and some of Go's own.
func sources(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	own, _ := filepath.Glob("testdata/*.go.txt")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	for _, name := range []string{"sync/waitgroup.go", "context/context.go", "io/pipe.go", "net/rpc/client.go", "container/list/list.go", "encoding/csv/reader.go"} {
		own = append(own, filepath.Join(src, name))
	}
	for _, path := range own {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = text
	}
	return out
}

// tally of how scripts of edits ended.
type tally struct {
	scripts, same, changed, lost int // while the statement was there
	deleted, found               int // while it was not, and of these, found as something else
	wrong, wrongChanged          int
}

func (t tally) String() string {
	return fmt.Sprintf("%d scripts: found %d (%d reading differently), lost %d; deleted %d; wrong silently %d, wrong but said to read differently %d",
		t.scripts, t.same+t.changed, t.changed, t.lost, t.deleted, t.wrong, t.wrongChanged)
}

func (t *tally) add(o tally) {
	t.scripts += o.scripts
	t.same += o.same
	t.changed += o.changed
	t.lost += o.lost
	t.deleted += o.deleted
	t.found += o.found
	t.wrong += o.wrong
	t.wrongChanged += o.wrongChanged
}

// script marks a random statement, edits at random, and looks for it.
func script(t *testing.T, name string, src []byte, seed uint64, most, near int) (c tally) {
	r := rand.New(rand.NewPCG(seed, 1))
	s, err := parse(src)
	if err != nil {
		t.Fatal(err)
	}
	u := s.units[r.IntN(len(s.units))]
	line, col := s.position(u.start)
	if u.dead != "" {
		return c
	}
	p, err := Fingerprint(src, name, line, col)
	if err != nil {
		t.Fatalf("%s:%d:%d: %v", name, line, col, err)
	}
	e := &editor{r: r, src: bytes.Clone(src), near: near}
	e.splice(u.start, u.start, marker+" ")
	for range 1 + r.IntN(most) {
		e.do()
	}
	c.scripts++
	l, err := Locate(p, e.src)
	var lost *LostError
	if err != nil && !errors.As(err, &lost) {
		t.Fatalf("%s seed %d: %v", name, seed, err)
	}
	mark := bytes.Index(e.src, []byte(marker))
	truth := 0
	if mark >= 0 {
		rest := e.src[mark+len(marker):]
		truth = mark + len(marker) + scanFirst(rest)
	} else {
		c.deleted++
	}
	where := 0
	if err == nil {
		lines := bytes.SplitAfter(e.src, []byte("\n"))
		for _, x := range lines[:l.Line-1] {
			where += len(x)
		}
		where += l.Column - 1
	}
	right := err == nil && mark >= 0 && where == truth
	switch {
	case err != nil && mark >= 0:
		c.lost++
		if testing.Verbose() && os.Getenv("HOCKET_LOST") != "" {
			t.Logf("lost %s %d %v: %q: %v", name, seed, e.did, p.Text, err)
		}
	case err != nil:
	case right && l.Changed:
		c.changed++
	case right:
		c.same++
	case l.Changed:
		c.wrongChanged++
		if os.Getenv("HOCKET_LOST") != "" {
			t.Logf("%s", e.src)
		}
		t.Logf("wrong but changed: %s seed %d after %s: %q of %s:%d is said to be at %d:%d %q (%s)", name, seed, strings.Join(e.did, ", "), p.Text, p.Func, p.Line, l.Line, l.Column, l.Text, l.Why)
	default:
		c.wrong++
		if os.Getenv("HOCKET_LOST") != "" {
			t.Logf("%s", e.src)
		}
		t.Errorf("wrong: %s seed %d after %s: %q of %s:%d is said to be at %d:%d in %s (%s)", name, seed, strings.Join(e.did, ", "), p.Text, p.Func, p.Line, l.Line, l.Column, l.Func, l.Why)
	}
	return c
}

func scanFirst(src []byte) int { return scan(src)[0].off }

// TestRandomEdits: a thousand scripts and more lose no statement silently. The
// truth is known by a comment that the edits carry along. HOCKET_EDITS=300 is
// 300 scripts for each source and number of edits, HOCKET_EDITS=150-300 those
// of these seeds.
func TestRandomEdits(t *testing.T) {
	from, to := seeds(t, 36)
	texts := sources(t)
	scripts := 0
	for _, regime := range []struct{ most, near int }{{1, 0}, {1, 9}, {4, 9}, {10, 7}} {
		var all tally
		t.Run(fmt.Sprintf("up to %d edits, %d of 10 in its function", regime.most, regime.near), func(t *testing.T) {
			for name, src := range texts {
				t.Run(name, func(t *testing.T) {
					for seed := from; seed < to; seed++ {
						all.add(script(t, name, src, seed, regime.most, regime.near))
					}
				})
			}
			t.Log(all)
			scripts += all.scripts
			if all.wrongChanged*500 > all.scripts {
				t.Errorf("%d of %d are at a wrong statement, though said to read differently", all.wrongChanged, all.scripts)
			}
			if regime.most == 1 && all.lost*10 > all.scripts {
				t.Errorf("after one edit %d of %d are lost", all.lost, all.scripts)
			}
		})
	}
	if !narrowed() && scripts < 1000 {
		t.Errorf("%d scripts only", scripts)
	}
}

// narrowed reports whether somebody asked for a part of the tests.
func narrowed() bool {
	f := flag.Lookup("test.run")
	return os.Getenv("HOCKET_EDITS") != "" || f != nil && strings.Contains(f.Value.String(), "/")
}

// seeds are those that the environment asks for, else the first n.
func seeds(t *testing.T, n uint64) (from, to uint64) {
	t.Helper()
	asked := os.Getenv("HOCKET_EDITS")
	if asked == "" {
		return 0, n
	}
	first, last, several := strings.Cut(asked, "-")
	if !several {
		first, last = "0", first
	}
	from, err1 := strconv.ParseUint(first, 10, 64)
	to, err2 := strconv.ParseUint(last, 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatalf("HOCKET_EDITS=%s: %v", asked, err)
	}
	return from, to
}
