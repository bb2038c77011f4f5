#!/bin/sh
# bough check: what a reader concludes from the first lines, on fabrics that can be worked out by hand.
# $1: bough, $2: the source directory.
set -eu
bough=$1

# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded

# cables FILE: makes a list of cables from lines "node port node port rate".
cables() {
	{
		echo node,port,node,port,rate
		tr ' ' ,
	} >"$1"
}

# ---- a slow cable: two leaves of two hosts, one spine, one cable to it from each leaf ----
# All-to-all: a host's own link has 3 flows, a cable up 2 x 2 = 4. With equal rates 3 of 4, 75 %.
narrow() { # FILE RATE-OF-H1 RATE-OF-LEAF1
	cables "$1" <<END
h1 1 leaf1 1 $2
h2 1 leaf1 2 32Gb/s
h3 1 leaf2 1 32Gb/s
h4 1 leaf2 2 32Gb/s
leaf1 3 spine 1 $3
leaf2 3 spine 2 32Gb/s
END
}
narrow even.csv 32Gb/s 32Gb/s
right "rates       cables of hosts: 4 at 32 Gb/s; between switches: 2 at 32 Gb/s" check --details even.csv --routing updn
also "75.0 % of the ideal" "the wiring limits all-to-all to 75.0 % of that" "no deadlock on one virtual lane"
grep -q "slow" out && fail "no cable is slow"
right "cables of hosts: 4 at 32 Gb/s; between switches: 2 at 32 Gb/s" net even.csv
right '"rates"' net even.csv --json
json 'o["rates"]["nominal"] == 32e9 and o["rates"]["known"] and o["rates"]["slow"] == [] and o["rates"]["counts"] == [{"rate": 32000000000, "name": None, "host_cables": 4, "switch_cables": 2}]'

# 3 flows at 16 Gb/s take as long as 6 at 32, and the ideal 3: half, which was "100.0 %" when h1 was the measure
narrow host.csv 16Gb/s 32Gb/s
right "cables of hosts: 3 at 32 Gb/s, 1 at 16 Gb/s; between switches: 2 at 32 Gb/s" check --details host.csv --routing updn
also "every host sends at 32 Gb/s" "all-to-all reaches 50.0 % of the ideal" \
	"the slow cable h1/1 - leaf1/1 limits all-to-all, which would reach 75.0 % if all cables had their nominal rate" \
	"slow cables h1/1 - leaf1/1: 16 Gb/s instead of 32 Gb/s" \
	"warn   h1/1 -> leaf1/1: runs at 16 Gb/s, most cables of hosts at 32 Gb/s: what waits for h1, such as all-to-all, takes at least 2 times as long (slow-cable)"
grep -q "no bottleneck" out && fail "a slow host hides what limits the others"
right '"alltoall_share": 0.5' check --details host.csv --routing updn --json
json 'o["results"][0]["alltoall_repaired"] == 0.75 and o["results"][0]["rating"]["slow_cable"] and o["results"][0]["alltoall_limit"] == "h1/1 -> leaf1/1"'
json 'o["rates"]["slow"] == [{"cable": "h1/1 - leaf1/1", "rate": 16000000000, "nominal": 32000000000, "host": True}]'

# 4 flows at 16 Gb/s take as long as 8 at 32: 3 of 8. Of two cables of one level the faster is the nominal one.
narrow trunk.csv 32Gb/s 16Gb/s
right "all-to-all reaches 37.5 % of the ideal" check --details trunk.csv --routing updn
also "slow cables leaf1/3 - spine/1: 16 Gb/s instead of 32 Gb/s" "75.0 % if all cables had their nominal rate" \
	"8 of 12 pairs cross this cable, at 16 instead of 32 Gb/s (slow-cable)"
