#!/bin/sh
# What OpenSM and infiniband-diags write of one fabric, simulated by ibsim, is one network to bough: ibnetdiscover, plain
# and -p, iblinkinfo, plain, -p and --line, and opensm-subnet.lst. Skipped (77) where they are not installed.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

# shellcheck source=scripts/opensm.sh
. "$2/scripts/opensm.sh"
opensm_there || exit 77
command -v iblinkinfo >/dev/null || exit 77

# shellcheck disable=SC2317 # called by bring_up
ask_more() {
	ibsim-run ibnetdiscover -p >"$1/ports" 2>/dev/null
	ibsim-run iblinkinfo >"$1/linkinfo" 2>/dev/null
	ibsim-run iblinkinfo -p >"$1/linkinfo-p" 2>/dev/null
	ibsim-run iblinkinfo --line >"$1/linkinfo-line" 2>/dev/null
}

# network FILE: what bough reads of it, without the name of the file.
network() {
	"$bough" net "$1" --json >json || fail "$1: not read"
	sed '/^ *"network":/s/"spec":.*"endpoints"/"endpoints"/' json
}

# same NAME: all files of the directory describe one network.
same() {
	network "$1/fabric" >want
	grep -q '"endpoints": [1-9]' want || fail "$1: no endpoints"
	for file in opensm-subnet.lst linkinfo linkinfo-p linkinfo-line; do
		network "$1/$file" >found
		cmp want found || fail "$1/$file is another network than $1/fabric"
	done
}

# The example, EDR, with descriptions of two words and names with # and ;.
bring_up "$2/examples/fabric/cluster.ibnetdiscover" cluster minhop || fail "cluster: $why"
same cluster
right "cluster/linkinfo (iblinkinfo)" check --details cluster/linkinfo --trials 0
right "cluster/linkinfo-line (iblinkinfo --line)" check --details cluster/linkinfo-line --trials 0
right "cluster/opensm-subnet.lst (lst)" check --details cluster/opensm-subnet.lst --trials 0

# The tables of one run, in two forms, on a fabric in another one.
right '"routed": 8930' check --details cluster/linkinfo --lft cluster/opensm-lfts.dump --lft cluster/opensm.fdbs --json
json 'o["results"][0]["routed"] == 8930 and all(o["results"][0][k] == o["results"][1][k] for k in ("routed", "alltoall_max", "shift_max", "shift_mean"))'

# QDR, three levels, four cables a pair of switches missing at most.
"$bough" net xgft:down=4x4x2,up=1x2x4 --faults cables:count=3,key=1 -o tree.net || fail "no netlist"
bring_up "$tmp/tree.net" tree updn || fail "tree: $why"
same tree
