#!/bin/sh
# Everything that can be said of the code without running it.
set -eu
cd "$(dirname "$0")/.."
bad=$(gofmt -l $(git ls-files '*.go' | grep -v /testdata/))
[ -z "$bad" ] || { echo "not gofmt-ed: $bad" >&2; exit 1; }
go vet ./...
go mod tidy -diff >/dev/null || { echo "go.mod is not tidy: run go mod tidy" >&2; exit 1; }
if command -v staticcheck >/dev/null 2>&1; then
	staticcheck ./...
else
	go run honnef.co/go/tools/cmd/staticcheck@latest ./...
fi
