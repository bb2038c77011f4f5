# Read by scripts that need an empty Debian, with `.` after common.sh; does nothing by itself.
# shellcheck shell=sh
: "${root:?}" "${me:?}"
PATH=$PATH:/usr/sbin:/sbin

cannot() {
	echo "$me: skipped: $*"
	exit 77
}

lap() {
	now=$(date +%s)
	echo "-- $1: $((now - last)) s"
	last=$now
}

# Ends what still runs inside, unmounts, removes. /dev of this machine is mounted below: nothing is removed before
# all is unmounted, and nothing on another file system ever.
# shellcheck disable=SC2317 # called by the trap
cleanup() {
	for process in /proc/[0-9]*; do
		if [ "$(readlink "$process/root" 2>/dev/null)" = "$new" ]; then
			kill -9 "${process#/proc/}" 2>/dev/null || true
		fi
	done
	for mounted in "$new/proc" "$new/dev" "$new"; do
		umount -R "$mounted" 2>/dev/null || umount -R -l "$mounted" 2>/dev/null || true
	done
	if grep -qF " $tmp/" /proc/self/mountinfo; then
		echo "$me: cannot unmount what is under $tmp; it is left there" >&2
	else
		rm -rf --one-file-system "$tmp"
	fi
}

# Goes on in a mount namespace of its own, with the same arguments: whatever happens, the mounts made below end with
# the script. Sets tmp, a temporary directory, and new, where the empty Debian will be. Exits with 77 where none can be made.
enter_namespace() {
	[ "$(id -u)" -eq 0 ] || cannot "not root"
	command -v apt-get >/dev/null || cannot "this is not Debian (no apt-get)"
	command -v unshare >/dev/null || cannot "no unshare"
	if [ "${BOUGH_PROOF_UNSHARED-}" != yes ]; then
		unshare --mount --propagation private true 2>/dev/null || cannot "mounting is not permitted"
		exec env BOUGH_PROOF_UNSHARED=yes unshare --mount --propagation private "$root/$me" "$@"
	fi
	tmp=$(mktemp -d "${TMPDIR:-/var/tmp}/bough-proof.XXXXXX")
	new=$tmp/debian
	trap cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	mkdir "$tmp/probe"
	mount -t proc proc "$tmp/probe" 2>/dev/null || cannot "mounting is not permitted"
	umount "$tmp/probe"
	{ mknod "$tmp/null" c 1 3 && echo >"$tmp/null"; } 2>/dev/null || cannot "device files are not permitted in $tmp"
	began=$(date +%s)
	last=$began
}

# Copies files and directories of this machine, where there are any, to the same place inside.
copy_in() {
	for path in "$@"; do
		[ -e "$path" ] || continue
		mkdir -p "$new$(dirname "$path")"
		rm -rf "${new:?}$path"
		cp -RL "$path" "$new$path"
	done
}

# A command inside, with the environment of a fresh login and this machine's proxies.
inside() {
	env -i HOME=/root USER=root LOGNAME=root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		${no_proxy:+no_proxy="$no_proxy"} chroot "$new" sh -euc "$1" </dev/null
}

# Where this machine's apt takes Debian itself from: sets mirror and suite. apt reads its own files (one-line and deb822 alike)
# and prints a line for each list of packages; the first one of component main, of a suite and not of its updates, is the one.
find_mirror() {
	# shellcheck disable=SC2016 # the names are apt's
	apt-get --no-release-info indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' >"$tmp/targets"
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	awk -v codename="$codename" '
		$3 == "main" && $2 !~ /[\/-]/ && $1 ~ /^https?:/ {
			if (!any) any = $0
			if ($2 == codename && !own) own = $0
		}
		END { print own ? own : any }' "$tmp/targets" >"$tmp/target"
	read -r mirror suite _ <"$tmp/target" || true
	[ -n "${suite-}" ] || cannot "no mirror in apt's configuration from which Debian comes"
}

# Makes the empty Debian, with the apt configuration of this machine, /proc and /dev.
make_debian() {
	if ! command -v debootstrap >/dev/null; then
		say "Installing debootstrap"
		{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends debootstrap; } \
			</dev/null >"$tmp/log" 2>&1 || { tail -n 5 "$tmp/log" >&2; cannot "no debootstrap, and it cannot be installed"; }
		lap "debootstrap installed"
	fi

	find_mirror
	# debootstrap does not read apt's configuration: hand it apt's proxy.
	proxy=$(apt-config dump --format '%v%n' Acquire::http::Proxy | head -n 1)
	if [ -n "$proxy" ] && [ "$proxy" != DIRECT ] && [ -z "${http_proxy-}" ]; then
		http_proxy=$proxy
		export http_proxy
	fi
	# in memory, where there is room: a hundred thousand small files are written
	mkdir -p "$new"
	if [ "$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)" -ge 14 ]; then
		mount -t tmpfs -o size=12g,mode=755 none "$new" || say "In a directory of the disk, as no memory can be mounted"
	fi
	say "Making an empty Debian ($suite) with debootstrap, from the mirror of this machine's apt"
	debootstrap --variant=minbase --include=ca-certificates "$suite" "$new" "$mirror" </dev/null >"$tmp/log" 2>&1 || {
		tail -n 20 "$tmp/log" "$new/debootstrap/debootstrap.log" >&2 2>/dev/null || true
		die "debootstrap failed"
	}
	lap "debootstrap"

	rm -rf "$new/etc/apt/sources.list" "$new/etc/apt/sources.list.d"
	copy_in /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/keyrings /etc/apt/trusted.gpg /etc/apt/trusted.gpg.d \
		/etc/apt/apt.conf /etc/apt/apt.conf.d /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/apt/preferences \
		/etc/apt/preferences.d /usr/share/keyrings /etc/hosts /etc/resolv.conf /etc/npmrc /usr/etc/npmrc \
		/usr/local/share/ca-certificates
	if [ -r "${HOME:-/root}/.npmrc" ]; then
		cp -L "${HOME:-/root}/.npmrc" "$new/root/.npmrc"
	fi
	# This machine's hooks of apt call programs that are not inside; nothing in there has to outlive a power cut, and
	# no service may be started from there.
	cat >"$new/etc/apt/apt.conf.d/zz-proof" <<'END'
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
END
	echo force-unsafe-io >"$new/etc/dpkg/dpkg.cfg.d/proof"
	printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d"
	chmod 755 "$new/usr/sbin/policy-rc.d"
	mount -t proc proc "$new/proc"
	mount --rbind /dev "$new/dev"
}
