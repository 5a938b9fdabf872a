package trace

import (
	"encoding/binary"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/image"
	"github.com/hocket-dev/hocket/engine/rt"
)

// rawStack is a stack's position in the run file's stack section, 0 = none.
type rawStack uint32

// maxFrames bounds the depth of one stack: the file may be damaged.
const maxFrames = 512

// rawPCs returns the relative return addresses of a stack.
func (d *decoder) rawPCs(words []byte, id rawStack) []uint64 {
	at := uint64(id) * 8
	if id == 0 || at+8 > uint64(len(words)) {
		return nil
	}
	n := binary.LittleEndian.Uint64(words[at:])
	n = min(n, maxFrames, (uint64(len(words))-at)/8-1)
	pcs := make([]uint64, n)
	for i := range pcs {
		pcs[i] = binary.LittleEndian.Uint64(words[at+8+uint64(i)*8:])
	}
	return pcs
}

// stacks reads and names every stack that something refers to. Stacks that
// look the same and start at the same instruction become one.
func (d *decoder) stacks() {
	words := d.v.section(rt.WStackOff, 8)
	raw := map[rawStack][]uint64{}
	var order []rawStack
	var pcs []uint64
	seen := map[uint64]bool{}
	for _, id := range d.usedStacks() {
		if _, ok := raw[id]; ok || id == 0 {
			continue
		}
		raw[id] = d.rawPCs(words, id)
		order = append(order, id)
		for _, pc := range raw[id] {
			if !seen[pc] {
				seen[pc] = true
				pcs = append(pcs, pc)
			}
		}
	}
	frames := d.framesOf(pcs)
	d.t.Stacks = [][]Frame{nil}
	d.pcs = []uint64{0}
	d.stackIDs = map[rawStack]StackID{}
	known := map[string]StackID{}
	for _, id := range order {
		d.stackIDs[id] = d.addStack(known, raw[id], frames)
	}
	for i, id := range d.evStacks {
		d.t.Events[i].Stack = d.stackIDs[id]
	}
}

// usedStacks lists the references in a fixed order, which makes the numbering
// the same for equal runs.
func (d *decoder) usedStacks() []rawStack {
	ids := append([]rawStack(nil), d.evStacks...)
	ids = append(ids, d.goStacks...)
	for _, a := range d.allocs {
		ids = append(ids, a.stack)
	}
	races := d.v.section(rt.WRaceOff, rt.RaceSize)
	for ; len(races) > 0; races = races[rt.RaceSize:] {
		ids = append(ids, rawStack(u32(races, 32)))
	}
	blocked := d.v.section(rt.WBlockedOff, rt.BlockedSize)
	for ; len(blocked) > 0; blocked = blocked[rt.BlockedSize:] {
		ids = append(ids, rawStack(u32(blocked, 16)))
	}
	return append(ids, rawStack(d.v.word(rt.WFailStack)))
}

func (d *decoder) framesOf(pcs []uint64) map[uint64][]Frame {
	m := make(map[uint64][]Frame, len(pcs))
	if len(pcs) == 0 {
		return m
	}
	got, err := d.sym.Frames(pcs)
	d.fail("name places", err)
	for i, fs := range got {
		m[pcs[i]] = fs
	}
	return m
}

// expand joins the frames of a stack's addresses. Unwinders give one address a
// physical frame or one a logical frame; in the latter case the inlined callers
// of an address come again on their own, and are left out the second time.
func expand(pcs []uint64, frames map[uint64][]Frame) (fs []Frame, from []uint64) {
	var last []Frame
	for _, pc := range pcs {
		now := frames[pc]
		if n := len(last) - len(now); n > 0 && len(now) > 0 && slices.Equal(last[n:], now) {
			last = now
			continue
		}
		last = now
		for _, f := range now {
			fs = append(fs, f)
			from = append(from, pc)
		}
	}
	return fs, from
}

func (d *decoder) addStack(known map[string]StackID, pcs []uint64, frames map[uint64][]Frame) StackID {
	fs, from := expand(pcs, frames)
	kept := d.t.cut(fs)
	if len(kept) == 0 {
		return 0
	}
	first := from[len(fs)-len(d.t.cutInner(fs))] // the instruction of the first frame kept
	var key strings.Builder
	fmt.Fprintf(&key, "%x", first)
	for _, f := range kept {
		fmt.Fprintf(&key, "|%s|%s|%d", f.Func, f.File, f.Line)
	}
	if id, ok := known[key.String()]; ok {
		return id
	}
	id := StackID(len(d.t.Stacks))
	d.t.Stacks = append(d.t.Stacks, kept)
	d.pcs = append(d.pcs, first)
	known[key.String()] = id
	return id
}

// cut drops the machinery at both ends of a stack: the frames below the user's
// call of a sync or channel operation, and those that started the goroutine. A
// stack with nothing but machinery is kept whole.
func (t *Trace) cut(fs []Frame) []Frame {
	in := t.cutInner(fs)
	n := len(in)
	for n > 1 && (in[n-1].Func == "runtime.goexit" || in[n-1].Func == "runtime.main") {
		n--
	}
	return in[:n]
}

func (t *Trace) cutInner(fs []Frame) []Frame {
	for i, f := range fs {
		if !t.isMachinery(f) {
			return fs[i:]
		}
	}
	for i, f := range fs {
		if !isOurs(f) {
			return fs[i:]
		}
	}
	return fs
}

