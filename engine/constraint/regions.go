package constraint

// regions pairs the acquisitions of locks with the releases that end them, per
// path of a thread. A region is the longest stretch of a path in which the
// thread holds the lock in one mode, so that a reader's nested RLock belongs to
// the region of the outer one.
type regions struct {
	start []EventID   // per acquisition or release: the acquisition that began its region; NoEvent for others
	ends  [][]EventID // per start: the releases that end the region, at most one of which happens
	// own says per object that each thread releases only what it holds. Then no
	// thread makes room for another, and the regions of two threads exclude
	// each other.
	own []bool
}

func newRegions(x *index) *regions {
	r := &regions{
		start: make([]EventID, len(x.pre)),
		ends:  make([][]EventID, len(x.pre)),
		own:   make([]bool, len(x.ofObj)),
	}
	for i := range r.start {
		r.start[i] = NoEvent
	}
	held := make([]int64, len(x.pre))
	for o := range x.s.Objects {
		if x.s.Objects[o].Kind == Mutex {
			r.own[o] = true
			r.pair(x, ObjID(o), countWriters, held)
			r.pair(x, ObjID(o), countReaders, held)
		}
	}
	return r
}

// pair walks the events of one lock and mode; held is scratch: how often the
// thread holds it after each.
func (r *regions) pair(x *index, o ObjID, mode counter, held []int64) {
	var path []EventID // those before, on the same path
	for _, e := range x.ofObj[o] {
		w := weightOf(&x.s.Events[e], mode)
		if w == 0 {
			continue
		}
		for len(path) > 0 && !x.before(path[len(path)-1], e) {
			path = path[:len(path)-1]
		}
		was, start := int64(0), NoEvent
		if len(path) > 0 {
			p := path[len(path)-1]
			was, start = held[p], r.start[p]
		}
		if was == 0 {
			start = e
		}
		held[e], r.start[e] = was+w, start
		if held[e] < 0 {
			r.own[o] = false
		}
		if held[e] == 0 {
			r.ends[start] = append(r.ends[start], e)
		}
		path = append(path, e)
	}
}

// Region is the lock region that e, an acquisition or release, belongs to: the
// acquisition that begins it and the releases that may end it. It is NoEvent if
// threads release what others hold: then regions say nothing.
func (c *Checker) Region(e EventID) (start EventID, ends []EventID) {
	if start = c.regions.start[e]; start == NoEvent || !c.regions.own[c.x.s.Events[e].Obj] {
		return NoEvent, nil
	}
	return start, c.regions.ends[start]
}

// ProgramOrder says that a stands before b on one path of a thread.
func (c *Checker) ProgramOrder(a, b EventID) bool { return c.x.before(a, b) }
