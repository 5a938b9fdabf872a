// Command raytracer renders rows of pixels in parallel, after the Java Grande
// benchmark: each worker adds its part to a checksum under a lock, but each has
// a lock of its own (DOSSIER: BTrigger raytracer).
package main

import (
	"fmt"
	"math"
	"sync"
)

const (
	workers = 4
	width   = 160
	height  = 120
	shapes  = 8
)

type vector struct{ x, y, z float64 }

func (a vector) minus(b vector) vector { return vector{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vector) dot(b vector) float64  { return a.x*b.x + a.y*b.y + a.z*b.z }

type sphere struct {
	center vector
	radius float64
}

// scene is shared; checksum is what all pixels add up to.
type scene struct {
	spheres  []sphere
	checksum int64
}

// renderer is one worker.
type renderer struct {
	mu    sync.Mutex // meant to guard the checksum: the bug is that each has its own
	scene *scene
	first int
}

func main() {
	s := newScene()
	sums := make([]int64, workers)
	var wg sync.WaitGroup
	for w := range workers {
		r := &renderer{scene: s, first: w}
		wg.Go(func() {
			sums[w] = r.render()
			r.publish(sums[w])
		})
	}
	wg.Wait()
	var want int64
	for _, n := range sums {
		want += n
	}
	if s.checksum != want {
		panic(fmt.Sprintf("checksum %d, the pixels add up to %d", s.checksum, want))
	}
	fmt.Println("checksum:", s.checksum)
}

func newScene() *scene {
	s := &scene{}
	for i := range shapes {
		s.spheres = append(s.spheres, sphere{vector{float64(i%3) - 1, float64(i/3) - 1, 4 + float64(i)/3}, 0.6})
	}
	return s
}

func (r *renderer) publish(sum int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.scene.checksum
	r.scene.checksum = before + sum // l1
}

// render adds up the pixels of every workers-th row.
func (r *renderer) render() (sum int64) {
	for y := r.first; y < height; y += workers {
		for x := range width {
			ray := vector{(float64(x) - width/2) / width, (float64(y) - height/2) / height, 1}
			sum += int64(255 * r.scene.shade(ray))
		}
	}
	return sum
}

func (s *scene) shade(ray vector) float64 {
	best, light := math.Inf(1), 0.0
	for _, o := range s.spheres {
		b, c := ray.dot(o.center), o.center.dot(o.center)-o.radius*o.radius
		a := ray.dot(ray)
		if d := b*b - a*c; d >= 0 {
			if t := (b - math.Sqrt(d)) / a; t > 0 && t < best {
				best = t
				n := vector{ray.x * t, ray.y * t, ray.z * t}.minus(o.center)
				light = math.Abs(n.dot(vector{0.3, 0.5, -0.8})) / o.radius
			}
		}
	}
	return light
}
