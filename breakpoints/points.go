package breakpoints

import (
	"os"
	"reflect"
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

//go:norace
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
	return &game{newCore(p, rep), newRoles(p)}
}

// At is a point. It returns at once unless the plan has a step here for this
// goroutine and visit; then it returns when the plan lets the step go on.
// Several points at one place are one visit, at which one step arrives.
//
//go:norace
func At(points ...int) {
	if playing != nil {
		playing.at(points)
	}
}

//go:norace
func (g *game) at(points []int) {
	raceOff()
	defer raceOn()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over() {
		return
	}
	r := g.me()
	for s := g.visit(r.name, &r.cur, points); s != nil; s = g.sameVisit(r.name, &r.cur, points) {
		if s.wantID || len(s.After) > 0 {
			s.goid = goid()
		}
		if len(s.After) == 0 && s.Sleep == 0 {
			g.pass(s)
			continue
		}
		g.mu.Unlock()
		g.await(s)
		g.mu.Lock()
	}
}

// True is At as a condition, for places where no statement fits.
//
//go:norace
func True(points ...int) bool {
	At(points...)
	return true
}

// Then is At between the computing of a value and its use.
//
//go:norace
func Then[T any](v T, points ...int) T {
	At(points...)
	return v
}

// Func is f with a point before it, for functions in which no point can be put.
func Func[F any](f F, points ...int) F {
	v := reflect.ValueOf(f)
	if playing == nil || v.Kind() != reflect.Func || v.IsNil() {
		return f
	}
	call := v.Call
	if v.Type().IsVariadic() {
		call = v.CallSlice
	}
	return reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
		At(points...)
		return call(args)
	}).Interface().(F)
}

// Closing closes a channel after a point.
func Closing[T any](ch chan<- T, points ...int) {
	At(points...)
	close(ch)
}

// Spawn goes before a statement that starts a goroutine, Back after it.
//
//go:norace
func Spawn(site int) {
	if playing != nil {
		playing.locked(func(rs *roles) { rs.spawn(site) })
	}
}

// Spawned is Spawn as an operand, for a call within a larger statement, which
// With then encloses: With(Spawned(1), call()).
//
//go:norace
func Spawned(site int) bool {
	Spawn(site)
	return true
}

// With is Back after the computing of a value.
//
//go:norace
func With[T any](_ bool, v T) T {
	Back()
	return v
}

// Back ends what Spawn began.
//
//go:norace
func Back() {
	if playing != nil {
		playing.locked((*roles).back)
	}
}

//go:norace
func (g *game) locked(f func(*roles)) {
	raceOff()
	defer raceOn()
	g.mu.Lock()
	defer g.mu.Unlock()
	f(g.roles)
}

// If gives back ch if the step that has just arrived at point prefers this
// case of a select, else a nil channel, which is never ready.
//
//go:norace
func If[C any](point int, ch C) C {
	if playing != nil && playing.prefers(point) {
		return ch
	}
	var none C
	return none
}

//go:norace
func (g *game) prefers(point int) bool {
	raceOff()
	defer raceOn()
	g.mu.Lock()
	defer g.mu.Unlock()
	cur := &g.me().cur
	last := cur.last
	if last == nil || last.Point != point { // that of another case of this select, perhaps
		return false
	}
	cur.last = nil // one select only
	return last.Prefer && g.broken == ""
}

// Linger ends main or a test: it lets a plan that is still being played come
// to its end, and then waits for a moment, so that a panic under way in
// another goroutine (whose deferred wg.Done has just let main go on) is seen.
// Then it reports who is left.
//
//go:norace
func Linger() {
	if playing == nil {
		return
	}
	raceOff()
	defer raceOn()
	if !playing.finish() {
		return
	}
	time.Sleep(playing.plan.Linger)
	playing.report.line("ended")
	if playing.plan.Dump {
		playing.report.line("dump\n" + string(stacks()))
	}
}
