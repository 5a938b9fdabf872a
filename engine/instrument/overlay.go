package instrument

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/internal/atomicfile"
)

const overlayTag = "//go:build hocket_overlay\n"

// overlayFiles returns the files of a controlled build that differ from the Go
// distribution at goroot, by path below GOROOT/src. An empty content removes
// the file.
func overlayFiles(goroot string) (map[string][]byte, error) {
	out := map[string][]byte{}
	src := func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(name)))
	}
	for name, apply := range runtimeEdits() {
		text, err := src(name)
		if err != nil {
			return nil, fmt.Errorf("this Go distribution lacks a file that control needs: %w", err)
		}
		e, err := newSourceEdit(name, text)
		if err != nil {
			return nil, err
		}
		apply(e)
		if out[name], err = e.bytes(); err != nil {
			return nil, fmt.Errorf("this Go version's runtime is not known to Hocket: %w", err)
		}
	}
	steps := []func(func(string) ([]byte, error), map[string][]byte) error{
		addOwnFiles, replaceRaceStubs, replaceClock, addAtomics, addTables,
	}
	for _, step := range steps {
		if err := step(src, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addOwnFiles adds engine/rt/overlay; its folder race is std's internal/race.
func addOwnFiles(_ func(string) ([]byte, error), out map[string][]byte) error {
	err := fs.WalkDir(rt.Overlay, "overlay", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := rt.Overlay.ReadFile(p)
		if err != nil {
			return err
		}
		text = bytes.Replace(text, []byte(overlayTag), nil, 1)
		name := strings.TrimPrefix(p, "overlay/")
		if dir, base := path.Split(name); dir == "race/" {
			name = "internal/race/" + base
		}
		out[name] = text
		return nil
	})
	out["internal/race/norace.go"] = nil
	// An assembly file allows declarations without a body.
	out["internal/race/hocket.s"] = []byte("// empty\n")
	out["internal/poll/hocket.s"] = []byte("// empty\n")
	out["testing/hocket.s"] = []byte("// empty\n")
	out["crypto/internal/sysrand/hocket.s"] = []byte("// empty\n")
	return err
}

// replaceRaceStubs removes the stubs of the race detector; ours must have the
// same functions.
func replaceRaceStubs(src func(string) ([]byte, error), out map[string][]byte) error {
	text, err := src("runtime/race0.go")
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for name, text := range out {
		if strings.HasPrefix(name, "runtime/hocket_") {
			for _, fd := range funcsOf(text) {
				have[fd.Name.Name] = true
			}
		}
	}
	for _, fd := range funcsOf(text) {
		if !have[fd.Name.Name] {
			return fmt.Errorf("runtime/race0.go of this Go version has a function that Hocket does not know: %s", fd.Name.Name)
		}
	}
	out["runtime/race0.go"] = nil
	return nil
}

func funcsOf(src []byte) []*ast.FuncDecl {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var out []*ast.FuncDecl
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			out = append(out, fd)
		}
	}
	return out
}

// replaceClock puts time.now behind the virtual clock where assembly
// implements it.
func replaceClock(src func(string) ([]byte, error), out map[string][]byte) error {
	asm, err := src("runtime/time_linux_amd64.s")
	if err != nil {
		return err
	}
	const sym = "TEXT time·now<ABIInternal>(SB)"
	if n := bytes.Count(asm, []byte(sym)); n != 1 {
		return fmt.Errorf("runtime/time_linux_amd64.s: %q occurs %d times, not once", sym, n)
	}
	out["runtime/time_linux_amd64.s"] = bytes.Replace(asm, []byte(sym), []byte("TEXT runtime·hkRealNow<ABIInternal>(SB)"), 1)
	out["runtime/timeasm.go"] = []byte(`//go:build !faketime && linux && amd64

package runtime

import _ "unsafe"

func hkRealNow() (sec int64, nsec int32, mono int64)

//go:linkname time_now time.now
func time_now() (sec int64, nsec int32, mono int64) {
	if faketime != 0 {
		n := hkNow()
		return n / 1e9, int32(n % 1e9), n
	}
	return hkRealNow()
}
`)
	return nil
}

// addTables gives the layout and operation constants to the packages that
// need them.
func addTables(_ func(string) ([]byte, error), out map[string][]byte) error {
	layout, err := prefixed(rt.RunFile, "runtime")
	if err != nil {
		return err
	}
	out["runtime/hocket_layout.go"] = layout
	ops := out["runtime/hocket_ops.go"]
	for _, pkg := range []string{"sync", "sync/atomic", "syscall"} {
		out[pkg+"/hocket_ops.go"] = bytes.Replace(ops, []byte("package runtime"), []byte("package "+path.Base(pkg)), 1)
	}
	return nil
}

// prefixed returns the constants of a source file as package pkg, each named
// hk<Name>.
func prefixed(text, pkg string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "runfile.go", text, 0)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, d := range f.Decls {
		if gd, ok := d.(*ast.GenDecl); ok && gd.Tok == token.CONST {
			for _, s := range gd.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					names[n.Name] = true
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && names[id.Name] {
			id.Name = "hk" + id.Name
		}
		return true
	})
	f.Name.Name = pkg
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// writeOverlay stores the files below dir and the overlay description that
// go build takes; it returns the description's path. Complete trees are reused.
func writeOverlay(dir, goroot string, files map[string][]byte) (string, error) {
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	h := sha256.New()
	for _, n := range names {
		fmt.Fprintf(h, "%s %d\n", n, len(files[n]))
		h.Write(files[n])
	}
	fmt.Fprintln(h, goroot)
	root := filepath.Join(dir, hex.EncodeToString(h.Sum(nil))[:16])
	desc := filepath.Join(root, "overlay.json")
	if _, err := os.Stat(desc); err == nil {
		return desc, nil
	}
	replace := map[string]string{}
	for _, n := range names {
		target := filepath.Join(goroot, "src", filepath.FromSlash(n))
		if files[n] == nil {
			replace[target] = ""
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return "", err
		}
		if err := atomicfile.WriteCache(file, files[n]); err != nil {
			return "", err
		}
		replace[target] = file
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", " ")
	if err != nil {
		return "", err
	}
	return desc, atomicfile.WriteCache(desc, text)
}
