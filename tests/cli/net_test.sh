#!/bin/sh
# bough net: descriptions, exports, and nothing half written.
# $1: bough, $2: the source directory.
set -eu
bough=$1
fabric=$2/examples/fabric/cluster.ibnetdiscover
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

# ---- wrong command lines and networks ----
wrong 2 "net needs exactly one network" net
wrong 2 "net needs exactly one network" net fattree:n=8 fattree:n=8
wrong 2 "unknown option '--ouput' (did you mean '--output'" net fattree:n=8 --ouput x.net
wrong 2 "--output needs a value" net fattree:n=8 -o
wrong 2 "n=12 is not a power of two; the nearest are 8 and 16" net fattree:n=12
wrong 2 "no parameter 'm'" net fattree:m=8
wrong 2 "did you mean 'fattree'" net fatree:n=8
wrong 2 "no network family 'nosuch'" net nosuch
wrong 2 "the numbers must be equal" net xgft:down=4x4,up=1
wrong 2 "needs file=" net ibnet
wrong 2 "nosuch: cannot be opened" net ibnet:nosuch
wrong 2 "no parameter 'order'" net fattree:n=8 --order lid
wrong 2 "is not a regular expression" net "$fabric" --endpoints '['
wrong 2 "order= must be name, lid, guid, or a file" net "$fabric" --order nmae
wrong 2 "of memory" net fattree:n=2^40 --check
gzip -c "$fabric" | head -c 700 >cut.gz
printf '\0\1\2' >binary
wrong 2 "cut.gz: the gzip file is truncated" net ibnet:cut.gz
wrong 2 "binary:1: contains a NUL byte" net ibnet:binary

# ---- outputs that cannot be ----
mkdir directory.net
wrong 2 "x: unknown file ending; formats: .ibnetdiscover, .json, .dot, .net" net fattree:n=8 -o x
wrong 2 "x.svgg: unknown file ending" net fattree:n=8 -o x.svgg
wrong 2 "unknown file ending" net fattree:n=8 -o net
wrong 2 "nowhere/x.net: cannot be written: No such file or directory" net fattree:n=8 -o nowhere/x.net
wrong 2 "directory.net: cannot be written" net fattree:n=8 -o directory.net
wrong 2 "the limit is 16777216" net fattree:n=2^40 -o huge.net
wrong 2 "InfiniBand has at most 254" net xgft:down=300,up=1 -o wide.net
if [ "$(id -u)" -ne 0 ]; then # root may write everywhere
	mkdir sealed
	chmod a-w sealed
	wrong 2 "sealed/x.net: cannot be written" net fattree:n=8 -o sealed/x.net
fi
# A disk that is full in the middle: the file that was there stays, and nothing else is left.
echo "what was there" >kept.json
status=0
(
	ulimit -f 8
	"$bough" net fattree:n=1024 -o kept.json >out 2>err
) || status=$?
[ "$status" -eq 1 ] || fail "a full disk: status $status: $(cat err)"
if [ "$(wc -l <err)" -ne 1 ] || [ -s out ]; then fail "a full disk: $(cat out err)"; fi
[ "$(cat kept.json)" = "what was there" ] || fail "a full disk: the old file is gone"
for file in *; do
	case $file in
	cut.gz | binary | directory.net | kept.json | out | err | sealed) ;;
	*) fail "$file was left over" ;;
	esac
done

