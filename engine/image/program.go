package image

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/internal/temp"
)

// Kinds of symbol requests, three words each in the watch section: the kind in
// the low byte of the first word and its argument above; then a and b. The
// program answers in the text section, fields separated by tabs:
//
//	hocket-symbols 2 | Go version | folder of std
//	kindPC:     F | n, then n lines: "" | line | line where the function begins | function | file
//	kindType:   T | root | its size | index | path | type | size | kind, or T
//	kindEntry:  E | line | function | file, or E
//	kindReason: R | text, or R
//
// The text length counts what did not fit too. hocket_symbols.go in
// engine/rt/overlay/runtime is the other half.
const (
	kindPC     = 1
	kindType   = 2
	kindEntry  = 3
	kindReason = 4
)

type request struct {
	kind uint8
	arg  uint16
	a, b uint64
}

// Program asks a program built for control mode to describe itself, and its file
// for variables. Answers are kept. It is safe for concurrent use.
type Program struct {
	path string

	mu      sync.Mutex
	meta    *Meta
	answers map[request][]string

	image func() (*Image, error) // opened at first use
}

// NewProgram asks the binary at path, which must stay there.
func NewProgram(path string) *Program {
	return &Program{path: path, answers: map[request][]string{}, image: sync.OnceValues(func() (*Image, error) { return Open(path) })}
}

// Image is the program's file.
func (p *Program) Image() (*Image, error) { return p.image() }

// Frames expands return addresses to frames, innermost first, inlined calls
// included. An unknown address has none.
func (p *Program) Frames(pcs []uint64) ([][]Frame, error) {
	places, err := p.Places(pcs)
	out := make([][]Frame, len(pcs))
	for i, ps := range places {
		for _, at := range ps {
			out[i] = append(out[i], at.Frame)
		}
	}
	return out, err
}

// Places is Frames with the lines at which the functions begin.
func (p *Program) Places(pcs []uint64) ([][]Place, error) {
	reqs := make([]request, len(pcs))
	for i, pc := range pcs {
		reqs[i] = request{kind: kindPC, a: pc}
	}
	out := make([][]Place, len(pcs))
	err := p.ask(reqs, func(i int, lines []string) {
		for _, l := range lines[1:] {
			out[i] = append(out[i], parsePlace(l))
		}
	})
	return out, err
}

// Entries names the functions that start at the given addresses, wrappers of go
// statements looked through. Unknown ones have an empty Func.
func (p *Program) Entries(pcs []uint64) ([]Frame, error) {
	reqs := make([]request, len(pcs))
	for i, pc := range pcs {
		reqs[i] = request{kind: kindEntry, a: pc}
	}
	out := make([]Frame, len(pcs))
	err := p.ask(reqs, func(i int, lines []string) { out[i] = parseFrame(lines[0]) })
	return out, err
}

// Reasons are the runtime's wait reasons by number.
func (p *Program) Reasons(nums []uint64) ([]string, error) {
	reqs := make([]request, len(nums))
	for i, n := range nums {
		reqs[i] = request{kind: kindReason, a: n}
	}
	out := make([]string, len(nums))
	err := p.ask(reqs, func(i int, lines []string) { out[i] = field(strings.Split(lines[0], "\t"), 1) })
	return out, err
}

// Types says what lies at an offset of an allocation.
func (p *Program) Types(reqs []TypeReq) ([]TypeInfo, error) {
	out := make([]TypeInfo, len(reqs))
	var rs []request
	var idx []int
	for i, q := range reqs {
		if q.Type != 0 {
			rs = append(rs, request{kindType, q.Want, q.Type, q.Offset})
			idx = append(idx, i)
		}
	}
	err := p.ask(rs, func(i int, lines []string) { out[idx[i]] = parseType(lines[0]) })
	return out, err
}

