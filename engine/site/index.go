package site

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hocket-dev/hocket/engine/image"
)

// Index knows the sites of one binary, which must have been built for control
// mode. Answers are kept, and so is what is read of the binary, which is large: all users
// of a binary should share its Index. Nothing is read before it is asked for. It
// is safe for concurrent use.
type Index struct {
	*image.Program

	mu    sync.Mutex
	sites map[uint64]Site
	texts map[uint64]string
	pcs   map[string][]uint64 // by the text of a site, which may be another binary's
}

// NewIndex returns the index of the binary at path, which must stay there.
func NewIndex(path string) *Index {
	return &Index{Program: image.NewProgram(path), sites: map[uint64]Site{}, texts: map[uint64]string{}, pcs: map[string][]uint64{}}
}

// Frames are those of the program. What Sites will want to know of the same
// addresses is asked with them: each question starts the program.
func (x *Index) Frames(pcs []uint64) ([][]image.Frame, error) {
	x.mu.Lock()
	err := x.learn(pcs)
	x.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return x.Program.Frames(pcs)
}

// Sites names return addresses, relative to the start of the text. That of an
// unknown one is "".
func (x *Index) Sites(pcs []uint64) ([]string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.learn(pcs); err != nil {
		return nil, err
	}
	out := make([]string, len(pcs))
	for i, pc := range pcs {
		out[i] = x.texts[pc]
	}
	return out, nil
}

// PCs are the addresses that sites stand for in this binary, sorted. One of
// another binary has those of the same code here: if that was inlined elsewhere,
// all its copies; if its line makes another number of such calls, all of them; if
// only lines moved within its functions, the one that comes at the same turn.
// It has none if nothing of its code is left.
func (x *Index) PCs(sites []string) (pcs []uint64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, text := range sites {
		at, ok := x.pcs[text]
		if !ok {
			if at, err = x.resolve(text); err != nil {
				return nil, err
			}
			x.pcs[text] = at
		}
		pcs = append(pcs, at...)
	}
	slices.Sort(pcs)
	return slices.Compact(pcs), nil
}

// resolve looks for a site that no address of this binary had so far.
func (x *Index) resolve(text string) ([]uint64, error) {
	s, err := Parse(text)
	if err != nil {
		return nil, err
	}
	m, err := x.Image()
	if err != nil {
		return nil, err
	}
	if s.Callee == lineCallee {
		return x.ofLine(s.innermost())
	}
	fn := s.Chain[len(s.Chain)-1].Func
	candidates := callsOf(m, code{fn, s.Callee})
	if s.Callee == "" {
		for _, f := range m.Funcs(fn) {
			candidates = append(candidates, f.Addr+uint64(s.Nth))
		}
	}
	if err := x.learn(candidates); err != nil {
		return nil, err
	}
	if at := x.pcs[text]; len(at) > 0 || s.Callee == "" {
		return at, nil
	}
	calls, err := x.calls(func(callee string) bool { return callee == s.Callee })
	if err != nil {
		return nil, err
	}
	return like(s, calls, x.sites), nil
}

// like are those calls that are made by the same code as s.
func like(s Site, calls []uint64, sites map[uint64]Site) []uint64 {
	var moved, same, exact []uint64
	for _, pc := range calls {
		o := sites[pc]
		if o.NthAll == s.NthAll && o.OfAll == s.OfAll && slices.Equal(o.funcs(), s.funcs()) {
			moved = append(moved, pc)
		}
		if !sameLine(o.innermost(), s.innermost()) || o.Of == s.Of && o.Nth != s.Nth {
			continue
		}
		same = append(same, pc)
		if slices.EqualFunc(o.Chain, s.Chain, sameLine) {
			exact = append(exact, pc)
		}
	}
	for _, pcs := range [][]uint64{exact, same} {
		if len(pcs) > 0 {
			return pcs
		}
	}
	return moved
}

// sameLine looks through what the compiler does to names: a closure of an inlined
// function is called after both, "m.main.work.func1" for "m.work.func1".
func sameLine(a, b Line) bool {
	if a.Line != b.Line {
		return false
	}
	pa, fa := image.SplitFunc(image.DropTypeArgs(a.Func))
	pb, fb := image.SplitFunc(image.DropTypeArgs(b.Func))
	return pa == pb && (fa == fb || strings.HasSuffix(fa, "."+fb) || strings.HasSuffix(fb, "."+fa))
}

// ofLine are the hooks of accesses of a line of a file.
func (x *Index) ofLine(l Line) (pcs []uint64, err error) {
	calls, err := x.calls(func(callee string) bool {
		return strings.HasPrefix(callee, "runtime.race") || strings.HasPrefix(callee, "runtime.map")
	})
	if err != nil {
		return nil, err
	}
	places, err := x.Places(calls)
	if err != nil {
		return nil, err
	}
	for i, pc := range calls {
		if in := places[i]; len(in) > 0 && in[0].Line == l.Line && hasName(in[0].File, l.Func) {
			pcs = append(pcs, pc)
		}
	}
	return pcs, nil
}

