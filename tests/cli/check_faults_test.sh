#!/bin/sh
# bough check --faults: single failures, curves, and a fabric without something.
# $1: bough, $2: the source directory.
set -eu
bough=$1
example=$2/examples/fabric

# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded
fabric=$example/cluster.ibnetdiscover
ftree=$example/cluster.ftree.lfts.gz
updn=$example/cluster.updn.lfts.gz

# ---- wrong command lines ----
wrong 2 "what" check "$fabric" --faults each
wrong 2 "what=hosts is unknown" check "$fabric" --faults each:hosts
wrong 2 "did you mean 'level'" check "$fabric" --faults each:cable,levle=2
wrong 2 "has no such switch" check "$fabric" --faults each:switch,level=3
wrong 2 "did you mean 'links'" check "$fabric" --faults lniks:share=0..10%
wrong 2 "share=5..2% is empty" check "$fabric" --faults links:share=5..2%
wrong 2 "never ends" check "$fabric" --faults "links:share=0..2% step 0"
wrong 2 "never ends" check "$fabric" --faults "links:share=0..2% times 2"
wrong 2 "more than 1000 values" check "$fabric" --faults "links:share=0..100% step 0.01%"
wrong 2 "lies between 0 and 100%" check "$fabric" --faults links:share=0..200%
wrong 2 "is not a number" check "$fabric" --faults links:share=0..many%
wrong 2 "takes no other count" check "$fabric" --faults links:count=3,share=0..5%
wrong 2 "removes all" check "$fabric" --faults links:share=50%..100% --trials 1
wrong 2 "--trials: 0 is out of range" check "$fabric" --faults links:share=0..5% --trials 0
wrong 2 "an entry for each switch and address" check "$fabric" --routing hash --faults each:cable
wrong 2 "neither a share nor a count" check "$fabric" --faults links
wrong 2 "use it with \`bough check\`" sim xgft:down=2x2,up=1x2 shift:1 linkload --faults each:cable
wrong 2 "use it with \`bough check\`" net xgft:down=2x2,up=1x2 --faults each:switch

# ---- every cable, every switch ----
right "each:cable  62 cables, one dead at a time" check --details "$fabric" --lft "$ftree" --faults each:cable --faults each:switch
also "each:switch  12 switches" "without hosts of their own" "62 of 62 disconnect no endpoint" "core#1-spine" \
	"4 of 12 disconnect no endpoint"
right '"failures"' check --details "$fabric" --lft "$ftree" --faults each:cable --faults each:switch,of=spine --json --trials 0
json '[f["spec"] for f in o["results"][0]["failures"]] == ["each:what=cable", "each:what=switch,of=spine"]'
json 'o["results"][0]["failures"][0]["count"] == len(o["results"][0]["failures"][0]["items"]) == 62 and o["results"][0]["failures"][0]["tables"] == "given"'
json 'o["results"][0]["failures"][1]["count"] == len(o["results"][0]["failures"][1]["items"]) == 4'
# All-to-all crosses a pair of cables as often as its load says: what is lost adds up to the switches on the paths.
json 'sum(i["lost"] for i in o["results"][0]["failures"][0]["items"]) == 2 * o["results"][0]["hops"]["3"]'
json 'sum(i["lost"] for i in o["results"][0]["failures"][1]["items"]) == o["results"][0]["hops"]["3"]'
json 'o["results"][0]["failures"][0]["whole"]["alltoall_max"] == o["results"][0]["alltoall_max"] and o["results"][0]["failures"][0]["whole"]["shift_max"] == o["results"][0]["shift_max"]'
json 'all(i["cut"] == 0 and i["rerouted"]["pairs"] == 8930 for f in o["results"][0]["failures"] for i in f["items"])'
json 'all(i["as_is"]["pairs"] == 8930 - i["lost"] for f in o["results"][0]["failures"] for i in f["items"])'
json 'sum(i["alike"] for i in o["results"][0]["failures"][0]["items"]) == 62'
# Worst first, and for any number of threads.
json '[i["rerouted"]["slowdown"] for i in o["results"][0]["failures"][0]["items"]] == sorted((i["rerouted"]["slowdown"] for i in o["results"][0]["failures"][0]["items"]), reverse=True)'
cp out one
"$bough" check --details "$fabric" --lft "$ftree" --faults each:cable --faults each:switch,of=spine --json --trials 0 --threads 3 >many
cmp -s one many || fail "3 threads: another result"

# Two routings, each with its own; families too; without tables bough makes some.
right '"results"' check --details "$fabric" --lft "$ftree" --lft "$updn" --faults each:cable --json --trials 0
json 'all(r["failures"][0]["count"] == 62 for r in o["results"])'
right "(pairs lost by a failure, and at most" check --details "$fabric" --lft "$ftree" --lft "$updn" --faults each:cable
also "cluster.ftree.lfts.gz  254.7      501"
right "shortest-path tables that bough makes" check --details "$fabric" --faults each:cable
right "16 of 16 disconnect no endpoint" check --details xgft:down=4x4,up=1x4 --routing dmodk --faults each:cable
also "a dead cable loses 24 of 240 pairs"

