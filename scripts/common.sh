# Read by the other scripts with `.`; does nothing by itself.
# shellcheck shell=sh
# Before this the script sets `root` to the directory of the checkout.
: "${root:?}"

me=scripts/$(basename "$0")

say() {
	printf '== %s\n' "$*"
}

die() {
	printf '%s: %s\n' "$me" "$*" >&2
	exit 1
}

# The words of a command as one line that a shell reads back as the same words.
command_line() {
	for word in "$@"; do
		case $word in
		'' | *[!A-Za-z0-9_./:=,@%+-]*)
			printf "'%s' " "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
			;;
		*) printf '%s ' "$word" ;;
		esac
	done
}

# Shows a command and runs it.
show_and_run() {
	printf '$ %s\n' "$(command_line "$@" | sed 's/ $//')"
	"$@"
}

# On a terminal, shows how far the build is that writes log $1, until it is killed.
watch_build() {
	while sleep 1; do
		printf '\r   %s ' "$(sed -n 's/^\(\[[0-9]*\/[0-9]*\]\).*/\1/p' "$1" 2>/dev/null | tail -n 1)" >&2
	done
}

# Configures and builds preset $1 in build/$1: the targets that follow, or all; the compiler's words go to build/$1.log.
build() {
	preset=$1
	shift
	log=build/$preset.log
	[ $# -eq 0 ] || set -- --target "$@"
	say "Building, preset $preset (all output: $log)"
	printf '$ cmake --preset %s && cmake --build build/%s%s\n' "$preset" "$preset" "${*:+ $*}"
	start=$(date +%s)
	mkdir -p "$root/build"
	watcher=
	if [ -t 2 ]; then
		watch_build "$root/$log" &
		watcher=$!
		trap 'kill "$watcher" 2>/dev/null || true' EXIT
	fi
	built=yes
	(cd "$root" && cmake --preset "$preset" && cmake --build "build/$preset" "$@") >"$root/$log" 2>&1 || built=no
	if [ -n "$watcher" ]; then
		kill "$watcher" 2>/dev/null || true
		trap - EXIT
		printf '\r               \r' >&2
	fi
	if [ "$built" = no ]; then
		tail -n 60 "$root/$log" >&2
		die "the build failed; all of its output is in $log"
	fi
	echo "built in $(($(date +%s) - start)) s"
}
