# Read by other scripts with `.`: an ibsim with a fabric in it, and an OpenSM that routes it. Needs no root and no InfiniBand.
# shellcheck shell=sh
# Before this the script sets `tmp` to a directory of its own, which is removed when the script ends, however it ends.
: "${tmp:?}"
PATH=$PATH:/usr/sbin:/sbin
sim=
osm=
sims=0

# Whether the tools are installed.
opensm_there() {
	for tool in ibsim ibsim-run opensm ibnetdiscover; do
		command -v "$tool" >/dev/null || return 1
	done
}

opensm_cleanup() {
	[ -z "$osm" ] || kill "$osm" 2>/dev/null || true
	[ -z "$sim" ] || kill "$sim" 2>/dev/null || true
	osm=
	sim=
}
trap 'opensm_cleanup; rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# bring_up NETLIST DIR ENGINE [OPENSM ARGUMENT...]: loads the netlist into an ibsim of its own, in which nothing was configured
# before, and lets OpenSM route it with empty state. Leaves in DIR: fabric (ibnetdiscover), opensm-lfts.dump, opensm.log. Sets
# `routed` to the engine that OpenSM says it used, which is not always ENGINE: it exits with 0 also where an engine gave up
# and minimal hops took its place. A function ask_more of the script, if there is one, is called with DIR while ibsim
# runs. Fails, with one line in `why`, where there are no tables at all.
bring_up() {
	netlist=$1
	dir=$2
	engine=$3
	shift 3
	routed=
	why=
	mkdir -p "$dir"
	dir=$(cd "$dir" && pwd)
	sims=$((sims + 1))
	IBSIM_SOCKNAME=bough-$$-$sims # private: many of these may run at a time
	export IBSIM_SOCKNAME
	# Its own limits are 2048 nodes, 256 switches.
	ibsim -s -N 65536 -S 8192 -P 524288 -n "$netlist" </dev/null >"$dir/ibsim.log" 2>&1 &
	sim=$!
	tries=0
	sleep 0.2
	until kill -0 "$sim" 2>/dev/null && timeout 60 ibsim-run ibnetdiscover >/dev/null 2>&1; do
		if ! kill -0 "$sim" 2>/dev/null || [ "$tries" -ge 100 ]; then
			why="ibsim does not run: $(tail -n 1 "$dir/ibsim.log")"
			opensm_cleanup
			return 1
		fi
		tries=$((tries + 1))
		sleep 0.2
	done
	: >"$dir/opensm.conf"
	# In the background, so that a signal ends it at once.
	OSM_CACHE_DIR=$dir OSM_TMP_DIR=$dir timeout "${OPENSM_SECONDS:-300}" ibsim-run opensm -o -F "$dir/opensm.conf" \
		-f "$dir/opensm.log" -D 0x43 -R "$engine" "$@" </dev/null >"$dir/stdout" 2>&1 &
	osm=$!
	wait "$osm" || why="opensm ended with status $?: $(tail -n 1 "$dir/stdout")"
	osm=
	timeout "${OPENSM_SECONDS:-300}" ibsim-run ibnetdiscover 2>"$dir/ibnetdiscover.log" | sed '/^# Topology file: generated on/d' >"$dir/fabric"
	if command -v ask_more >/dev/null; then ask_more "$dir"; fi
	kill "$sim"
	wait "$sim" 2>/dev/null || true
	sim=
	routed=$(sed -n 's/.*: \([a-z0-9-]*\) tables configured on all switches.*/\1/p' "$dir/opensm.log" | tail -n 1)
	[ -n "$routed" ] || why=${why:-"opensm configured no tables: $(grep ' ERR ' "$dir/opensm.log" | head -n 1)"}
	[ -z "$why" ]
}