// calls takes in all calls of some functions. They are many, so that this is
// for sites of other binaries only.
func (x *Index) calls(of func(callee string) bool) ([]uint64, error) {
	m, err := x.Image()
	if err != nil {
		return nil, err
	}
	var pcs []uint64
	for _, c := range m.AllCalls(of) {
		pcs = append(pcs, c.Return)
	}
	if err := x.learn(pcs); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(pcs, func(pc uint64) bool { return x.texts[pc] == "" }), nil
}

// code is what tells sites apart before lines are looked at.
type code struct{ fn, callee string }

// learn names addresses. Which of its kind a call is shows only beside the
// others, so all of the function's are named with it.
func (x *Index) learn(pcs []uint64) error {
	pcs = slices.DeleteFunc(slices.Clone(pcs), func(pc uint64) bool {
		_, known := x.texts[pc]
		return known
	})
	if len(pcs) == 0 {
		return nil // without the image, which is large
	}
	m, err := x.Image()
	if err != nil {
		return err
	}
	groups := map[code][]uint64{}
	odd := map[uint64]image.Func{}
	calls := map[uint64][]image.Call{} // by address of the function
	for _, pc := range pcs {
		f, ok := m.FuncAt(pc)
		if !ok {
			x.texts[pc] = ""
			continue
		}
		if calls[f.Addr] == nil {
			calls[f.Addr] = m.Calls(f)
		}
		k := code{f.Name, calleeAt(calls[f.Addr], pc)}
		if k.callee == "" {
			odd[pc] = f
		} else if groups[k] == nil {
			groups[k] = callsOf(m, k)
		}
	}
	if len(groups)+len(odd) == 0 {
		return nil
	}
	places, err := x.placesOf(groups, odd)
	if err != nil {
		return err
	}
	for pc, f := range odd {
		x.keep(pc, Site{Nth: int(pc - f.Addr), Of: 1, NthAll: 1, OfAll: 1, Chain: chain(places[pc], f.Name)})
	}
	for k, pcs := range groups {
		x.number(k, pcs, places)
	}
	return nil
}

// placesOf asks for all at once: the program is started for it.
func (x *Index) placesOf(groups map[code][]uint64, odd map[uint64]image.Func) (map[uint64][]image.Place, error) {
	ask := slices.Collect(maps.Keys(odd))
	for _, pcs := range groups {
		ask = append(ask, pcs...)
	}
	got, err := x.Places(ask)
	if err != nil {
		return nil, err
	}
	places := map[uint64][]image.Place{}
	for i, pc := range ask {
		places[pc] = got[i]
	}
	return places, nil
}

// number keeps the calls of one function by another.
func (x *Index) number(k code, pcs []uint64, places map[uint64][]image.Place) {
	sites := make([]Site, len(pcs))
	here, all := map[string]int{}, map[string]int{}
	for i, pc := range pcs {
		s := &sites[i]
		s.Callee, s.Chain = k.callee, chain(places[pc], k.fn)
		h, a := fmt.Sprint(s.Chain), fmt.Sprint(s.funcs())
		here[h]++
		all[a]++
		s.Nth, s.NthAll = here[h], all[a]
	}
	for i, pc := range pcs {
		s := sites[i]
		s.Of, s.OfAll = here[fmt.Sprint(s.Chain)], all[fmt.Sprint(s.funcs())]
		x.keep(pc, s)
	}
}

func (x *Index) keep(pc uint64, s Site) {
	text := s.String()
	x.sites[pc], x.texts[pc], x.pcs[text] = s, text, []uint64{pc}
}

// chain are the lines of an address, down to the function whose code it is.
func chain(places []image.Place, fn string) []Line {
	var c []Line
	for _, p := range places {
		c = append(c, Line{p.Func, p.Line - p.Start})
	}
	if n := len(c); n > 0 && image.DropTypeArgs(c[n-1].Func) == image.DropTypeArgs(fn) {
		c[n-1].Func = fn
		return c
	}
	return append(c, Line{fn, 0}) // code that the compiler made
}

func callsOf(m *image.Image, k code) (pcs []uint64) {
	for _, f := range m.Funcs(k.fn) {
		for _, c := range m.Calls(f) {
			if c.Callee == k.callee {
				pcs = append(pcs, c.Return)
			}
		}
	}
	return pcs
}

func calleeAt(calls []image.Call, pc uint64) string {
	i, ok := slices.BinarySearchFunc(calls, pc, func(c image.Call, pc uint64) int { return cmp.Compare(c.Return, pc) })
	if !ok {
		return ""
	}
	return calls[i].Callee
}
