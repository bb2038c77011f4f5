#!/bin/sh
# bough plan: trees that fit, with prices, as a table and as JSON.
# $1: bough, $2: the source directory.
set -eu
bough=$1
prices=$2/examples/prices.csv
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

wrong 2 "plan needs --hosts and --radix" plan --hosts 100
wrong 2 "plan needs --hosts and --radix" plan fattree:n=8 --hosts 100 --radix 8
wrong 2 "no packaging 'cube'; there is transit" plan --packaging cube
wrong 2 "--taper does not apply to --packaging transit" plan --packaging transit --taper 2
wrong 2 "--pins requires --packaging transit" plan --hosts 100 --radix 36 --pins 9
wrong 2 "plan needs --hosts and --radix" plan --packaging transit fattree:n=8
wrong 2 "--board: 'x'" plan --packaging transit --board x
wrong 2 "board: 0 is out of range" plan --packaging transit --board 0
wrong 2 "fill: 0.5 is out of range" plan --packaging transit --fill 0.5
wrong 2 "--radix" plan --packaging transit --radix 0
wrong 2 "radix: a router has 2 to 16 directions" plan --packaging transit --radix 17
wrong 2 "of them a router needs more pins" plan --packaging transit --pins 20
wrong 2 "--taper: 'x'" plan --hosts 100 --radix 36 --taper x
wrong 2 "taper: 0.5 is out of range; it must lie between 1 (full) and 1024" plan --hosts 100 --radix 36 --taper 0.5
wrong 2 "taper: 0.5 is out of range" plan --hosts 100 --radix 36 --taper 1:2
wrong 2 "taper 2:0: write it as 2 or 2:1" plan --hosts 100 --radix 36 --taper 2:0
wrong 2 "--taper: 'x'" plan --hosts 100 --radix 36 --taper 2:x
wrong 2 "levels" plan --hosts 100 --radix 36 --levels 9
wrong 2 "no fat-tree of 36-port switches in 1 level joins 100 hosts" plan --hosts 100 --radix 36 --levels 1
wrong 2 "nosuch: cannot be opened" plan --hosts 100 --radix 36 --prices nosuch
printf 'switch,1\ncables,2\n' >prices.csv
wrong 2 "prices.csv:2: no item 'cables'" plan --hosts 100 --radix 36 --prices prices.csv
printf 'item,price\nswitch,0\ncable,2\nswitch,3\n' >prices.csv
wrong 2 "prices.csv:4: switch has a price already" plan --hosts 100 --radix 36 --prices prices.csv
printf 'switch,1%064d\n' 0 >prices.csv # 65 digits: no shorter number in its place
wrong 2 "prices.csv:1: the price has 65 characters" plan --hosts 100 --radix 36 --prices prices.csv
printf 'currency,a name that is too long for it\nswitch,1\n' >prices.csv
wrong 2 "prices.csv:1: the currency has 30 characters; at most 15" plan --hosts 100 --radix 36 --prices prices.csv
printf 'switch,1\ncable,1e308\n' >prices.csv # the cost of two would be infinite
wrong 2 "prices.csv:2: cable: 1e308 is too large; a price is at most 1e15" plan --hosts 100 --radix 36 --prices prices.csv
printf 'switch\0junk,1\n' >prices.csv
wrong 2 "prices.csv:1: contains a NUL byte" plan --hosts 100 --radix 36 --prices prices.csv

right "UT64x2  UT64x8         2        4096    1.016      68     8    24     1          1    0.733" plan --packaging transit
also "B192    UT64x8" "transit:leaf=192,stages=1" "designs: 11 fit; excluded by 4850 pins"
"$bough" plan --packaging transit --limit 3 --json >plan.json
grep -q '"found": 11' plan.json || fail "not 11 designs: $(cat plan.json)"
right "bough sim xgft:down=32x32,up=1x16,links=1x2 randperm linkload --routing dmodk" plan --hosts 1024 --radix 64
also "1        48    1024       2     0      1          1        1" "tree 1      xgft:down=32x32,up=1x16,links=1x2"
"$bough" sim xgft:down=32x32,up=1x16,links=1x2 tornado linkload --routing dmodk --json |
	grep -q '"link_load_max", "unit": "flows", "mean": 1,' || fail "the command it prints does not say the same"
"$bough" plan --hosts 1000 --radix 36 --taper 1.5 >plain
"$bough" plan --hosts 1000 --radix 36 --taper 3:2 | cmp - plain || fail "a taper of 3:2 is not 1.5"
right "as          xgft:down=40x13,up=1x5,links=1x4,hosts=512" net clos:radix=64,hosts=512,taper=2
also "endpoints   512" "switches    18" "cables      260 between switches"
right "bough sim xgft:down=40x13,up=1x5,links=1x4,hosts=512 randperm" plan --hosts 512 --radix 64 --taper 2
right "only those were tried whose middle switches have as many ports up as down" plan --hosts 100000 --radix 64 --limit 1
right "10 of 64 endpoints used" sim clos:radix=16,hosts=64 allreduce:ring,size=1MB,ranks=10 loggops
right '"endpoints": 64, "endpoints_used": 10' sim clos:radix=16,hosts=64 allreduce:ring,size=1MB,ranks=10 loggops --json
right "bough" sim clos:radix=16,hosts=61 allreduce:ring,size=1MB loggops --json
json '"endpoints_used" not in o["network"] and o["network"]["endpoints"] == 61'
right "cost EUR" plan --hosts 1000 --radix 36 --taper 2 --prices "$prices"
"$bough" plan --hosts 1000 --radix 36 --taper 2 --prices "$prices" --json --limit 3 >plan.json
[ "$(grep -c '"spec"' plan.json)" -eq 3 ] || fail "not three trees: $(cat plan.json)"
grep -q '"currency": "EUR"' plan.json || fail "no currency in $(cat plan.json)"

