package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
)

// progress shows where a find is: a bar on a terminal, otherwise a line at
// each change of phase and every few seconds.
type progress struct {
	w    io.Writer
	bars *mpb.Progress // nil: lines
	bar  *mpb.Bar

	mu    sync.Mutex
	last  engine.Update
	shown time.Time
}

const lineEvery = 5 * time.Second

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok && hasRoom(f) {
		p.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(30), mpb.WithRefreshRate(150*time.Millisecond))
		p.bar = p.bars.AddBar(0,
			mpb.BarRemoveOnComplete(),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + p.line() })))
	}
	return p
}

// hasRoom reports whether a file is a terminal that can draw a bar.
func hasRoom(f *os.File) bool {
	if !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return err == nil && width > 0
}

// line is the state in words.
func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return describe(p.last)
}

func describe(u engine.Update) string {
	s := string(u.Phase)
	if u.Target != "" {
		s += " " + u.Target
	}
	switch {
	case u.Phase == engine.Replaying || u.Phase == engine.RunningBreaks:
		s += fmt.Sprintf(", %d of %s", u.Schedules, words.Count(u.Planned, "run"))
	case u.Targets > 0:
		s += fmt.Sprintf("; %d of %s reached, %d done, %s", u.Reached, words.Count(u.Targets, "target"), u.Done, words.Count(u.Schedules, "schedule"))
	}
	if u.PerMinute > 0 {
		s += fmt.Sprintf(", %.0f a minute", u.PerMinute)
	}
	if u.Findings > 0 {
		s += ", " + words.Count(u.Findings, "finding")
	}
	if u.Left >= 0 {
		s += fmt.Sprintf(", %v left", round(u.Left))
	}
	return s
}

func (p *progress) update(u engine.Update) {
	p.mu.Lock()
	changed := u.Phase != p.last.Phase || u.Target != p.last.Target
	p.last = u
	due := time.Since(p.shown) >= lineEvery || changed && time.Since(p.shown) >= time.Second
	if p.bars == nil && due && u.Message == "" {
		p.shown = time.Now()
	}
	p.mu.Unlock()

	if p.bars != nil {
		p.bar.SetTotal(int64(u.Planned)+1, false)
		p.bar.SetCurrent(int64(u.Schedules))
		if u.Message != "" {
			fmt.Fprintln(p.bars, "hocket: "+u.Message)
		}
		return
	}
	switch {
	case u.Message != "":
		fmt.Fprintln(p.w, "hocket: "+u.Message)
	case due:
		fmt.Fprintln(p.w, "hocket: "+describe(u))
	}
}

func (p *progress) close() {
	if p.bars != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}