# ---- many slow hosts: two leaves of four hosts, four spines, the last hosts slow ----
mixed() { # FILE FAST-HOSTS, of 8
	for host in 1 2 3 4 5 6 7 8; do
		if [ "$host" -le "$2" ]; then rate=100Gb/s; else rate=25Gb/s; fi
		echo "n$host 1 leaf$(((host + 3) / 4)) $host $rate"
	done >lines
	for spine in 1 2 3 4; do
		for leaf in 1 2; do echo "leaf$leaf 1$spine spine$spine $leaf 100Gb/s"; done
	done >>lines
	cables "$1" <lines
}
# All-to-all: 7 flows at 25 Gb/s, where the ideal has 7 at 100. No routing does better.
mixed half.csv 4
right "ideal       every host sends at 100 Gb/s, the faster of the most common host rates" check --details half.csv --routing updn
also "rating      good:" "all-to-all reaches 25.0 % of the ideal, 100.0 % of what tables can reach (25.0 %)" \
	"slow hosts  4 of 8 hosts have 25 Gb/s instead of 100 Gb/s (of equally common rates the faster is nominal)" \
	"4 of 8 hosts have 25 Gb/s instead of 100 Gb/s (of equally common rates the faster is nominal): what waits for these, such as all-to-all, takes at least 4 times as long (slow-cable)"
grep -q "the slow cable\|^slow cables\|n5/1 -> leaf2/5: runs at" out && fail "one of four slow hosts is named"
right '"classes"' check --details half.csv --routing updn --json
json '[(k["level"], k["cables"], k["nominal"], k["slow"], k["tie"], k["mixed"]) for k in o["rates"]["classes"]] == [(0, 8, 100e9, 4, True, True), (1, 8, 100e9, 0, False, False)]'
json 'len(o["rates"]["slow"]) == 4 and o["wiring_score"] == 0.25 and not o["results"][0]["rating"]["slow_cable"]'
# Three of eight are named one by one. No table is better than this one while they are slow.
mixed three.csv 5
right "every host sends at 100 Gb/s, the most common host rate" check --details three.csv --routing updn
also "the wiring limits all-to-all to 25.0 % of that, to 100.0 % with slow cables at their nominal rate" "rating      good:" \
	"the slow cable n6/1 - leaf2/6 limits all-to-all, which would reach 100.0 % if all cables had their nominal rate" \
	"slow cables n6/1 - leaf2/6: 25 Gb/s instead of 100 Gb/s"
grep -q "slow hosts" out && fail "three slow cables are single ones"

# Rates that are not stated are those of the setting, for loads and for jobs, and this is said.
right "rates       unknown: all links are taken as 100 Gb/s, by the setting default" check --details xgft:down=4x4,up=1x2
also "ideal       every host sends at 100 Gb/s"
right "rates       unknown: all links are taken as 400 Gb/s, by the setting ndr" check --details xgft:down=4x4,up=1x2 --physical ndr --job alltoall
also "  assumes: links 400Gb/s; delay 25ns a link, 250ns a switch; sizes 1MB a message"
right "rates       unknown: all links are taken as 100 Gb/s, by the setting default" net fattree:n=2^40
right '"known": false' net fattree:n=8 --json
json 'o["rates"]["setting"] == "default" and o["rates"]["low"] == o["rates"]["high"] == o["rates"]["nominal"] == 100e9'
# 4 flows at 32 Gb/s on leaf1's cable, 3 on a host's at 32; the other cable up is taken as 16 Gb/s: 4 flows take as
# long as 8, of which the ideal has 3.
narrow some.csv 32Gb/s 32Gb/s
sed -i 's/leaf2,3,spine,2,32Gb.s/leaf2,3,spine,2,/' some.csv
right "between switches: 1 at 32 Gb/s; 1 unknown, taken as 16 Gb/s, by the setting default:rate=16Gb/s" \
	check --details some.csv --routing updn --physical default:rate=16Gb/s --job allreduce:size=1MB
also "all-to-all reaches 37.5 % of the ideal" "(unknown rates are taken as those of the setting)" \
	"takes longest: leaf2/3 -> spine/2, 4 flows at 16 Gb/s" "assumes: links 16Gb/s to 32Gb/s; unknown rates: 16Gb/s" \
	"1 of 6 cables have no known rate: they are taken as 16Gb/s, by the setting default:rate=16Gb/s"
