package marker

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
)

// archive is a test as it stands on disk.
type archive struct {
	name    string
	raw     *txtar.Archive
	files   map[string]string // the workspace's
	sources map[string]string // "DIR/.hocket/sources/FILE" by "DIR/FILE"
	records []record
	options map[string]bool
	setting string
	answers map[string]string // of the fake hocket, by name
	script  string
	goldens map[string]string
}

type record struct {
	dir   string // of the module
	id    string
	later bool
	data  []byte
}

func readArchive(t *testing.T, file string) *archive {
	t.Helper()
	raw, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{name: strings.TrimSuffix(filepath.Base(file), ".txt"), raw: raw, files: map[string]string{}, sources: map[string]string{},
		options: map[string]bool{}, goldens: map[string]string{}, answers: map[string]string{}}
	for _, f := range raw.Files {
		if f.Name == "use" {
			for _, program := range strings.Fields(string(f.Data)) {
				p, err := txtar.ParseFile(filepath.Join("testdata", "programs", program+".txtar"))
				if err != nil {
					t.Fatal(err)
				}
				a.add(t, p.Files)
			}
		}
	}
	a.add(t, raw.Files)
	return a
}

func (a *archive) add(t *testing.T, files []txtar.File) {
	t.Helper()
	for _, f := range files {
		data := string(f.Data)
		dir, rest, state := strings.Cut("/"+f.Name, "/.hocket/")
		dir = strings.TrimPrefix(dir, "/")
		switch {
		case state && strings.HasPrefix(rest, "findings/"):
			id, later := strings.CutSuffix(path.Base(rest), ".later")
			a.records = append(a.records, record{dir, strings.TrimSuffix(id, ".json"), later, f.Data})
		case state && strings.HasPrefix(rest, "sources/"):
			a.sources[path.Join(dir, strings.TrimPrefix(rest, "sources/"))] = data
		case strings.HasPrefix(f.Name, "answers/"):
			a.answers[path.Base(f.Name)] = data
		case f.Name == "use":
		case f.Name == "options":
			for _, o := range strings.Fields(data) {
				if !slices.Contains([]string{"links", "plain", "utf8", "closed", "nosources", "nofolder", "debugs", "extra", "marks"}, o) {
					t.Fatalf("no option %s", o)
				}
				a.options[o] = true
			}
		case f.Name == "settings.json":
			a.setting = data
		case f.Name == "script":
			a.script = data
		case strings.HasPrefix(f.Name, "@"):
			a.goldens[f.Name] = data
		default:
			a.files[f.Name] = data
		}
	}
}

// save writes the goldens back.
func (a *archive) save(t *testing.T) {
	t.Helper()
	for i, f := range a.raw.Files {
		if g, ok := a.goldens[f.Name]; ok {
			a.raw.Files[i].Data = []byte(g)
			delete(a.goldens, f.Name)
		}
	}
	for _, name := range sortedKeys(a.goldens) {
		a.raw.Files = append(a.raw.Files, txtar.File{Name: name, Data: []byte(a.goldens[name])})
	}
	if err := os.WriteFile(filepath.Join("testdata", a.name+".txt"), txtar.Format(a.raw), 0o666); err != nil {
		t.Fatal(err)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// lay writes the workspace and its stores below root.
func (a *archive) lay(t *testing.T, root string) {
	t.Helper()
	for name, text := range a.files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range a.records {
		if !r.later {
			a.put(t, root, r)
		}
	}
}

// put stores a record as hocket find does, with the texts as they were.
func (a *archive) put(t *testing.T, root string, r record) *store.Record {
	t.Helper()
	rec := decodeRecord(t, r)
	s, err := store.Open(filepath.Join(root, r.dir))
	if err != nil {
		t.Fatal(err)
	}
	texts := store.Texts{}
	for name := range rec.Sources {
		full := path.Join(r.dir, name)
		if text, ok := a.sources[full]; ok {
			texts[name] = text
		} else if text, ok := a.files[full]; ok {
			texts[name] = text
		}
	}
	if a.options["nosources"] {
		texts = nil
	}
	if err := s.Put(rec, nil, texts); err != nil {
		t.Fatal(err)
	}
	return rec
}

func decodeRecord(t *testing.T, r record) *store.Record {
	t.Helper()
	var rec store.Record
	if err := json.Unmarshal(r.data, &rec); err != nil {
		t.Fatalf("record %s: %v", r.id, err)
	}
	return &rec
}

// replayed leaves the outcome of a replay by another process: on the sources of
// the finding, or on what is on disk.
func (a *archive) replayed(root string, r record, rec *store.Record, runs, failed int, same bool) error {
	sources := rec.Sources
	if !same {
		sources = onDisk(root, r)
	}
	rep := rec.NewReplay(sources, rec.GoVersion, rec.Hocket)
	rep.Runs, rep.Failed = runs, failed
	return a.putReplay(root, r, rep)
}

// searched leaves what a search by another process says that did not find it.
func (a *archive) searched(root string, r record, rec *store.Record) error {
	rep := rec.NewReplay(onDisk(root, r), rec.GoVersion, rec.Hocket)
	rep.Runs, rep.Searched = 5, true
	return a.putReplay(root, r, rep)
}

func onDisk(root string, r record) store.Sums {
	module := filepath.Join(root, r.dir)
	return store.Sum(site.Roots{Module: module}, module, nil)
}

func (a *archive) putReplay(root string, r record, rep *store.Replay) error {
	s, err := store.Open(filepath.Join(root, r.dir))
	if err != nil {
		return err
	}
	return s.PutReplay(r.id, rep)
}

func (a *archive) record(id string) (record, error) {
	for _, r := range a.records {
		if r.id == id {
			return r, nil
		}
	}
	return record{}, fmt.Errorf("the archive has no record %s", id)
}
