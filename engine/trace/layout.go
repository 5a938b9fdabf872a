package trace

// layout is the body of a trace file, in order. Any change needs a new Version
// and docs/trace-format.md. Earlier versions are read too: 5 has no runs that are cut
// off early and does not say which were cut off, 4 does not say where the
// collector runs and has no delays, 3 also has program counters of one build for
// sites, 2 also lacks what decides selects and what lets time pass.
func layout(c *coder, t *Trace) {
	number(c, &t.Version)
	text(c, &t.GoVersion)
	text(c, &t.StdRoot)
	list(c, &t.Stacks, func(c *coder, _ int, s *[]Frame) { list(c, s, frame) })
	sites(c, t)
	list(c, &t.Goroutines, goroutine)
	list(c, &t.Objects, object)
	events(c, &t.Events)
	events(c, &t.Pending)
	if c.version > 4 {
		list(c, &t.Delays, delay)
	}
	list(c, &t.Races, race)
	schedule(c, &t.Schedule)
	c.uvarint(&t.Hash)
	number(c, &t.Steps)
	number(c, &t.VirtualNS)
	outcome(c, &t.Outcome)
	c.bool(&t.Truncated)
	c.bool(&t.AllocsLost)
	number(c, &t.External)
}

func frame(c *coder, _ int, f *Frame) {
	text(c, &f.Func)
	text(c, &f.File)
	number(c, &f.Line)
}

func goroutine(c *coder, i int, g *Goroutine) {
	delta(c, &g.ID, GID(i))
	number(c, &g.Parent)
	number(c, &g.Index)
	text(c, &g.Path)
	c.uvarint(&g.Key)
	text(c, &g.Func)
	text(c, &g.Display)
	number(c, &g.Spawn)
	c.bool(&g.Ended)
}

func object(c *coder, i int, o *Object) {
	delta(c, &o.ID, ObjID(i))
	number(c, &o.Kind)
	c.uvarint(&o.Addr)
	number(c, &o.Size)
	text(c, &o.Name)
	text(c, &o.Var)
	text(c, &o.Type)
	number(c, &o.Alloc)
	text(c, &o.Elem)
	number(c, &o.Born)
}

// events are coded against the event before, counts against the same
// goroutine's last one.
func events(c *coder, es *[]Event) {
	var last Event
	counts := map[GID]uint32{}
	list(c, es, func(c *coder, i int, e *Event) {
		delta(c, &e.Seq, i)
		delta(c, &e.G, last.G)
		number(c, &e.Op)
		delta(c, &e.Obj, last.Obj)
		delta(c, &e.Stack, last.Stack)
		c.bool(&e.HasValue)
		c.uvarint(&e.Value)
		c.uvarint(&e.Aux)
		delta(c, &e.Count, counts[e.G])
		delta(c, &e.Time, last.Time)
		counts[e.G] = e.Count
		last = *e
	})
}

func delay(c *coder, _ int, d *Delay) {
	number(c, &d.G)
	number(c, &d.Stack)
	number(c, &d.Count)
	number(c, &d.Time)
	number(c, &d.NS)
	number(c, &d.Maker)
	number(c, &d.Timer)
}

func race(c *coder, _ int, r *Race) {
	number(c, &r.Obj)
	access(c, &r.First)
	access(c, &r.Second)
}

func access(c *coder, a *Access) {
	number(c, &a.G)
	c.bool(&a.Write)
	number(c, &a.Stack)
	delta(c, &a.Seq, 0) // may be -1
}

func schedule(c *coder, s *Schedule) {
	list(c, &s.Segments, func(c *coder, _ int, g *Segment) {
		c.uvarint(&g.G)
		number(c, &g.Until)
		if c.version > 2 {
			c.bool(&g.Await)
		}
		if c.version > 4 {
			c.bool(&g.Timer)
		}
	})
	if c.version > 2 {
		list(c, &s.Choices, func(c *coder, _ int, o *Choice) {
			c.uvarint(&o.G)
			number(c, &o.Count)
			delta(c, &o.Case, 0)
		})
	}
	c.uvarint(&s.SelectSeed)
	c.uvarint(&s.InputSeed)
	number(c, &s.ClockStep)
	if c.version > 4 {
		number(c, &s.Delay)
	} else {
		s.Delay = delayBefore(s.Segments)
	}
	if c.version > 5 {
		number(c, &s.Steps)
	}
	number(c, &s.Procs)
	if c.version > 4 {
		list(c, &s.Collections, func(c *coder, _ int, o *Collection) {
			c.uvarint(&o.G)
			number(c, &o.Count)
		})
	}
	if c.version > 3 {
		list(c, &s.Hot, func(c *coder, _ int, site *string) { text(c, site) })
		if c.version > 6 {
			text(c, &s.Memory)
			c.uvarint(&s.BufferSeed)
		}
		return
	}
	var lines []string
	programCounters(c)
	list(c, &lines, func(c *coder, _ int, line *string) { text(c, line) })
	s.Hot = sitesOfLines(lines)
}

func sites(c *coder, t *Trace) {
	if c.version > 3 {
		list(c, &t.Sites, func(c *coder, _ int, site *string) { text(c, site) })
		return
	}
	t.Sites = make([]string, programCounters(c))
}

// programCounters skips them and says how many there were.
func programCounters(c *coder) int {
	var pcs []uint64
	list(c, &pcs, func(c *coder, _ int, pc *uint64) { c.uvarint(pc) })
	return len(pcs)
}

func outcome(c *coder, o *Outcome) {
	text(c, &o.Kind)
	text(c, &o.Message)
	number(c, &o.Goroutine)
	number(c, &o.Stack)
	delta(c, &o.ExitCode, 0)
	list(c, &o.Blocked, func(c *coder, _ int, b *Blocked) {
		number(c, &b.G)
		number(c, &b.Op)
		number(c, &b.Obj)
		number(c, &b.Stack)
		text(c, &b.Reason)
		c.bool(&b.Leaked)
		number(c, &b.Holder)
	})
	if c.version > 5 {
		c.bool(&o.Cut)
	}
	text(c, &o.Output)
}
