// Package reproduce makes a finding happen again inside an ordinary Go test,
// without Hocket: the test holds the finding as data ([Finding]), and [Run]
// builds the package once more with points at the finding's statements
// (package breakpoints), runs it in the finding's order and fails if the
// failure is seen.
//
// Invariants:
//   - Nothing of the user's is written: the edited sources lie in a temporary
//     folder and reach the build by an overlay.
//   - A statement is found by its fingerprint (package breakfile), or the test
//     is skipped and names it. It is never taken for another one.
//   - A failure counts only if the whole order was possible and the failure is
//     the finding's own: a correct program is not blamed for a pause.
//   - All that is started ends with the test, by its deadline, and, as far as
//     the system allows, when the test is killed.
//   - The program that is run never runs such a test itself.
//
// The package imports only the standard library and package breakfile, because
// `hocket test -standalone` prints it as a part of the user's test file.
package reproduce
