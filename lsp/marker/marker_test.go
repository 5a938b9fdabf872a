package marker

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write golden texts from what is seen")

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == fakeName {
		os.Exit(fake(os.Args[2], os.Args[3:]))
	}
	flag.Parse()
	goleak.VerifyTestMain(m)
}

func TestMarkers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // nobody's stores but the archive's
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { run(t, readArchive(t, file)) })
	}
}

func run(t *testing.T, a *archive) {
	s := start(t, a)
	s.markers()
	todo, err := steps(a.script)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range todo {
		if err := s.step(c); err != nil {
			t.Fatalf("%s: %s: %v\n%s", c.where, c.name, err, s.c.Transcript())
		}
	}
	s.c.Shutdown()
	if s.updated {
		a.save(t)
	}
}

// markers checks what is marked in the sources, and that nothing else is shown.
func (s *session) markers() {
	s.t.Helper()
	var all []call
	for _, name := range sortedKeys(s.a.files) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		cs, err := markers(name, s.a.files[name])
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, cs...)
	}
	s.want = map[string]bool{}
	kinds := map[string]bool{}
	for _, c := range all {
		kinds[c.name] = true
		if err := s.expect(c, c.file, c.line, c.args); err != nil {
			s.t.Fatalf("%s: %s: %v", c.where, c.name, err)
		}
	}
	if kinds["diag"] && !s.a.options["extra"] {
		s.allMarked()
	}
	if kinds["lens"] {
		s.allLensesMarked()
	}
}

func (s *session) allMarked() {
	s.t.Helper()
	for name, p := range s.published() {
		for i, d := range p.Diagnostics {
			if !s.want[fmt.Sprint("diag ", name, i)] {
				s.t.Errorf("%s:%d: not marked: %q: %s", name, d.Range.Start.Line+1, s.cut(name, d.Range), d.Message)
			}
		}
	}
}

func (s *session) allLensesMarked() {
	s.t.Helper()
	for name := range s.version {
		got, err := s.lensesOf(name)
		if err != nil {
			s.t.Fatal(err)
		}
		for line, titles := range got {
			if !s.want[fmt.Sprint("lens ", name, line)] {
				s.t.Errorf("%s:%d: lenses not marked: %q", name, line, titles)
			}
		}
	}
}

// limit of waiting for what is expected.
const limit = 20 * time.Second

// eventually tries until there is no error.
func (s *session) eventually(try func() error) error {
	end := time.Now().Add(limit)
	for {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
		time.Sleep(5 * time.Millisecond) // between looks, not instead of one
	}
}

// expect is an expectation about a place; line is 0 in scripts.
func (s *session) expect(c call, name string, line int, args []string) error {
	if l, ok := c.named["line"]; ok {
		n, err := strconv.Atoi(l)
		if err != nil {
			return err
		}
		line = n
	}
	if c.name == "lens" {
		return s.eventually(func() error { return s.lens(name, line, args) })
	}
	if len(args) == 0 {
		return errors.New("no text")
	}
	text, args := args[0], args[1:]
	if c.name == "diag" {
		return s.eventually(func() error { return s.diag(c, name, text, line) })
	}
	at, err := s.find(name, text, line)
	if err != nil {
		return err
	}
	switch c.name {
	case "hover":
		return s.eventually(func() error { return s.hoverIs(name, at, args) })
	case "nohover":
		return s.eventually(func() error {
			if got, _ := s.hover(name, at); got != "" {
				return fmt.Errorf("shows %s", got)
			}
			return nil
		})
	case "action", "breakaction":
		kind := "quickfix"
		if c.name == "breakaction" {
			kind = "refactor.hocket.break"
		}
		return s.eventually(func() error {
			if got := s.actions(name, at, kind); !slices.Equal(got, args) {
				return fmt.Errorf("actions are %q", got)
			}
			return nil
		})
	}
	return fmt.Errorf("there is no %s", c.name)
}

func (s *session) hoverIs(name string, at position, args []string) error {
	got, r := s.hover(name, at)
	if got == "" || r == nil || r.Start.Line != at.Line {
		return fmt.Errorf("hover is %q at %v", got, r)
	}
	for _, want := range args {
		if strings.HasPrefix(want, "@") {
			if err := s.golden(want, got); err != nil {
				return err
			}
		} else if !regexp.MustCompile(want).MatchString(got) {
			return fmt.Errorf("hover is\n%s\nwant %s", got, want)
		}
	}
	return nil
}

// golden compares with a file of the archive. Paths of this machine and the
// end of the text are made equal.
func (s *session) golden(name, got string) error {
	got = strings.ReplaceAll(strings.TrimRight(got, "\n")+"\n", "file://"+filepath.ToSlash(s.root), "$W")
	if *update {
		s.updated, s.a.goldens[name] = true, got
		return nil
	}
	want, ok := s.a.goldens[name]
	if !ok {
		return fmt.Errorf("no file %s; -update makes it", name)
	}
	if d := cmp.Diff(want, got); d != "" {
		return fmt.Errorf("is not %s (-want +got):\n%s", name, d)
	}
	return nil
}

