package core_test

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/core/coretest"
)

// mostMemory is what reading a core may take at most, in bytes.
const mostMemory = 200 << 20

// A core in which some words of memory are others gives a state, variables or an error,
// in bounded memory and time.
func FuzzPatched(f *testing.F) {
	bin := filepath.Join(f.TempDir(), "prog")
	file, data := core1(f, bin)
	words := wordsOf(f, data)
	f.Add([]byte("a word of it is another one, or a large number"))
	f.Add([]byte{0, 0, 0, 1, 0, 9, 9, 9, 2, 0, 200, 3, 1, 3, 7, 77, 4, 5})
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 64*patchSize {
			t.Skip()
		}
		defer patch(t, file, data, words, in)()
		peak, start := watchHeap(t), time.Now()
		if c, err := core.Open(t.Context(), file, bin); err == nil {
			c.State(t.Context())
			for g := range int64(3) {
				c.Values(t.Context(), core.Roots{Goroutine: g, Package: func(p string) bool { return p == "main" }, User: func(_, fn string) bool { return strings.HasPrefix(fn, "main.") }})
			}
			c.Close()
		}
		if got := peak(); got > mostMemory {
			t.Errorf("%d MB of heap", got>>20)
		}
		if took := time.Since(start); took > 2*time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

// core1 is the core of a program with variables of all kinds.
func core1(f *testing.F, bin string) (file string, data []byte) {
	built := coretest.Build(f, cacheProgram, "-gcflags=-N -l")
	if err := os.Rename(built, bin); err != nil {
		f.Fatal(err)
	}
	file, _ = coretest.Crash(f, bin)
	data, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	return file, data
}

// wordsOf are the offsets of words that are not 0 in memory that the program wrote.
func wordsOf(f *testing.F, data []byte) (out []int64) {
	e, err := elf.NewFile(strings.NewReader(string(data)))
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range e.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_W == 0 {
			continue
		}
		for at := int64(p.Off); at+8 <= int64(p.Off+p.Filesz); at += 8 {
			if binary.LittleEndian.Uint64(data[at:]) != 0 {
				out = append(out, at)
			}
		}
	}
	return out
}

const patchSize = 6 // bytes of input that make a patch

// patch writes other words into the core, and returns what puts the old ones back.
func patch(t *testing.T, file string, data []byte, words []int64, in []byte) (undo func()) {
	w, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var at []int64
	for ; len(in) >= patchSize; in = in[patchSize:] {
		i := words[int(binary.LittleEndian.Uint32(in)&0xffffff)%len(words)]
		was := binary.LittleEndian.Uint64(data[i:])
		values := []uint64{0, 1, 1 << 60, 1<<63 - 1, ^uint64(0), was + 8, was - 8, was ^ 1<<in[5]%64,
			binary.LittleEndian.Uint64(data[words[(int(in[3])<<8|int(in[5]))%len(words)]:])}
		_, err = w.WriteAt(binary.LittleEndian.AppendUint64(nil, values[int(in[4])%len(values)]), i)
		at = append(at, i)
		if err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for _, i := range at {
			_, e := w.WriteAt(data[i:i+8], i)
			err = errors.Join(err, e)
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// watchHeap looks at the heap until the function that it returns is called, which tells
// how many bytes it had at most.
func watchHeap(t *testing.T) (peak func() uint64) {
	now := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	var most uint64
	done, stop := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			metrics.Read(now)
			most = max(most, now[0].Value.Uint64())
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-done
		return most
	}
}
