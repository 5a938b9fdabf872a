// Command nbody moves bodies that attract each other, each step's forces being
// found by several goroutines.
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
)

type body struct{ x, y, z, vx, vy, vz, m float64 }

var pairs int64
var mu sync.Mutex

func pull(b []body, i int) (ax, ay, az float64) {
	for j := range b {
		dx, dy, dz := b[j].x-b[i].x, b[j].y-b[i].y, b[j].z-b[i].z
		d := dx*dx + dy*dy + dz*dz + 1e-3
		f := b[j].m / (d * math.Sqrt(d))
		ax, ay, az = ax+f*dx, ay+f*dy, az+f*dz
	}
	mu.Lock()
	defer mu.Unlock()
	point(1, &pairs)
	pairs += int64(len(b)) // hot
	return ax, ay, az
}

func reset() {
	point(2, &pairs)
	pairs = 0 // never
}

func step(b []body, dt float64) {
	const workers = 4
	next := make([]body, len(b))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(b); i += workers {
				ax, ay, az := pull(b, i)
				n := b[i]
				n.vx, n.vy, n.vz = n.vx+ax*dt, n.vy+ay*dt, n.vz+az*dt
				n.x, n.y, n.z = n.x+n.vx*dt, n.y+n.vy*dt, n.z+n.vz*dt
				next[i] = n
			}
		})
	}
	wg.Wait()
	copy(b, next)
}

func main() {
	steps, _ := strconv.Atoi(os.Args[1])
	b := make([]body, 512)
	for i := range b {
		t := float64(i)
		b[i] = body{x: math.Sin(t) * 10, y: math.Cos(t*1.3) * 10, z: math.Sin(t * 0.7), m: 1 / float64(len(b))}
	}
	for range steps {
		step(b, 1e-3)
	}
	if steps < 0 {
		reset()
	}
	fmt.Println(pairs == int64(steps)*int64(len(b))*int64(len(b)), !math.IsNaN(b[0].x))
}
