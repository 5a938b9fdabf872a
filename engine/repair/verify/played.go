package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

const (
	playRuns  = 6                // with the order
	aloneRuns = 20               // of a program that failed by itself, without one
	playTime  = 20 * time.Second // for all of it, with the build
)

// played plays the order that made the ordinary build fail on the ordinary build of the
// fix. It is asked only where that order did: otherwise that nothing fails says nothing.
// What a lock makes impossible can't be played, which is as well.
func (c *check) played(ctx context.Context) (string, error) {
	f := c.Finding
	if c.Fail == nil || f.Confirmed != report.Native || c.with.flags.Modfile != c.Flags.Modfile {
		return "", nil
	}
	limited, cancel := context.WithTimeout(ctx, playTime)
	defer cancel()
	req := native.Request{Target: build.Target(c.Env, c.with.target(c.Target), c.with.flags), Trace: c.carriedTrace(), Core: c.Core, Runs: playRuns}
	if f.NeedsNoOrder {
		req.PlainOnly, req.Runs = true, aloneRuns
	}
	rep, err := native.Confirm(limited, req)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, native.ErrNoFailure):
		return "", nil
	case limited.Err() != nil && (rep == nil || rep.Runs == 0):
		c.fix.Order = fmt.Sprintf("its order was not played on the ordinary build within %v", playTime)
		return "", nil
	case err != nil && (rep == nil || rep.Runs == 0):
		c.fix.Order = "its order can't be played on the ordinary build: " + words.OneLine(err.Error())
		return "", nil
	}
	return c.judgePlayed(rep), nil
}

// judgePlayed says what runs with the order show.
func (c *check) judgePlayed(rep *native.Report) string {
	order := " with the order of the finding"
	if rep.Plain {
		order = ""
	}
	switch {
	case rep.Failed > 0:
		return fmt.Sprintf("it still fails in %d of %d runs of the ordinary build%s", rep.Failed, rep.Runs, order)
	case rep.OtherPlayed > 0:
		return fmt.Sprintf("it fails in another way in %d of %d runs of the ordinary build%s: %s", rep.OtherPlayed, rep.Runs, order, firstLine(rep.OtherOutput))
	case rep.Plain:
		c.fix.Order = fmt.Sprintf("none of %d runs of the ordinary build failed", rep.Runs)
	case rep.Played == 0:
		c.fix.Order = fmt.Sprintf("in %s of the ordinary build with the fix the failing order could not be brought about: %s", words.Count(rep.Runs, "run"), hindered(rep.Broken))
	case rep.Plan != nil && rep.Plan.Waits == 0 && len(rep.Plan.Dropped) > 0: // the edit took its places away
		c.fix.Order = fmt.Sprintf("its order can't be played on the ordinary build of the fix, which has no places for it; without it none of %d runs failed", rep.Runs)
	case rep.Plan != nil && len(rep.Plan.Dropped) > 0:
		c.fix.Order = fmt.Sprintf("of its order, what has places in the text with the fix was played in %d of %d runs of the ordinary build, none failed", rep.Played, rep.Runs)
	default:
		c.fix.Order = fmt.Sprintf("its order was played in %d of %d runs of the ordinary build, none failed", rep.Played, rep.Runs)
	}
	return ""
}

// hindered says why an order was not played; places are those of the text with the fix.
func hindered(why string) string {
	why = cmp.Or(words.OneLine(why), "the program ended first")
	if strings.Contains(why, ".go:") {
		why += " (lines of the text with the fix)"
	}
	return why
}

// firstLine is what a run that failed said first.
func firstLine(output string) string {
	return (&plainRun{output: output}).why()
}

// carriedTrace is the failing run with the lines that the edit carried them to. Where it
// replaced a line, the equal one among what stands there now, or else the first.
func (c *check) carriedTrace() *trace.Trace {
	t := *c.Fail
	t.Stacks = make([][]trace.Frame, len(c.Fail.Stacks))
	texts := map[string][2][][]byte{}
	for name := range c.hunks {
		texts[name] = [2][][]byte{bytes.Split(c.before[name], []byte("\n")), bytes.Split(c.files[name], []byte("\n"))}
	}
	for i, stack := range c.Fail.Stacks {
		t.Stacks[i] = slices.Clone(stack)
		for j := range stack {
			f := &t.Stacks[i][j]
			if hs, ok := c.hunks[f.File]; ok {
				f.Line = carriedTo(hs, f.Line, texts[f.File][0], texts[f.File][1])
			}
		}
	}
	return &t
}

// carriedTo is the one line of the new text that stands best for a line of the old one.
func carriedTo(hs []hunk, line int, before, after [][]byte) int {
	to := carried(hs, line)
	if len(to) == 0 { // it is gone: what comes next
		for _, h := range hs {
			if h.From <= line && line < h.To {
				return h.NewTo
			}
		}
		return line
	}
	if line <= len(before) {
		own := strings.TrimSpace(string(before[line-1]))
		for _, l := range to {
			if l <= len(after) && strings.TrimSpace(string(after[l-1])) == own {
				return l
			}
		}
	}
	return to[0]
}