# The time of a job on every tree.
wrong 2 "--routing requires --job" plan --hosts 32 --radix 8 --routing dmodk
wrong 2 "--spray requires --job" plan --hosts 32 --radix 8 --spray
wrong 2 "--job does not apply to --packaging transit" plan --packaging transit --job alltoall
wrong 2 "are mutually exclusive" plan --hosts 32 --radix 8 --json --csv
wrong 2 "is neither a traffic" plan --hosts 32 --radix 8 --job nosuch
wrong 2 "never ends" plan --hosts 32 --radix 8 --job poisson:load=0.1
wrong 2 "nosuch.yaml: cannot be opened" plan --hosts 32 --radix 8 --job nosuch.yaml
wrong 2 "no routing 'nosuch'" plan --hosts 32 --radix 8 --job alltoall:shift --routing nosuch
right "job s" plan --hosts 32 --radix 8 --taper 4 --job alltoall:shift,size=1MB --prices "$prices"
also "job s: time of alltoall:shift,size=1MB by flow under dmodk, one path a message" "*: no other tree"
also "alltoall:shift,size=1MB flow --routing dmodk" "the job on tree 1 in detail"
right "flow:spray=1" plan --hosts 32 --radix 8 --taper 4 --job alltoall:shift,size=1MB --routing adaptive --spray --physical ndr
also "--physical ndr"
# A shift of half the leaves meets itself in static tables, not where messages are divided.
ask="--hosts 32 --radix 16 --levels 2 --taper 2 --limit 2 --job alltoall:algo=shift,size=1MB"
# shellcheck disable=SC2086
right "under adaptive, messages divided over all" plan $ask --routing adaptive
# shellcheck disable=SC2086
right '"job_spray": true' plan $ask --routing random --spray --json
json 'o["job_routing"] == "random"'
cp out random.json
# shellcheck disable=SC2086
right '"job_spray": true' plan $ask --routing adaptive --json
json 'o["trees"][0]["job_time"] == json.load(open("random.json"))["trees"][0]["job_time"]'
cp out adaptive.json
# shellcheck disable=SC2086
right '"job_spray": false' plan $ask --json
json 'o["job_routing"] == "dmodk" and o["trees"][1]["job_time"] > 1.3 * json.load(open("adaptive.json"))["trees"][1]["job_time"]'
right '"pareto": true' plan --hosts 32 --radix 8 --taper 4 --job alltoall:shift,size=1MB --prices "$prices" --json
beats='lambda a, b: a["cost"] <= b["cost"] and a["job_time"] <= b["job_time"] and a is not b'
json "all(t['pareto'] == (not any(($beats)(u, t) for u in o['trees'])) for t in o['trees'])"
json 'len({t["pareto"] for t in o["trees"]}) == 2'
"$bough" plan --hosts 32 --radix 8 --taper 4 --job alltoall:shift,size=1MB --physical ndr --csv >plan.csv
[ "$(head -n 1 plan.csv)" = network,switches,cables,free_ports,taper,bisection,cost,tornado,random,job_time,pareto ] ||
	fail "other columns: $(head -n 1 plan.csv)"
tree=$(sed -n '2s/^"\(.*\)",.*/\1/p' plan.csv)
time=$(sed -n 2p plan.csv | rev | cut -d, -f2 | rev)
right "bough" sim "$tree" alltoall:shift,size=1MB flow --routing dmodk --physical ndr --json
json "abs(next(r for r in o['results'] if r['metric'] == 'completion_time')['mean'] / $time - 1) < 1e-9"
cat >step.yaml <<'YAML'
model: {layers: 4, hidden: 512, heads: 8, ffn: 1536, vocab: 4096, seq: 256}
batch: {global: 16}
parallel: {tensor: 2, pipeline: 2, data: 2}
gpu: h100
YAML
right "job s" plan --hosts 16 --radix 8 --job step.yaml

# Two switches joined directly carry what two leaves under a third do, on half the cables.
right "in place of tree 1 (7 cables), 2 (9 cables), 3 (12 cables)" plan --hosts 40 --radix 32 --taper 3
{
	echo 'node,port,node,port'
	for h in $(seq 0 39); do echo "h$h,1,s$((h / 20)),$((h % 20 + 1))"; done
	for c in $(seq 21 27); do echo "s0,$c,s1,$c"; done
} >pair.csv
for network in pair.csv xgft:down=20x2,up=1x1,links=1x7; do
	right "57.14 flows" sim "$network" alltoall linkload --routing random
	right "2.714 flows" sim "$network" tornado linkload --routing random
done
