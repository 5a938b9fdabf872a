package core

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"slices"

	"github.com/go-delve/delve/pkg/dwarf/godwarf"
	"github.com/go-delve/delve/pkg/dwarf/reader"
	"github.com/go-delve/delve/pkg/proc"
)

// calls are the innermost calls of a goroutine, at least so many where it has them.
func (p *Program) calls(g *proc.G, depth int) ([]proc.Stackframe, error) {
	frames, err := proc.GoroutineStacktrace(p.target, g, depth, 0)
	return p.atSignals(frames), err
}

// atSignals corrects the inlined calls of a function that a signal stopped, say for the
// use of a nil pointer. Delve takes those of the byte before each address, which is right
// for a return address; here the address itself is that of the instruction that failed.
func (p *Program) atSignals(frames []proc.Stackframe) []proc.Stackframe {
	for i := 0; i < len(frames)-1; i++ {
		if fn := frames[i].Call.Fn; fn == nil || fn.Name != "runtime.sigpanic" {
			continue
		}
		end := i + 1
		for end < len(frames) && frames[end].Inlined {
			end++
		}
		if end == len(frames) || frames[end].Call.Fn == nil {
			continue
		}
		if right, ok := p.callsAt(frames[i+1:end], frames[end]); ok {
			frames = slices.Concat(frames[:i+1], right, frames[end+1:])
		}
	}
	return frames
}

// callsAt are a function and what is inlined in it at its address, the innermost first.
// Those that Delve has found there, too, are kept; the others have no variables (see
// inlinedHere).
func (p *Program) callsAt(found []proc.Stackframe, outer proc.Stackframe) (right []proc.Stackframe, ok bool) {
	inlined, files, err := p.inlinedAt(outer.Current.PC)
	if err != nil {
		return nil, false
	}
	at := outer.Current
	for _, call := range inlined {
		name, named := call.Entry.Val(dwarf.AttrName).(string)
		file, filed := call.Entry.Val(dwarf.AttrCallFile).(int64)
		line, lined := call.Entry.Val(dwarf.AttrCallLine).(int64)
		if !named || !filed || !lined || file < 0 || file >= int64(len(files)) || files[file] == nil {
			return nil, false
		}
		f := outer
		f.Inlined = true
		f.Call.Fn = &proc.Function{Name: name}
		if i := slices.IndexFunc(found, func(f proc.Stackframe) bool { return f.Call.Fn != nil && f.Call.Fn.Name == name }); i >= 0 {
			f = found[i]
		}
		f.Call.File, f.Call.Line = at.File, at.Line
		right = append(right, f)
		at.File, at.Line = files[file].Name, int(line)
	}
	outer.Call.File, outer.Call.Line = at.File, at.Line
	return append(right, outer), true
}

// inlinedHere is true of calls that callsAt has added.
func inlinedHere(f proc.Stackframe) bool { return f.Call.Fn != nil && f.Call.Fn.Entry == 0 }

// inlinedAt are the calls that are inlined at an address, the innermost first, and the
// files that they name by number.
func (p *Program) inlinedAt(pc uint64) ([]*godwarf.Tree, []*dwarf.LineFile, error) {
	image := p.target.BinInfo().Images[0]
	data, err := p.debugInformation(image.Path)
	if err != nil {
		return nil, nil, err
	}
	r := data.Reader()
	unit, err := r.SeekPC(pc - image.StaticBase)
	if err != nil {
		return nil, nil, err
	}
	lines, err := data.LineReader(unit)
	if err != nil {
		return nil, nil, err
	}
	if lines == nil {
		return nil, nil, errNoLines
	}
	for {
		e, err := r.Next()
		switch {
		case err != nil:
			return nil, nil, err
		case e == nil || e.Tag == dwarf.TagCompileUnit:
			return nil, nil, errNoFunction
		}
		r.SkipChildren()
		if e.Tag != dwarf.TagSubprogram || !covers(data, e, pc-image.StaticBase) {
			continue
		}
		tree, err := godwarf.LoadTree(e.Offset, data, image.StaticBase)
		if err != nil {
			return nil, nil, err
		}
		return reader.InlineStack(tree, pc), lines.Files(), nil
	}
}

var (
	errNoLines    = errors.New("no lines are known for the address")
	errNoFunction = errors.New("no function is known for the address")
)

// covers reports whether an address is one of a function's.
func covers(data *dwarf.Data, function *dwarf.Entry, addr uint64) bool {
	ranges, _ := data.Ranges(function)
	return slices.ContainsFunc(ranges, func(r [2]uint64) bool { return r[0] <= addr && addr < r[1] })
}

// debugInformation is that of the executable, read once.
func (p *Program) debugInformation(path string) (*dwarf.Data, error) {
	if p.debug != nil {
		return p.debug, nil
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p.debug, err = f.DWARF()
	return p.debug, err
}
