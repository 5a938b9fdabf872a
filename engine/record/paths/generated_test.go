package paths_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/tracedb"
)

// Programs made at random tell the outcomes of their branches by themselves, computed
// without branches; the recording must say the same.

// generator writes functions. Each condition is a bit of a shared variable, so that it
// is recorded; what it should be recorded as is appended to xs: line, place in the
// line and outcome as one number, or 0 if it is not evaluated.
type generator struct {
	rng   *rand.Rand
	lines []string
	vars  int
	depth int
	funcs int
	calm  bool // nothing is called that records: a loop does so in bits
}

func (g *generator) add(format string, args ...any) {
	g.lines = append(g.lines, fmt.Sprintf(format, args...))
}

// line is the number of the line that comes next.
func (g *generator) line() int { return len(g.lines) + 1 }

// bit declares an int variable that is 0 or 1, and open.
func (g *generator) bit() string {
	g.vars++
	v := "b" + strconv.Itoa(g.vars)
	g.add("%s := int(shared[%d] >> (turn %% 8)) & 1; turn++; _ = %s", v, g.rng.IntN(16), v)
	return v
}

// cond is a condition of up to three leaves, the expressions that say whether a leaf
// is evaluated, and the variables of the leaves.
func (g *generator) cond() (text string, eval, vars []string) {
	a := g.bit()
	leaf := func(v string) string {
		return []string{v + " == 1", "(" + v + " > 0)", "!(" + v + " == 0)", "yes(" + v + " == 1)", "truth(" + v + " == 1)"}[g.rng.IntN(4+g.rng.IntN(2))]
	}
	norm := func(v, l string) string { // the outcome of the leaf itself
		if strings.HasPrefix(l, "!") {
			return "(1-" + v + ")"
		}
		return v
	}
	la := leaf(a)
	switch g.rng.IntN(3) {
	case 0:
		return la, []string{"1"}, []string{norm(a, la)}
	case 1:
		b := g.bit()
		lb := leaf(b)
		if strings.HasPrefix(la, "truth") != strings.HasPrefix(lb, "truth") {
			lb = la[:strings.Index(la, "b")] + strings.Replace(la[strings.Index(la, "b"):], a, b, 1)
		}
		return la + " && " + lb, []string{"1", a}, []string{norm(a, la), norm(b, lb)}
	}
	b := g.bit()
	lb := leaf(b)
	if strings.HasPrefix(la, "truth") != strings.HasPrefix(lb, "truth") {
		lb = strings.Replace(la, a, b, 1)
	}
	return la + " || (" + lb + ")", []string{"1", "(1-" + a + ")"}, []string{norm(a, la), norm(b, lb)}
}

// expect appends what a condition on the line `line` is to be recorded as, its leaves
// being number first and on in the line.
func (g *generator) expect(line, first int, eval, vars []string) {
	for i := range eval {
		g.add("xs = append(xs, (%d*1000+%d*10+%s)*%s)", line, first+i, vars[i], eval[i])
	}
}

// loop is one that calls nothing that records. How often it turns, and what it leaves out, is the
// goroutine's own.
func (g *generator) loop() {
	g.vars++
	n := g.vars
	g.add("own%d := 0", n)
	label := fmt.Sprintf("l%d", n)
	g.add("%s:", label)
	g.add("%s", []string{"for range 3 {", fmt.Sprintf("for j := 0; j < 4; j++ {"), "for range [4]int{} {"}[g.rng.IntN(3)])
	g.add("own%d++", n)
	g.block(g.rng.IntN(3))
	g.add("if own%d %% 3 == %d {", n, g.rng.IntN(3))
	g.block(g.rng.IntN(3))
	g.add("}")
	a := g.bit()
	g.add("xs = append(xs, %d*1000+%s)", g.line()+1, a)
	g.add("if %s == 1 { %s }", a, []string{"break", "continue", "break " + label, "continue " + label, "return xs", "xs = xs[:len(xs):len(xs)]"}[g.rng.IntN(6)])
	g.add("for k := 0; k < 2; k++ {")
	g.block(g.rng.IntN(2))
	b := g.bit()
	g.add("xs = append(xs, %d*1000+%s)", g.line()+1, b)
	g.add("if %s == 1 { continue %s }", b, label)
	g.add("}")
	g.add("}")
}