grep -q "slow cable" out && fail "an assumed rate is no slow cable"
right '"assumptions"' check --details some.csv --routing updn --physical default:rate=16Gb/s --job allreduce:size=1MB --json
json 'o["jobs"][0]["assumptions"][0]["method"].startswith("flow") and o["jobs"][0]["assumptions"][0]["assumes"]["links"] == "16Gb/s to 32Gb/s; unknown rates: 16Gb/s"'
json 'o["results"][0]["alltoall_share"] == 0.375 and not o["rates"]["known"] and (o["rates"]["low"], o["rates"]["high"], o["rates"]["unknown_cables"]) == (16e9, 32e9, 1)'
# Rates of hosts that the setting has: 3 flows at 8 Gb/s, the ideal; the cables up have 4 at 32.
right "those of hosts as 8 Gb/s, by the setting default:host_rate=8Gb/s" check --details even.csv --routing updn --physical default:host_rate=8Gb/s
also "every host sends at 8 Gb/s, the most common host rate" "all-to-all reaches 100.0 % of the ideal"
wrong 2 "no physical setting 'ndrr'" check even.csv --physical ndrr
right "unknown, taken as 100 Gb/s, by the setting default" net some.csv

# ---- single points of failure: two cores, one cable between them; a and b under one, c under the other ----
# hosts 3 + 3 + 2. The cable between the cores joins 6 hosts with 2: 2 x 6 x 2 = 24 of 8 x 7 = 56 pairs. core1 joins
# groups of 3, 3 and 2: 64 - 9 - 9 - 4 = 42. core2 joins c's 2 hosts with 6: 24. Leaves join but their own hosts.
cores() { # FILE: and further cables from standard input
	{
		for leaf in a b c; do
			for host in 1 2 3; do
				[ "$leaf$host" = c3 ] || echo "$leaf$host 1 leaf_$leaf $host 32Gb/s"
			done
		done
		echo leaf_a 11 core1 1 32Gb/s
		echo leaf_a 12 core1 2 32Gb/s
		echo leaf_b 11 core1 3 32Gb/s
		echo leaf_b 12 core1 4 32Gb/s
		echo leaf_c 11 core2 1 32Gb/s
		echo leaf_c 12 core2 2 32Gb/s
		echo core1 9 core2 9 32Gb/s
		cat
	} | cables "$1"
}
cores bridge.csv </dev/null
right "weak points switch core1 alone joins 42 of 56 pairs" check --details bridge.csv
also "            cable core1/9 - core2/9 alone joins 24 of 56 pairs" "            switch core2 alone joins 24 of 56 pairs" \
	"core1/9 -> core2/9: this one cable alone joins 24 of 56 pairs (single-point)"
[ "$(grep -c "(single-point)" out)" -eq 3 ] || fail "others than the three: $(grep single-point out)"
right '"single_points"' check --details bridge.csv --json
json 'o["single_points"]["pairs"] == 56 and [(p["kind"], p["name"], p["pairs"]) for p in o["single_points"]["items"]] == [("switch", "core1", 42), ("cable", "core1/9 - core2/9", 24), ("switch", "core2", 24)]'
echo core1 10 core2 10 32Gb/s | cores double.csv
right '"single_points"' check --details double.csv --json
json '[(p["name"], p["pairs"]) for p in o["single_points"]["items"]] == [("core1", 42), ("core2", 24)]'
# every failure by itself finds the same
for net in bridge.csv double.csv xgft:down=2x2x3,up=1x1x1 xgft:down=3x4,up=1x1,links=1x2 fattree:n=16; do
	right '"single_points"' check --details "$net" --faults each:cable --faults each:switch --trials 0 --json
	json '{p["name"]: p["pairs"] for p in o["single_points"]["items"]} == {i["name"]: i["cut"] - i["cut_own"] for l in o["results"][0]["failures"] for i in l["items"] if i["cut"] > i["cut_own"]}'
done
right "weak points none in the cabling:" check --details xgft:down=4x4,up=1x2
right "weak points not looked for" check --details xgft:down=4x4,up=2x2

