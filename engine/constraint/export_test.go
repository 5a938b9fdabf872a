package constraint

// TookFrom is whom r took from in the order explained last, -2 if from nobody.
func (c *Checker) TookFrom(r EventID) EventID { return c.from[r] }