// step does a line of the script.
func (s *session) step(c call) error {
	if do, ok := breakActions[c.name]; ok {
		if len(c.args) != do.args {
			return fmt.Errorf("takes %d arguments", do.args)
		}
		return do.f(s, c)
	}
	if do, ok := actions[c.name]; ok {
		if len(c.args) != do.args {
			return fmt.Errorf("takes %d arguments", do.args)
		}
		return do.f(s, c)
	}
	if c.name == "choices" && len(c.args) > 2 {
		return s.eventually(func() error { return s.choices(c) })
	}
	if len(c.args) == 0 {
		return errors.New("no file")
	}
	name, args, line := c.args[0], c.args[1:], 0
	if c.name == "lens" {
		if len(args) == 0 {
			return errors.New("no text")
		}
		at, err := s.find(name, args[0], 0)
		if err != nil {
			return err
		}
		args, line = args[1:], at.Line+1
	}
	return s.expect(c, name, line, args)
}

type action struct {
	args int
	f    func(s *session, c call) error
}

var actions = map[string]action{
	"nodiag": {1, func(s *session, c call) error {
		return s.eventually(func() error { return s.nodiag(c.args[0]) })
	}},
	"nolens": {1, func(s *session, c call) error {
		return s.eventually(func() error {
			if got, err := s.lensesOf(c.args[0]); err != nil || len(got) > 0 {
				return fmt.Errorf("lenses: %v %v", got, err)
			}
			return nil
		})
	}},
	"diags": {1, func(s *session, c call) error {
		return s.eventually(func() error {
			got, err := s.dump()
			if err != nil {
				return err
			}
			return s.golden(c.args[0], got)
		})
	}},
	"debug": {1, func(s *session, c call) error { return s.debug(c.args[0]) }},
	"state": {2, func(s *session, c call) error {
		return s.eventually(func() error {
			got := ""
			for _, f := range s.list() {
				if f.ID == c.args[0] {
					got = f.State
				}
			}
			if got != c.args[1] {
				return fmt.Errorf("is %q", got)
			}
			return nil
		})
	}},
	"list": {1, func(s *session, c call) error {
		return s.eventually(func() error {
			var b strings.Builder
			for _, f := range s.list() {
				where := "-"
				if f.Location != nil {
					where = fmt.Sprintf("%s:%d", s.name(f.Location.URI), f.Location.Range.Start.Line+1)
				}
				fmt.Fprintf(&b, "%s %s %s %d/%d %s\n", f.ID, f.State, where, f.Replay.Failed, f.Replay.Runs, f.Headline)
			}
			return s.golden(c.args[0], b.String())
		})
	}},
	"edit":    {3, func(s *session, c call) error { return s.edit(c.args[0], c.args[1], c.args[2], false) }},
	"replace": {3, func(s *session, c call) error { return s.edit(c.args[0], c.args[1], c.args[2], true) }},
	"open":    {1, func(s *session, c call) error { s.open(c.args[0]); return nil }},
	"close":   {1, (*session).close},
	"save":    {1, (*session).save},
	"write":   {3, func(s *session, c call) error { return s.write(c.args[0], c.args[1], c.args[2]) }},
	"touch":   {1, func(s *session, c call) error { s.touched(c.args[0], 2); return nil }},
	"remove": {1, func(s *session, c call) error {
		err := os.Remove(filepath.Join(s.root, filepath.FromSlash(c.args[0])))
		s.touched(c.args[0], 3)
		return err
	}},
	"put": {1, func(s *session, c call) error {
		r, err := s.a.record(c.args[0])
		if err == nil {
			s.a.put(s.t, s.root, r)
		}
		return err
	}},
	"drop": {1, func(s *session, c call) error {
		r, err := s.a.record(c.args[0])
		if err != nil {
			return err
		}
		return os.Remove(filepath.Join(s.root, filepath.FromSlash(r.dir), ".hocket", "findings", r.id+".json"))
	}},
	"replayed": {1, func(s *session, c call) error {
		r, err := s.a.record(c.args[0])
		if err != nil {
			return err
		}
		runs, err1 := strconv.Atoi(c.named["runs"])
		failed, err2 := strconv.Atoi(c.named["failed"])
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		return s.a.replayed(s.root, r, decodeRecord(s.t, r), runs, failed, c.named["same"] == "true")
	}},
	"searched": {1, func(s *session, c call) error {
		r, err := s.a.record(c.args[0])
		if err != nil {
			return err
		}
		return s.a.searched(s.root, r, decodeRecord(s.t, r))
	}},
	"settings": {1, func(s *session, c call) error {
		s.settings = []byte(c.args[0])
		s.c.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
		return nil
	}},
}

// close throws away what was not saved.
func (s *session) close(c call) error {
	name := c.args[0]
	delete(s.version, name)
	s.c.Close(s.uri(name))
	data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	s.text[name] = string(data)
	return err
}

func (s *session) save(c call) error {
	name := c.args[0]
	err := os.WriteFile(filepath.Join(s.root, filepath.FromSlash(name)), []byte(s.text[name]), 0o666)
	s.c.Save(s.uri(name))
	return err
}