# a failure that disconnects pairs has no slowdown: there is less traffic
right '"slowdown": null' check --details bridge.csv --faults each:cable --json
json '[(i["cut"], i["rerouted"]["slowdown"], i["as_is"]["slowdown"]) for i in o["results"][0]["failures"][0]["items"] if "core1/9" in i["name"]] == [(24, None, None)]'
json 'all((i["rerouted"]["slowdown"] is None) == (i["cut"] > 0) for i in o["results"][0]["failures"][0]["items"])'
right "each:" check --details bridge.csv --faults each:cable
grep -q '^ *core1/9 - core2/9 *1 *24 *24 *- ' out || fail "the bridge has a slowdown: $(grep core1/9 out)"
[ "$(grep -c "(single-point)" out)" -eq 3 ] || fail "single points are said twice"

# ---- the scale ----
right "rating      good:" check --details xgft:down=4x4,up=1x4 --routing dmodk
also "scale       good from 80 %, usable from 50 % of the all-to-all that forwarding tables can reach"
# tapered 2:1: 4 x 12 flows over 2 cables, 24 where a host has 15: 62.5 %, and dmodk reaches that
right "the wiring limits all-to-all to 62.5 % of that" check --details xgft:down=4x4,up=1x2 --routing dmodk
also "rating      good:"
# updn in a tree of three levels sends all that leaves a switch the same way
right "rating      bad:" check --details xgft:down=4x4x4,up=1x4x4 --routing updn
right '"rating"' check --details xgft:down=4x4x4,up=1x4x4 --routing updn --json
json 'o["scale"] == {"good_from": 0.8, "usable_from": 0.5} and o["wiring_score"] == 1 and o["results"][0]["rating"]["word"] == "bad" and o["results"][0]["rating"]["of_tables"] < 0.5'
right '"comparison"' check --details xgft:down=4x4x4,up=1x4x4 --routing updn --routing dmodk --json --worst
json '[(m["measure"], m["best"], m["decided"]) for m in o["comparison"]["measures"]][:2] == [("alltoall", "dmodk", True), ("shifts", "dmodk", True)]'
json 'o["comparison"]["text"].startswith("dmodk is better for all-to-all (")'
json 'all(("ratio_ci95" in m) == (m["measure"] == "random") for m in o["comparison"]["measures"])'
# one routing twice: equal, and nothing is better
right "comparison  equal for all-to-all, shifts, random permutations, the worst permutation" check --details \
	xgft:down=4x4,up=1x4 --routing dmodk --routing dmodk
# pairs without a route make any routing bad
gzip -cd "$2/examples/fabric/cluster.ftree.lfts.gz" | awk '/^Unicast/ { keep = !/core#2-spine/ } keep' >lost.lfts
right "rating      bad:" check --details "$2/examples/fabric/cluster.ibnetdiscover" --lft lost.lfts --routing updn
also "pairs are not routed" "comparison  not compared: pairs are not routed"
# no table is whole: what tables can reach is still the bound that tune proves, 65.3 %, and not what the wiring allows
right "all-to-all as a share of the 65.3 % that forwarding tables can" check "$2/examples/fabric/cluster.ibnetdiscover" --lft lost.lfts
# tables that are older than the fabric: a cable has gone since
sed '/^\[13\].*S-248a070300002040/d; /^\[7\].*S-248a070300001100/d' "$2/examples/fabric/cluster.ibnetdiscover" >stale.net
right "tables send to ports without a cable: if they are older than the fabric file, dump both again" \
	check stale.net --lft "$2/examples/fabric/cluster.ftree.lfts.gz"
right "next" check "$2/examples/fabric/cluster.ibnetdiscover" --lft "$2/examples/fabric/cluster.ftree.lfts.gz"
grep -q "send to ports without a cable" out && fail "these tables fit the fabric"
wrong 2 "no routing 'dfsssp': it is an engine of OpenSM, which \`bough check FABRIC --opensm dfsssp\` asks" \
	check "$2/examples/fabric/cluster.ibnetdiscover" --routing dfsssp

