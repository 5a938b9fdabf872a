#!/bin/bash
# The oldest Neovim that the plugin supports, Debian 12's.
set -u
. scripts/editors/lib.sh
. scripts/editors/nvim.sh

nvim=$(command -v nvim || true)
case "$("${nvim:-false}" --version 2>/dev/null | head -1)" in
*" v0.7."*) ;;
*)
	# The system's is another one, or there is none.
	if [ "$(apt-cache policy neovim 2>/dev/null | sed -n 's/ *Candidate: 0\.7\..*/yes/p')" = yes ] && [ -z "$nvim" ]; then
		apt_need neovim && nvim=$(command -v nvim)
	else
		nvim=$(nvim_of bookworm)
	fi
	;;
esac || exit 1
[ -n "$nvim" ] || { fail "no Neovim 0.7"; exit 1; }
GOPLS=$(gopls_tool) || exit 1
. scripts/delve.sh
export GOPLS

nvim_run "$nvim" marks
nvim_run "$nvim" start
nvim_run "$nvim" main
nvim_run "$nvim" steps
nvim_run "$nvim" breaks
nvim_run "$nvim" dap
