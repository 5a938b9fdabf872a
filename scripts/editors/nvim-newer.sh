#!/bin/bash
# Newer Neovims, those of later Debian releases: with vim.lsp.enable and without.
set -u
. scripts/editors/lib.sh
. scripts/editors/nvim.sh

GOPLS=$(gopls_tool) || exit 1
. scripts/delve.sh
export GOPLS

if nvim=$(nvim_of trixie); then
	nvim_run "$nvim" marks
	nvim_run "$nvim" start
	EDITORS_SHORT=1 nvim_run "$nvim" main
else
	fail "no Neovim of Debian trixie"
fi
if nvim=$(nvim_of forky); then
	nvim_run "$nvim" marks
	nvim_run "$nvim" start
	nvim_run "$nvim" main
	nvim_run "$nvim" steps
	nvim_run "$nvim" breaks
	apt_need tmux && nvim_run "$nvim" terminal && nvim_run "$nvim" terminal_breaks
else
	fail "no Neovim of Debian forky"
fi
