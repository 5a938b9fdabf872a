// Package papers has the programs with which the papers on failing and passing
// schedules measure, written in Go as the DOSSIER describes their mechanisms, with
// as many threads and the small inputs of the originals: those of Table II of
// Machado, Quinta, Lucia and Rodrigues, "Concurrency debugging with differential
// schedule projections" (Symbiosis, TOSEM 2016), and those of Tables 3 and 4 of
// Machado, Lucia and Rodrigues, "Production-guided concurrency debugging" (Cortex,
// PPoPP 2016). Each has a twin with the bug fixed.
//
// What the original leaves unlocked is unlocked here too, so that programs with
// plain shared variables also race; the failure that counts is the assertion's.
package papers

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
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
	Goroutines int    // the main one included, as in the papers' Tables 1
	Attempts   *Attempts
}

// Attempts is how many schedules were tried until the failure in the original
// program: Cortex §6.3, Table 3, which does not have all programs.
type Attempts struct{ Cortex, MCR, ICBDPOR int }

// names are in the order of the tables' lines: Cortex first.
var names = []string{
	"account", "critical", "exmcr", "pingpong", "piper", "airline", "garage", "bubblesort", "manager",
	"loader", "stringbuf", "ticketorder", "bufwriter", "pool", "cache4j",
	"crasher", "bbuf", "pfscan", "pbzip2", "twostage",
}

// Programs writes the programs out to dir, two modules each. A program with several
// sizes is several programs, "cache4j-s" and so on. With only not empty: those that
// it names, by commas.
func Programs(dir, only string) ([]Program, error) {
	var all []Program
	for _, name := range names {
		list, err := unpack(name, dir, func(name string) bool {
			return only == "" || slices.Contains(strings.Split(only, ","), name)
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, list...)
	}
	return all, nil
}

// head is what the lines "key: value" at the head of a program say.
type head struct {
	Program
	sizes map[string]int // by suffix of the name; nil if there is only one
}

func unpack(name, dir string, wanted func(string) bool) (all []Program, err error) {
	data, err := files.ReadFile(path.Join("programs", name+".txtar"))
	if err != nil {
		return nil, err
	}
	ar := txtar.Parse(data)
	h, err := describe(string(ar.Comment))
	if err != nil {
		return nil, err
	}
	if h.sizes == nil {
		h.sizes = map[string]int{"": 0}
	}
	for _, suffix := range slices.SortedFunc(maps.Keys(h.sizes), func(a, b string) int { return h.sizes[a] - h.sizes[b] }) {
		p, files := h.Program, ar.Files
		p.Name = name
		if suffix != "" {
			p.Name += "-" + suffix
			size := fmt.Sprintf("package %s\n\nconst size = %d\n", name, h.sizes[suffix])
			files = append(slices.Clone(files), txtar.File{Name: "size.go", Data: []byte(size)})
		}
		if !wanted(p.Name) {
			continue
		}
		p.Dir, p.Fixed = filepath.Join(dir, p.Name), filepath.Join(dir, p.Name+"-fixed")
		for side, to := range map[string]string{"buggy": p.Dir, "fixed": p.Fixed} {
			if err := write(to, name, side, files); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	return all, nil
}

func describe(comment string) (h head, err error) {
	for line := range strings.Lines(comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "entry":
			h.Entry = value
		case "goroutines":
			_, err = fmt.Sscan(value, &h.Goroutines)
		case "attempts":
			h.Attempts = &Attempts{}
			_, err = fmt.Sscanf(value, "cortex %d, mcr %d, icb-dpor %d", &h.Attempts.Cortex, &h.Attempts.MCR, &h.Attempts.ICBDPOR)
		case "sizes":
			h.sizes = map[string]int{}
			for one := range strings.SplitSeq(value, ", ") {
				name, n, _ := strings.Cut(one, " ")
				if h.sizes[name], err = strconv.Atoi(n); err != nil {
					break
				}
			}
		}
		if err != nil {
			return h, fmt.Errorf("%s: %w", key, err)
		}
	}
	if h.Entry == "" || h.Goroutines == 0 {
		return h, errors.New("its head lacks the entry or the number of goroutines")
	}
	return h, nil
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
