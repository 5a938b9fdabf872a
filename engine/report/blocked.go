package report

// manyAtOnePlace is from how many goroutines on a place stands for all of them,
// whatever each waits for: who they are tells nothing more.
const manyAtOnePlace = 8

// Gather makes one entry of goroutines that wait at one place for the same, and
// of many at one place.
func Gather(all []Blocked) []Blocked {
	at := map[Place]int{} // how many wait there
	place := func(b Blocked) Place { return Place{File: b.File, Line: b.Line, Func: b.Func} }
	for _, b := range all {
		at[place(b)]++
	}
	type key struct {
		Place
		on, holder string
	}
	var out []Blocked
	first := map[key]int{}
	for _, b := range all {
		k := key{place(b), b.On, b.Holder}
		if at[k.Place] > manyAtOnePlace {
			k.on, k.holder = "", ""
		}
		i, again := first[k]
		if !again {
			first[k] = len(out)
			out = append(out, b)
			continue
		}
		out[i].Count = max(out[i].Count, 1) + 1
	}
	return out
}
