// Command sort sorts slices by parallel merge sort. Each merge step of the
// sort counts what it moved.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
)

const grain = 1 << 12

var moved int64
var mu sync.Mutex

func count(n int) {
	mu.Lock()
	defer mu.Unlock()
	point(1, &moved)
	moved += int64(n) // hot
}

func reset() {
	point(2, &moved)
	moved = 0 // never
}

func insertion(a []int32) {
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && a[j] < a[j-1]; j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}

func merge(out, a, b []int32) {
	for i := range out {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			out[i], a = a[0], a[1:]
		} else {
			out[i], b = b[0], b[1:]
		}
	}
	count(len(out))
}

// sort sorts a, with the help of tmp of the same length.
func sort(a, tmp []int32) {
	if len(a) <= 32 {
		insertion(a)
		return
	}
	m := len(a) / 2
	if len(a) > grain {
		var wg sync.WaitGroup
		wg.Go(func() { sort(a[:m], tmp[:m]) })
		sort(a[m:], tmp[m:])
		wg.Wait()
	} else {
		sort(a[:m], tmp[:m])
		sort(a[m:], tmp[m:])
	}
	merge(tmp, a[:m], a[m:])
	copy(a, tmp)
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	r := rand.New(rand.NewPCG(1, 2))
	a, tmp := make([]int32, 1<<20), make([]int32, 1<<20)
	for range rounds {
		for i := range a {
			a[i] = r.Int32()
		}
		sort(a, tmp)
	}
	if rounds < 0 {
		reset()
	}
	fmt.Println(a[0] <= a[len(a)-1], moved > 0)
}
