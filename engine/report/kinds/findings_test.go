package kinds_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report/kinds"
)

var update = flag.Bool("update", false, "write the generated part of docs/findings.md")

const (
	begin = "<!-- generated from engine/report/kinds by go test -update: begin -->\n"
	end   = "<!-- generated from engine/report/kinds: end -->\n"
	file  = "../../../docs/findings.md"
)

// TestFindingsMD: the users' page says what the registry says.
func TestFindingsMD(t *testing.T) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the line %q or %q", file, begin, end)
	}
	want := head + begin + generated() + end + tail
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(data) {
		t.Errorf("%s is stale; run: go test ./engine/report/kinds -run FindingsMD -update", file)
	}
	for _, d := range kinds.All() {
		page, anchor, _ := strings.Cut(kinds.URL(d.ID), "#")
		if !strings.HasSuffix(page, "/docs/findings.md") || strings.Count(want, "\n### "+anchor+"\n") != 1 {
			t.Errorf("%s leads nowhere", kinds.URL(d.ID))
		}
	}
}

func generated() string {
	var b strings.Builder
	b.WriteString("\n| kind | means |\n|---|---|\n")
	for _, d := range kinds.All() {
		if d.Kind {
			fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", d.ID, d.ID, d.Title)
		}
	}
	b.WriteString("\n| class | means | usual fix |\n|---|---|---|\n")
	for _, d := range kinds.All() {
		if d.Class {
			fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", d.ID, d.ID, d.Title, d.FirstFix())
		}
	}
	for _, d := range kinds.All() {
		b.WriteString("\n" + d.Markdown(3))
	}
	b.WriteString("\n")
	return b.String()
}
