// Package lsp measures the language server and gopls on the same module, in one
// run, one after the other in turns:
//
//	go test -run '^$' -bench BesideGopls -benchtime 1x -timeout 30m ./bench/lsp
//
// The module is a copy of github.com/nats-io/nats.go with a small bug appended
// to its largest file, which `hocket find` finds first, so that there is
// something to show. Measured for each server: from the start of the process to
// the first answered hover; from an edit to the diagnostics of that version (an
// edit above a finding for Hocket, a type error that comes and goes for gopls);
// hovers and lenses, p50 and p95; memory with all children at its highest.
// Flags: -module, -rounds, -edits, -asks, -gopls.
package lsp
