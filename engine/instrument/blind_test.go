package instrument

import (
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// What no hook sees is listed by the name of its package, whatever the file
// calls it; what hooks see is not.
func TestBlindCalls(t *testing.T) {
	for src, want := range map[string][]string{
		`import "os"; func f() { os.ReadFile("x"); os.Exit(1) }`:                                                      {"os.ReadFile"},
		`import "os"; func f(p []byte) { os.Stdin.Read(p); os.Stdout.Write(p) }`:                                      {"os.Stdin"},
		`import r "reflect"; func f(x any) { r.ValueOf(x); r.TypeOf(x) }`:                                             {"reflect.ValueOf"},
		`import "math/rand/v2"; var x = rand.IntN(3)`:                                                                 {"math/rand/v2.IntN"},
		`import . "os"; func f() { ReadFile("x") }`:                                                                   {"os"},
		`import "bytes"; var b bytes.Buffer; var i = bytes.IndexByte(nil, 1)`:                                         {"bytes.IndexByte"},
		`import "runtime"; func f() { runtime.Gosched(); runtime.NumGoroutine()}`:                                     {"runtime.NumGoroutine"},
		`import "runtime"; func f() { runtime.GOMAXPROCS(2); runtime.GC(); runtime.KeepAlive(1) }`:                    {"runtime.GC", "runtime.GOMAXPROCS"},
		`import "runtime/debug"; func f() { debug.SetMaxStack(1); debug.PrintStack() }`:                               {"runtime/debug.SetMaxStack"},
		`import "unsafe"; func f(p *int) (uintptr, uintptr) { return uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p) }`: {"unsafe.Pointer"},
		`import ("iter"; "hash/crc32"; "math/big"); func f(s iter.Seq[int]) { iter.Pull(s); crc32.ChecksumIEEE(nil); big.NewInt(1) }`: {
			"hash/crc32.ChecksumIEEE", "iter.Pull", "math/big.NewInt"},
		"import \"unicode/utf8\"; func f(b []byte) { utf8.Valid(b); utf8.ValidString(\"\") }":                 {"unicode/utf8.Valid"},
		"import _ \"unsafe\"\n//go:linkname now runtime.nanotime\nfunc now() int64\n//go:norace\nfunc f() {}": {"go:linkname", "go:norace"},
		"// see //go:linkname\nfunc f() {}": nil,
		`func f(s []int) { clear(s) }`:      {"clear"},
		`import ("fmt"; "sync"; "errors"; "strings"); func f(mu *sync.Mutex) { fmt.Sprint(strings.Fields("a")); errors.New("") }`: nil,
		`type os struct{ ReadFile int }; func f(os os) int { return os.ReadFile }`:                                                nil,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package p; "+src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		got := blindCalls(f)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}
