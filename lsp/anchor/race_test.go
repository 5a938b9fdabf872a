//go:build race

package anchor

// slowdown that the race detector may cause.
const slowdown = 15