# ---- planes: three leaves of four hosts and two spines; two that are alike are as one, for tune too ----
plane() { # NUMBER
	for host in 0 1 2 3 4 5 6 7 8 9 10 11; do echo "h$host mlx5_$1,1,leaf$1$((host % 3)),$((host / 3 + 1)),"; done
	for leaf in 0 1 2; do
		echo "leaf$1$leaf,20,spine$1a,$((leaf + 1)),"
		[ $leaf = 0 ] || echo "leaf$1$leaf,21,spine$1b,$((leaf + 1)),"
	done
}
{ echo node,port,node,port,rate && plane 0; } >one.csv
{ cat one.csv && plane 1; } >two.csv
for objective in alltoall shifts random; do
	for planes in one two; do
		right "No table can have less than" tune $planes.csv --for $objective --effort 0.01
		grep -o "No table can have less than [0-9.]*[0-9]" out >bound.$planes
	done
	cmp -s bound.one bound.two || fail "$objective: $(cat bound.one bound.two)"
done
for planes in one two; do
	"$bough" check $planes.csv --routing updn --faults each:cable | sed -n 's/.*whole fabric: //p' >failures.$planes
done
cmp -s failures.one failures.two || fail "failures: $(cat failures.one failures.two)"
[ -s failures.one ] || fail "no line about the whole fabric"
# A leaf with one cable sends 32 flows over it, with two 16; a host sends 11.
{ cat two.csv && echo leaf10,21,spine1b,1,; } >better.csv
right "planes      all-to-all 34.4 % in plane 1, 68.8 % in plane 2" check better.csv --routing updn
right '"plane_scores"' check better.csv --routing updn --json
json 'o["results"][0]["plane_scores"] == [11 / 32, 11 / 16] and o["results"][0]["alltoall_score"] == 11 / 32'
"$bough" check two.csv --routing updn >out
[ "$(grep -c '^planes ' out)" = 1 ] || fail "planes that are alike need no line"

# ---- a spine with hosts: seven leaves of four, two spines, two cables to each; three hosts on spineB ----
# updn takes both spines for roots.
{
	for leaf in 1 2 3 4 5 6 7; do
		for host in 1 2 3 4; do echo "h$leaf$host 1 leaf$leaf $host 32Gb/s"; done
		for port in 1 2; do
			echo "leaf$leaf 1$port spineA $((2 * leaf + port)) 32Gb/s"
			echo "leaf$leaf 2$port spineB $((2 * leaf + port)) 32Gb/s"
		done
	done
	for host in 1 2 3; do echo "s$host 1 spineB 3$host 32Gb/s"; done
} | cables spines.csv
right "switches    9 in 2 levels: 7 leaves, 2 above them" check --details spines.csv --routing updn --routing 'updn:roots="spineA,spineB"'
also "most loaded link, 93.7 % of the ideal" "equal for all-to-all" "spineB: has 3 endpoints, and is of level 2 of the tree"

# a switch with more cables to leaves than hosts is above them
{
	for leaf in 1 2 3; do
		echo "h${leaf}1 1 leaf$leaf 1 32Gb/s"
		echo "h${leaf}2 1 leaf$leaf 2 32Gb/s"
		echo "leaf$leaf 3 leaf4 1$leaf 32Gb/s"
	done
	echo "h41 1 leaf4 1 32Gb/s"
	for leaf in 1 2 3 4; do echo "leaf$leaf 20 spine $leaf 32Gb/s"; done
} | cables beside.csv
right "5 in 2 levels: 3 leaves, 2 above them" check --details beside.csv --routing updn
also "1 cable joins switches of one level"

# in a ring all switches are alike
for i in 0 1 2 3 4; do
	echo "host$i 1 switch$i 3 32Gb/s"
	echo "switch$i 1 switch$(((i + 1) % 5)) 2 32Gb/s"
done | cables ring.csv
right "on one virtual lane messages can wait for each other in a cycle of 5 links" check --details ring.csv --routing minhop
also "switches    5 in 1 level: 5 leaves"
right '"deadlock"' check --details ring.csv --routing minhop --json
json 'o["results"][0]["cycle_links"] == 5 and o["results"][0]["rating"]["word"] != "good"'

