# Sourced by the Makefile: makes sure that a Go command which can build this
# module is in PATH. Does nothing where there is one already. On Debian and its
# kin it installs the distribution's Go through apt (as root or with sudo) and,
# if that is too old, lets it fetch the toolchain that go.mod asks for. It also
# installs libz3, which is not needed for anything but wanted by some tests; where
# that can't be done it says so and goes on.

hocket_go_ok() {
	command -v go >/dev/null 2>&1 || return 1
	hocket_v=$(go env GOVERSION 2>/dev/null) || return 1
	hocket_v=${hocket_v#go}
	hocket_minor=${hocket_v#1.}
	hocket_minor=${hocket_minor%%[!0-9]*}
	case "$hocket_v" in 1.*) [ "${hocket_minor:-0}" -ge 26 ] ;; *) return 1 ;; esac
}

hocket_say() { echo "setup: $*" >&2; }

# hocket_apt WHAT OTHERWISE PACKAGE... installs packages; WHAT they are and what
# to do OTHERWISE are for the messages. HOCKET_SUDO is how to become root.
hocket_apt() {
	hocket_what=$1 hocket_else=$2
	shift 2
	command -v apt-get >/dev/null 2>&1 || {
		hocket_say "no $hocket_what and no apt-get here; $hocket_else"
		return 1
	}
	hocket_root=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null 2>&1 || {
			hocket_say "installing $hocket_what needs root or sudo; $hocket_else"
			return 1
		}
		hocket_root=${HOCKET_SUDO:-sudo}
	fi
	hocket_say "installing the distribution's $hocket_what"
	$hocket_root apt-get update -qq &&
		$hocket_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2 || {
		hocket_say "$hocket_what was not installed; $hocket_else"
		return 1
	}
}

# hocket_z3_ok says whether the loader finds libz3.
hocket_z3_ok() {
	case "$(uname -s)" in
	Linux) { ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null; } | grep -q 'libz3\.so' ;;
	*) true ;; # Homebrew's business
	esac
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

# First, so that what this file comes out with is whether there is a Go. Nobody is
# asked for a password for it.
hocket_z3_ok || HOCKET_SUDO="sudo -n" hocket_apt libz3 "the tests of engine/solve/z3 will only check that its absence is tolerated" libz3-dev || :

if ! hocket_go_ok; then
	# Go's own place for manual installations, often not in PATH.
	if [ -x /usr/local/go/bin/go ]; then PATH=/usr/local/go/bin:$PATH; export PATH; fi
fi
if ! hocket_go_ok; then
	{ command -v go >/dev/null 2>&1 ||
		hocket_apt Go "install Go 1.26 or newer from https://go.dev/dl and try again" golang-go ca-certificates; } && { hocket_go_ok || hocket_newer; } && hocket_go_ok || {
		hocket_say "there is no Go 1.26 or newer"
		false
	}
fi
