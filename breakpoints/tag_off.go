//go:build !hocket_breakpoints

package breakpoints

const builtOn = false
