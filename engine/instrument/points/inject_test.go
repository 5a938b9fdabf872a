package points

import (
	"cmp"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/trace"
)

var update = flag.Bool("update", false, "write the outputs of testdata/*.txtar anew")

var ops = map[string]trace.Op{"": trace.OpNone, "lock": trace.OpLock, "unlock": trace.OpUnlock, "send": trace.OpSend,
	"recv": trace.OpRecv, "close": trace.OpClose, "load": trace.OpAtomicLoad, "add": trace.OpAtomicRMW, "store": trace.OpAtomicStore,
	"read": trace.OpRead, "write": trace.OpWrite, "spawn": trace.OpSpawn, "select": trace.OpSelect}

// placesOf reads the marks of a source: a comment "//@ KIND [OP] [case=N]
// [nth=N] [call=F]
// [func=F]; ..." puts places on its line, numbered in order.
func placesOf(t *testing.T, name, src string) []Place {
	var places []Place
	for i, line := range strings.Split(src, "\n") {
		_, marks, ok := strings.Cut(line, "//@")
		if !ok {
			continue
		}
		for mark := range strings.SplitSeq(marks, ";") {
			words := strings.Fields(mark)
			pl := Place{ID: len(places) + 1, Kind: Kind(words[0]), File: name, Line: i + 1}
			for _, w := range words[1:] {
				if v, ok := strings.CutPrefix(w, "case="); ok {
					pl.Case, _ = strconv.Atoi(v)
				} else if v, ok := strings.CutPrefix(w, "call="); ok {
					pl.Call = v
				} else if v, ok := strings.CutPrefix(w, "nth="); ok {
					pl.Nth, _ = strconv.Atoi(v)
				} else if v, ok := strings.CutPrefix(w, "func="); ok {
					pl.Func = v
				} else if op, ok := ops[w]; ok {
					pl.Op = op
				} else {
					t.Fatalf("line %d: bad mark %q", i+1, w)
				}
			}
			places = append(places, pl)
		}
	}
	return places
}

// Each testdata/*.txtar has in.go with marks and out.go, the edited source.
func TestInject(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no testdata")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := ar.Files[0]
			out, skipped, err := Inject("/src/in.go", in.Data, placesOf(t, "/src/in.go", string(in.Data)))
			if err != nil {
				t.Fatal(err)
			}
			got := string(out)
			for _, s := range skipped {
				got += "// skipped " + s.String() + "\n"
			}
			if *update {
				ar.Files = []txtar.File{in, {Name: "out.go", Data: []byte(got)}}
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var want string
			if len(ar.Files) > 1 {
				want = string(ar.Files[1].Data)
			}
			if d := gocmp.Diff(want, got); d != "" {
				t.Errorf("%s: run with -update and review (-want +got):\n%s", cmp.Or(file), d)
			}
			if _, err := format.Source(out); err != nil {
				t.Error(err)
			}
		})
	}
}
