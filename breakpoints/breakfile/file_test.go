package breakfile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	if root := os.Getenv("HOCKET_TEST_UPDATE"); root != "" {
		n, _ := strconv.Atoi(os.Getenv("HOCKET_TEST_N"))
		for i := range n {
			err := Update(root, func(f *File) error {
				f.Add(&Breakpoint{Kind: Conflict, Note: fmt.Sprint(os.Getpid(), "-", i)})
				return nil
			})
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func folder(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, Folder), 0o777); err != nil {
		t.Fatal(err)
	}
	return root
}

func write(t *testing.T, root, text string) {
	t.Helper()
	if err := os.WriteFile(Path(root), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func updater(root string, n int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOCKET_TEST_UPDATE="+root, "HOCKET_TEST_N="+strconv.Itoa(n))
	return cmd
}

func TestProcessesLoseNothing(t *testing.T) {
	root := folder(t)
	const processes, each = 4, 15
	var cmds []*exec.Cmd
	for range processes {
		cmd := updater(root, each)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	ids, notes := map[string]bool{}, map[string]bool{}
	for _, b := range f.Breakpoints {
		ids[b.ID], notes[b.Note] = true, true
	}
	if len(ids) != processes*each || len(notes) != processes*each {
		t.Errorf("%d ids and %d notes of %d breakpoints", len(ids), len(notes), processes*each)
	}
}

// TestKilled: killed at any moment, the file can be read, and written again.
func TestKilled(t *testing.T) {
	root := folder(t)
	had := 0
	for range 20 {
		cmd := updater(root, 1000000)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 200 { // until it has written something
			if f, err := Read(root); err != nil {
				t.Fatal(err)
			} else if len(f.Breakpoints) > had {
				break
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		f, err := Read(root)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Breakpoints) < had {
			t.Fatalf("%d breakpoints, there were %d", len(f.Breakpoints), had)
		}
		had = len(f.Breakpoints)
	}
	temporary := func() []string {
		left, _ := filepath.Glob(filepath.Join(root, Folder, ".tmp-*"))
		return left
	}
	for _, path := range temporary() { // as if they were killed a while ago
		old := time.Now().Add(-2 * staleTemp)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := Update(root, func(*File) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if left := temporary(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestWritable: where Update would fail, Writable tells why, with the file, the
// cause and what to do, and neither leaves anything.
func TestWritable(t *testing.T) {
	root := folder(t)
	if err := Writable(root); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Join(root, Folder)); err != nil || len(entries) > 1 { // the lock
		t.Errorf("left behind: %v, %v", entries, err)
	}
	for name, c := range map[string]struct {
		damage func(root string) error
		cause  string
	}{
		"no lock": {func(root string) error { return os.Mkdir(filepath.Join(root, Folder, lockName), 0o777) }, "is a directory"},
		"no module": {func(root string) error {
			if err := os.RemoveAll(root); err != nil {
				return err
			}
			return os.WriteFile(root, nil, 0o666)
		}, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			root := folder(t)
			if err := c.damage(root); err != nil {
				t.Fatal(err)
			}
			unwritable(t, Writable(root), root, c.cause)
			unwritable(t, Update(root, func(*File) error { t.Error("was called"); return nil }), root, c.cause)
		})
	}
	t.Run("damaged", func(t *testing.T) {
		root := folder(t)
		write(t, root, "{")
		_, want := Read(root)
		if err := Writable(root); err == nil || err.Error() != want.Error() {
			t.Errorf("error %v, want %v", err, want)
		}
	})
}

// unwritable asserts the error for a file that can't be written.
func unwritable(t *testing.T, err error, root, cause string) {
	t.Helper()
	want := fmt.Sprintf("breakpoints can't be kept in %s (%s); they belong to the module: make its folder writable, or copy the module to one that is", Path(root), cause)
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

const later = `{
  "version": 1,
  "breakpoints": [
    {
      "id": "b2",
      "kind": "race",
      "places": [
        {
          "file": "a.go",
          "line": 3,
          "column": 2,
          "func": "f",
          "text": "x < y && <-c",
          "colour": "red"
        }
      ],
      "schedule": {
        "finding": "f1",
        "message": "m",
        "kind": "panic",
        "plan": "p",
        "more": 1.0
      },
      "strength": {
        "of": [
          1,
          2
        ]
      }
    },
    {
      "id": "b10",
      "kind": "conflict",
      "places": null
    }
  ],
  "generator": "a later one"
}
`

func TestUnknownFieldsStay(t *testing.T) {
	root := folder(t)
	write(t, root, later)
	if err := Update(root, func(f *File) error { f.Add(&Breakpoint{Kind: Order}); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := Update(root, func(f *File) error {
		if !f.Remove("b11") {
			t.Error("b11 was not there")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(Path(root))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(later, "\"version\": 1,", "\"version\": 1,\n  \"used\": 11,", 1); string(got) != want {
		t.Errorf("the file became\n%s", got)
	}
}

// TestInTheWay: what stands where the file or its folder belongs is named, and
// left alone.
func TestInTheWay(t *testing.T) {
	for name, c := range map[string]struct {
		put  func(root string) error
		want string
	}{
		"a folder": {func(root string) error { return os.Mkdir(Path(root), 0o755) }, "breakpoints.json is not a file but a folder; move it away"},
		"a file as the folder": {func(root string) error {
			dir := filepath.Dir(Path(root))
			if err := os.Remove(dir); err != nil {
				return err
			}
			return os.WriteFile(dir, nil, 0o644)
		}, Folder + " is not a folder, and breakpoints are kept in a folder of that name; move it away"},
	} {
		t.Run(name, func(t *testing.T) {
			root := folder(t)
			if err := c.put(root); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(root); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}

func TestDamaged(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      ":1:1 is damaged: unexpected end",
		"{\n  \"version\": 1,\n  oops":          ":3:3 is damaged: invalid character 'o'",
		"[]":                                    ":1:1: the file is a list; it must be an object",
		"{}":                                    `has no "version"`,
		`{"version": 2}`:                        "of a newer hocket (format 2, this one reads 1); update hocket",
		`{"version": 1, "breakpoints": [null]}`: "breakpoint 1 of the list is null",
		"\xff\xfe{\x00}\x00":                    "is in UTF-16; save it as UTF-8",
		"{\"version\": 1,\n<<<<<<< HEAD\n=======\n>>>>>>> other\n}": "has conflict markers of a merge (<<<<<<<) at line 2: resolve the merge",
		"{\"version\": 1,\n\"breakpoints\": []\n>>>>>>> other\n}":   "(>>>>>>>) at line 3: resolve the merge",
		"{\"version\": 1,\n\"note\": \"<<<<<<< HEAD\", x}":          ":2:25 is damaged: invalid character 'x'",

		"{\"version\": 1,\n\"breakpoints\": [\n{\"id\": \"b1\"},\n{\"id\": \"b2\", \"order\": \"x\"}]}":                    `:4:23: "order" of b2 is a string; it must be a list; fix it`,
		"{\"version\": 1, \"breakpoints\": [\n{\"places\": [{\"file\": \"a.go\",\n  \"line\": \"34\"}], \"id\": \"b1\"}]}": `:3:11: "line" of b1 is a string; it must be a number; fix it`,
		"\ufeff{\"version\": \"1\"}":                                                         `:1:13: "version" is a string; it must be a number`,
		`{"version": 1, "breakpoints": [{"id": "b1", "order": [1, 2.5]}]}`:                   `:1:58: element 2 of "order" of b1 is 2.5; it must be a whole number`,
		`{"version": 1, "breakpoints": [{"id": 7, "off": "yes"}]}`:                           `:1:39: "id" of breakpoint 1 of the list is a number; it must be a string`,
		`{"version": 1, "breakpoints": [{}, "b2"]}`:                                          `:1:36: element 2 of "breakpoints" is a string; it must be an object`,
		`{"version": 1, "breakpoints": {}}`:                                                  `:1:31: "breakpoints" is an object; it must be a list`,
		`{"version": 1, "breakpoints": [{"id": "b1", "Off": "yes"}]}`:                        `:1:52: "Off" of b1 is a string; it must be a boolean`,
		`{"version": 1, "breakpoints": [{"id": "b1", "schedule": {"more": 1, "plan": []}}]}`: `:1:77: "plan" of b1 is a list; it must be a string`,
	} {
		root := folder(t)
		write(t, root, text)
		_, err := Read(root)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), Path(root)) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
		if err := Update(root, func(*File) error { t.Error("changed"); return nil }); err == nil {
			t.Errorf("%q is updated", text)
		}
		if got, _ := os.ReadFile(Path(root)); !bytes.Equal(got, []byte(text)) {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestMark: a byte order mark is no damage, and goes with the next change.
func TestMark(t *testing.T) {
	root := folder(t)
	write(t, root, "\ufeff"+later)
	if f, err := Read(root); err != nil || len(f.Breakpoints) != 2 {
		t.Fatalf("%v, %v", f, err)
	}
	if err := Update(root, func(*File) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(Path(root)); string(got) != later {
		t.Errorf("the file became %q", got)
	}
}

func TestNoFileIsNone(t *testing.T) {
	f, err := Read(t.TempDir())
	if err != nil || len(f.Breakpoints) != 0 {
		t.Errorf("%v, %v", f, err)
	}
}

// TestIDs: none is given twice, whatever is removed.
func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &File{Version: Version}
		given := map[string]bool{}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				b := &Breakpoint{}
				if f.Add(b); given[b.ID] {
					t.Fatalf("%s is given again", b.ID)
				}
				given[b.ID] = true
			},
			"remove": func(t *rapid.T) {
				if len(f.Breakpoints) == 0 {
					return
				}
				f.Remove(rapid.SampledFrom(f.Breakpoints).Draw(t, "breakpoint").ID)
			},
			"write and read": func(t *rapid.T) {
				data, err := format(f)
				if err == nil {
					f, err = decode(data, "f")
				}
				if err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}
