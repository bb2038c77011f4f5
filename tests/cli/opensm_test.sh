#!/bin/sh
# A network that bough exports is a fabric to the real tools: ibsim loads it, OpenSM routes it, and bough reads back what
# they say of it. Skipped (77) where they are not installed; scripts/setup --tests installs them.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

PATH=$PATH:/usr/sbin:/sbin
for tool in ibsim ibsim-run opensm ibnetdiscover; do
	command -v "$tool" >/dev/null || exit 77
done

sim=
# shellcheck disable=SC2317 # called by the trap
cleanup() {
	[ -z "$sim" ] || kill "$sim" 2>/dev/null || true
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# bring_up SPEC ENGINE [TABLES]: the fabric and its tables as SPEC-less files fabric and opensm-lfts.dump in directory
# $ENGINE; engine file loads TABLES.
bring_up() {
	mkdir "$2"
	"$bough" net "$1" -o "$2/tree.net" || fail "$1: no netlist"
	IBSIM_SOCKNAME=bough-test-$$-$2
	export IBSIM_SOCKNAME
	ibsim -s -n "$2/tree.net" </dev/null >"$2/ibsim.log" 2>&1 &
	sim=$!
	tries=0
	until ibsim-run ibnetdiscover >/dev/null 2>&1; do
		kill -0 "$sim" 2>/dev/null || fail "$1: ibsim stopped: $(cat "$2/ibsim.log")"
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || fail "$1: ibsim did not answer: $(cat "$2/ibsim.log")"
		sleep 0.2
	done
	: >"$2/opensm.conf"
	# shellcheck disable=SC2030
	OSM_CACHE_DIR=$tmp/$2 OSM_TMP_DIR=$tmp/$2 ibsim-run opensm -o -F "$2/opensm.conf" -f "$tmp/$2/opensm.log" -D 0x43 \
		-R "$2" ${3+-U "$3"} </dev/null >"$2/stdout" 2>&1 || fail "$1: opensm: $(tail -n 5 "$2/stdout")"
	# OpenSM ends with 0 also where its engine gave up.
	grep -q ": $2 tables configured on all switches" "$2/opensm.log" || fail "$1: opensm did not route with $2"
	ibsim-run ibnetdiscover >"$2/fabric" 2>"$2/ibnetdiscover.log" || fail "$1: $(cat "$2/ibnetdiscover.log")"
	kill "$sim"
	wait "$sim" 2>/dev/null || true
	sim=
}

# Full bisection: 16 hosts, two levels. ftree routes every shift without a collision.
bring_up xgft:down=4x4,up=1x4 ftree
right "240 of 240 routed" check ftree/fabric --lft ftree/opensm-lfts.dump --fail-on warn
also "endpoints   16" "switches    8 in 2 levels: 4 with hosts, 4 above them" "cables      16 between switches" \
	"1: 48, 3: 192" "All-to-all is limited by the endpoints' own links only" \
	"Every shift permutation runs without two flows sharing a link."

# Two cables a pair and two spines; any engine has to reach everyone over them.
bring_up xgft:down=4x4,up=1x2,links=1x2 minhop
right "240 of 240 routed" check minhop/fabric --lft minhop/opensm-lfts.dump --fail-on warn
also "switches    6 in 2 levels: 4 with hosts, 2 above them" "cables      16 between switches"

# Tables that bough computes: OpenSM loads them, and dumps what it loaded, byte by byte.
"$bough" net xgft:down=4x4x2,up=1x2x4 --routing dmodk -o dmodk.lfts || fail "no tables"
bring_up xgft:down=4x4x2,up=1x2x4 file "$tmp/dmodk.lfts"
cmp dmodk.lfts file/opensm-lfts.dump || fail "OpenSM changed the tables that it was given"
"$bough" check xgft:down=4x4x2,up=1x2x4 --routing dmodk --json >own || fail "no check"
"$bough" check file/fabric --lft file/opensm-lfts.dump --json >loaded || fail "no check"
for key in alltoall_max shift_max shift_mean worst_permutation; do
	[ "$(grep "\"$key\"" own)" = "$(grep "\"$key\"" loaded)" ] || fail "$key: $(grep "\"$key\"" own loaded)"
done

# And the ones that OpenSM computes like bough.
"$bough" net xgft:down=4x4x2,up=1x2x4 --routing updn -o updn.lfts || fail "no tables"
bring_up xgft:down=4x4x2,up=1x2x4 updn
cmp updn.lfts updn/opensm-lfts.dump || fail "updn is not that of OpenSM"
