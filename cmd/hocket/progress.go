package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
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

	style style // of messages

	mu    sync.Mutex
	last  engine.Update
	shown time.Time
}

const lineEvery = 5 * time.Second

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok && hasRoom(f) {
		p.style = styleOf(w, sourcesHere(nil))
		p.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(barWidth), mpb.WithRefreshRate(150*time.Millisecond))
		p.bar = p.bars.AddBar(0,
			mpb.BarRemoveOnComplete(),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string { return p.beside(s.AvailableWidth) })))
	}
	return p
}

// whole is what part is a part of.
const whole = 1000

// part is how far a call is: it ends when all that is planned was run, or when its
// budget is spent. It is less than the whole, at which the bar would go.
func part(u engine.Update) int64 {
	var done float64
	if u.Planned > 0 {
		done = float64(u.Schedules) / float64(u.Planned)
	}
	if all := u.Elapsed + u.Left; u.Left >= 0 && all > 0 {
		done = max(done, float64(u.Elapsed)/float64(all))
	}
	return int64(min(done, 0.999) * whole)
}

// barWidth is that of the bar on a terminal which is wide enough.
const barWidth = 20

// beside is what stands beside the bar on a terminal of a width: it keeps a column
// free, and leaves a third of a narrow terminal to the bar.
func (p *progress) beside(width int) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return runewidth.Truncate(brief(p.last), max(width-3-min(barWidth, width/3), 0), "…")
}

// brief is the state in words, what matters most first: the end may be cut off.
func brief(u engine.Update) string {
	var parts []string
	if u.Left >= 0 {
		parts = append(parts, fmt.Sprintf("%v left", round(u.Left)))
	}
	if u.Findings > 0 {
		parts = append(parts, words.Count(u.Findings, "finding"))
	}
	switch {
	case u.Phase == engine.Replaying || u.Phase == engine.RunningBreaks:
		parts = append(parts, fmt.Sprintf("%d of %s", u.Schedules, words.Count(u.Planned, "run")))
	case u.Targets > 1 && u.Reached < u.Targets:
		parts = append(parts, fmt.Sprintf("%d of %d targets reached", u.Reached, u.Targets))
	case u.Targets > 1:
		parts = append(parts, fmt.Sprintf("%d of %d targets done", u.Done, u.Targets))
	}
	now := string(u.Phase)
	if u.Target != "" {
		pkg, entry, _ := strings.Cut(u.Target, " ")
		now = strings.TrimSpace(lastOf(pkg)+" "+entry) + ": " + now
	}
	parts = append(parts, now)
	if u.Schedules > 0 && u.Targets > 0 {
		parts = append(parts, words.Count(u.Schedules, "schedule"))
	}
	return strings.Join(parts, ", ")
}

// hasRoom reports whether a file is a terminal that can draw a bar.
func hasRoom(f *os.File) bool {
	if !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return err == nil && width > 0
}

// describe is the state in words, for a line that stays.
func describe(u engine.Update) string {
	s := string(u.Phase)
	if u.Target != "" {
		s = u.Target + ": " + s
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

// lastOf is the last element of a package's path, with the one before a major
// version.
func lastOf(pkg string) string {
	dir, last := path.Split(pkg)
	if majorVersion.MatchString(last) && dir != "" {
		return path.Base(dir) + "/" + last
	}
	return last
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

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
		p.bar.SetTotal(whole, false)
		p.bar.SetCurrent(part(u))
		if u.Message != "" {
			fmt.Fprintln(p.bars, "hocket: "+p.style.link(u.Message))
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
