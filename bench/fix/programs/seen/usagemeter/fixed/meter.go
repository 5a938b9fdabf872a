// Package usagemeter adds up what tenants use and hands it out in reports.
package usagemeter

import (
	"sort"
	"sync"
)

// Line is one line of a report.
type Line struct {
	Tenant string
	Units  int
}

// Report is what was used between two calls of Cut.
type Report struct {
	Serial int
	Lines  []Line
}

// Meter adds up usage.
type Meter struct {
	mu     sync.Mutex
	units  map[string]int
	total  int // of all time
	serial int
	limit  map[string]int
}

// NewMeter returns a meter; tenants without a limit are not limited.
func NewMeter(limit map[string]int) *Meter {
	m := &Meter{units: map[string]int{}, limit: map[string]int{}}
	for t, n := range limit {
		m.limit[t] = n
	}
	return m
}

// Use notes that tenant used n units; false if that is more than it may use.
func (m *Meter) Use(tenant string, n int) bool {
	if n <= 0 {
		return n == 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if max, ok := m.limit[tenant]; ok && m.units[tenant]+n > max {
		return false
	}
	m.units[tenant] += n
	m.total += n
	return true
}

// Total is what was used since the meter was made.
func (m *Meter) Total() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// Cut ends a report and starts the next.
func (m *Meter) Cut() Report {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.serial++
	r := Report{Serial: m.serial, Lines: make([]Line, 0, len(m.units))}
	for t, n := range m.units {
		r.Lines = append(r.Lines, Line{t, n})
	}
	sort.Slice(r.Lines, func(i, j int) bool { return r.Lines[i].Tenant < r.Lines[j].Tenant })
	clear(m.units)
	return r
}
