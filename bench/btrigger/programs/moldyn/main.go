// Command moldyn is a molecular dynamics simulation, after the Java Grande
// benchmark: workers share the forces by barriers, but count interactions in a
// shared variable without a lock (DOSSIER: BTrigger moldyn).
package main

import (
	"fmt"
	"math"
	"sync"
)

const (
	particles = 220
	workers   = 4
	steps     = 12
	cutoff    = 9.0
)

type vector struct{ x, y, z float64 }

// system is what all workers see. Between barriers each writes its own part.
type system struct {
	pos, vel     [particles]vector
	force        [workers][particles]vector
	interactions int // by all, without a lock: the bug
}

func main() {
	s := newSystem()
	want := 0
	for range steps {
		want += s.step()
	}
	if s.interactions != want {
		panic(fmt.Sprintf("counted %d interactions of %d", s.interactions, want))
	}
	fmt.Println("interactions:", s.interactions)
}

func newSystem() *system {
	s := &system{}
	for i := range s.pos {
		s.pos[i] = vector{float64(i % 7), float64(i / 7 % 7), float64(i / 49)}
		s.vel[i] = vector{math.Sin(float64(i)), math.Cos(float64(i)), 0}
	}
	return s
}

// step moves all particles once and returns how many pairs interacted.
func (s *system) step() (pairs int) {
	var wg sync.WaitGroup
	counts := make([]int, workers)
	for w := range workers {
		wg.Go(func() {
			counts[w] = s.forces(w)
			s.count(counts[w])
		})
	}
	wg.Wait() // barrier
	for w := range workers {
		pairs += counts[w]
		wg.Go(func() { s.move(w) })
	}
	wg.Wait() // barrier
	return pairs
}

// forces adds up what the worker's particles feel. The parts differ in size.
func (s *system) forces(w int) (pairs int) {
	s.force[w] = [particles]vector{}
	for i := w; i < particles; i += workers {
		for j := i + 1; j < particles; j++ {
			d := vector{s.pos[i].x - s.pos[j].x, s.pos[i].y - s.pos[j].y, s.pos[i].z - s.pos[j].z}
			r2 := d.x*d.x + d.y*d.y + d.z*d.z + 0.1
			if r2 > cutoff {
				continue
			}
			f := 1/(r2*r2*r2*r2) - 0.5/(r2*r2)
			s.force[w][i] = vector{s.force[w][i].x + d.x*f, s.force[w][i].y + d.y*f, s.force[w][i].z + d.z*f}
			s.force[w][j] = vector{s.force[w][j].x - d.x*f, s.force[w][j].y - d.y*f, s.force[w][j].z - d.z*f}
			pairs++
		}
	}
	return pairs
}

//go:noinline
func (s *system) count(pairs int) {
	before := s.interactions
	s.interactions = before + pairs // l1
}

func (s *system) move(w int) {
	for i := w; i < particles; i += workers {
		var f vector
		for k := range workers {
			f = vector{f.x + s.force[k][i].x, f.y + s.force[k][i].y, f.z + s.force[k][i].z}
		}
		v := &s.vel[i]
		v.x, v.y, v.z = v.x+f.x*1e-3, v.y+f.y*1e-3, v.z+f.z*1e-3
		p := &s.pos[i]
		p.x, p.y, p.z = p.x+v.x*1e-3, p.y+v.y*1e-3, p.z+v.z*1e-3
	}
}
