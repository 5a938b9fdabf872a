package main

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
)

func TestAnnotate(t *testing.T) {
	t.Setenv("GITHUB_WORKSPACE", "/checkout")
	found := []*report.Finding{
		{ID: "1", Entry: "TestX", Kind: "panic", Message: "panic: 100%", Class: "order-violation", Failure: report.Place{File: "a,b.go", Line: 3}, Sentence: "A, then B."},
		{ID: "2", Entry: "TestX", SameAs: "1"},
		{ID: "3", Entry: "TestY/a:b", Kind: "leak", Message: "leak", TimeDependent: &report.TimeDependent{}},
	}
	var out strings.Builder
	if err := annotate(&out, found, func(name string) (string, bool) { return "/checkout/sub/" + name, name != "" }); err != nil {
		t.Fatal(err)
	}
	want := "::error file=sub/a%2Cb.go,line=3,title=hocket%3A TestX::panic: 100%25 (a,b.go:3), order violation%0AA, then B.\n" +
		"::notice title=hocket%3A TestY/a%3Ab::leak\n"
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}
