package process_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/trace"
)

// litmus is a program of a few goroutines that store to shared variables and load
// them, and its weak outcomes: those that only a memory model has, of its registers
// and then of its variables at the end.
type litmus struct {
	name    string
	threads []string // "x=1 r0=y": stores of constants, loads, "f": a fence
	weak    map[trace.Memory]string
}

// The usual ones (Sewell, Sarkar, Owens, Nardelli, Myreen: x86-TSO, CACM 2010; SPARC
// V9, appendix D, for PSO).
var litmuses = []litmus{
	{"SB", []string{"x=1 r0=y", "y=1 r1=x"}, map[trace.Memory]string{trace.TSO: "0 0 | 1 1", trace.PSO: "0 0 | 1 1"}},
	{"SBFences", []string{"x=1 f r0=y", "y=1 f r1=x"}, nil},
	{"SBOne", []string{"x=1 f r0=y", "y=1 r1=x"}, map[trace.Memory]string{trace.TSO: "0 0 | 1 1", trace.PSO: "0 0 | 1 1"}},
	{"LB", []string{"r0=x y=1", "r1=y x=1"}, nil},
	{"MP", []string{"x=1 y=1", "r0=y r1=x"}, map[trace.Memory]string{trace.PSO: "1 0 | 1 1"}},
	{"MPFence", []string{"x=1 f y=1", "r0=y r1=x"}, nil},
	{"IRIW", []string{"x=1", "y=1", "r0=x r1=y", "r2=y r3=x"}, nil},
	{"TwoPlusTwoW", []string{"x=1 y=2", "y=1 x=2"}, map[trace.Memory]string{trace.PSO: " | 1 1"}},
	{"R", []string{"x=1 y=1", "y=2 r0=x"}, map[trace.Memory]string{trace.TSO: "0 | 1 2", trace.PSO: "0 | 1 2"}},
	{"S", []string{"x=2 y=1", "r0=y x=1"}, map[trace.Memory]string{trace.PSO: "1 | 2 1"}},
	{"CoRR", []string{"x=1", "r0=x r1=x"}, nil},
	{"CoWW", []string{"x=1 x=2", "r0=x r1=x"}, nil},
	{"Own", []string{"x=1 r0=x r1=y", "y=1 r2=y r3=x"}, map[trace.Memory]string{trace.TSO: "1 0 1 0 | 1 1", trace.PSO: "1 0 1 0 | 1 1"}},
	{"WRC", []string{"x=1", "r0=x y=1", "r1=y r2=x"}, nil},
	{"Both", []string{"x=1 x=3 y=1", "y=2 r0=x r1=x"}, map[trace.Memory]string{trace.TSO: "0 0 | 3 2", trace.PSO: "0 0 | 3 2"}},
}

