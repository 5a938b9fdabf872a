#!/bin/bash
# Newer Neovims, those of later Debian releases: with vim.lsp.enable and without.
set -u
. scripts/editors/lib.sh
. scripts/editors/nvim.sh

GOPLS=$(gopls_tool) || exit 1
export GOPLS
for suite in trixie forky; do
	nvim=$(nvim_of $suite) || { fail "no Neovim of Debian $suite"; continue; }
	nvim_run "$nvim" missing
	nvim_run "$nvim" main
done
