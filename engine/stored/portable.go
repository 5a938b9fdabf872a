package stored

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Roles of stored traces.
const (
	Failing = "failing"
	Passing = "passing"
)

// renamed is a copy of the trace with other file names.
func renamed(t *trace.Trace, rename func(string) string) *trace.Trace {
	c := *t
	c.Stacks = make([][]trace.Frame, len(t.Stacks))
	for i, stack := range t.Stacks {
		c.Stacks[i] = slices.Clone(stack)
		for j := range stack {
			c.Stacks[i][j].File = rename(stack[j].File)
		}
	}
	if c.StdRoot != "" {
		c.StdRoot = strings.TrimSuffix(rename(c.StdRoot+"/x"), "/x")
	}
	return &c
}

// Encode returns the trace as a file for the store, its file names changed by
// rename, which makes them portable.
func Encode(t *trace.Trace, rename func(string) string) ([]byte, error) {
	var buf bytes.Buffer
	if err := trace.Write(&buf, renamed(t, rename)); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// LoadTrace reads a stored trace for this machine's folders.
func LoadTrace(st *store.Store, r *store.Record, role string, roots site.Roots) (*trace.Trace, error) {
	data, err := st.Trace(r, role)
	if err != nil {
		return nil, err
	}
	t, err := trace.Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the %s trace of finding %s is corrupt (%w); run hocket find again", role, r.Finding.ID, err)
	}
	return renamed(t, roots.Abs), nil
}
