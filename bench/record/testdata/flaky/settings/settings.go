// Package settings has settings that are loaded once, and again when they changed.
package settings

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Settings are read often.
type Settings struct {
	once    sync.Once
	version atomic.Int64
	current atomic.Pointer[map[string]int64]
	load    func() map[string]int64
}

// New returns settings that are loaded by load.
func New(load func() map[string]int64) *Settings { return &Settings{load: load} }

func (s *Settings) first() {
	m := s.load()
	s.current.Store(&m)
	s.version.Store(1)
}

// Get returns a setting, and the version of the settings that have it.
func (s *Settings) Get(name string) (value, version int64) {
	s.once.Do(s.first)
	version = s.version.Load()
	return (*s.current.Load())[name], version
}

// Set changes a setting.
func (s *Settings) Set(name string, value int64) {
	s.once.Do(s.first)
	m := maps.Clone(*s.current.Load())
	m[name] = value
	s.current.Store(&m)
	s.version.Store(value)
}

// Reset is Set for all settings.
func (s *Settings) Reset(value int64) {
	s.once.Do(s.first)
	s.version.Store(value) // before the settings of that version are there
	m := s.load()
	for name := range m {
		m[name] = value
	}
	s.current.Store(&m)
}
