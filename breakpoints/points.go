package breakpoints

import (
	"os"
	"strings"
	"time"
)

// game is the plan being played by this process.
type game struct {
	*core
	*roles
}

// playing is nil when there is no plan; it is set once, before any user code.
var playing = load(os.Getenv(EnvPlan), os.Getenv(EnvReport))

func load(text, reportName string) *game {
	if text == "" {
		return nil
	}
	rep := openReport(reportName)
	if name, ok := strings.CutPrefix(text, "@"); ok {
		data, err := os.ReadFile(name)
		if err != nil {
			rep.line("bad " + err.Error())
			return nil
		}
		text = string(data)
	}
	p, err := Parse(text)
	if err != nil {
		rep.line("bad " + err.Error())
		return nil
	}
	return &game{newCore(p, rep), newRoles()}
}

// At is a point. It returns at once unless the plan has a step here for this
// goroutine and visit; then it returns when the plan lets the step go on.
func At(point int) {
	if playing != nil {
		playing.at(point)
	}
}

func (g *game) at(point int) {
	raceOff()
	defer raceOn()
	g.mu.Lock()
	if g.over() {
		g.mu.Unlock()
		return
	}
	r := g.me()
	s := g.visit(r.name, &r.cur, point)
	if s == nil {
		g.mu.Unlock()
		return
	}
	if s.wantID || len(s.After) > 0 {
		s.goid = goid()
	}
	if len(s.After) == 0 {
		g.pass(s)
		g.mu.Unlock()
		return
	}
	g.mu.Unlock()
	g.await(s)
}

// True is At as a condition, for places where no statement fits.
func True(point int) bool {
	At(point)
	return true
}

// Then is At between the computing of a value and its use.
func Then[T any](point int, v T) T {
	At(point)
	return v
}

// Spawn goes before a statement that starts a goroutine, Back after it.
func Spawn(site int) {
	if playing != nil {
		playing.locked(func(rs *roles) { rs.spawn(site) })
	}
}

// Back ends what Spawn began.
func Back() {
	if playing != nil {
		playing.locked((*roles).back)
	}
}

func (g *game) locked(f func(*roles)) {
	raceOff()
	defer raceOn()
	g.mu.Lock()
	defer g.mu.Unlock()
	f(g.roles)
}

// If gives back ch if the step that has just arrived at point prefers this
// case of a select, else a nil channel, which is never ready.
func If[C any](point int, ch C) C {
	if playing != nil && playing.prefers(point) {
		return ch
	}
	var none C
	return none
}

func (g *game) prefers(point int) bool {
	raceOff()
	defer raceOn()
	g.mu.Lock()
	defer g.mu.Unlock()
	cur := &g.me().cur
	last := cur.last
	cur.last = nil // one select only
	return last != nil && last.Point == point && last.Prefer && g.broken == ""
}

// Linger holds the end of main or of a test for a moment after a fully played
// plan, so that a panic under way in another goroutine (whose deferred
// wg.Done has just let main go on) is seen, and reports who is left.
func Linger() {
	if playing == nil {
		return
	}
	raceOff()
	defer raceOn()
	playing.mu.Lock()
	played := playing.played()
	playing.mu.Unlock()
	if !played {
		return
	}
	time.Sleep(playing.plan.Linger)
	playing.report.line("ended")
	if playing.plan.Dump {
		playing.report.line("dump\n" + string(stacks()))
	}
}
