// Package cortex has the programs of Table 3 of Machado, Lucia and Rodrigues,
// "Production-guided concurrency debugging" (Cortex, PPoPP 2016), written in Go
// as the DOSSIER describes their mechanisms, with as many threads and the small
// inputs of the originals. Each has a twin with the bug fixed.
//
// What the original leaves unlocked is unlocked here too, so that programs with
// plain shared variables also race; the failure that counts is the assertion's.
package cortex

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed programs
var files embed.FS

// Program is one program, written out.
type Program struct {
	Name       string
	Dir        string // module with the bug
	Fixed      string // module without it
	Entry      string // test that fails under some schedules
	Goroutines int    // the main one included, as in Table 1
	Paper      Paper
}

// Paper is how many schedules were tried until the failure in the original
// program: Cortex §6.3, Table 3.
type Paper struct{ Cortex, MCR, ICBDPOR int }

// Programs writes the programs out to dir, two modules each, in the order of the
// table's lines. With only not empty: those that it names, by commas.
func Programs(dir, only string) ([]Program, error) {
	var all []Program
	for _, name := range []string{"account", "exmcr", "pingpong", "airline", "bubblesort", "stringbuf", "pool"} {
		if only != "" && !named(only, name) {
			continue
		}
		p, err := unpack(name, dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, *p)
	}
	return all, nil
}

func named(list, name string) bool {
	for n := range strings.SplitSeq(list, ",") {
		if n == name {
			return true
		}
	}
	return false
}

func unpack(name, dir string) (*Program, error) {
	data, err := files.ReadFile(path.Join("programs", name+".txtar"))
	if err != nil {
		return nil, err
	}
	ar := txtar.Parse(data)
	p := &Program{Name: name, Dir: filepath.Join(dir, name), Fixed: filepath.Join(dir, name+"-fixed")}
	if err := p.describe(string(ar.Comment)); err != nil {
		return nil, err
	}
	for side, to := range map[string]string{"buggy": p.Dir, "fixed": p.Fixed} {
		if err := write(to, name, side, ar.Files); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// describe reads the lines "key: value" at the head of a program.
func (p *Program) describe(comment string) error {
	n := 0
	for line := range strings.Lines(comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var err error
		switch key {
		case "entry":
			p.Entry = value
		case "goroutines":
			_, err = fmt.Sscan(value, &p.Goroutines)
		case "attempts":
			_, err = fmt.Sscanf(value, "cortex %d, mcr %d, icb-dpor %d", &p.Paper.Cortex, &p.Paper.MCR, &p.Paper.ICBDPOR)
		default:
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		n++
	}
	if n != 3 {
		return fmt.Errorf("its head has %d of entry, goroutines and attempts", n)
	}
	return nil
}

// write makes the module of one side: its own files and those of both.
func write(dir, name, side string, all []txtar.File) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mod := "module example.com/" + name + "\n\ngo 1.26\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
		return err
	}
	for _, f := range all {
		of, rest, ok := strings.Cut(f.Name, "/")
		switch {
		case !ok:
			rest = f.Name
		case of != side:
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, rest), f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
