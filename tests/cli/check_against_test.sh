#!/bin/sh
# bough check NEW --against OLD: the example fabric with lines removed and changed.
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

# Without the cable between rack#8-leaf port 13 and core#1-spine port 15, at both ends.
awk '/^Switch/ { at = $3 }
	at == "\"S-248a070300001200\"" && /^\[13\]/ { next }
	at == "\"S-248a070300002040\"" && /^\[15\]/ { next }
	{ print }' "$fabric" >severed
# ... and without node096: its cable and its own lines.
awk '/^vendid/ { held = ""; hold = 1 }
	/^(Switch|Ca)/ { drop = /node096/ }
	/node096/ && /^\[/ { next }
	hold { held = held $0 "\n"; if (/^(Switch|Ca)/) { if (!drop) printf "%s", held; hold = 0 } next }
	!drop { print }' "$fabric" >fewer
# A slow cable, and a host with another name.
sed -e '/^\[1\].*node085/s/4xEDR/1xEDR/' -e '/^\[1\](248a070300010551)/s/4xEDR/1xEDR/' -e 's/node084/login1/g' "$fabric" >slow

# ---- wrong command lines ----
wrong 2 "--against-lft needs --against" check "$fabric" --against-lft "$ftree"
wrong 2 "nosuch: cannot be opened" check "$fabric" --against nosuch
wrong 2 "compares one routing, and 2 are given" check "$fabric" --lft "$ftree" --lft "$updn" --against "$fabric"
wrong 2 "--against compares fabric files" check xgft:down=2x2,up=1x2 --against "$fabric"
wrong 2 "--against needs a fabric file" check "$fabric" --against xgft:down=2x2,up=1x2
wrong 2 "of --faults it takes each: and curves only" check "$fabric" --against "$fabric" --faults cables:count=1
sed 's/248a07030/111107030/g' "$fabric" >foreign
wrong 2 "both files have to be of one fabric" check "$fabric" --against foreign

# ---- what has changed ----
right "nothing has changed" check --details "$fabric" --lft "$ftree" --against "$fabric" --against-lft "$ftree"
also "hosts 95 95 the same" "8930 the same" "all-to-all, flows on a link 252 252 the same"
right "62 61 1 gone" check --details severed --lft "$ftree" --against "$fabric" --against-lft "$ftree" --order name
also "(cable-gone)" "(pairs-lost)" "verdict     worse: " "(pairs-lost)" "core#1-spine/15"
right "62 61 1 gone" check --details severed --against "$fabric"
also "(heavier-load)" "all-to-all "
right "61 62 1 new" check --details "$fabric" --lft "$ftree" --against severed --against-lft "$ftree"
also "(pairs-restored)"
right "95 94 1 gone" check --details fewer --lft "$ftree" --against "$fabric" --against-lft "$ftree" --findings 0
also "8742 pairs of 94 endpoints in both: 8742 the same" "this host adapter" "is gone (node-gone)"
right "1 slower" check --details slow --lft "$ftree" --against "$fabric" --against-lft "$ftree"
also "1 renamed" "ran at 4xEDR" "login1: this host adapter was called node084" "8930 the same"
right "routing     not compared" check --details "$fabric" --lft "$ftree" --against "$fabric"
right "another way" check --details "$fabric" --lft "$updn" --against "$fabric" --against-lft "$ftree"
also "all-to-all, flows on a link 252 286 +13.5 %"

# ---- a routing that is computed is computed for both ----
for routing in updn minhop hash random; do
	right "nothing has changed" check --details "$fabric" --routing "$routing" --against "$fabric"
	also "against     $fabric, $routing"
done
right "62 61 1 gone" check --details severed --routing updn --against "$fabric"
also "8930 pairs of 95 endpoints in both: " " another way"
right "\"against\"" check --details severed --against "$fabric" --json --trials 0
json 'o["against"]["routing"] == "random" and "not_compared" not in o["against"]'
right "routing     not compared: one side has tables" check --details "$fabric" --routing updn --against "$fabric" --against-lft "$ftree"
# A root that OLD does not have.
sed 's/core#1-spine/core#7-spine/' "$fabric" >rooted
right "routing     not compared: cannot be made for OLD: updn: 'core#7-spine" check --details rooted --routing 'updn:roots="core#7-spine"' --against "$fabric"
also "12 12 1 renamed" "nothing is worse"
right '"not_compared": "cannot be made for OLD: updn' check --details rooted --routing 'updn:roots="core#7-spine"' --against "$fabric" --json --trials 0
json 'o["against"]["routing"] is None and "pairs" not in o["against"]'

# ---- a list of cables: nothing is where it was in the file ----
printf '%s\n' node,node,rate leaf1,h1,100G leaf1,h2,100G leaf2,h3,100G leaf2,h4,100G leaf3,h5,100G leaf3,h6,100G \
	leaf1,spine1,100G leaf1,spine2,100G leaf2,spine1,100G leaf2,spine2,100G leaf3,spine1,100G leaf3,spine2,100G >list.csv
{ head -n 1 list.csv && sed 1d list.csv | sort -r; } >reversed.csv
right "nothing has changed" check --details reversed.csv --against list.csv --fail-on warn
sed /,h1,/d list.csv >fewer.csv
right "hosts 6 5 1 gone" check --details fewer.csv --against list.csv
also "cables to hosts 6 5 1 gone" "cables between switches 6 6 the same" "worse: h1: this host adapter is gone" "h1: this host adapter is gone"
sed 's/leaf1,h1/leaf1,h3/;t;s/leaf2,h3/leaf2,h1/' list.csv >swapped.csv
right "cables to hosts 6 6 2 moved" check --details swapped.csv --against list.csv
also "(and 1 other)" "h1: the cable leads to leaf2, and led to leaf1"
sed '/leaf3,spine2/s/100G/25Gb\/s/' list.csv >slow.csv
right "cables between switches 6 6 1 slower" check --details slow.csv --against list.csv
also "leaf3: the cable to spine2 runs at 25 Gb/s, and ran at 100 Gb/s"

# ---- JSON, exit status ----
right '"against"' check --details severed --lft "$ftree" --against "$fabric" --against-lft "$ftree" --json --trials 0
json 'o["against"]["cables"] == {"before": 62, "now": 61, "gone": 1, "new": 0, "moved": 0, "slower": 0, "faster": 0}'
json 'o["against"]["hosts"]["now"] == 95 and o["against"]["pairs"]["lost"] == 8930 - o["results"][0]["routed"] and o["against"]["pairs"]["count"] == 8930'
json '{f["kind"] for f in o["against"]["findings"]} >= {"cable-gone", "pairs-lost"}'
json 'o["against"]["before"]["alltoall_max"] == 252 and o["against"]["now"]["routed"] == o["results"][0]["routed"]'
right '"pairs": null' check --details severed --against "$fabric" --json --trials 0
# What a recording without the cable loses is what was predicted of the whole fabric.
routed=$("$bough" check --details severed --lft "$ftree" --trials 0 | sed -n 's/^pairs  *\([0-9]*\) of 8930.*/\1/p')
lost=$((8930 - routed))
right '"failures"' check --details "$fabric" --lft "$ftree" --faults each:cable --json --trials 0
json "$lost > 0 and [i['lost'] for i in o['results'][0]['failures'][0]['items'] if 'core#1-spine/15' in i['name']] == [$lost]"
status=0
"$bough" check --details "$fabric" --lft "$ftree" --against severed --against-lft "$ftree" --fail-on error >out 2>err || status=$?
[ "$status" -eq 0 ] || fail "nothing is lost, --fail-on error: $status"
status=0
"$bough" check --details severed --against "$fabric" --fail-on warn >out 2>err || status=$?
[ "$status" -eq 3 ] || fail "a cable is gone, --fail-on warn: $status"
