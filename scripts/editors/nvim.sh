# shellcheck shell=bash
# Sourced by the scripts of the Neovims. Needs lib.sh.

# nvim_run NVIM SCENARIO: a file of test/editors/nvim in a headless Neovim of
# its own, which starts the ones under test.
nvim_run() {
	local nvim=$1 scenario=$2 home=$EDITORS_TMP/home
	mkdir -p "$home"
	[ -d "$EDITORS_TMP/runtime/doc" ] || { mkdir -p "$EDITORS_TMP/runtime" && cp -r editors/nvim/doc "$EDITORS_TMP/runtime/doc"; }
	# Go's caches stay where they are; all that Neovim keeps goes to the folder.
	GOPATH=$(go env GOPATH) GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE) \
		XDG_CONFIG_HOME=$home XDG_DATA_HOME=$home XDG_STATE_HOME=$home \
		EDITORS_ROOT=$PWD EDITORS_TMP_DOC=$EDITORS_TMP/runtime/doc \
		"$nvim" --headless -u NONE -i NONE -n -c "luafile test/editors/nvim/$scenario.lua" </dev/null
}
