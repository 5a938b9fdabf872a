package programs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Case is a module with one known bug, and its twin without it.
type Case struct {
	Name  string
	Dir   string // of the copy
	Fixed string // of the copy of the twin; "" if there is none
	Truth Truth
}

// Truth is what a case's author knows of its bug.
type Truth struct {
	Kind      string     `json:"kind"`
	Entry     string     `json:"entry"`       // "main" or the test
	Weak      bool       `json:"weak_memory"` // no sequentially consistent schedule fails
	Mechanism string     `json:"mechanism"`
	RootCause []TrueLine `json:"root_cause"`
	Sentence  string     `json:"sentence"` // what a Go developer should be told; "" if nobody wrote it
	Fix       string     `json:"fix"`

	// What a right fix touches; where none of them is known, RootCause is near it.
	Region       *TrueRegion `json:"region"`
	AtomicRegion *TrueRegion `json:"atomic_region"`
	Lines        []TrueLine  `json:"lines"` // any one of them counts
}

// TrueRegion are the lines that must be one region of a lock.
type TrueRegion struct {
	File string `json:"file"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// TrueLine is a line that an explanation must name.
type TrueLine struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Or   []int  `json:"or"` // lines of the file that say as much
	What string `json:"what"`
}

// Cases is Copies, but each case must have a twin.
func Cases(folder, only, dir string) ([]Case, error) {
	all, err := Copies(folder, only, dir)
	for _, c := range all {
		if c.Fixed == "" {
			return nil, fmt.Errorf("case %s of %s has no folder fixed", c.Name, folder)
		}
	}
	return all, err
}

// Copies is Modules of those folders that have a truth.json.
func Copies(folder, only, dir string) ([]Case, error) {
	return copies(folder, only, dir, "truth.json")
}

// Modules copies the modules in the folders below folder to dir, with what is known of
// them if they have a truth.json; only those that are named, separated by commas, unless
// only is empty.
func Modules(folder, only, dir string) ([]Case, error) { return copies(folder, only, dir, "go.mod") }

func copies(folder, only, dir, with string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", with))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no folder with a file %s", folder, with)
	}
	var all []Case
	for _, file := range files {
		c := Case{Name: filepath.Base(filepath.Dir(file))}
		if only != "" && !slices.Contains(strings.Split(only, ","), c.Name) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(filepath.Dir(file), "truth.json"))
		if err == nil {
			err = json.Unmarshal(data, &c.Truth)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		c.Dir, c.Fixed = filepath.Join(dir, c.Name), filepath.Join(dir, c.Name+"-fixed")
		if err := os.CopyFS(c.Dir, os.DirFS(filepath.Dir(file))); err != nil {
			return nil, err
		}
		// The twin is a module of its own.
		err = os.Rename(filepath.Join(c.Dir, "fixed"), c.Fixed)
		if errors.Is(err, fs.ErrNotExist) {
			c.Fixed = ""
		} else if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