# ---- a cable that alone joins two halves ----
for s in 1 2; do
	other=$((3 - s))
	printf '\nSwitch\t36 "S-%016x"\t\t# "half%d" base port 0 lid %d lmc 0\n' "$s" "$s" "$s"
	for p in 1 2; do
		printf '[%d]\t"H-%016x"[1](%x) \t\t# "host%d%d" lid %d 4xQDR\n' "$p" $((16 * s + p)) $((64 * s + p)) \
			"$s" "$p" $((10 * s + p))
	done
	printf '[3]\t"S-%016x"[3]\t\t# "half%d" lid %d 4xQDR\n' "$other" "$other" "$other"
	for p in 1 2; do
		printf '\nCa\t1 "H-%016x"\t\t# "host%d%d"\n' $((16 * s + p)) "$s" "$p"
		printf '[1](%x) \t"S-%016x"[%d]\t\t# lid %d lmc 0 "half%d" lid %d 4xQDR\n' $((64 * s + p)) "$s" "$p" \
			$((10 * s + p)) "$s" "$s"
	done
done >halves
right "(single-point)" check --details halves --faults each:cable
also "this one cable alone joins 8 of 12 pairs" "1 disconnects some"
status=0
"$bough" check --details halves --faults each:cable --fail-on warn >out 2>err || status=$?
[ "$status" -eq 3 ] || fail "a single point of failure, --fail-on warn: $status"

# ---- curves ----
right "cables by share, 20 draws each" check --details "$fabric" --lft "$ftree" --faults "cables:share=0..10% step 5%"
also "100.000 +- 0.000"
right '"degradation"' check --details "$fabric" --lft "$ftree" --faults "cables:share=0..10% step 5%" --json --trials 8
json '[s["share"] for s in o["results"][0]["degradation"][0]["steps"]] == [0, 0.05, 0.1] and o["results"][0]["degradation"][0]["trials"] == 8'
json '[s["connected_as_is"] for s in o["results"][0]["degradation"][0]["steps"]] == sorted((s["connected_as_is"] for s in o["results"][0]["degradation"][0]["steps"]), reverse=True)'
json 'o["results"][0]["degradation"][0]["steps"][0]["alltoall_max"] == o["results"][0]["alltoall_max"] and o["results"][0]["degradation"][0]["steps"][0]["connected"] == 1'
right '"degradation"' check --details "$fabric" --lft "$ftree" --faults "chips:share=0..10%" --json --trials 2 # 4 spines: 0 of them die
json 'len(o["results"][0]["degradation"][0]["steps"]) == 11'
right '"degradation"' check --details "$fabric" --faults "links:share=1%..4% times 2,level=1,key=5" --json --trials 2
json '[s["share"] for s in o["results"][0]["degradation"][0]["steps"]] == [0.01, 0.02, 0.04] and o["results"][0]["degradation"][0]["tables"] == "minimal"'

# ---- a fabric without something ----
right "203 of 8930 pairs are not routed" check --details "$fabric" --lft "$ftree" --faults cables:count=1
also "without     cables:count=1" "tables as they are" "tables repaired locally   8930"
right '"without"' check --details "$fabric" --lft "$ftree" --faults "name:core#1-spine" --json --trials 0
json 'o["results"][0]["routed"] == o["results"][0]["without"]["as_is"]["pairs"] == 8930 - o["results"][0]["without"]["lost"] and o["results"][0]["without"]["cut"] == 0'
json 'o["results"][0]["without"]["rerouted"]["pairs"] == 8930 and o["results"][0]["without"]["rerouted"]["alltoall_max"] > o["results"][0]["without"]["whole"]["alltoall_max"] == 252'
json 'o["results"][0]["alltoall_max"] == o["results"][0]["without"]["as_is"]["alltoall_max"] and abs(o["results"][0]["shift_mean"] - o["results"][0]["without"]["as_is"]["shift_mean"]) < 1e-9'
right "11 endpoints are disconnected from all others" check --details "$fabric" --lft "$updn" --faults "name:rack#5-leaf"
right "8930 of 8930 routed" check --details "$fabric" --faults cables:count=1,mode=rerouted
grep -q "^without" out || fail "the missing cable has no figures under random routing"
right "each:cable  61 cables" check --details "$fabric" --faults cables:count=1,mode=rerouted --faults each:cable

# ---- whole numbers: a leaf's 20136 pairs 18 times, a spine's 14688 12 times: 17956.8 on average ----
right "a dead switch loses 17957 of 186192 pairs on average, 20136 at most" check --details xgft:down=24x18,up=1x12 --routing dmodk --faults each:switch --trials 1
! grep -q "[0-9]e[+-]*[0-9]" out || fail "a number with an exponent: $(grep "[0-9]e[+-]*[0-9]" out)"