# ---- descriptions: closed forms answer at any size ----
right "endpoints   1099511627776" net fattree:n=2^40
also "switches    21990232555520" "links       87960930222080 (directed)" "levels      40" "longest     80 links"
right '"endpoints": 1099511627776' net fattree:n=2^40 --json
json 'o["network"]["switches"] == 40 * 2**39 and o["network"]["links"] == 80 * 2**40 and o["network"]["levels"] == 40'
right "as          xgft:down=4x8,up=1x4" net clos:radix=8,hosts=30
right "endpoints   1048576" net kary:k=32,levels=4
right "switches    28" net bft:n=64 --check
also "capacity    1 2 4 cables" "longest     6 links"
wrong 2 "n=32 is not a power of four; the nearest are 16 and 64" net bft:n=32
right "levels      30" net bft:n=4^30
right " 549755813888" net fattree:n=2^40
also " cables above a subtree, level 0 up"
grep capacity -A 9 out | awk 'length > 100 { bad = 1 } END { exit bad }' || fail "a capacity beyond 100 columns"
right "capacity    8 16 cables" net sorting:n=256 --check
right "levels      8" net sorting:n=65536
wrong 2 "n=64 terminals fit in one mesh, so there is no tree; the minimum is 128" net sorting:n=64
wrong 2 "n=1000 is not a power of two; the nearest are 512 and 1024" net sorting:n=1000
right "endpoints   16" net fattree:n=16 --check
right "endpoints   95" net "$fabric" --check
also "switches    12" "cables      62 between switches"
right "endpoints   95" net "ibnet:file=$fabric,order=name"
right "endpoints   10" net "$fabric" --endpoints 'node00.|node010'
"$bough" net - --json <"$fabric" >out
json 'o["network"]["endpoints"] == 95'
cp "$fabric" "$(printf 'a "quoted" \351 name')"
right '"canonical": null' net "$(printf 'a "quoted" \351 name')" --json
json 'o["network"]["endpoints"] == 95 and "quoted" in o["network"]["spec"]'

# ---- exports ----
for ending in json dot net; do
	"$bough" net xgft:down=4x4,up=1x4 -o "tree.$ending" >out 2>err || fail "-o tree.$ending: $(cat err)"
	if [ -s out ] || [ -s err ]; then fail "-o tree.$ending: $(cat out err)"; fi
	[ -s "tree.$ending" ] || fail "tree.$ending is empty"
done
cp tree.json out
json 'len(o["nodes"]) == 24 and len(o["links"]) == 64 and o["network"]["endpoints"] == 16'
json 'all(o["nodes"][l["from"]]["level"] != o["nodes"][l["to"]]["level"] for l in o["links"])'
right "endpoints   16" net ibnet:tree.net
right "endpoints   95" net "$2/examples/fabric/cluster.net" # it has no LIDs
"$bough" net "$fabric" -o fabric.ibnetdiscover
"$bough" net "$fabric" -o fabric.net
guid=$(sed -n 's/^Switch.*"S-\([0-9a-f]*\)".*/\1/p' fabric.net | head -n 1)
printf '# names\n0x%s "the first switch"\n' "$guid" >names.map
"$bough" net fabric.net --names names.map -o named.csv
grep -q '^the first switch,\|,the first switch,' named.csv || fail "$(head named.csv)"
printf '0x%s first\n' "$guid" >names.map
wrong 2 "names.map:1: expected a GUID and a name in quotes" check fabric.net --names names.map
wrong 2 "names.map:1: expected a GUID and a name in quotes" sim fabric.net randperm flow --names names.map
cmp fabric.net fabric.ibnetdiscover || fail "two names of one format"
right "cluster.net: no port has a LID, as before a subnet manager ran" check --details "$2/examples/fabric/cluster.net" --routing updn
wrong 2 "tables are by LID, and" check "$2/examples/fabric/cluster.net" --lft "$2/examples/fabric/cluster.updn.lfts.gz"
[ "$(grep -c -- ' -- ' tree.dot)" -eq 32 ] || fail "tree.dot has not 32 cables"
[ "$(grep -c "^Switch" tree.net)" -eq 8 ] || fail "tree.net: switches"
[ "$(grep -c "^Ca" tree.net)" -eq 16 ] || fail "tree.net: hosts"
"$bough" net "$fabric" -o fabric.json
cp fabric.json out
json 'len(o["nodes"]) == 107 and len(o["links"]) == 314 and all(l["rate"] == 100000000000 for l in o["links"])'

