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
wrong 2 "--for and --job are mutually exclusive" tune "$fabric" --for shifts --job randperm
wrong 2 "a weight is above 0" tune "$fabric" --job 0*randperm
wrong 2 "no traffic 'nosuch'" tune "$fabric" --job nosuch
wrong 2 "never ends" tune "$fabric" --job poisson:load=0.1
wrong 2 "forwarding tables are written to FILE.lfts" tune "$fabric" -o x.txt
wrong 2 "--effort" tune "$fabric" --effort 0
wrong 2 "no forwarding table" tune "$fabric" --routing random
wrong 2 "endpoints with one cable" tune cube:n=8
wrong 2 "nosuch" tune "$fabric" --lft nosuch
wrong 2 "--lmc" tune "$fabric" --lmc 8
wrong 2 "has 2^1 LIDs, but 1; let OpenSM assign them" tune "$fabric" --lmc 1
wrong 2 "under alltoall or jobs" tune "$fabric" --lmc 1 --for shifts

# A leaf of 12 hosts sends to 83 others over seven uplinks: one of them leads to 12 of these, 144 flows.
right "No table can have less than 144, by the 7 links each way" tune "$fabric" --lft "$ftree" -o new.lfts
also "the tuned tables are optimal." "tuned" "of 1140 entries differ" "can be updated in any order without a transient loop"
right "8930 of 8930 routed" check --details "$fabric" --lft new.lfts
"$bough" check --details "$fabric" --lft new.lfts --json >out
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

# Roots and order of updn. The files say what the result has; the engine under them is what was measured.
wrong 2 "no settings of 'ftree' are known" tune "$fabric" --engine ftree
wrong 2 "the name of an endpoint" net "$fabric" --routing minhop:order=nobody -o x.lfts
right "the roots rack#1-leaf; an order of 95 endpoints" tune "$fabric" --engine updn -o better
"$bough" tune "$fabric" --engine updn --json >out
json "o['engine']['name'] == 'updn' and len(o['engine']['roots']) == 1 and len(set(o['engine']['order'])) == 95"
json "o['bound']['value'] <= o['tuned']['score']['value'] < 200 and o['routings'][0]['score']['value'] == 286"
value=$(python3 -c "import json; print(int(json.load(open('out'))['tuned']['score']['value']))")
"$bough" check --details "$fabric" --routing updn:roots=better.roots,order=better.order --json >out
json "o['results'][0]['alltoall_max'] == $value and not o['results'][0].get('deadlock')"
right "opensm -R minhop -X FILE.order" tune "$fabric" --engine minhop --effort 0.1

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
right "552 of 552 routed" check --details file/fabric --lft file/opensm-lfts.dump
also "no deadlock on one virtual lane"

# Two LIDs a host (opensm -l 1), each with a path of its own.
bring_up "$tmp/tree.net" lids minhop -l 1 || fail "$why"
grep -q "lmc 1" lids/fabric || fail "OpenSM assigned one LID a port"
"$bough" tune lids/fabric --json >out
one=$(python3 -c "import json; print(json.load(open('out'))['tuned']['score']['most'])")
"$bough" tune lids/fabric --lft lids/opensm-lfts.dump --lmc 1 -o two.lfts --json >out
json "o['lmc'] == 1 and o['bound']['value'] <= o['tuned']['score']['value'] and o['tuned']['score']['most'] < $one"
bring_up "$tmp/tree.net" two file -U "$tmp/two.lfts" -l 1 || fail "$why"
[ "$routed" = file ] || fail "opensm routed with $routed, not from the file"
cmp lids/fabric two/fabric || fail "OpenSM assigned other LIDs"
cmp two.lfts two/opensm-lfts.dump || fail "OpenSM changed the tables that it was given"
right "552 of 552 routed" check --details two/fabric --lft two/opensm-lfts.dump
"$bough" tune two/fabric --lft two/opensm-lfts.dump --lmc 1 --json >out
json "o['routings'][0]['score']['value'] == o['tuned']['score']['value'] and o['change']['changed'] == 0"

# The settings that bough found make the tables in OpenSM that bough says; entries towards switches are its own.
adapters_equal() {
	grep Channel "$1" >ours
	grep Channel "$2" >theirs
	cmp ours theirs || fail "OpenSM makes other tables with the settings of $1"
}
"$bough" tune file/fabric --engine updn --effort 0.2 -o set >out || fail "no settings"
"$bough" net file/fabric --routing updn:roots=set.roots,order=set.order -o set.lfts || fail "no tables"
bring_up "$tmp/tree.net" set updn -a "$tmp/set.roots" -X "$tmp/set.order" || fail "$why"
[ "$routed" = updn ] || fail "opensm routed with $routed"
adapters_equal set.lfts set/opensm-lfts.dump
"$bough" tune file/fabric --engine minhop --effort 0.2 -o hop >out || fail "no settings"
"$bough" net file/fabric --routing minhop:order=hop.order -o hop.lfts || fail "no tables"
bring_up "$tmp/tree.net" hop minhop -X "$tmp/hop.order" || fail "$why"
adapters_equal hop.lfts hop/opensm-lfts.dump
