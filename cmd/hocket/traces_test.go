package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hocket-dev/hocket/engine/tracedb"
)

// runsfile NAME MACHINE N writes a file with N runs from a machine: all different,
// each fifth of them failed.
func runsfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: runsfile NAME MACHINE N")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	w, err := tracedb.NewWriter(f)
	ts.Check(err)
	p := &tracedb.Program{Package: "example.com/t", Entry: "TestX", Mode: "paths", Content: "0123456789abcdef", Go: "go1.26.8", OS: "linux", Arch: "amd64",
		Sites: []tracedb.Site{{Func: "work", Line: "t.go:7"}, {Func: "work", Index: 1, Line: "t.go:9"}}}
	for i := range n {
		r := &tracedb.Run{Program: p, Machine: args[1], Time: time.Unix(1_700_000_000+int64(i), 0), Seed: uint64(i), Outcome: tracedb.Passed,
			Threads: []tracedb.Thread{{Name: "0", Tokens: []uint64{1}}, {Name: "0.1", Site: "t.go:20", Tokens: []uint64{1, uint64(2 + i%2)}}}}
		if i%5 == 4 {
			r.Outcome, r.Failure = "failed", fmt.Sprint("panic: ", i)
		}
		ts.Check(w.Add(r))
	}
	ts.Check(w.Close())
	ts.Check(f.Close())
}

// damage NAME OFFSET flips a bit of a file; a negative offset counts from the end.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage NAME OFFSET")
	}
	name := ts.MkAbs(args[0])
	text, err := os.ReadFile(name)
	ts.Check(err)
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	if at < 0 {
		at += len(text)
	}
	text[at] ^= 4
	ts.Check(os.WriteFile(name, text, 0o666))
}

// cutfile NAME N drops the last N bytes of a file.
func cutfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cutfile NAME N")
	}
	name := ts.MkAbs(args[0])
	st, err := os.Stat(name)
	ts.Check(err)
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(name, st.Size()-n))
}
