#!/bin/sh
# bough tune: tables, bounds, what changes, as text and as JSON; OpenSM loads the tables, where it is installed.
# $1: bough, $2: the source directory.
set -eu
bough=$1
fabric=$2/examples/fabric/cluster.ibnetdiscover
ftree=$2/examples/fabric/cluster.ftree.lfts.gz
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded

wrong 2 "tune needs exactly one fabric" tune
wrong 2 "no objective 'shift'" tune "$fabric" --for shift
wrong 2 "--for and --job exclude each other" tune "$fabric" --for shifts --job randperm
wrong 2 "a weight is above 0" tune "$fabric" --job 0*randperm
wrong 2 "no traffic 'nosuch'" tune "$fabric" --job nosuch
wrong 2 "never ends" tune "$fabric" --job poisson:load=0.1
wrong 2 "forwarding tables are written to FILE.lfts" tune "$fabric" -o x.txt
wrong 2 "--effort" tune "$fabric" --effort 0
wrong 2 "no forwarding table" tune "$fabric" --routing random
wrong 2 "endpoints with one cable" tune cube:n=8
wrong 2 "nosuch" tune "$fabric" --lft nosuch

# A leaf of 12 hosts sends to 83 others over seven uplinks: one of them leads to 12 of these, 144 flows.
right "No table can have less than 144, by the 7 links each way" tune "$fabric" --lft "$ftree" -o new.lfts
also "the tuned tables are optimal." "tuned" "of 1140 entries differ" "can be updated in any order without a transient loop"
right "8930 of 8930 routed" check "$fabric" --lft new.lfts
"$bough" check "$fabric" --lft new.lfts --json >out
json "o['results'][0]['alltoall_max'] == 144"
"$bough" tune "$fabric" -o again.lfts >out 2>&1 && "$bough" tune "$fabric" -o other.lfts >out 2>&1
cmp again.lfts other.lfts || fail "the same question has two answers"

# Started from themselves: nothing changes.
"$bough" tune "$fabric" --lft new.lfts --json >out
json "o['change']['changed'] == 0 and o['change']['moved'] == 0 and o['tuned']['score']['value'] == 144"
"$bough" tune "$fabric" --for shifts --faults cables:share=5% --json >out
json "o['bound']['value'] <= o['tuned']['score']['value'] <= min(r['score']['value'] for r in o['routings']) and 'faults' in o"
"$bough" tune "$fabric" --job allreduce:ring,size=1MB --job '3*shift:7' --json >out
json "o['objective'] == 'jobs' and o['bound']['value'] <= o['tuned']['score']['value']"

# shellcheck source=scripts/opensm.sh
. "$2/scripts/opensm.sh"
opensm_there || {
	echo "opensm, ibsim or ibnetdiscover is missing: OpenSM does not load the tables here"
	exit 0
}
tree=xgft:down=3x4x2,up=1x3x2
"$bough" net $tree --faults cables:share=12%,key=3 -o tree.net || fail "no netlist"
"$bough" tune $tree --faults cables:share=12%,key=3 -o tree.lfts >out || fail "no tables"
bring_up "$tmp/tree.net" file file -U "$tmp/tree.lfts" || fail "$why"
[ "$routed" = file ] || fail "opensm routed with $routed, not from the file"
cmp tree.lfts file/opensm-lfts.dump || fail "OpenSM changed the tables that it was given"
right "552 of 552 routed" check file/fabric --lft file/opensm-lfts.dump
also "no deadlock on one virtual lane"
