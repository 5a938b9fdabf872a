package target

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lines renders an outline for comparison: "kind name line:column-end".
func lines(fs []Func) string {
	var out []string
	for _, f := range fs {
		out = append(out, fmt.Sprintf("%s %s %d:%d-%d", f.Kind, f.Name, f.Line, f.Column, f.EndLine))
	}
	return strings.Join(out, "\n")
}

func TestOutline(t *testing.T) {
	for _, c := range []struct{ name, file, src, want string }{
		{"tests", "a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n}\n\nfunc FuzzB(f *testing.F) {}\nfunc Test(t *testing.T) {}\nfunc Test_c(*testing.T) {}\nfunc TestÄ(t *testing.T) {}\n",
			"test TestA 5:1-6\nfuzz FuzzB 8:1-8\ntest Test 9:1-9\ntest Test_c 10:1-10\ntest TestÄ 11:1-11"},
		{"no tests", "a_test.go", "package a\nimport \"testing\"\nfunc Testable(t *testing.T) {}\nfunc TestMain(m *testing.M) {}\nfunc BenchmarkA(b *testing.B) {}\nfunc TestB(t *testing.T, x int) {}\nfunc TestC(a, b *testing.T) {}\nfunc TestD[T any](t *testing.T) {}\nfunc TestE(t testing.T) {}\nfunc TestF(t *testing.B) {}\nfunc TestG(t *testing.T) int { return 1 }\nfunc (x T) TestH(t *testing.T) {}\nfunc FuzzA(t *testing.T) {}\nfunc TestI() {}\n", ""},
		{"import alias", "a_test.go", "package a\nimport check \"testing\"\nfunc TestA(t *check.T) {}\n", "test TestA 3:1-3"},
		{"dot import", "a_test.go", "package a\nimport . \"testing\"\nfunc TestA(t *T) {}\n", "test TestA 3:1-3"},
		{"examples", "a_test.go", "package a\nfunc ExampleA() {\n\tprintln()\n\t// Output:\n}\nfunc ExampleB() {\n\t// unordered output: x\n}\nfunc ExampleC() { println() }\nfunc Example() {\n\t// Output: y\n}\nfunc Examplexyz() {\n\t// Output: y\n}\nfunc ExampleP(x int) {\n\t// Output: y\n}\n",
			"example ExampleA 2:1-5\nexample ExampleB 6:1-8\nexample Example 10:1-12"},
		{"main", "a.go", "package main\n\nfunc main() {\n}\nfunc TestA(t *testing.T) {}\n", "main main 3:1-4"},
		{"main elsewhere", "a.go", "package a\nfunc main() {}\n", ""},
		{"not main", "a.go", "package main\nfunc main(x int) {}\nfunc (t T) main() {}\n", ""},
		{"main in a test file", "a_test.go", "package main\nfunc main() {}\nfunc TestA(t *testing.T) {}\n", "test TestA 3:1-3"},
		{"external test package, build tags", "a_linux_test.go", "//go:build ignore || special\n\npackage a_test\nfunc TestA(t *testing.T) {}\n", "test TestA 4:1-4"},
		{"files that go ignores", "_a_test.go", "package a\nfunc TestA(t *testing.T) {}\n", ""},
		{"hidden file", "/x/.a_test.go", "package a\nfunc TestA(t *testing.T) {}\n", ""},
		{"not Go", "a_test.txt", "package a\nfunc TestA(t *testing.T) {}\n", ""},
		{"line directives", "a_test.go", "package a\n//line other.y:100\nfunc TestA(t *testing.T) {\n}\n", "test TestA 3:1-4"},
		{"carriage returns", "a_test.go", "package a\r\n\r\nfunc TestA(t *testing.T) {\r\n}\r\n", "test TestA 3:1-4"},
		{"empty", "a_test.go", "", ""},
		{"nothing but a clause", "a.go", "package main", ""},

		{"statement being typed", "a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tx := \n}\n\nfunc TestB(t *testing.T) {\n}\n",
			"test TestA 3:1-5\ntest TestB 7:1-8"},
		{"many errors", "a_test.go", "package a\nfunc TestA(t *testing.T) {\n" + strings.Repeat("\t) x (\n", 30) + "}\nfunc TestB(t *testing.T) {}\n",
			"test TestA 2:1-33\ntest TestB 34:1-34"},
		{"missing brace hides nothing", "a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tif x {\n}\n\nfunc TestB(t *testing.T) {\n}\n\nfunc ExampleC() {\n\t// Output: 1\n}\n",
			"test TestA 3:1-5\ntest TestB 7:1-8\nexample ExampleC 10:1-12"},
		{"text is no code", "a_test.go", "package a\nvar s = `\nfunc TestNo(t *testing.T) {}\n`\n/*\nfunc TestNo2(t *testing.T) {}\n*/\nfunc TestA(t *testing.T) {\n\tif {\n}\nfunc TestB(t *testing.T) {}\n",
			"test TestA 8:1-10\ntest TestB 11:1-11"},
		{"no clause yet", "a_test.go", "func TestA(t *testing.T) {}\n", "test TestA 1:1-1"},
		{"signature being typed", "a_test.go", "package a\nfunc TestA(t *testing.T\n\nfunc TestB(t *testing.T) {}\n", "test TestA 2:1-2\ntest TestB 4:1-4"},
		{"raw string being typed", "a_test.go", "package a\nfunc TestA(t *testing.T) {\n\tx := `\n}\n\nfunc TestB(t *testing.T) {}\n", "test TestA 2:1-4\ntest TestB 6:1-6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lines(Outline(c.file, []byte(c.src)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzOutline: any text at all; entries lie in it and are what they say.
func FuzzOutline(f *testing.F) {
	f.Add("a_test.go", "package a\nfunc TestA(t *testing.T) {\n\tif x {\n}\nfunc ExampleB() {\n\t// Output: 1\n}\n")
	f.Add("a.go", "package main\nfunc main() {}\n")
	f.Add("a_test.go", "\xef\xbb\xbfpackage a\n\x00func Test(*T)\r\n//line x:9\nfunc Fuzz(*F)")
	f.Fuzz(func(t *testing.T, name, src string) {
		all := strings.Split(src, "\n")
		last := 0
		for _, fn := range Outline(name, []byte(src)) {
			if fn.Line < 1 || fn.EndLine < fn.Line || fn.EndLine > len(all) || fn.Line < last || fn.Column < 1 {
				t.Fatalf("%+v in %d lines", fn, len(all))
			}
			last = fn.Line
			if !strings.HasPrefix(all[fn.Line-1][fn.Column-1:], "func") {
				t.Fatalf("%+v: no function in %q", fn, all[fn.Line-1])
			}
		}
	})
}
