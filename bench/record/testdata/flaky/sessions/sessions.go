// Package sessions keeps a session for each user.
package sessions

import "sync"

// Session is what a user has open.
type Session struct {
	User   int
	Rights []int
}

// Store makes sessions when they are asked for.
type Store struct{ m sync.Map }

// Get returns the user's session. User 0 may do much.
func (s *Store) Get(user int) *Session {
	rights(4_000) // those of everybody
	v, ok := s.m.Load(user)
	if !ok && user == 0 {
		n := &Session{User: user, Rights: rights(60_000)}
		s.m.Store(user, n) // somebody else may have stored one
		return n
	}
	if !ok {
		v, _ = s.m.LoadOrStore(user, &Session{User: user})
	}
	return v.(*Session)
}

func rights(n int) (out []int) {
	for i := range n {
		if i*i%4001 == 1 {
			out = append(out, i)
		}
	}
	return out
}
