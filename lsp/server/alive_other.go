//go:build !unix

package server

// alive is not known here; the end of the input stream ends the session instead.
func alive(int) bool { return true }
