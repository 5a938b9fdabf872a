// Package sessiontable has a session for each user.
package sessiontable

import (
	"sync"
	"sync/atomic"
)

type session struct {
	user   string
	serial int64
	hits   atomic.Int64
}

// Table knows the sessions.
type Table struct {
	sessions sync.Map // user to *session
	serial   atomic.Int64
}

func (t *Table) lookup(user string) *session {
	v, ok := t.sessions.Load(user)
	if !ok {
		return nil
	}
	return v.(*session)
}

func (t *Table) create(user string) *session {
	s := &session{user: user, serial: t.serial.Add(1)}
	v, _ := t.sessions.LoadOrStore(user, s)
	return v.(*session)
}

// For returns the session of user.
func (t *Table) For(user string) *session {
	s := t.lookup(user)
	if s == nil {
		s = t.create(user)
	}
	s.hits.Add(1)
	return s
}

// Hits is how often user was served.
func (t *Table) Hits(user string) int64 {
	if s := t.lookup(user); s != nil {
		return s.hits.Load()
	}
	return 0
}