// outcomes are all that a litmus has under a memory model: every order of the steps of
// its goroutines and of the flushes of their buffers.
func (l litmus) outcomes(m trace.Memory) map[string]bool {
	type store struct {
		v   byte
		val int
	}
	type state struct {
		at   []int
		bufs [][]store
		mem  [2]int
		regs [4]int
	}
	code := make([][]string, len(l.threads))
	regs := 0
	for i, t := range l.threads {
		code[i] = strings.Fields(t)
		regs += strings.Count(t, "r")
	}
	out, seen := map[string]bool{}, map[string]bool{}
	var visit func(s state)
	clone := func(s state) state {
		s.at = slices.Clone(s.at)
		s.bufs = slices.Clone(s.bufs)
		for i := range s.bufs {
			s.bufs[i] = slices.Clone(s.bufs[i])
		}
		return s
	}
	visit = func(s state) {
		if key := fmt.Sprint(s); seen[key] {
			return
		} else {
			seen[key] = true
		}
		done := true
		for i := range code {
			for j, b := range s.bufs[i] {
				done = false
				if j > 0 && (m == trace.TSO || slices.ContainsFunc(s.bufs[i][:j], func(o store) bool { return o.v == b.v })) {
					continue
				}
				n := clone(s)
				n.mem[b.v-'x'] = b.val
				n.bufs[i] = slices.Delete(n.bufs[i], j, j+1)
				visit(n)
			}
			if s.at[i] == len(code[i]) {
				continue
			}
			done = false
			op := code[i][s.at[i]]
			n := clone(s)
			n.at[i]++
			switch {
			case op == "f":
				if len(s.bufs[i]) > 0 {
					continue
				}
			case op[0] == 'r':
				v := op[3]
				n.regs[op[1]-'0'] = s.mem[v-'x']
				for _, b := range s.bufs[i] {
					if b.v == v {
						n.regs[op[1]-'0'] = b.val
					}
				}
			case m == trace.SC:
				n.mem[op[0]-'x'] = int(op[2] - '0')
			default:
				n.bufs[i] = append(n.bufs[i], store{op[0], int(op[2] - '0')})
			}
			visit(n)
		}
		if done {
			text := strings.Trim(fmt.Sprint(s.regs[:regs]), "[]")
			out[fmt.Sprintf("%s | %d %d", text, s.mem[0], s.mem[1])] = true
		}
	}
	visit(state{at: make([]int, len(code)), bufs: make([][]store, len(code))})
	return out
}

// test is it as a Go test with variables of a type.
func (l litmus) test(typ string) string {
	var b strings.Builder
	name := l.name + typ
	fmt.Fprintf(&b, "var v%s struct { x, y %s }\n", name, typ)
	fmt.Fprintf(&b, "func Test%s(t *testing.T) {\n\tvar r [4]%s\n\tvar wg sync.WaitGroup\n\tvar f atomic.Int32\n\t_ = &f\n\twg.Add(%d)\n", name, typ, len(l.threads))
	regs := 0
	for _, thread := range l.threads {
		b.WriteString("\tgo func() {\n\t\tdefer wg.Done()\n")
		for _, op := range strings.Fields(thread) {
			switch {
			case op == "f":
				b.WriteString("\t\tf.Add(1)\n")
			case op[0] == 'r':
				regs++
				fmt.Fprintf(&b, "\t\tr[%c] = v%s.%c\n", op[1], name, op[3])
			default:
				fmt.Fprintf(&b, "\t\tv%s.%c = %c\n", name, op[0], op[2])
			}
		}
		b.WriteString("\t}()\n")
	}
	fmt.Fprintf(&b, "\twg.Wait()\n\tfmt.Println(\"came to\", r[:%d], \"|\", v%s.x, v%s.y)\n}\n\n", regs, name, name)
	return b.String()
}

// wide are values whose stores don't wait: two goroutines run "a = 1, store" and "see,
// a", and what is seen comes after a except under PSO.
var wide = []struct{ name, value, store, see string }{
	{"Copy", "make([]byte, 8)", `copy(b, "hello")`, "b[0] == 'h'"},
	{"Struct", "&struct{ x, y int }{1, 2}", "*b = struct{ x, y int }{}", "b.y == 0"},
	{"Array", "&[4]int{1, 1, 1, 1}", "*b = [4]int{}", "b[2] == 0"},
	{"String", `&struct{ s string }{"ab"}`, `b.s = "hello"`, "len(b.s) == 5"},
	{"Slice", "&struct{ s []int }{make([]int, 8)}", "b.s = b.s[:3]", "len(b.s) == 3"},
	{"Interface", "&struct{ e any }{}", "b.e = 5", "b.e != nil"},
}

// wideTest is one of them as a Go test.
func wideTest(i int) string {
	w := wide[i]
	return fmt.Sprintf(`func TestWide%s(t *testing.T) {
	v, b := &struct{ a int }{}, %s
	var r [2]int
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		v.a = 1
		%s
	}()
	go func() {
		defer wg.Done()
		if %s {
			r[0] = 1
		}
		r[1] = v.a
	}()
	wg.Wait()
	fmt.Println("came to", r, "| - -")
}

`, w.name, w.value, w.store, w.see)
}

