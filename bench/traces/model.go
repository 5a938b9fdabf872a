package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hocket-dev/hocket/engine/tracedb"
)

// The modelled test: workers take jobs off a queue and put results into one of a
// few locked tables; each run interleaves them at random, by slices of time.

const (
	workers = 8
	jobs    = 120
	tables  = 4
)

var modelled = map[string]*tracedb.Program{}

func init() {
	for _, mode := range []string{"order", "paths"} {
		p := &tracedb.Program{Package: "example.com/pool", Entry: "TestPool", Mode: mode, Content: "5f1d", Go: "go1.26.8", OS: "linux", Arch: "amd64",
			Functions: map[string]string{"worker": "1", "put": "2"}}
		for i := range 12 {
			p.Sites = append(p.Sites, tracedb.Site{Func: []string{"worker", "put"}[i/6], Index: i % 6, Line: fmt.Sprint("pool.go:", 10+i)})
		}
		if mode == "order" {
			p.Sites = nil
		}
		modelled[mode] = p
	}
}

// model is one run of it.
type model struct {
	mode    string
	rng     *rand.Rand
	threads []tracedb.Thread
	since   []uint64 // operations of each thread since its last record
	version []uint64 // of each object: the queue, then the tables
	last    []int    // thread that had the object last
}

func makeRun(mode string, i int, rng *rand.Rand) *tracedb.Run {
	m := &model{mode: mode, rng: rng, threads: make([]tracedb.Thread, workers+1), since: make([]uint64, workers+1),
		version: make([]uint64, tables+1), last: make([]int, tables+1)}
	for t := range m.threads {
		m.threads[t].Name, m.threads[t].Site = fmt.Sprint("0.", t), "pool.go:44"
	}
	m.threads[0].Name, m.threads[0].Site = "0", "pool_test.go:9"
	running, left := 1, 0
	for job := range jobs {
		if left == 0 { // the slice of time is over
			running, left = 1+rng.IntN(workers), 1+rng.IntN(12)
		}
		left--
		m.job(running, job)
	}
	for t := range m.threads {
		m.touch(t, 0) // the closed queue
	}
	r := &tracedb.Run{Program: modelled[mode], Machine: fmt.Sprint("ci-", i%7), Seed: rng.Uint64(), Outcome: tracedb.Passed,
		Time: time.Unix(1_700_000_000, int64(rng.Uint64()>>4)), Threads: m.threads}
	if rng.IntN(5000) == 0 {
		r.Outcome, r.Failure = "panic", "panic: result of job 17 is missing"
	}
	return r
}

func (m *model) job(t, job int) {
	m.touch(t, 0)
	m.branch(t, 0, true)
	m.branch(t, 1, job%3 == 0)
	table := 1 + job%tables
	m.touch(t, table)
	m.branch(t, 6, job < tables) // the first of its table
	for i := range job % 4 {
		m.branch(t, 7+i%3, i == 0)
	}
	m.branch(t, 11, m.rng.IntN(50) == 0)
}

// touch is a synchronisation: recorded if another thread had the object before.
func (m *model) touch(t, object int) {
	m.since[t]++
	m.version[object]++
	if m.last[object] != t && m.mode == "order" {
		m.threads[t].Tokens = append(m.threads[t].Tokens, m.since[t], m.version[object])
		m.since[t] = 0
	}
	m.last[object] = t
}

func (m *model) branch(t, site int, taken bool) {
	if m.mode != "paths" {
		return
	}
	token := uint64(site) * 2
	if taken {
		token++
	}
	m.threads[t].Tokens = append(m.threads[t].Tokens, token)
}
