package tracedb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A block of an exported file is some runs of one program, complete in itself:
// the paths of its runs sorted, each as what it has in common with the one before
// and the rest, then the runs, which refer to them.

// How much a block and a transaction hold: one run more than the limit at most.
const (
	blockRuns   = 16 << 10
	blockTokens = 8 << 20
)

// encodeBlock returns the block's content, uncompressed. All runs are of one
// program, whose number in the file it gets.
func encodeBlock(program int, runs []*Run) []byte {
	paths := make([][]uint64, 0, len(runs))
	for _, r := range runs {
		for i := range r.Threads {
			paths = append(paths, r.Threads[i].Tokens)
		}
	}
	slices.SortFunc(paths, slices.Compare)
	paths = slices.CompactFunc(paths, slices.Equal)
	texts := map[string]uint64{}
	b := binary.AppendUvarint(nil, uint64(program))
	b = binary.AppendUvarint(b, uint64(len(paths)))
	var before []uint64
	for _, p := range paths {
		same := common(before, p)
		b = binary.AppendUvarint(b, uint64(same))
		b = binary.AppendUvarint(b, uint64(len(p)-same))
		b = appendTokens(b, p[same:])
		before = p
	}
	b = binary.AppendUvarint(b, uint64(len(runs)))
	for _, r := range runs {
		b = appendRun(b, r, paths, texts)
	}
	return b
}

func appendRun(b []byte, r *Run, paths [][]uint64, texts map[string]uint64) []byte {
	b = appendRef(b, r.Machine, texts)
	b = binary.AppendVarint(b, unixNano(r.Time))
	b = binary.AppendUvarint(b, r.Seed)
	b = appendRef(b, r.Outcome, texts)
	b = appendRef(b, r.Failure, texts)
	b = append(b, b2i(r.Torn))
	b = binary.AppendUvarint(b, uint64(len(r.Threads)))
	for i := range r.Threads {
		t := &r.Threads[i]
		b = appendRef(b, t.Name, texts)
		b = appendRef(b, t.Site, texts)
		at, _ := slices.BinarySearchFunc(paths, t.Tokens, slices.Compare)
		b = binary.AppendUvarint(b, uint64(at))
	}
	return b
}

// appendRef appends a text's number in the block, and the text where it is new.
func appendRef(b []byte, s string, texts map[string]uint64) []byte {
	if n, ok := texts[s]; ok {
		return binary.AppendUvarint(b, n)
	}
	n := uint64(len(texts))
	texts[s] = n
	return appendText(binary.AppendUvarint(b, n), s)
}

// decodeBlock is the inverse of encodeBlock. Runs with equal paths share them.
func decodeBlock(b []byte, programs []*Program) ([]*Run, error) {
	r := &blockReader{reader: reader{b: b}}
	n := r.uint()
	if r.err == nil && n >= uint64(len(programs)) {
		return nil, fmt.Errorf("it names program %d of %d", n, len(programs))
	}
	paths, err := r.paths()
	if err != nil {
		return nil, err
	}
	runs := make([]*Run, 0, min(r.peekCount(), blockRuns))
	for range r.count() {
		run := &Run{Program: programs[n], Machine: r.ref(), Time: fromUnixNano(r.int()), Seed: r.uint(),
			Outcome: r.ref(), Failure: r.ref(), Torn: r.byte() != 0}
		run.Threads = make([]Thread, r.threads())
		for i := range run.Threads {
			t := &run.Threads[i]
			t.Name, t.Site = r.ref(), r.ref()
			at := r.uint()
			if r.err != nil || at >= uint64(len(paths)) {
				return nil, cmpErr(r.err, "it refers to a path that it does not have")
			}
			t.Tokens = paths[at]
		}
		if r.err != nil {
			return nil, r.err
		}
		if err := run.check(); err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, r.end()
}

func cmpErr(err error, text string) error {
	if err != nil {
		return err
	}
	return errors.New(text)
}

type blockReader struct {
	reader
	texts []string
}

func (r *blockReader) ref() string {
	n := r.uint()
	switch {
	case r.err != nil || n > uint64(len(r.texts)):
		r.fail("it refers to a text that it does not have")
		return ""
	case n == uint64(len(r.texts)):
		r.texts = append(r.texts, r.text())
	}
	return r.texts[n]
}

// paths expands the list of paths. What is shared is not in the bytes, so that the
// size has a limit of its own.
func (r *blockReader) paths() ([][]uint64, error) {
	paths := make([][]uint64, 0, min(r.peekCount(), blockTokens))
	var before []uint64
	size := 0
	for range r.count() {
		same, more := r.uint(), r.count()
		if r.err != nil || same > uint64(len(before)) {
			return nil, cmpErr(r.err, "a path has more in common with the one before than that has")
		}
		if size += int(same) + more; size > maxTokens+blockTokens {
			return nil, errors.New("its paths are too long")
		}
		p := append(append(make([]uint64, 0, int(same)+more), before[:same]...), r.tokens(more)...)
		paths = append(paths, p)
		before = p
	}
	return paths, r.err
}

// threads is a count of goroutines. A few bytes in a file must not ask for much memory.
func (r *reader) threads() int {
	n := r.count()
	if n > maxThreads {
		r.fail("a run has %d goroutines; at most %d can be kept", n, maxThreads)
		return 0
	}
	return n
}

// peekCount is the count that comes next.
func (r *reader) peekCount() int {
	look := *r
	return look.count()
}
