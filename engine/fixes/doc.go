// Package fixes goes from a stored finding to repairs that hold: it reads the sources,
// lets package repair propose candidates and package verify try them, keeps what came of
// it with the finding, and applies one.
//
// Invariants:
//   - Files of the user's are changed by Apply only, all of a fix or nothing.
//   - Fixes are of the texts that they were computed for: where those changed, they are
//     computed anew, or Apply refuses.
//   - What was tried before the time ended is in the answer.
package fixes
