#!/bin/sh
# All tests of the module. .ci/run and `make test` both come here.
# The first run builds instrumented standard libraries: some minutes.
set -u
cd "$(dirname "$0")/.."
. scripts/delve.sh
exec go test -timeout 40m "$@" ./...