for ending in json dot net; do
	"$bough" net bft:n=64 -o "bft.$ending" >out 2>err || fail "-o bft.$ending: $(cat err)"
done
cp bft.json out
json 'len(o["nodes"]) == 92 and len(o["links"]) == 224'
[ "$(grep -c -- ' -- ' bft.dot)" -eq 112 ] || fail "bft.dot has not 112 cables"
[ "$(grep -c "^Switch" bft.net)" -eq 28 ] || fail "bft.net: switches"

for ending in json dot; do
	"$bough" net transit:n=64 -o "transit.$ending" >out 2>err || fail "-o transit.$ending: $(cat err)"
done
cp transit.json out
json 'len(o["nodes"]) == 132 and len(o["links"]) == 512'
[ "$(grep -c -- ' -- ' transit.dot)" -eq 512 ] || fail "transit.dot has not 512 wires"
wrong 2 "requires port numbers" net transit:n=64 -o transit.net
right "64 UT64x2, 4 UT64x8" net transit:n=4096
also "chips       4160" "longest     9 links"
"$bough" net transit:n=4096 --json >out
json 'o["network"]["chips"] == 4160'
wrong 2 "the nearest are 64 and 4096" net transit:n=1000
wrong 2 "leaf is 12, 48 or 192" net transit:leaf=24
wrong 2 "did you mean 's2.u1.up.r5'" net transit:n=4096 --faults name:s2.u1.u.r5
wrong 2 "removes all of the 2112 chips" net transit:n=4096 --faults chips:share=100%
right "208 switches (208 whole chips)" net transit:n=4096 --faults name:s2.u1
also "connected   16773120 of 16773120"
right "7424 switches (7424 whole chips)" net transit:n=262144 --faults chips:share=5%,mode=rerouted
also "of faults and routes"

closed net fattree:n=1024
right "usage: bough net NETWORK" net --help
also "-o, --output FILE" "--check"

# A fabric's netlist is the fabric again, or what faults left of it.
"$bough" net "$fabric" -o copy.net || fail "no netlist"
right "cables      62 between switches" net copy.net
"$bough" net "$fabric" --faults cables:count=2,key=1 -o cut.net || fail "nothing written"
right "cables      60 between switches" net cut.net

# Tables ask for a routing, and a routing for tables.
"$bough" net xgft:down=2x2,up=1x2 --routing updn -o t.lfts || fail "nothing written"
grep -q "^Unicast lids \[0-8\] of switch Lid 5 guid 0x0002c90200400000 ('s1.0'):$" t.lfts || fail "$(cat t.lfts)"
# a port has one number: in files, in names that are printed, and in --faults
"$bough" net xgft:down=2x3,up=1x2 -o whole.csv || fail "nothing written"
"$bough" net xgft:down=2x3,up=1x2 -o whole.net || fail "nothing written"
for network in xgft:down=2x3,up=1x2 whole.csv whole.net; do
	"$bough" net "$network" --faults name:s1.1/4 -o cut.csv || fail "$network: nothing written"
	[ "$(grep -c . cut.csv)" -eq "$(($(grep -c . whole.csv) - 1))" ] || fail "$network: more than one cable"
	! grep -q '^s1.1,switch,4,s2.1,switch,2,' cut.csv || fail "$network: another cable"
	right "s1.1/3 -> s2.0/2" check --details "$network" --faults name:s1.1/4,mode=rerouted --routing updn --trials 0
done
grep -q '^s1.1,switch,4,s2.1,switch,2,' whole.csv || fail "whole.csv: $(cat whole.csv)"
"$bough" net xgft:down=2x2,up=1x2 -o t.net || fail "nothing written"
right "12 of 12 routed" check --details t.net --lft t.lfts
wrong 2 "it leaves a choice of links" net xgft:down=2x2,up=1x2 -o no.lfts
wrong 2 "--routing needs a file that contains routes, such as .svg" net xgft:down=2x2,up=1x2 --routing updn -o no.net
wrong 2 "needs a file that contains routes: -o FILE.svg, FILE.lfts" net xgft:down=2x2,up=1x2 --routing updn
wrong 2 "no routing 'updown' (did you mean 'updn'" net xgft:down=2x2,up=1x2 --routing updown -o no.lfts
[ ! -e no.lfts ] && [ ! -e no.net ] || fail "something was written"

