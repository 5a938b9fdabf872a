#!/bin/bash
# vsix.sh: packs the extension for VS Code into bin/hocket.vsix, from a clean clone. The
# packages that it is built with are those of its lock file; nothing else is downloaded.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/editors/lib.sh
command -v npm >/dev/null || { say "npm is missing: building the extension takes Node.js 20 or newer"; exit 1; }
major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
[ "$major" -ge 20 ] || { say "node is $(node --version), building the extension takes version 20 or newer"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# In a copy, so that nothing is left in the checkout; the pictures and the license lie
# where the build looks for them.
mkdir -p "$work/editors" "$work/docs"
cp -r editors/vscode "$work/editors/vscode"
cp -r docs/images "$work/docs/images"
cp LICENSE "$work"
rm -rf "$work/editors/vscode/node_modules"
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
(cd "$work/editors/vscode" && npm ci --ignore-scripts && npm run package -- -o "$work/hocket.vsix") >"$work/log" 2>&1 ||
	{ cat "$work/log" >&2; exit 1; }
mkdir -p bin
mv "$work/hocket.vsix" bin/hocket.vsix
echo "bin/hocket.vsix"
echo "install it: code --install-extension bin/hocket.vsix" >&2
