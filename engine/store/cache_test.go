package store

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTexts(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	texts := Texts{"a.go": "package a\n// <ä> \u2028\n", "x.y/z@v1.0.0/b.go": strings.Repeat("package b\n", 1000), "bad.go": "\xff"}
	if err := s.Put(record(finding()), nil, texts); err != nil {
		t.Fatal(err)
	}
	delete(texts, "bad.go") // no Go source, and not to be changed
	r, err := s.Get("0badcafe")
	if err != nil {
		t.Fatal(err)
	}
	got, err := OpenRead(root).Texts(r)
	if diff := cmp.Diff(texts, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	path := filepath.Join(s.Dir(), "findings", r.Texts)
	if st, err := os.Stat(path); err != nil || st.Size() > 1000 {
		t.Errorf("not compressed: %v %v", st, err)
	}
	data, _ := os.ReadFile(path)
	if err := os.WriteFile(path, data[:len(data)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Texts(r); err == nil || !strings.Contains(err.Error(), path+" is corrupt") {
		t.Errorf("torn file: %v", err)
	}
	if items, bad := s.Cache().Load(); len(items) != 1 || len(bad) != 1 {
		t.Errorf("a torn file of texts costs more than itself: %d, %v", len(items), bad)
	}
	os.Remove(path)
	if got, err := s.Texts(r); got != nil || err != nil {
		t.Errorf("without file: %v, %v", got, err)
	}
	if got, err := s.Texts(record(finding())); got != nil || err != nil {
		t.Errorf("record of earlier versions: %v, %v", got, err)
	}
}

func TestLastReplay(t *testing.T) {
	s := open(t, t.TempDir())
	r := record(finding())
	if err := s.Put(r, nil, nil); err != nil {
		t.Fatal(err)
	}
	last := func() *Replay {
		t.Helper()
		l, err := s.LastReplay(r)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if last() != nil {
		t.Error("a replay from nowhere")
	}
	want := &Replay{When: r.Found.Add(time.Hour), Level: "native", Runs: 10, Failed: 9, Sources: Sums{"a.go": "1"}}
	if err := s.PutReplay("0badcafe", want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, last()); diff != "" {
		t.Error(diff)
	}
	if all, bad := s.List(); len(all) != 1 || len(bad) != 0 {
		t.Errorf("the replay disturbs the list: %v", bad)
	}
	r.Found = r.Found.Add(2 * time.Hour) // found again since
	if last() != nil {
		t.Error("a replay of the finding before")
	}
}

// TestTheLastReplayWins: of several at once, one is there, whole.
func TestTheLastReplayWins(t *testing.T) {
	s := open(t, t.TempDir())
	r := record(finding())
	if err := s.Put(r, nil, nil); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				n := i + 1
				if err := s.PutReplay(r.Finding.ID, &Replay{When: time.Now(), Runs: n, Failed: n}); err != nil {
					t.Error(err)
				}
				if l, err := s.LastReplay(r); err != nil || l == nil || l.Runs != l.Failed {
					t.Errorf("%+v, %v", l, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestReplayInStandIn: the module's folder holds the record but can't be
// written, here because the replay's name is taken by a folder.
func TestReplayInStandIn(t *testing.T) {
	s := open(t, t.TempDir())
	r := record(finding())
	if err := s.Put(r, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(s.Dir(), "findings", r.Finding.ID+replayExt, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := s.PutReplay(r.Finding.ID, &Replay{When: time.Now(), Runs: 1}); err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(filepath.Join(s.Dir(), "findings", r.Finding.ID+replayExt))
	if l, err := s.LastReplay(r); err != nil || l == nil {
		t.Errorf("%v, %v", l, err)
	}
}

func TestCacheReadsOnlyWhatChanged(t *testing.T) {
	s := open(t, t.TempDir())
	a, b := record(finding()), record(finding())
	b.Finding.ID, b.Found = "11111111", a.Found.Add(time.Second)
	for _, r := range []*Record{a, b} {
		if err := s.Put(r, nil, Texts{"a.go": "x"}); err != nil {
			t.Fatal(err)
		}
	}
	c := s.Cache()
	load := func() []*Item {
		t.Helper()
		items, bad := c.Load()
		if len(bad) > 0 {
			t.Error(bad)
		}
		return items
	}
	first := load()
	if len(first) != 2 || first[0].Record.Finding.ID != "11111111" || first[0].Texts["a.go"] != "x" {
		t.Fatalf("%d items, newest first and with texts", len(first))
	}
	if second := load(); second[0] != first[0] || second[1] != first[1] {
		t.Error("unchanged files were read again")
	}
	if err := s.PutReplay("0badcafe", &Replay{When: time.Now(), Runs: 3, Failed: 3}); err != nil {
		t.Fatal(err)
	}
	third := load()
	if third[0] != first[0] || third[1] == first[1] || third[1].Replay == nil || first[1].Replay != nil {
		t.Error("a replay changes its finding's item only, and makes another one")
	}
	os.Remove(filepath.Join(s.Dir(), "findings", "11111111.json"))
	if left := load(); len(left) != 1 || left[0] != third[1] {
		t.Errorf("%d items after one was deleted", len(left))
	}
}

func TestView(t *testing.T) {
	s := open(t, t.TempDir())
	v := OpenRead(filepath.Dir(s.Dir())).View()
	put := func(f func(*Record)) func() {
		return func() {
			r := record(finding())
			f(r)
			if err := s.Put(r, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	record := filepath.Join(s.Dir(), "findings", "0badcafe.json")
	var stamp time.Time
	for _, c := range []struct {
		name   string
		do     func()
		change bool
	}{
		{"nothing there", func() {}, false},
		{"a record", put(func(*Record) {}), true},
		{"nothing new", func() {}, false},
		{"a replay", func() { s.PutReplay("0badcafe", &Replay{When: time.Now(), Runs: 1}) }, true},
		{"replaced by one of equal size and time", func() {
			st, err := os.Stat(record)
			if err != nil {
				t.Fatal(err)
			}
			stamp = st.ModTime()
			put(func(*Record) {})()
			os.Chtimes(record, stamp, stamp)
		}, true},
		{"a trace only", func() { os.WriteFile(filepath.Join(s.Dir(), "findings", "0badcafe-x.trace"), nil, 0o666) }, false},
		{"deleted", func() { os.Remove(record) }, true},
		{"the folder deleted", func() { os.RemoveAll(s.Dir()) }, true}, // the replay was left
		{"still nothing", func() {}, false},
		{"made again", func() { prepare(s.Dir()); put(func(*Record) {})() }, true},
		{"in the stand-in", func() {
			other, _ := Open(filepath.Dir(s.Dir()))
			prepare(other.also)
			r := finding()
			r.ID = "22222222"
			(&Store{dir: other.also}).Put(&Record{Package: "m", Entry: "TestX", Finding: r}, nil, nil)
		}, true},
	} {
		c.do()
		if got := v.Changed(); got != c.change {
			t.Errorf("%s: changed = %v", c.name, got)
		}
	}
}

// TestQuietViewStatsFolders: when no folder changed of late, files are not
// looked at, but for the audit.
func TestQuietViewStatsFolders(t *testing.T) {
	s := open(t, t.TempDir())
	put := record(finding())
	if err := s.Put(put, nil, nil); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.Dir(), "findings")
	old := time.Now().Add(-time.Hour)
	os.Chtimes(dir, old, old)
	v := s.View()
	v.Changed()
	// In place, so that the folder does not show it.
	if err := os.WriteFile(filepath.Join(dir, "0badcafe.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if v.Changed() {
		t.Error("a quiet folder's files were looked at")
	}
	v.looked = v.looked.Add(-audit)
	if !v.Changed() {
		t.Error("the audit saw nothing")
	}
}
