#!/bin/bash
# Eglot in Emacs, a third client: what holds in one that nothing was written for.
set -u
. scripts/editors/lib.sh

command -v emacs >/dev/null || apt_need emacs-nox || exit 1
case "$(emacs --version | head -1)" in
"GNU Emacs 2"[0-8]*) apt_need elpa-eglot || exit 1 ;;
esac
EDITORS_ROOT=$PWD emacs -Q --batch -l test/editors/eglot.el 2>"$EDITORS_TMP/messages" || {
	tail -20 "$EDITORS_TMP/messages"
	exit 1
}
