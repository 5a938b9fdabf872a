package tracedb_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/tracedb"
)

// What is done to a database and to files: kills, other processes, cuts, flipped bits.

// TestMain is also the process that is killed, or in the way, if a variable says so.
func TestMain(m *testing.M) {
	if path := os.Getenv("TRACEDB_CHILD"); path != "" {
		child(path, os.Getenv("TRACEDB_DO"))
		return
	}
	os.Exit(m.Run())
}

func child(path, do string) {
	db, err := tracedb.Open(context.Background(), path, tracedb.Options{Doing: "a child"})
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString("open\n")
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	switch do {
	case "hold":
		time.Sleep(time.Minute)
	case "add":
		for {
			if _, err := db.Add(random(rng, 50)); err != nil {
				panic(err)
			}
			os.Stdout.WriteString("added\n")
		}
	case "prune":
		for {
			if _, err := db.Prune(context.Background(), tracedb.Policy{}); err != nil {
				panic(err)
			}
		}
	default:
		_, err := db.Merge(context.Background(), do)
		if err != nil {
			panic(err)
		}
	}
	db.Close()
}

func start(t *testing.T, path, do string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TRACEDB_CHILD="+path, "TRACEDB_DO="+do)
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, out
}

// TestKilled: whatever a process did when it was killed, the database opens, and has
// all runs whose adding had ended. bench/traces does the same at more moments.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	file := exported(t, dir, 300)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, do := range []string{"add", "prune", file} {
		path := filepath.Join(dir, filepath.Base(do)+".db")
		db := open(t, path)
		if _, err := db.Merge(context.Background(), exported(t, dir, 40)); err != nil {
			t.Fatal(err)
		}
		db.Close()
		n := 40
		for range 12 {
			cmd, out := start(t, path, do)
			time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
			cmd.Process.Kill()
			_ = cmd.Wait()
			db := open(t, path)
			got := len(all(t, db))
			if least := n + strings.Count(out.String(), "added"); got < least {
				t.Errorf("%s: %d runs after a kill; %d had been added", do, got, least)
			}
			n = got
			db.Close()
		}
		if do == "prune" && n != 40 {
			t.Errorf("pruning nothing left %d runs of 40", n)
		}
	}
}

func exported(t *testing.T, dir string, n int) string {
	t.Helper()
	name := filepath.Join(dir, "exported")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := tracedb.NewWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	for range n {
		if err := w.Add(random(rng, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestTwoProcesses: the second waits, and says who is in the way.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	open(t, path).Close()
	cmd, out := start(t, path, "hold")
	for out.Len() == 0 {
		time.Sleep(time.Millisecond)
	}
	for _, readOnly := range []bool{true, false} {
		_, err := tracedb.Open(context.Background(), path, tracedb.Options{ReadOnly: readOnly, Wait: 50 * time.Millisecond})
		var busy *tracedb.BusyError
		if !errors.As(err, &busy) || !strings.Contains(err.Error(), "a child (process ") {
			t.Errorf("read only %v: %v, want who holds it", readOnly, err)
		}
	}
	go func() {
		time.Sleep(100 * time.Millisecond)
		cmd.Process.Kill()
	}()
	db, err := tracedb.Open(context.Background(), path, tracedb.Options{})
	if err != nil {
		t.Fatalf("after the other's end: %v", err)
	}
	db.Close()
	ctx, cancel := context.WithCancel(context.Background())
	a := open(t, path)
	defer a.Close()
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := tracedb.Open(ctx, path, tracedb.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while waiting: %v", err)
	}
}

// TestReaders read at once.
func TestReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	open(t, path).Close()
	for range 2 {
		db, err := tracedb.Open(context.Background(), path, tracedb.Options{ReadOnly: true, Wait: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
	}
}

// TestHarmedFiles: an exported file that is not as written adds nothing, and one
// line says what is wrong.
func TestHarmedFiles(t *testing.T) {
	dir := t.TempDir()
	good, err := os.ReadFile(exported(t, dir, 30))
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.Clone(good)
	later[8] = 9
	cases := map[string][]byte{"not a file of exported runs": []byte("package main\n"), "cut": good[:len(good)-3], "format 9": later,
		"goes on": append(bytes.Clone(good), 1)}
	rng := rand.New(rand.NewPCG(5, 6))
	db := open(t, filepath.Join(dir, "db"))
	defer db.Close()
	try := func(text []byte, want string) {
		t.Helper()
		name := filepath.Join(dir, "harmed")
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := db.Merge(context.Background(), name)
		if err == nil || m.New != 0 || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "harmed") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %+v, %v", want, m, err)
		}
	}
	for want, text := range cases {
		try(text, want)
	}
	for range 300 {
		text := bytes.Clone(good)
		text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
		try(text, "")
		try(good[:rng.IntN(len(good))], "")
	}
	if n := len(all(t, db)); n != 0 {
		t.Errorf("%d runs came from harmed files", n)
	}
}

// TestHarmedDatabase: what a database with flipped bits answers is right, or an
// error that names the file.
func TestHarmedDatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	db := open(t, path)
	if _, err := db.Merge(context.Background(), exported(t, dir, 40)); err != nil {
		t.Fatal(err)
	}
	want := all(t, db)
	db.Close()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	bad := 0
	for range 300 {
		text := bytes.Clone(good)
		for range 1 + rng.IntN(3) {
			text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
		}
		name := filepath.Join(dir, "harmed.db")
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		err := read(name, want)
		if err != nil {
			bad++
			if !strings.Contains(err.Error(), "harmed.db") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		}
	}
	if bad == 0 {
		t.Error("no harm was noticed")
	}
}

// read fails, with an error, or the database holds nothing but runs of want.
func read(name string, want map[tracedb.ID]*tracedb.Run) error {
	db, err := tracedb.Open(context.Background(), name, tracedb.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Each(context.Background(), tracedb.Filter{}, func(id tracedb.ID, r *tracedb.Run) error {
		if want[id] == nil || r.ID() != id {
			return errors.New("a wrong answer")
		}
		return nil
	})
}

// FuzzMerge: no file makes it panic or hang.
func FuzzMerge(f *testing.F) {
	dir := f.TempDir()
	var b bytes.Buffer
	w, err := tracedb.NewWriter(&b)
	if err != nil {
		f.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for range 3 {
		_ = w.Add(random(rng, 5))
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	db := open(f, filepath.Join(dir, "db"))
	f.Cleanup(func() { db.Close() })
	n := 0
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(dir, "file")
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := db.Merge(context.Background(), name)
		if n += m.New; err != nil && m.New > 0 {
			t.Errorf("%v, but %d runs were added", err, m.New)
		}
		if got := len(all(t, db)); got != n {
			t.Errorf("%d runs, want %d", got, n)
		}
	})
}
