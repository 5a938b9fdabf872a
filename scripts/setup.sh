# Sourced by the Makefile: makes sure that a Go command which can build this
# module is in PATH. Does nothing where there is one already. On Debian and its
# kin it installs the distribution's Go through apt (as root or with sudo) and,
# if that is too old, lets it fetch the toolchain that go.mod asks for.

hocket_go_ok() {
	command -v go >/dev/null 2>&1 || return 1
	hocket_v=$(go env GOVERSION 2>/dev/null) || return 1
	hocket_v=${hocket_v#go}
	hocket_minor=${hocket_v#1.}
	hocket_minor=${hocket_minor%%[!0-9]*}
	case "$hocket_v" in 1.*) [ "${hocket_minor:-0}" -ge 26 ] ;; *) return 1 ;; esac
}

hocket_say() { echo "setup: $*" >&2; }

hocket_apt() {
	command -v apt-get >/dev/null 2>&1 || {
		hocket_say "no Go 1.26 or newer and no apt-get here; install Go from https://go.dev/dl and try again"
		return 1
	}
	hocket_root=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null 2>&1 || {
			hocket_say "installing Go needs root or sudo; install Go from https://go.dev/dl and try again"
			return 1
		}
		hocket_root="sudo"
	fi
	hocket_say "installing the distribution's Go"
	$hocket_root apt-get update -qq &&
		$hocket_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends golang-go ca-certificates >&2
}

# hocket_newer fetches a toolchain as the module that it is published as, which
# works for a go command of any age, and puts it into PATH.
hocket_newer() {
	hocket_dir=${XDG_CACHE_HOME:-$HOME/.cache}/hocket/go1.26.8
	if [ ! -x "$hocket_dir/bin/go" ]; then
		hocket_say "fetching Go 1.26.8"
		hocket_arch=$(go env GOOS)-$(go env GOARCH)
		hocket_src=$(cd / && GO111MODULE=on GOFLAGS=-mod=mod go mod download -json "golang.org/toolchain@v0.0.1-go1.26.8.$hocket_arch" |
			sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p')
		[ -n "$hocket_src" ] || { hocket_say "Go 1.26.8 can't be fetched; install Go from https://go.dev/dl"; return 1; }
		# A copy: a module cache holds its files without execute permission.
		mkdir -p "${hocket_dir%/*}" && rm -rf "$hocket_dir.part" && cp -R "$hocket_src" "$hocket_dir.part" &&
			chmod -R u+w "$hocket_dir.part" &&
			chmod +x "$hocket_dir.part"/bin/* "$hocket_dir.part"/pkg/tool/*/* &&
			mv "$hocket_dir.part" "$hocket_dir" || return 1
	fi
	PATH=$hocket_dir/bin:$PATH
	GOTOOLCHAIN=local
	export PATH GOTOOLCHAIN
}

if ! hocket_go_ok; then
	# Go's own place for manual installations, often not in PATH.
	if [ -x /usr/local/go/bin/go ]; then PATH=/usr/local/go/bin:$PATH; export PATH; fi
fi
if ! hocket_go_ok; then
	{ command -v go >/dev/null 2>&1 || hocket_apt; } && { hocket_go_ok || hocket_newer; } && hocket_go_ok || {
		hocket_say "there is no Go 1.26 or newer"
		false
	}
fi
