package z3

import (
	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/z3/libz3"
)

// ErrAbsent is wrapped by the errors of Available and New when there is no
// usable libz3.
var ErrAbsent = libz3.ErrAbsent

// HowToInstall says how to get libz3.
const HowToInstall = libz3.HowToInstall

// Available gives the version of the libz3 that is installed, such as "4.8.12".
// If there is none, or one too old, the error says so and how to get one.
func Available() (version string, err error) { return libz3.Load() }

// Options of the solver; the zero value is good.
type Options struct {
	Seed uint32 // of Z3's random choices
	// Arith is Z3's arith.solver. 0 means 3, dense difference logic, which is
	// all that is asked: on systems of 100 events it took a third to two thirds
	// of the time of 2 and 6. 1 answers Unknown here.
	Arith uint32
	// MaxTerms bounds the size of the formula; beyond it checks are Unknown.
	// 0 means 4 million, about 1 GB.
	MaxTerms int
}

type solver struct {
	o    Options
	busy chan struct{} // of its sessions
}

// New makes the solver. The error, which wraps ErrAbsent, says what is missing.
func New(o Options) (solve.Solver, error) {
	if _, err := libz3.Load(); err != nil {
		return nil, err
	}
	if o.MaxTerms == 0 {
		o.MaxTerms = 4_000_000
	}
	if o.Arith == 0 {
		o.Arith = 3
	}
	return solver{o, make(chan struct{}, maxBusy)}, nil
}

func (s solver) Name() string { return "z3" }

// New checks the system; its formula is made by the first Check, which can be
// cancelled.
func (s solver) New(sys *constraint.System) (solve.Session, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	engine := func() engine { return &formula{o: s.o, sys: sys} }
	return newSession(sys, engine, s.busy), nil
}
