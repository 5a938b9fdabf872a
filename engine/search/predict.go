package search

import (
	"time"

	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/run"
)

// Foresight counts what a strategy predicted before any run showed it, and what of
// that happened. Only what a run showed is ever reported.
type Foresight struct {
	Predicted int           // failures and data races that a solver found a schedule for
	Happened  int           // of those, the ones that a run of the schedule showed
	Solving   time.Duration // in the solver, for these and for all else

	Started  int    // runs of the program that a Twin has learnt
	Recorded int    // of those, that follow recorded ones
	Plays    int    // runs of the Twin
	Shared   int    // shared events of the runs that it learnt
	Modelled int    // of those, that it does, too
	NoTwin   string // why it is not asked any more; "" if it is or there is none
}

// predictions keeps count of what was predicted (predictive analysis: Huang,
// Meredith, Rosu, PLDI 2014), and of what need not be any more.
type predictions struct {
	foresight    Foresight
	failuresOnly bool // nothing else is asked for
	bugs         map[uint64]bool
	shown        map[uint64]bool    // goals that a run made for them showed
	raced        map[[2]string]bool // places of the data races seen, the lower one first
}

func newPredictions() predictions {
	return predictions{bugs: map[uint64]bool{}, shown: map[uint64]bool{}, raced: map[[2]string]bool{}}
}

// Foresight implements Strategy.
func (p *predictions) Foresight() Foresight { return p.foresight }

// predict notes that a schedule was found.
func (p *predictions) predict(f *forest.Frontier) {
	if f.Failure && !p.bugs[f.Key] {
		p.bugs[f.Key] = true
		p.foresight.Predicted++
	}
}

// settle notes what a run showed.
func (p *predictions) settle(key uint64, r *run.Result) {
	failed := r.Failed()
	for _, x := range r.Races {
		if inUserCode(x) {
			failed = true
			p.raced[[2]string{min(x.FirstSite, x.SecondSite), max(x.FirstSite, x.SecondSite)}] = true
		}
	}
	if failed && p.bugs[key] && !p.shown[key] {
		p.shown[key] = true
		p.foresight.Happened++
	}
}

// known is true of data races seen already. Of other goals it is not known whether
// what a run showed was this.
func (p *predictions) known(f *forest.Frontier) bool {
	return f.Race != nil && f.Race.Places[0] != "" && p.raced[f.Race.Places]
}
