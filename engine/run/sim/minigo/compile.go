package minigo

// instr is one step of a thread: a statement, or a jump of control flow.
type instr struct {
	*Stmt
	jump  bool  // goto to; a Stmt with a condition: unless it holds
	to    int   // where an alternative begins: Else, the end of a once
	cases []int // where the bodies of a select begin
	ended bool  // the end of an OnceDo's function
}

// code is a thread, compiled.
type code []instr

func compile(body []*Stmt) code {
	var c code
	c.list(body)
	return append(c, instr{Stmt: &Stmt{Op: Return}})
}

func (c *code) emit(i instr) int {
	*c = append(*c, i)
	return len(*c) - 1
}

func (c *code) goTo(to int) int { return c.emit(instr{Stmt: &Stmt{Op: Nop}, jump: true, to: to}) }

func (c *code) list(body []*Stmt) {
	for _, s := range body {
		c.stmt(s)
	}
}

func (c *code) stmt(s *Stmt) {
	switch s.Op {
	case Loop:
		for range s.N {
			c.list(s.Then)
		}
	case If, TryLock, TryWLock, TryRLock:
		at := c.emit(instr{Stmt: s})
		c.list(s.Then)
		over := c.goTo(0)
		(*c)[at].to = len(*c)
		c.list(s.Else)
		(*c)[over].to = len(*c)
	case OnceDo:
		at := c.emit(instr{Stmt: s})
		c.list(s.Then)
		c.emit(instr{Stmt: s, ended: true})
		(*c)[at].to = len(*c)
	case Select:
		at := c.emit(instr{Stmt: s})
		var starts, overs []int
		for _, k := range s.Cases {
			starts = append(starts, len(*c))
			c.list(k.Body)
			overs = append(overs, c.goTo(0))
		}
		(*c)[at].to = len(*c)
		c.list(s.Else)
		for _, o := range overs {
			(*c)[o].to = len(*c)
		}
		(*c)[at].cases = starts
	default:
		c.emit(instr{Stmt: s})
	}
}

// local is true of steps that touch nothing shared.
func (i instr) local() bool {
	switch i.Op {
	case Nop, If, Assert, Return:
		return true
	}
	return false
}
