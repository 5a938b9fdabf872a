// Package featureflags decides which users see which features.
package featureflags

import (
	"hash/fnv"
	"sync"
)

// Flag is one feature.
type Flag struct {
	On      bool
	Percent uint32   // of the users, if it is on
	Needs   []string // flags that must be on as well
}

// Flags are the features of a service. Requests ask, operators change.
type Flags struct {
	sync.RWMutex
	flags   map[string]Flag
	version int
}

// New returns flags as configured.
func New(flags map[string]Flag) *Flags {
	f := &Flags{flags: make(map[string]Flag, len(flags))}
	for name, flag := range flags {
		f.flags[name] = flag
	}
	return f
}

// On reports whether a feature is on for anybody.
func (f *Flags) On(name string) bool {
	f.RLock()
	defer f.RUnlock()
	return f.flags[name].On
}

// Sees reports whether user sees the feature: it is on, so is all that it needs,
// and the user is among those chosen.
func (f *Flags) Sees(user, name string) bool {
	f.RLock()
	defer f.RUnlock()
	flag, ok := f.flags[name]
	if !ok || !flag.On {
		return false
	}
	for _, need := range flag.Needs {
		if !f.flags[need].On {
			return false
		}
	}
	return bucket(user, name) < flag.Percent
}

func bucket(user, name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write([]byte(user))
	return h.Sum32() % 100
}

// Set changes a flag and returns the new version.
func (f *Flags) Set(name string, change func(*Flag)) int {
	f.Lock()
	defer f.Unlock()
	flag := f.flags[name]
	change(&flag)
	f.flags[name] = flag
	f.version++
	return f.version
}
