//go:build !unix

package server

// alive can't be told here; the end of the input stream tells instead.
func alive(int) bool { return true }
