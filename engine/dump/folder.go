package dump

import (
	"fmt"
	"strings"
)

// Folder adds goroutines to a state: those that stand at the same calls for the same
// reason are one, with a count; more kinds than a state keeps are counted only.
type Folder struct {
	state *State
	index map[string]int // of the state's goroutines, by what they have in common
}

// NewFolder returns one for a state without goroutines.
func NewFolder(s *State) *Folder { return &Folder{s, map[string]int{}} }

// Add adds g.Count goroutines.
func (f *Folder) Add(g Goroutine) {
	key := g.key()
	if i, ok := f.index[key]; ok {
		f.state.Goroutines[i].Count += g.Count
		return
	}
	if len(f.state.Goroutines) >= maxGroups {
		f.state.Left += g.Count
		return
	}
	f.index[key] = len(f.state.Goroutines)
	f.state.Goroutines = append(f.state.Goroutines, g)
}

// key is equal for goroutines that stand at the same calls for the same reason.
func (g *Goroutine) key() string {
	var b strings.Builder
	b.WriteString(g.Reason)
	for _, f := range g.Frames {
		fmt.Fprintf(&b, "|%s|%s|%d", f.Func, f.File, f.Line)
	}
	fmt.Fprintf(&b, "|by|%s|%d", g.Created.Func, g.Created.Line)
	if g.Failing {
		b.WriteString("|failing")
	}
	return b.String()
}
