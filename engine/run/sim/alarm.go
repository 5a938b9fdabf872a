package sim

import "time"

// Alarm is a timer of the runtime that sends over a channel when its time has come,
// without a goroutine: what time.After and time.NewTimer make. It is for programs that
// are interpreted themselves.
type Alarm struct {
	at    int64
	c     *Chan
	v     int
	armed bool
}

// Alarm makes a timer that sends v over c, which has room for one value, after d.
func (t *Thread) Alarm(d time.Duration, c *Chan, v int) *Alarm {
	a := &Alarm{at: t.m.now + int64(max(d, 0)), c: c, v: v, armed: true}
	t.m.alarms = append(t.m.alarms, a)
	return a
}

// StopAlarm takes an alarm back, and ResetAlarm sets it again; both say whether it was still to
// come. A value that it has sent and nobody has received is dropped (as since Go 1.23).
func (t *Thread) StopAlarm(a *Alarm) (was bool) {
	was = a.armed || len(a.c.buf) > 0
	a.armed, a.c.buf = false, nil
	return was
}

func (t *Thread) ResetAlarm(a *Alarm, d time.Duration) (was bool) {
	was = t.StopAlarm(a)
	a.at, a.armed = t.m.now+int64(max(d, 0)), true
	return was
}

// ring lets the alarms go off whose time has come.
func (m *machine) ring() {
	for _, a := range m.alarms {
		if !a.armed || a.at > m.now {
			continue
		}
		a.armed = false
		if w := a.c.first(&a.c.recvq); w != nil {
			w.o.set(w.at, a.v, true)
			m.wake(nil, w.t)
		} else if len(a.c.buf) < a.c.cap {
			a.c.buf = append(a.c.buf, a.v)
		}
	}
}