var cameTo = regexp.MustCompile(`came to \[(.*)\] (\| . .)`)

// Every outcome of a real run is one of the memory model, and the weak ones are reached.
func TestLitmus(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("sizes of stores are read from amd64 code")
	}
	types := []string{"int", "int32", "uint8"}
	text := "package litmus\n\nimport (\n\t\"fmt\"\n\t\"sync\"\n\t\"sync/atomic\"\n\t\"testing\"\n)\n\n"
	for _, l := range litmuses {
		for _, typ := range types {
			text += l.test(typ)
		}
	}
	for i := range wide {
		text += wideTest(i)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module litmus\n\ngo 1.26\n", "litmus_test.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(t.Context(), instrument.Target{Dir: dir, ImportPath: "litmus", Test: true})
	if err != nil {
		t.Fatal(err)
	}
	runs, most := 100, 2000
	if testing.Short() {
		runs, most = 30, 30
	}
	for i, l := range litmuses {
		typ := types[i%len(types)]
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			p := program(t, bin, "Test"+l.name+typ)
			run1 := results(t, p)
			for _, m := range []trace.Memory{trace.SC, trace.TSO, trace.PSO} {
				may, came := l.outcomes(m), map[string]bool{}
				weak := l.weak[m]
				for seed := uint64(0); seed < uint64(runs) || weak != "" && !came[weak] && seed < uint64(most); seed++ {
					got := run1(seed, m)
					if !may[got] {
						t.Fatalf("%q: %s came to %s, which is none of %v", m, l.name, got, slices.Sorted(maps.Keys(may)))
					}
					came[got] = true
				}
				if weak != "" && l.outcomes(trace.SC)[weak] {
					t.Errorf("%s is no weak outcome", weak)
				}
				if weak != "" && !came[weak] && !testing.Short() {
					t.Errorf("%q: %s did not come to %s in %d runs, but to %v", m, l.name, weak, most, slices.Sorted(maps.Keys(came)))
				}
				t.Logf("%q: %d of %d outcomes", m, len(came), len(may))
			}
		})
	}
	for _, w := range wide {
		t.Run("Wide"+w.name, func(t *testing.T) {
			t.Parallel()
			run1 := results(t, program(t, bin, "TestWide"+w.name))
			for seed := range uint64(runs) {
				if got := run1(seed, trace.TSO); strings.HasPrefix(got, "1 0") {
					t.Fatalf("the second store was seen before the first under TSO")
				}
			}
			if testing.Short() {
				return
			}
			for seed := uint64(0); !strings.HasPrefix(run1(seed, trace.PSO), "1 0"); seed++ {
				if seed == uint64(most) {
					t.Fatalf("the first store never waited under PSO in %d runs", most)
				}
			}
		})
	}
}

// results returns what runs of a program that is a litmus come to, by seed and memory
// model; the places that race are known from some runs that were made before.
func results(t *testing.T, p *process.Runner) func(seed uint64, m trace.Memory) string {
	hot := map[string]bool{}
	come := func(s run.Spec) string {
		s.Strategy, s.Schedule.Hot = run.Random, slices.Sorted(maps.Keys(hot))
		r, err := p.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range r.Races {
			hot[pair.FirstSite], hot[pair.SecondSite] = true, true
		}
		at := cameTo.FindStringSubmatch(r.Outcome.Output)
		if at == nil {
			t.Fatalf("%s %s", r.Outcome.Kind, r.Outcome.Output)
		}
		return at[1] + " " + at[2]
	}
	for seed := range uint64(30) {
		come(run.Spec{Seed: seed})
	}
	return func(seed uint64, m trace.Memory) string {
		return come(run.Spec{Seed: seed, Schedule: trace.Schedule{Memory: m, BufferSeed: seed / 2 * (seed % 2)}})
	}
}
