package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

func testCommand() *cobra.Command {
	var o engine.ReproductionOptions
	var dir string
	cmd := &cobra.Command{
		Use:   "test [-standalone] [-o DIR] ID",
		Short: "Print a Go test that reproduces a finding by concurrent breakpoints",
		Long: `Test prints a Go test file for the finding's package. Run with plain go test,
it fails as the finding says; on a fixed program it passes and says why.

With -o it writes the file, hocket_ID_test.go, into a folder. What such tests use is
then in a second file, hocket_lib_test.go, which serves all of them; printed, it
stands below the test.`,
		Args: oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ID, o.Split = args[0], dir != ""
			if dir != "" {
				if st, err := os.Stat(dir); err != nil || !st.IsDir() {
					return fmt.Errorf("-o %s: there is no such folder; name that of the finding's package", dir)
				}
			}
			p := newProgress(cmd.ErrOrStderr())
			t, err := engine.ReproductionTest(cmd.Context(), o, p.update)
			p.close()
			if err != nil {
				return interrupted(cmd.Context(), err)
			}
			if dir != "" {
				return writeTest(cmd.ErrOrStderr(), dir, t)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), t.Text)
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Standalone, "standalone", false, "a test that imports only the standard library")
	f.StringVar(&dir, "o", "", "write the test into this folder, with what it uses in a second file")
	return cmd
}

// writeTest writes the files of a test and says how to run it.
func writeTest(stderr io.Writer, dir string, t *engine.PrintedTest) error {
	files := map[string]string{t.File: t.Text}
	if t.LibraryFile != "" {
		files[t.LibraryFile] = t.Library
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return fmt.Errorf("write the test: %w; -o names another folder", err)
		}
	}
	if abs, err := filepath.Abs(dir); err == nil && !sameFolder(abs, t.Dir) {
		fmt.Fprintf(stderr, "hocket: wrote the test; it belongs into %s, the folder of its package\n", t.Dir)
		return nil
	}
	fmt.Fprintf(stderr, "hocket: wrote %s; run it by go test -run %s in that folder\n", filepath.Join(dir, t.File), t.Name)
	return nil
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
