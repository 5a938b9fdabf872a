// Package verify tells whether an edit takes a finding away: it builds the edited
// program in place of the user's, by an overlay, runs it and searches it.
//
// A fix is verified only if all of this holds (Check, in this order):
//
//   - it does not take away what can fail or do work: no call that reports a failure, no
//     go statement and no send is gone, the check that failed is as it was, and nothing
//     waits for a time, skips, recovers or changes the number of processors (edit.go);
//   - it compiles, and go vet has no complaint that it did not have before;
//   - the finding's test or program passes plainly on the ordinary build, and so does
//     each other test of the package that can come to a function that it changes, unless
//     that failed before;
//   - a search under control finds no failure of any kind, or proves that there is none;
//   - the search would have found it: the program without the fix, but with statements
//     that change nothing at the same places (noop.go), fails under three seeds, each
//     within a third of the schedules that the fix got;
//   - the finding's order, played on the ordinary build, makes no run fail (order.go);
//   - passing runs start as many goroutines and send as much as before, and come to the
//     lines that they came to, those of the cause among them (counts.go).
//
// Invariants:
//   - No file of the user's is written.
//   - What is not verified has a reason, in one line.
//   - Equal requests get equal verdicts, but for what depends on the time.
package verify
