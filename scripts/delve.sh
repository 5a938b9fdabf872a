# Sourced by test.sh: the debugger that tests of `hocket replay -debug` need; they
# fail without it.

if ! command -v dlv >/dev/null 2>&1 && [ ! -x "${GOBIN:-$(go env GOPATH)/bin}/dlv" ]; then
	hocket_dlv=$(sed -n 's/^const DelveInstall = "go install \(.*\)"$/\1/p' engine/delve.go)
	echo "setup: installing $hocket_dlv" >&2
	(cd / && go install "$hocket_dlv") || echo "setup: no Delve: the tests that need it will fail" >&2
fi