# ---- a switch whose removal speeds the network up: of three spines one has thin cables to most leaves ----
{
	for leaf in 1 2 3 4; do
		for host in 1 2 3 4; do echo "h$leaf$host 1 leaf$leaf $host 32Gb/s"; done
		for port in 1 2; do
			echo "leaf$leaf 1$port spineA $((2 * leaf + port)) 32Gb/s"
			echo "leaf$leaf 2$port spineB $((2 * leaf + port)) 32Gb/s"
		done
		echo "leaf$leaf 31 thin $leaf 8Gb/s"
	done
} | cables thin.csv
right "faster      without thin: with new tables, all-to-all takes" check --details thin.csv --routing updn --faults each:switch
also "(faster-without)"
# The page has it in its first lines too, with the same words, as has JSON.
sentence=$(sed -n 's/^faster      //p' out)
[ -n "$sentence" ] || fail "no sentence"
"$bough" check --details thin.csv --routing updn --faults each:switch --html thin.html >out
summary() { sed -n '/<section[^>]*summary/,/<\/section>/p' "$1"; }
summary thin.html | grep -qF "$sentence</div>" || fail "the summary of the page lacks: $sentence"
right '"headlines"' check --details thin.csv --routing updn --faults each:switch --json
json "o[\"headlines\"][1:] == [{\"label\": \"faster\", \"text\": \"$sentence\"}]"
json 'o["headlines"][0]["label"] == "failures" and o["headlines"][0]["text"].startswith("4 of 7 cut only their own hosts off; the worst other switch, spine")'
# Where hosts limit with and without the part, nothing is faster.
sed 's/^\(h[0-9]*,.*\),32Gb/\1,2Gb/' thin.csv >thin_hosts.csv
right '"host_cables": 16' check --details thin_hosts.csv --routing updn --faults each:switch --json
json '[h["label"] for h in o["headlines"]] == ["failures"] and all(i["rerouted"]["slowdown"] in (None, 1) for i in o["results"][0]["failures"][0]["items"])'
# An engine that bough has computes its tables anew: what it makes of the fabric without the part. Other tables are repaired.
right '"rerouted_by": "routing"' check --details thin.csv --routing updn --faults name:spineA --json
json '(lambda r: r["without"]["rerouted"]["alltoall_max"] == r["alltoall_max"] and abs(r["without"]["rerouted"]["shift_mean"] - r["shift_mean"]) < 1e-9)(o["results"][0])'
"$bough" net thin.csv --routing updn -o thin.lfts >plain
right '"rerouted_by": "repair"' check --details thin.csv --lft thin.lfts --faults name:spineA --json

# ---- tables that tune calls optimal are good: 6 uplinks of 7 leaves, 5 of one ----
{
	for leaf in 1 2 3 4 5 6 7 8; do
		for port in 1 2 3 4 5 6; do
			echo "h$leaf$port 1 leaf$leaf $port 100Gb/s"
			[ "$leaf$port" = 11 ] || echo "leaf$leaf 1$port spine$port $leaf 100Gb/s"
		done
	done
} | cables lacking.csv
right "the tuned tables are optimal" tune lacking.csv -o best.lfts
right "rating      good:" check --details lacking.csv --lft best.lfts
also "100.0 % of what tables can reach (87.0 %)" # 9 of the 42 destinations on one of 5 links: 54 flows, not 47
right "FABRIC OK - best.lfts: good" check --details lacking.csv --lft best.lfts --nagios --fail-on error

"$bough" check --details thin.csv --routing updn >plain
grep -q "^faster" plain && fail "nothing was removed"

# ---- hosts: rails of four hosts whose adapters are listed in another order on each ----
{
	echo "gpu01 mlx5_1,leafb,host"
	echo "gpu02 mlx5_0,leafa,host"
	echo "gpu01 mlx5_0,leafa,host"
	echo "gpu03 mlx5_1,leafb,host"
	echo "gpu03 mlx5_0,leafa,host"
	echo "gpu02 mlx5_1,leafb,host"
	echo "leafa,spine,switch"
	echo "leafb,spine,switch"
} | { echo node,node,kind; cat; } >rails.csv
right "as fast as the cables of the hosts" check --details rails.csv --routing updn --place 'gpu[01-03]' \
	--job 'allreduce:algo=nccl-ring,size=1GB,gpus=2,rails=2'
