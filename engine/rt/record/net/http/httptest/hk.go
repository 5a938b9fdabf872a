//go:build hocket_overlay

package httptest

import (
	"net"
	"slices"
)

// hkAdd notes a new connection, with s.mu held.
func (s *Server) hkAdd(c net.Conn) {
	s.hkConns = append(s.hkInOrder(), c)
}

// hkInOrder lists the connections in the order in which they came, as in package http.
func (s *Server) hkInOrder() []net.Conn {
	return slices.DeleteFunc(slices.Clone(s.hkConns), func(c net.Conn) bool {
		_, open := s.conns[c]
		return !open
	})
}
