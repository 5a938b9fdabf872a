package constraint

// Writers are the events that r may take its value from.
func (c *Checker) Writers(r EventID) (out []EventID) {
	c.eachServer(r, func(w EventID) bool {
		out = append(out, w)
		return true
	})
	return out
}

// TookFrom is whom r took from in the order explained last, -2 if from nobody.
func (c *Checker) TookFrom(r EventID) EventID { return c.from[r] }
