package process_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// works has a part that goes on for ever, and two goroutines that wait for each other.
const works = `package main

import (
	"sync"
	"sync/atomic"
)

func waits() {
	var a, b sync.Mutex
	both := func(x, y *sync.Mutex, held, go_ chan bool) {
		x.Lock()
		held <- true
		<-go_
		y.Lock()
	}
	held, go_ := make(chan bool), make(chan bool)
	go both(&a, &b, held, go_)
	go both(&b, &a, held, go_)
	<-held
	<-held
	close(go_)
}

func work() {
	go func() { select {} }() // parked on purpose
	waits()
	var n atomic.Int64
	for n.Add(1) > 0 {
	}
}

func main() { work() }
`

const tested = `package main

import "testing"

func TestWork(t *testing.T) { work() }
`

// A program that is cut off has leaked what is blocked for ever, and does so again when
// its schedule is replayed, which holds when it was cut off. Of a test nothing is said.
func TestCutOff(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module odd\n\ngo 1.26\n", "main.go": works, "main_test.go": tested} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []bool{false, true} {
		bin, err := instrument.NewBuilder(t.TempDir()).Control(context.Background(), instrument.Target{Dir: dir, ImportPath: "odd", Test: test})
		if err != nil {
			t.Fatal(err)
		}
		bin.Target.Entry = "main"
		if test {
			bin.Target.Entry = "TestWork"
		}
		p, err := process.New(bin, site.NewIndex(bin.Path))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		r, err := p.Run(context.Background(), run.Spec{Strategy: run.POS, Steps: 5000, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if test {
			if r.Outcome.Kind != trace.StepLimit || r.Outcome.Cut || r.Failed() {
				t.Errorf("test: %s", describe(r))
			}
			continue
		}
		if r.Outcome.Kind != trace.Leaked || !r.Outcome.Cut || len(r.Outcome.Blocked) != 2 || r.Finished() || !r.Failed() || r.Schedule.Steps != 5000 {
			t.Errorf("%s, %d blocked, limit %d", describe(r), len(r.Outcome.Blocked), r.Schedule.Steps)
		}
		again, err := p.Run(context.Background(), run.ReplayOf(run.Spec{Timeout: time.Minute}, r))
		if err != nil {
			t.Fatal(err)
		}
		if again.Hash != r.Hash || again.Steps != r.Steps || run.SignatureOf(again) != run.SignatureOf(r) {
			t.Errorf("replayed: %s, was %s", describe(again), describe(r))
		}
	}
}
