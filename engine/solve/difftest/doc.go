// Package difftest compares what may not differ: the solvers with each other
// and with an enumeration of all schedules, on random systems; exploration with
// a solver and the enumeration of everything that a random Go program can do;
// and both with the program under Go's own runtime. Together they are the proof
// that the model of engine/constraint is Go's.
//
// It holds tests only. -difftest.times multiplies how much they try,
// -difftest.seed moves them to other questions and programs.
package difftest
