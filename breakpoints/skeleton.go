package breakpoints

import (
	"time"
)

func On(id int) bool { return false }

// Ready is On, and false too while the side has nothing to do (preferred guard in hot code).
func Ready(id, side int) bool                       { return false }
func Side(id, side int, local func() (bool, []any)) {}
func Did(id, side int)                              {}

type Stat struct {
	Reached, Postponed, TimedOut, Released []int
	Hit                                    int
	Held, Faults                           []string
}

type Breakpoint struct{ name string }
type Option func(*Breakpoint)

func New(name string, opts ...Option) *Breakpoint                    { return &Breakpoint{name: name} }
func (b *Breakpoint) On() bool                                       { return false }
func (b *Breakpoint) Here(side int, values ...any) bool              { return false }
func (b *Breakpoint) HereIf(side int, cond bool, values ...any) bool { return false }
func (b *Breakpoint) Did(side int)                                   {}
func (b *Breakpoint) Stat() Stat                                     { return Stat{} }
func Sides(n int) Option                                             { return nil }
func InOrder(sides ...int) Option                                    { return nil }
func Timeout(d time.Duration) Option                                 { return nil }
func SideTimeout(side int, d time.Duration) Option                   { return nil }
func IgnoreFirst(k int) Option                                       { return nil }
func AtMost(k int) Option                                            { return nil }
func When(joint func(values [][]any) bool) Option                    { return nil }
func WaitDid() Option                                                { return nil }
func Race(name string, opts ...Option) *Breakpoint                   { return New(name, opts...) }
func Contention(name string, opts ...Option) *Breakpoint             { return New(name, opts...) }
func Atomicity(name string, opts ...Option) *Breakpoint              { return New(name, opts...) }
func Deadlock(name string, opts ...Option) *Breakpoint               { return New(name, opts...) }
func MissedNotify(name string, opts ...Option) *Breakpoint           { return New(name, opts...) }
func Order(name string, opts ...Option) *Breakpoint                  { return New(name, opts...) }
func Stats() map[string]Stat                                         { return nil }
func Enable(names ...string) (restore func())                        { return func() {} }