# two ranks on each of two hosts of four GPUs are as fast as two hosts of two
printf '0 0\n1 1\n2 4\n3 5\n' >half.place
right completion_time sim xgft:down=8,up=1 allreduce:algo=nccl-ring,ranks=4,size=100MB,place=half.place flow --json \
	--physical 'hdr:node="dgx-a100:gpus=4,nics=4"'
json "abs(next(r for r in o['results'] if r['metric'] == 'completion_time')['mean'] - 3.055e-3) < 1e-6"
for algorithm in hierarchical nccl-tree rails; do
	for half in 'xgft:down=8,up=1 4 ,place=half.place' 'xgft:down=4,up=1 2 '; do
		set -- "$1" "$2" $half
		"$bough" sim "$3" "allreduce:algo=$algorithm,ranks=4,size=100MB${5-}" flow --json \
			--physical "hdr:node=\"dgx-a100:gpus=$4,nics=$4\"" | grep -o 'completion_time.*mean[^,]*'
	done | uniq | wc -l | grep -qx 1 || fail "half of a host with $algorithm"
done

# ---- planes: four hosts with a port on a pair of switches each, once and twice ----
plane() { # NUMBER
	for host in 0 1 2 3 4 5 6 7; do
		[ "$host" -lt 4 ] && leaf=a || leaf=b
		echo "n$host,$1,host,p$1$leaf,$((host + 1)),switch,100Gb/s"
	done
	for port in 11 12; do echo "p$1a,$port,switch,p$1b,$port,switch,100Gb/s"; done
}
{ echo node,port,kind,node,port,kind,rate; plane 1; } >one.csv
{ echo node,port,kind,node,port,kind,rate; plane 1; plane 2; } >two.csv
right "pairs       112 of 112 routed" check --details two.csv --routing updn
also "planes      2, not connected to each other" "rating      good:"
"$bough" check --details one.csv --routing updn --json >one.json
"$bough" check --details two.csv --routing updn --json >two.json
for key in wiring_score alltoall_score; do
	[ "$(grep -o "\"$key\": [0-9.]*" one.json)" = "$(grep -o "\"$key\": [0-9.]*" two.json)" ] || fail "$key of two planes"
done
"$bough" check --details two.csv --adaptive minimal --faults each:cable >out
[ "$(grep -c ' 2\.000 ' out)" = 4 ] || fail "failures in planes"
sed '/,12,/d' two.csv >thin.csv # one cable between the switches of a plane
right "info   p1a/11 -> p1b/11: this one cable alone joins" check --details thin.csv --routing updn
# a line of topology.conf stands for several cables
printf 'SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=core Switches=a,b\n' >topology.conf
right "weak points not looked for, as a line of Slurm's file may stand for several cables" check --details topology.conf --routing updn
# parts with hosts of their own are a broken fabric
sed 's/^n\(.\),2,/m\1,2,/' two.csv >broken.csv
right "128 of 240 pairs are not routed" check --details broken.csv --routing updn

# ---- one link that carries nothing, and the link of the worst permutation on the page ----
printf 'node,port,node,port\na,1,s,1\nc,1,t,1\nb,1,t,2\ns,4,t,4\ns,5,t,5\n' >spare.csv
right "unused      1 of 10 directed links" check --details spare.csv --routing minhop
right "unused      4 of 20 directed links" check --details xgft:down=2x2,up=1x3 --routing dmodk
"$bough" check --details xgft:down=4x2,up=1x2 --routing dmodk --worst --html page.html >out
worst=$("$bough" check --details xgft:down=4x2,up=1x2 --routing dmodk --worst --json |
	sed -n 's/.*"worst_permutation_link": "\([^"]*\) -> \([^"]*\)".*/\1 \2/p')
