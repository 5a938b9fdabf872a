package dump

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/exp/trace"
)

func newGzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

// isTrace tells execution traces, and the snapshots of flight recorders, which have
// the same form.
func isTrace(head []byte) bool {
	return bytes.HasPrefix(head, []byte("go 1.")) && bytes.Contains(head, []byte("trace"))
}

const maxEvents = 50_000_000 // of an execution trace

// readTrace reads where goroutines stood when an execution trace ends: those that
// blocked and were not woken.
func readTrace(r io.Reader) (states []*State, err error) {
	defer recovered("execution trace", &err)
	tr, err := trace.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read the execution trace: %w", err)
	}
	at := map[trace.GoID]*Goroutine{}
	var order []trace.GoID
	left := map[trace.GoID]bool{} // there was no room for
	s := &State{Kind: Execution, All: true}
	for range maxEvents {
		ev, err := tr.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.Cut = "the execution trace can't be read to its end"
			break
		}
		if ev.Kind() != trace.EventStateTransition {
			continue
		}
		st := ev.StateTransition()
		if st.Resource.Kind != trace.ResourceGoroutine {
			continue
		}
		id := st.Resource.Goroutine()
		from, to := st.Goroutine()
		g := at[id]
		if g == nil {
			if to == trace.GoNotExist {
				delete(left, id)
				continue
			}
			if len(at) >= 4*maxGroups {
				if len(left) < maxIDs {
					left[id] = true
				}
				continue
			}
			g = &Goroutine{ID: int64(id), Count: 1}
			at[id] = g
			delete(left, id)
			order = append(order, id)
			if len(order) > 8*maxGroups { // goroutines came and went
				order = slices.DeleteFunc(order, func(id trace.GoID) bool { return at[id] == nil })
			}
		}
		if to == trace.GoNotExist {
			delete(at, id)
			continue
		}
		g.move(ev, st, from, to)
	}
	t := &text{lines: newLines(bytes.NewReader(nil), 0)}
	cut := s.Cut
	t.begin(s)
	s.Left = len(left)
	for _, id := range order {
		if g := at[id]; g != nil && (len(g.Frames) > 0 || g.Created.Func != "") {
			at[id] = nil
			t.folder.Add(*g)
		}
	}
	t.end()
	s.Cut = cut
	return t.states, nil
}

// move notes a change of a goroutine's state. At the beginning of each part of a trace
// all states are told again, without reasons.
func (g *Goroutine) move(ev trace.Event, st trace.StateTransition, from, to trace.GoState) {
	again := from == trace.GoUndetermined || from == to
	frames := framesOf(st.Stack)
	switch to {
	case trace.GoWaiting:
		if own := framesOf(ev.Stack()); len(frames) == 0 && ev.Goroutine() == trace.GoID(g.ID) {
			frames = own
		}
		if !again || g.Reason == "" {
			g.Reason = waitOf(st.Reason)
		}
	case trace.GoRunnable:
		g.Reason = "runnable"
		if from == trace.GoNotExist && ev.Goroutine() != trace.NoGoroutine {
			for _, f := range framesOf(ev.Stack()) {
				if f.Package() != "runtime" {
					g.Created, g.Creator = f, int64(ev.Goroutine())
					break
				}
			}
		}
	default:
		g.Reason = "running"
	}
	if len(frames) > 0 {
		g.Frames = frames
	}
}

func framesOf(st trace.Stack) (out []Frame) {
	for f := range st.Frames() {
		if len(out) < maxDepth {
			out = append(out, Frame{Func: f.Func, File: f.File, Line: int(f.Line)})
		}
	}
	return out
}

// waitOf is the runtime's word for what an execution trace says that a goroutine waits
// for.
func waitOf(reason string) string {
	switch reason {
	case "sync":
		return "semacquire"
	case "sync.(*Cond).Wait":
		return "sync.Cond.Wait"
	case "network":
		return "IO wait"
	case "forever":
		return "select (no cases)"
	}
	return reason // "chan send", "chan receive", "select", "sleep", ...
}