// Meta says how the binary was built.
func (p *Program) Meta() (Meta, error) {
	p.mu.Lock()
	known := p.meta
	p.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	if err := p.run(nil); err != nil {
		return Meta{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return *p.meta, nil
}

func field(fs []string, i int) string {
	if i < len(fs) {
		return fs[i]
	}
	return ""
}

func parsePlace(line string) Place {
	fs := strings.SplitN(line, "\t", 5)
	n, _ := strconv.Atoi(field(fs, 1))
	start, _ := strconv.Atoi(field(fs, 2))
	return Place{Frame{Func: field(fs, 3), File: field(fs, 4), Line: n}, start}
}

func parseFrame(line string) Frame {
	fs := strings.SplitN(line, "\t", 4)
	n, _ := strconv.Atoi(field(fs, 1))
	return Frame{Func: field(fs, 2), File: field(fs, 3), Line: n}
}

func parseType(line string) TypeInfo {
	fs := strings.Split(line, "\t")
	if len(fs) < 8 {
		return TypeInfo{}
	}
	t := TypeInfo{Root: fs[1], Path: fs[4], Type: fs[5], Kind: fs[7]}
	t.RootSize, _ = strconv.ParseUint(fs[2], 10, 64)
	t.Index, _ = strconv.ParseUint(fs[3], 10, 64)
	t.Size, _ = strconv.Atoi(fs[6])
	return t
}

// ask hands each request's answer to use, starting the program for those that
// are not known yet.
func (p *Program) ask(reqs []request, use func(i int, lines []string)) error {
	var missing []request
	asked := map[request]bool{}
	p.mu.Lock()
	for _, r := range reqs {
		if _, ok := p.answers[r]; !ok && !asked[r] {
			asked[r] = true
			missing = append(missing, r)
		}
	}
	p.mu.Unlock()
	if len(missing) > 0 {
		if err := p.run(missing); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range reqs {
		use(i, p.answers[r])
	}
	return nil
}

// run starts the program, once more with room enough if the answers did not
// fit.
func (p *Program) run(reqs []request) error {
	room := 1<<16 + 256*len(reqs)
	for range 3 {
		text, need, err := p.start(reqs, room)
		if err != nil {
			return fmt.Errorf("symbols of %s: %w", p.path, err)
		}
		if need <= room {
			return p.take(reqs, text)
		}
		room = need + need/8
	}
	return fmt.Errorf("symbols of %s: the answers keep growing", p.path)
}

// start runs the program on one request file and returns the text it wrote and
// how long that is or would have been.
func (p *Program) start(reqs []request, room int) (text string, need int, err error) {
	dir, err := temp.Dir("symbols")
	if err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "run")
	if err := os.WriteFile(name, requestFile(reqs, room), 0o600); err != nil {
		return "", 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), rt.EnvRun+"="+name)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", 0, fmt.Errorf("%w: %.200s", err, out)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", 0, err
	}
	return answersOf(data, room)
}

// answersOf cuts the text out of a run file.
func answersOf(data []byte, room int) (text string, need int, err error) {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	if len(data) < rt.HeaderSize || word(rt.WMagic) != rt.Magic {
		return "", 0, errors.New("the program left no run file")
	}
	off, n := word(rt.WTextOff), word(rt.WTextLen)
	if off > uint64(len(data)) {
		return "", 0, errors.New("the run file is damaged")
	}
	rest := data[off:]
	return string(rest[:min(n, uint64(room), uint64(len(rest)))]), int(n), nil
}

// requestFile lays out a run file that holds requests and room for text.
func requestFile(reqs []request, room int) []byte {
	const page = 4096
	up := func(n int) int { return (n + page - 1) / page * page }
	words := 3 * len(reqs)
	watch, text := rt.HeaderSize, rt.HeaderSize+up(8*words)
	data := make([]byte, text+up(room))
	put := func(i int, v uint64) { binary.LittleEndian.PutUint64(data[8*i:], v) }
	put(rt.WMagic, rt.Magic)
	put(rt.WVersion, 1)
	put(rt.WSize, uint64(len(data)))
	put(rt.WFlags, rt.FlagSymbolize)
	put(rt.WWatchOff, uint64(watch))
	put(rt.WWatchCap, uint64(words))
	put(rt.WWatchLen, uint64(words))
	put(rt.WTextOff, uint64(text))
	put(rt.WTextCap, uint64(room))
	for i, r := range reqs {
		at := watch/8 + 3*i
		put(at, uint64(r.kind)|uint64(r.arg)<<8)
		put(at+1, r.a)
		put(at+2, r.b)
	}
	return data
}

// take keeps the answers.
func (p *Program) take(reqs []request, text string) error {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	head := strings.Split(lines[0], "\t")
	if head[0] != "hocket-symbols 2" {
		return errors.New("the program was not built for control mode: it did not answer")
	}
	lines = lines[1:]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.meta = &Meta{GoVersion: field(head, 1), StdRoot: field(head, 2)}
	for _, r := range reqs {
		n := 1
		if len(lines) > 0 && r.kind == kindPC {
			more, _ := strconv.Atoi(field(strings.Split(lines[0], "\t"), 1))
			n += max(more, 0)
		}
		if n > len(lines) {
			return fmt.Errorf("symbols of %s: answers are missing", p.path)
		}
		p.answers[r], lines = lines[:n:n], lines[n:]
	}
	return nil
}