func (g *generator) block(n int) {
	for range n {
		g.stmt()
	}
}

func (g *generator) stmt() {
	if g.depth > 4 {
		g.add("turn += 3")
		return
	}
	g.depth++
	defer func() { g.depth-- }()
	kind := g.rng.IntN(11)
	if g.calm && (kind == 5 || kind == 7 || kind == 8) {
		kind = 9
	}
	switch kind {
	case 9, 10:
		calm := g.calm
		g.calm = true
		g.loop()
		g.calm = calm
	case 0, 1:
		text, eval, vars := g.cond()
		g.expect(g.line()+len(eval), 0, eval, vars)
		g.add("if %s {", text)
		g.block(g.rng.IntN(3))
		g.add("} else {")
		g.block(g.rng.IntN(2))
		g.add("}")
	case 2: // a run of conditions without calls: more than there is room for
		v := g.bit()
		for range g.rng.IntN(60) {
			g.add("xs = append(xs, %d*1000+%s)", g.line()+1, v)
			g.add("if %s == 1 { turn++ }", v)
		}
	case 3: // a loop that the bits end
		v := g.bit()
		g.vars++
		i := "i" + strconv.Itoa(g.vars)
		g.add("%s := 0", i)
		line := g.line() + 2
		g.add("xs = append(xs, %d*1000+min(1, %s*5))", line, v)
		g.add("_ = %s", i)
		g.add("for %s < %s*5 {", i, v)
		g.add("%s++", i)
		g.block(g.rng.IntN(2))
		if g.rng.IntN(2) == 0 {
			c := g.bit()
			g.add("xs = append(xs, %d*1000+%s)", g.line()+1, c)
			g.add("if %s == 1 { xs = append(xs, %d*1000+min(1, max(0, %s*5-%s))); continue }", c, line, v, i)
		}
		g.add("xs = append(xs, %d*1000+min(1, max(0, %s*5-%s)))", line, v, i)
		g.add("}")
	case 4: // a tagless switch
		a, b := g.bit(), g.bit()
		g.expect(g.line()+3, 0, []string{"1"}, []string{a})
		g.expect(g.line()+3, 0, []string{"(1-" + a + ")"}, []string{b})
		g.add("switch {")
		g.add("case %s == 1:", a)
		g.block(g.rng.IntN(2))
		// The second case's line is not known above: patched.
		want := fmt.Sprintf("%d*1000", g.line())
		for at := len(g.lines) - 1; ; at-- {
			if strings.Contains(g.lines[at], "(1-"+a+")") && strings.Contains(g.lines[at], "+"+b) {
				old := g.lines[at]
				g.lines[at] = "xs = append(xs, (" + want + old[strings.Index(old, "*1000")+len("*1000"):]
				break
			}
		}
		g.add("case %s == 1:", b)
		g.block(g.rng.IntN(2))
		g.add("}")
	case 5: // a switch with a tag, marked
		v := g.bit()
		g.add("switch %s {", v)
		for i := range 2 {
			g.add("case %d:", i)
			g.add("xs = append(xs, %d*1000+1)", g.line()-1)
			g.block(g.rng.IntN(2))
		}
		g.add("}")
	case 6: // a range whose length is open
		v := g.bit()
		g.add("for range %s*3 {", v)
		g.add("xs = append(xs, %d*1000+1)", g.line()-1)
		g.block(g.rng.IntN(2))
		g.add("}")
	case 7: // short circuits whose value is used
		a, b := g.bit(), g.bit()
		g.add("xs = append(xs, %d*1000+%s)", g.line()+1, a)
		g.add("use(%s == 1 && %s == 1)", a, b)
	case 8: // calls, loops of the goroutine's own
		g.add("for i := 0; i < 3; i++ {")
		if g.funcs > 0 {
			g.add("xs = f%d(xs)", g.rng.IntN(g.funcs))
		}
		g.block(g.rng.IntN(2))
		g.add("}")
	}
}

