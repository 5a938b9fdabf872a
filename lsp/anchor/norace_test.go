//go:build !race

package anchor

const slowdown = 1
