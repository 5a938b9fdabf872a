package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hocket-dev/hocket/engine"
)

const (
	maxFolders = 10_000 // read in a search for modules
	maxModules = 100    // watched because they lie in a workspace folder
)

// modulesIn finds the modules of a workspace folder: the one that it lies in,
// those below it, nearest first, and those that its go.work names. cut says why
// some may be missing. Links are not followed.
func modulesIn(ctx context.Context, folder string) (roots []string, cut string) {
	add := func(root string) {
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	if root, ok := engine.FindModule(folder); ok {
		add(root)
	}
	for _, root := range workModules(folder) {
		add(root)
	}
	queue := []string{folder}
	for read := 0; len(queue) > 0 && ctx.Err() == nil; read++ {
		switch {
		case read == maxFolders:
			return roots, fmt.Sprintf("more than %d folders", maxFolders)
		case len(roots) >= maxModules:
			return roots, fmt.Sprintf("more than %d modules", maxModules)
		}
		dir := queue[0]
		queue = queue[1:]
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // what can't be read has no module that could be shown
		}
		for _, e := range entries {
			switch {
			case e.Name() == "go.mod" && e.Type().IsRegular():
				if root, ok := engine.FindModule(dir); ok && root == dir {
					add(dir)
				}
			case e.IsDir() && !skipped(e.Name()):
				queue = append(queue, filepath.Join(dir, e.Name()))
			}
		}
	}
	return roots, ""
}

func skipped(name string) bool {
	return name == "node_modules" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// workModules are the modules that a folder's go.work uses, if it has one.
func workModules(folder string) (roots []string) {
	name := filepath.Join(folder, "go.work")
	st, err := os.Stat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 1<<20 {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return nil // the go command says what is wrong with it
	}
	for _, u := range work.Use {
		dir := filepath.FromSlash(u.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(folder, dir)
		}
		if root, ok := engine.FindModule(dir); ok && root == filepath.Clean(dir) {
			roots = append(roots, root)
		}
	}
	return roots
}