func (g *generator) program() string {
	g.lines = strings.Split(`package main
import ("fmt"; "sync")
type truth bool
func yes(b bool) bool { return b }
func use(b bool) {}
var shared [16]uint8
func init() { for i := range shared { shared[i] = uint8(i*37) } }
var turn uint`, "\n")
	for range 6 {
		g.add("func f%d(xs []int) []int {", g.funcs)
		g.block(2 + g.rng.IntN(4))
		g.add("return xs")
		g.add("}")
		g.funcs++
	}
	g.add("var mu sync.Mutex")
	g.add("func run(seed uint8) {")
	g.add("mu.Lock()")
	g.add("for i := range shared { shared[i] += seed*uint8(i) }")
	g.add("var xs []int")
	g.add("turn = uint(seed)")
	for i := range g.funcs {
		g.add("xs = f%d(xs)", i)
	}
	g.add("fmt.Println(xs)")
	g.add("mu.Unlock()")
	g.add("}")
	g.add("func main() {")
	g.add("var wg sync.WaitGroup")
	g.add("for s := range 4 {")
	g.add("wg.Add(1)")
	g.add("go func() { defer wg.Done(); run(uint8(s*91)) }()")
	g.add("}")
	g.add("wg.Wait()")
	g.add("}")
	return strings.Join(g.lines, "\n") + "\n"
}

func TestGeneratedPrograms(t *testing.T) {
	n := 12
	if testing.Short() {
		n = 2
	}
	total := 0
	inBits := 0
	for seed := range n {
		g := &generator{rng: rand.New(rand.NewPCG(uint64(seed), 11))}
		text := g.program()
		r := build(t, module(t, text), "main")
		rec := run(t, r, paths.Options{})
		inBits += r.Loops()
		if rec.Outcome != tracedb.Passed {
			t.Fatalf("seed %d: %s: %s", seed, rec.Failure, rec.Output)
		}
		var want, got []string
		for line := range strings.Lines(rec.Output) {
			want = append(want, strings.TrimSpace(line))
			total += len(strings.Fields(line))
		}
		for _, th := range rec.Threads {
			if th.Name != "0" {
				got = append(got, told(r.Program, th.Tokens))
			}
		}
		for i := range want {
			want[i] = withoutZeros(want[i])
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: recorded\n%.3000s\nbut it was\n%.3000s\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"), numbered(text))
		}
	}
	t.Logf("%d outcomes, %d loops that record in bits", total, inBits)
	if inBits < n {
		t.Errorf("only %d loops record in bits", inBits)
	}
	if total < 1000*n {
		t.Errorf("only %d outcomes in %d programs", total, n)
	}
}

func withoutZeros(list string) string {
	var out []string
	for _, f := range strings.Fields(strings.Trim(list, "[]")) {
		if f != "0" {
			out = append(out, f)
		}
	}
	return strings.Join(out, " ")
}

// told writes tokens as the program does: line, place in the line, outcome.
func told(p *tracedb.Program, tokens []uint64) string {
	rank := map[string][]int{} // places of recorded branches by line
	for _, s := range p.Sites {
		rank[s.Line] = append(rank[s.Line], s.Index)
	}
	var out []string
	for _, x := range tokens {
		s := p.Sites[x/2]
		_, line, _ := strings.Cut(s.Line, ":")
		n, _ := strconv.Atoi(line)
		out = append(out, strconv.Itoa(n*1000+slices.Index(rank[s.Line], s.Index)*10+int(x%2)))
	}
	return strings.Join(out, " ")
}

func numbered(text string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		fmt.Fprintf(&b, "%d\t%s", n, line)
	}
	return b.String()
}