[ -n "$worst" ] || fail "no link of the worst permutation"
grep -qF "<dd>${worst% *} -&gt; ${worst#* }</dd>" page.html ||
	fail "the page has another worst link than $worst"

# ---- what dead parts alone cost: an uplink of four hosts leads to half of the other eight, a cable also back ----
for mode in masked blind; do
	right '"lost": 16' check --details xgft:down=4x3,up=1x2 --routing dmodk --faults "links:count=1,mode=$mode" --json
	right '"lost": 32' check --details xgft:down=4x3,up=1x2 --routing dmodk --faults "cables:count=1,mode=$mode" --json
	json 'o["results"][0]["without"]["whole"]["pairs"] == 132 and o["results"][0]["without"]["as_is"]["pairs"] == 100'
done

# ---- one screen: each fact once, and what to ask next ----
cluster=$2/examples/fabric/cluster.ibnetdiscover
screen() { # LINES-AT-MOST ARGUMENTS...
	most=$1
	shift
	COLUMNS=100 "$bough" check "$cluster" "$@" >out 2>err || fail "check $*: $(cat err)"
	[ "$(wc -l <out)" -le "$most" ] || fail "check $*: $(wc -l <out) lines"
	! grep -q '^verdict\|^findings\|^all-to-all\|^pairs' out || fail "check $*: details without --details"
	tr -s ' ' <out >words && mv words out
}
screen 30 --lft "$2/examples/fabric/cluster.ftree.lfts.gz"
also "missing " "1 cable between these" "cluster.ftree.lfts.gz usable 37.3 % 57.1 % 36.3 % 23.8 % 12 flows none" \
	"next bough tune $cluster" "next bough check $cluster --expect regular" "good from 80 %"
[ "$(grep -c "1 cable between" out)" -eq 1 ] || fail "a finding stands twice"
screen 40 --lft "$2/examples/fabric/cluster.ftree.lfts.gz" --lft "$2/examples/fabric/cluster.updn.lfts.gz" --routing minhop --routing updn
also "cluster.ftree.lfts.gz is best for all-to-all" "updn usable 32.9 %"
# hosts and cables of the leaf that limits: those that it has left
right "s1.0 has 4 hosts and 2 cables" check xgft:down=4x4,up=1x2 --routing updn
right "s1.0 has 4 hosts and 3 cables" check xgft:down=4x4,up=1x4 --routing updn --faults "name:s1.0 - s2.0"
# what has no column stands below the table; errors have lines of their own, three of a kind
right "128 of 240 pairs are not routed" check broken.csv --routing updn
right "chooses at run time: expected values" check xgft:down=2x2,up=1x2 --routing random
right "cycle of 5 links" check ring.csv --routing minhop
right "the slow cable h1/1 - leaf1/1 limits all-to-all" check host.csv --routing updn
right "--faults each:switch" check even.csv --routing updn
right "switch spine alone joins" check even.csv --routing updn
! grep -q single-point out || fail "a weak point stands twice"
right "routing  rating" check even.csv --routing updn --faults each:switch
! grep -q "bough check" out || fail "what was asked is proposed"
# commands are those of a shell: without faults, with the options of the network
cp even.csv 'a b$x.csv'
right "bough check 'a b\$x.csv' --faults each:switch" check 'a b$x.csv' --routing updn
right "bough check 'ibnet:file=a b\$x.csv,hosts=h.' --faults each:switch" check 'ibnet:file="a b$x.csv",hosts=h.' --routing updn
right "bough tune xgft:down=4x4x4,up=1x4x4" check xgft:down=4x4x4,up=1x4x4 --routing updn --faults name:s3.0
right "there is only one endpoint" check xgft:down=1,up=1

# ---- endpoints that forward have one port: 15 flows on it, 16 on a cable in the middle of a row ----
right "random   good        93.8 %" check mesh:dims=4x4
also "switches    16" "cables      24 between switches" "findings    none" "v1.0.router/1 -> v2.0.router/2, 16 flows of all-to-all"
right "random   good       100.0 %" check mesh:dims=4x4,ports=all

! grep -q nan out || fail "a share of nothing"