# ---- drawings ----
wrong 2 "x.dot: --routing needs a file that contains routes, such as .svg" net fattree:n=8 --routing random -o x.dot
wrong 2 "no routing 'nosuch'" net fattree:n=8 --routing nosuch -o x.svg
wrong 2 "loads are drawn up to" net fattree:n=2^40 --routing random -o x.svg
wrong 2 "nowhere/x.svg: cannot be written" net fattree:n=8 -o nowhere/x.svg
[ ! -e x.svg ] || fail "a drawing that failed was left behind"
valid() {
	! command -v xmllint >/dev/null || xmllint --noout "$1" || fail "$1 is no XML"
}
for spec in fattree:n=16 bft:n=64 cube:n=16 transit:n=64 fattree:n=2^40 "$fabric"; do
	"$bough" net "$spec" -o x.svg >out 2>err </dev/null || fail "a drawing of $spec: $(cat err)"
	[ ! -s out ] && [ ! -s err ] || fail "a drawing of $spec says something"
	valid x.svg
	cp x.svg first.svg
	"$bough" net "$spec" -o x.svg
	cmp -s x.svg first.svg || fail "$spec is drawn in two ways"
done
"$bough" net xgft:down=4x4,up=1x4 --routing dmodk --faults name:s2.1 -o x.svg
valid x.svg
for text in "without name:" "flows of all-to-all under dmodk" "dead, or partly dead" "s2.1, level 2, dead"; do
	grep -qF "$text" x.svg || fail "the drawing does not say '$text'"
done
# A name from a file is text, whatever it holds.
sed 's/rack#1 leaf/<script>\&"/; s/rack#1-leaf/<script>\&"/' "$fabric" >odd.ibnetdiscover
"$bough" net odd.ibnetdiscover -o x.svg
valid x.svg
! grep -q "<script" x.svg || fail "a name became a tag"
grep -qF "&lt;script&gt;" x.svg || fail "an odd name is not shown"

# Marks, and the sorter.
for wrong in "pruned:n=16 --mark h0:s4.2" "pruned:n=16 --mark h0:s4.9 -o x.svg" "pruned:n=16 --mark h0:h1 -o x.dot" \
	"pruned:n=16 --mark pruned -o x.svg" "pruned:n=16 -o x.sorter.svg" "sorting:n=4096 -o x.sorter.svg"; do
	# shellcheck disable=SC2086 # words
	"$bough" net $wrong >out 2>err && fail "bough net $wrong is accepted"
	[ "$(wc -l <err)" -eq 1 ] || fail "bough net $wrong: $(cat err)"
done
"$bough" net butterfly:n=16,names=triples --mark pruned -o x.svg
valid x.svg
[ "$(grep -c 'class="m"' x.svg)" -eq 72 ] || fail "the pruned butterfly of 16 leaves has 72 edges"
"$bough" net sorting:n=128 -o x.sorter.svg
valid x.sorter.svg

# Every cable counts in the rates, also the first and the last.
printf 'node,port,node,port,rate\na,1,s,1,10Gb/s\nb,1,s,2,25Gb/s\nc,1,s,3,25Gb/s\ns,4,t,1,100Gb/s\nd,1,t,2,40Gb/s\n' >rates.csv
right '"unknown_cables": 0' net rates.csv --json
json '(sorted((c["rate"] // 10**9, c["host_cables"], c["switch_cables"]) for c in o["rates"]["counts"])
	== [(10, 1, 0), (25, 2, 0), (40, 1, 0), (100, 0, 1)])'
json '[(c["level"], c["cables"]) for c in o["rates"]["classes"]] == [(0, 4), (1, 1)]'
