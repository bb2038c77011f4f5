#!/bin/sh
# A network that bough exports is a fabric to the real tools: ibsim loads it, OpenSM routes it, and bough reads back what
# they say of it. Skipped (77) where they are not installed; scripts/setup --tests installs them.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

# shellcheck source=scripts/opensm.sh
. "$2/scripts/opensm.sh"
opensm_there || exit 77

# route SPEC ENGINE [OPENSM ARGUMENT...]: what OpenSM does with the network, in directory ENGINE.
route() {
	"$bough" net "$1" -o "$2.net" || fail "$1: no netlist"
	spec=$1
	engine=$2
	shift 2
	bring_up "$tmp/$engine.net" "$engine" "$engine" "$@" || fail "$spec: $why"
	[ "$routed" = "$engine" ] || fail "$spec: opensm routed with $routed, not with $engine"
}

# Full bisection: 16 hosts, two levels. ftree routes every shift without a collision.
route xgft:down=4x4,up=1x4 ftree
right "240 of 240 routed" check --details ftree/fabric --lft ftree/opensm-lfts.dump --fail-on warn
also "endpoints   16" "switches    8 in 2 levels: 4 leaves, 4 above them" "cables      16 between switches" \
	"1 switch: 48, 3 switches: 192" "all-to-all reaches 100.0 % of the ideal" "shifts      1 flow at most"

# Two cables a pair and two spines; any engine has to reach everyone over them.
route xgft:down=4x4,up=1x2,links=1x2 minhop
right "240 of 240 routed" check --details minhop/fabric --lft minhop/opensm-lfts.dump --fail-on warn
also "switches    6 in 2 levels: 4 leaves, 2 above them" "cables      16 between switches"

# Tables that bough computes: OpenSM loads them, and dumps what it loaded, byte by byte.
"$bough" net xgft:down=4x4x2,up=1x2x4 --routing dmodk -o dmodk.lfts || fail "no tables"
route xgft:down=4x4x2,up=1x2x4 file -U "$tmp/dmodk.lfts"
cmp dmodk.lfts file/opensm-lfts.dump || fail "OpenSM changed the tables that it was given"
"$bough" check xgft:down=4x4x2,up=1x2x4 --routing dmodk --json >own || fail "no check"
"$bough" check file/fabric --lft file/opensm-lfts.dump --json >loaded || fail "no check"
for key in alltoall_max shift_max shift_mean worst_permutation; do
	[ "$(grep "\"$key\"" own)" = "$(grep "\"$key\"" loaded)" ] || fail "$key: $(grep "\"$key\"" own loaded)"
done

# And the ones that OpenSM computes like bough.
"$bough" net xgft:down=4x4x2,up=1x2x4 --routing updn -o updn.lfts || fail "no tables"
route xgft:down=4x4x2,up=1x2x4 updn
cmp updn.lfts updn/opensm-lfts.dump || fail "updn is not that of OpenSM"
