#!/bin/sh
# bough check --adaptive, simulations under adaptive routing, and planes.
# $1: bough, $2: the source directory.
set -eu
bough=$1
example=$2/examples/fabric

# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded
fabric=$example/cluster.ibnetdiscover
ftree=$example/cluster.ftree.lfts.gz

# ---- wrong command lines ----
wrong 2 "requires forwarding tables" check "$fabric" --adaptive same-switch
wrong 2 "nowhere: cannot be opened" check "$fabric" --adaptive nowhere
wrong 2 "give \`file\` or \`groups\`, not both" check "$fabric" --routing adaptive:minimal,file=x
wrong 2 "adaptive:same-switch needs the LIDs of an imported fabric" check fattree:n=8 --adaptive same-switch
wrong 2 "the shortest paths of a tree or an imported fabric" check mesh:dims=4x4 --adaptive minimal
wrong 2 "has no simulation time" check "$fabric" --routing adaptive:choose=least
printf 'Switch 0x1\nGroups Definition:\nnone\n' >wrong.far
wrong 2 "wrong.far:3: invalid group" check "$fabric" --adaptive wrong.far
wrong 2 "has no such switch" check "$fabric" --adaptive minimal --faults each:switch,level=3

# ---- static and adaptive beside each other ----
right "adaptive    groups: all links on shortest paths" check --details "$fabric" --lft "$ftree" --adaptive same-switch \
	--adaptive minimal --trials 3
also "groups: all links to the switch to which the table leads; every packet takes each link of its group" \
	"Not checked: service levels" "loads are expected values" "entries (switch and address) have a choice"
if grep -q "Not checked: adaptive" out; then fail "adaptive routing was looked at"; fi
right "Not checked: adaptive routing, " check --details "$fabric" --lft "$ftree" --trials 3

# the default routing of a fabric without tables has the same loads
"$bough" check --details "$fabric" --adaptive minimal --trials 5 --json >minimal
"$bough" check --details "$fabric" --trials 5 --json >random
if command -v python3 >/dev/null; then
	python3 - <<'PY' || fail "minimal groups are not all minimal paths"
import json, sys
a, b = (json.load(open(name))["results"][0] for name in ("minimal", "random"))
groups = a.pop("adaptive")
for one in (a, b):
    one.pop("routing"), one.pop("findings")
sys.exit(not (a == b and groups["groups"] == "minimal" and groups["choices"] < groups["entries"]))
PY
fi

# ---- a file of groups, and a page that does not tell where it lies ----
mkdir secret
{
	echo 'File version: 1'
	sed -n 's/^switchguid=0x\([0-9a-f]*\).*/Switch 0x\1/p' "$fabric"
} >secret/some.far
right "adaptive    groups: those of the file" check --details "$fabric" --lft "$ftree" --adaptive secret/some.far --trials 0 --html page.html
if grep -q "secret/" page.html; then fail "the page tells where the groups lie"; fi

# ---- single failures ----
right "groups as they are, without the links that died" check --details "$fabric" --adaptive minimal --faults each:cable \
	--faults each:switch,of=leaf --trials 0
also "each:cable  62 cables, one dead at a time" "lose no packet of other hosts"
right '"lossless"' check --details "$fabric" --adaptive minimal --faults each:cable --trials 0 --json
json 'o["results"][0]["adaptive"]["failures"][0]["what"] == "cable" and "failures" not in o["results"][0]'
json 'len(o["results"][0]["adaptive"]["failures"][0]["items"]) == 62'
# tables lose every pair over a cable; a group of two cables none
# where a cable loses packets already, its death loses no fewer pairs than none
right '"lossy_pairs"' check xgft:down=2x2,up=1x2 --adaptive minimal --faults each:cable --faults cables:count=1,mode=blind,key=1 \
	--trials 0 --json
json 'all(0 <= i["lossy_pairs"] <= 12 and 0 <= i["lost_packets"] <= 1 for l in o["results"][0]["adaptive"]["failures"] for i in l["items"])'
right "failures" check --details "$fabric" --lft "$ftree" --adaptive same-switch --faults each:cable --trials 0

# ---- simulations ----
for choose in random least first; do
	right "link_load_max" sim "$fabric" shift:7 packet --routing "adaptive:choose=$choose" --trials 2
	right "completion_time" sim "$fabric" shift:7 flow --routing "adaptive:choose=$choose" --trials 2
done
right "link_load_max" sim "$fabric" shift:7 linkload --routing adaptive --routing "adaptive:same-switch,lft=$ftree"
right "latency" sim "$fabric" shift:7 worm:vcs=2 --routing adaptive --trials 2
right "completion_time" sim "$fabric" alltoall:shift,size=64KB flow --routing adaptive:choose=least --trials 1

# A generated tree has the groups of the file that it is written to; `flow` divides messages, also between compute nodes.
for tree in xgft:down=8x4,up=1x2,links=1x2 clos:radix=8,hosts=30 fattree:n=16; do
	"$bough" net "$tree" -o tree.csv >/dev/null
	for network in "$tree" tree.csv; do
		"$bough" sim "$network" alltoall:algo=shift,size=1MB flow linkload --routing adaptive --json >"out.$network"
	done
	grep '"mean"' "out.$tree" >generated
	grep '"mean"' out.tree.csv >imported
	[ "$(wc -l <generated)" -gt 4 ] && cmp generated imported || fail "$tree: not as imported"
done
right "spray=1" sim xgft:down=4x4,up=1x2 alltoall:algo=nccl,size=1MB flow --routing adaptive --physical 'ndr:node="dgx-h100:gpus=4,nics=4"'

# ---- planes ----
{
	echo "node,port,node,port,rate"
	for plane in a b; do
		for leaf in 1 2; do
			echo "leaf$leaf$plane,9,spine$plane,$leaf,100Gb/s"
			for host in 1 2; do
				[ "$plane$leaf$host" = b22 ] || echo "n$leaf$host mlx5_$plane,1,leaf$leaf$plane,$host,100Gb/s"
			done
		done
	done
} | sed 's/mlx5_a/mlx5_0/; s/mlx5_b/mlx5_1/' >planes.csv
right "planes      2, not connected to each other; all results are within a plane" check --details planes.csv --trials 0
also "plane 2: 3 switches" "rails       3 of 4 hosts have an endpoint in every plane; without one: n22 (not in plane 2)" \
	"(missing-rail)"
right '"planes"' check --details planes.csv --trials 0 --json
json 'o["planes"]["missing_rails"] == [{"host": "n22", "lacks": [2]}]'
json '[p["endpoints"] for p in o["planes"]["items"]] == [4, 3]'

# ---- deadlocks over all links of the groups: a ring of five switches; computed groups are no tables of the fabric ----
{
	echo "node,port,node,port,rate"
	for i in 0 1 2 3 4; do
		echo "host$i,1,switch$i,3,32Gb/s"
		echo "switch$i,1,switch$(((i + 1) % 5)),2,32Gb/s"
	done
} >ring.csv
right "  warn   switch" check --details ring.csv --adaptive minimal --trials 0
also "(deadlock)" "messages can wait for each other in a ring of 5 links"
