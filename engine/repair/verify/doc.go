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
//   - passing runs start as many goroutines and send as much as before (counts.go), and
//     come to the lines that they came to, those of the cause among them, or to what the
//     edit put in their place (lost.go);
//   - where the order of the finding makes the ordinary build fail, it makes the ordinary
//     build of the fix pass, or can't be played on it (played.go).
//
// Failures of the program with the edit are compared with earlier ones where the edit
// moved their lines (signatures.go).
//
// Invariants:
//   - No file of the user's is written.
//   - A fix is verified only once all rules were gone through: not if the time ended before.
//   - What is not verified has a reason, in one line.
//   - Equal requests get equal verdicts, but for what depends on the time.
package verify
