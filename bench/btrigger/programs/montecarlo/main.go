// Command montecarlo prices an option along random paths, after the Java Grande
// benchmark: workers append their results to one list without a lock
// (DOSSIER: BTrigger montecarlo).
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
)

const (
	workers = 4
	paths   = 48
	days    = 4000
)

type result struct {
	path  int
	price float64
}

// demo is the state of the run that all workers share.
type demo struct {
	results []result // by all, without a lock: the bug
}

func main() {
	d := &demo{results: make([]result, 0, paths)}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for p := w; p < paths; p += workers {
				d.add(result{p, walk(uint64(p))})
			}
		})
	}
	wg.Wait()
	if len(d.results) != paths {
		panic(fmt.Sprintf("%d results of %d paths", len(d.results), paths))
	}
	fmt.Printf("expected price: %.3f\n", d.mean())
}

//go:noinline
func (d *demo) add(r result) {
	list := d.results
	d.results = append(list, r) // l1
}

func (d *demo) mean() float64 {
	sum := 0.0
	for _, r := range d.results {
		sum += r.price
	}
	return sum / float64(len(d.results))
}

// walk follows one path; its length differs, as those of real series do.
func walk(seed uint64) float64 {
	r := rand.New(rand.NewPCG(seed, 7))
	price := 100.0
	for range days + r.IntN(days) {
		price *= math.Exp(0.0001 + 0.01*r.NormFloat64())
	}
	return price
}
