# shellcheck shell=bash
# Sourced by the scripts of this folder: what they share. They run in the root
# of the checkout, with the variables that scripts/test-editors.sh sets.

say() { printf 'set-up: %s\n' "$*" >&2; }
pass() { printf 'pass: %s\n' "$*"; }
fail() { printf 'fail: %s\n' "$*"; }

# as_root runs a command as root, by sudo if need be.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		say "this needs root or sudo: $*"
		return 1
	fi
}

# apt_need installs the Debian packages that are not there yet.
apt_need() {
	local missing=() p
	for p; do
		[ "$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null)" = "install ok installed" ] || missing+=("$p")
	done
	[ ${#missing[@]} = 0 ] && return
	say "installing ${missing[*]}"
	set -- as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
	# Lists that are old, or not there, are fetched after a first failure.
	"$@" >/dev/null 2>&1 || { as_root apt-get update -qq && "$@" >/dev/null; }
}

# debian_mirror prints where this system gets Debian's packages from.
debian_mirror() {
	apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(ORIGIN)' 'Created-By: Packages' |
		awk '$3 == "Debian" && $2 !~ /-/ { print $1; exit }'
}

# debian_unpack SUITE PACKAGE FOLDER: a package of another Debian release with
# all that it needs, the C library included, unpacked into a folder beside the
# system. Nothing of the system's own package state is read or written.
debian_unpack() {
	local suite=$1 package=$2 into=$3 state opts f
	state=$into.apt
	rm -rf "$into" "$state"
	mkdir -p "$state"/{etc,cache/archives/partial,state/lists/partial} "$into"
	: >"$state/status"
	local mirror
	mirror=$(debian_mirror)
	[ -n "$mirror" ] || { as_root apt-get update -qq && mirror=$(debian_mirror); } # no lists yet
	[ -n "$mirror" ] || { say "apt knows no Debian mirror"; return 1; }
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$state/etc/sources.list"
	opts=(-o Dir::State="$state/state" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache"
		-o Dir::Etc::sourcelist="$state/etc/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::Etc::preferencesparts=/dev/null -o APT::Sandbox::User="$(id -un)"
		-o APT::Install-Recommends=false -o Acquire::Languages=none -o Debug::NoLocking=1 -qq)
	say "fetching $package of Debian $suite"
	apt-get "${opts[@]}" update &&
		apt-get "${opts[@]}" install --download-only -y "$package" >/dev/null || return 1
	for f in "$state"/cache/archives/*.deb; do dpkg-deb -x "$f" "$into" || return 1; done
	rm -rf "$state"
}

# nvim_of SUITE: Neovim of a Debian release, cached; prints the command.
nvim_of() {
	local root=$EDITORS_CACHE/nvim-$1
	if [ ! -x "$root/nvim" ]; then
		apt_need patchelf >&2
		debian_unpack "$1" neovim "$root.part/tree" || return 1
		# In its final place before the loader's name is written into it.
		rm -rf "$root" && mv "$root.part" "$root" || return 1
		local libs
		libs=$(echo "$root"/tree/usr/lib/*-linux-gnu)
		patchelf --set-interpreter "$(realpath -s "$root"/tree/usr/lib64/ld-linux-*)" --set-rpath "$libs" "$root/tree/usr/bin/nvim" || return 1
		printf '#!/bin/sh\nVIM=%s VIMRUNTIME=%s exec %s "$@"\n' "$root/tree/usr/share/nvim" \
			"$root/tree/usr/share/nvim/runtime" "$root/tree/usr/bin/nvim" >"$root/nvim.part"
		chmod +x "$root/nvim.part" && mv "$root/nvim.part" "$root/nvim"
	fi
	"$root/nvim" --version >/dev/null && echo "$root/nvim"
}

# gopls_tool prints the command of gopls, built once into the cache. gopls is
# the server that Hocket lives beside; its version is fixed so that a failure
# here is ours.
gopls_tool() {
	local version=v0.23.0 dir=$EDITORS_CACHE/bin
	if [ ! -x "$dir/gopls-$version" ]; then
		say "building gopls $version"
		mkdir -p "$dir"
		(cd / && GOFLAGS=-mod=mod GOBIN="$dir/part" go install "golang.org/x/tools/gopls@$version") >&2 &&
			mv "$dir/part/gopls" "$dir/gopls-$version" || return 1
	fi
	echo "$dir/gopls-$version"
}