// isOurs is true of the files that control mode adds to std.
func isOurs(f Frame) bool { return strings.HasPrefix(path.Base(f.File), "hocket") }

// isMachinery is true of frames in runtime, internal/..., sync and sync/atomic.
func (t *Trace) isMachinery(f Frame) bool {
	pkg := image.FuncPackage(f.Func)
	switch {
	case pkg == "runtime", pkg == "sync", pkg == "sync/atomic",
		strings.HasPrefix(pkg, "runtime/internal/"), strings.HasPrefix(pkg, "internal/"):
		return f.File == "" || t.isStd(f)
	}
	return false
}

// Package is the import path of a frame's function.
func Package(f Frame) string { return image.FuncPackage(f.Func) }

// isStd is true of frames of the standard library and of functions that the
// compiler made.
func (t *Trace) isStd(f Frame) bool {
	if f.File == "<autogenerated>" || IsLibrary(f) {
		return true
	}
	if t.StdRoot != "" {
		// The go command's build cache keeps std's objects with the paths of
		// the first build, which may have gone through another of Hocket's
		// links to the same toolchain (instrument.Builder).
		link := "/toolchain/" + t.GoVersion + "/src/"
		return strings.HasPrefix(f.File, t.StdRoot+"/") || t.GoVersion != "" && strings.Contains(f.File, link)
	}
	// -trimpath: std's files are named by import path, others by a path whose
	// first element has a dot, a version, or is not a folder of std.
	if path.IsAbs(f.File) || strings.Contains(f.File, "@") {
		return false
	}
	first, _, nested := strings.Cut(f.File, "/")
	return nested && !strings.Contains(first, ".") && path.Dir(f.File) == image.FuncPackage(f.Func)
}

// Library is the import path of the package with which breakpoints are written
// by hand.
const Library = "github.com/hocket-dev/hocket/breakpoints"

// IsLibrary reports whether a frame is in Library, whose callers are more
// useful to users; its own tests are programs like others.
func IsLibrary(f Frame) bool {
	pkg := image.FuncPackage(f.Func)
	return (pkg == Library || pkg == Library+"/reproduce") && !strings.HasSuffix(f.File, "_test.go")
}

// UserFrame returns the innermost frame of a stack outside the standard
// library and the test main that the go command writes; false if there is none.
func (t *Trace) UserFrame(id StackID) (Frame, bool) {
	for _, f := range t.Stack(id) {
		if t.isUser(f) {
			return f, true
		}
	}
	return Frame{}, false
}

// UserFrames returns all frames of a stack outside the standard library and
// the test main, innermost first.
func (t *Trace) UserFrames(id StackID) []Frame {
	var out []Frame
	for _, f := range t.Stack(id) {
		if t.isUser(f) {
			out = append(out, f)
		}
	}
	return out
}

// PlainPlaces lists where the user's code accesses memory without synchronisation, each
// place once, as Sites has it.
func (t *Trace) PlainPlaces() (places []string) {
	seen := map[StackID]bool{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Op < OpRead || e.Op > OpWriteRange || seen[e.Stack] {
			continue
		}
		seen[e.Stack] = true
		if st := t.Stack(e.Stack); len(st) > 0 && t.isUser(st[0]) && int(e.Stack) < len(t.Sites) && t.Sites[e.Stack] != "" {
			places = append(places, t.Sites[e.Stack])
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// FailureFrames are the frames of a failure's stack, innermost first, that tell where
// it is: a test fails where it calls an assertion of a library, not in that.
func (t *Trace) FailureFrames() []Frame { return t.Outcome.Where(t.UserFrames(t.Outcome.Stack)) }

// Where leaves out the frames of dependencies at the start of a failed test's stack,
// if any other is there.
func (o *Outcome) Where(frames []Frame) []Frame {
	if o.Kind == TestFailed {
		for i, f := range frames {
			if !InDependency(f.File) {
				return frames[i:]
			}
		}
	}
	return frames
}

// InDependency reports whether a file lies in a module's folder of the module cache,
// or below a vendor folder.
func InDependency(file string) bool {
	return versioned.MatchString(file) || strings.Contains(file, "/vendor/")
}

var versioned = regexp.MustCompile(`@v\d[^/]*/`)

func (t *Trace) isUser(f Frame) bool {
	return f.File != "" && path.Base(f.File) != "_testmain.go" && !t.isStd(f)
}

// Stack returns a stack, nil for an id that the trace does not have.
func (t *Trace) Stack(id StackID) []Frame {
	if int64(id) >= int64(len(t.Stacks)) {
		return nil
	}
	return t.Stacks[id]
}

// Goroutine returns a goroutine, the runtime's for an id that the trace does
// not have.
func (t *Trace) Goroutine(id GID) Goroutine {
	if int64(id) >= int64(len(t.Goroutines)) {
		return Goroutine{Path: "r", Display: "runtime"}
	}
	return t.Goroutines[id]
}

// Object returns an object, the empty one for an id that the trace does not have.
func (t *Trace) Object(id ObjID) Object {
	if int64(id) >= int64(len(t.Objects)) {
		return Object{}
	}
	return t.Objects[id]
}
