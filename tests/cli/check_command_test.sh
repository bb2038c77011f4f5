#!/bin/sh
# bough check: wrong inputs, the report, the JSON, exit statuses.
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
wrong 2 "check needs a fabric file" check
wrong 2 "check takes one fabric file; --against OLD compares" check "$fabric" "$fabric"
wrong 2 "unknown option '--josn' (did you mean '--json'" check "$fabric" --josn
wrong 2 "--lft needs a value" check "$fabric" --lft
wrong 2 "--json takes no value" check "$fabric" --json=1
wrong 2 "--seed is given twice" check "$fabric" --seed 1 --seed 2
wrong 2 "--fail-on is warn or error, not 'info'" check "$fabric" --fail-on info
wrong 2 "--trials: -1 is out of range" check "$fabric" --trials -1
wrong 2 "'many' is not a whole number" check "$fabric" --trials many
wrong 2 "--threads: 0 is out of range" check "$fabric" --threads 0
wrong 2 "no routing 'dmodc' (did you mean 'dmodk'" check "$fabric" --routing dmodc
wrong 2 "routing dmodk needs D-mod-K digits" check "$fabric" --routing dmodk
wrong 2 "check has no simulation time" check "$fabric" --routing least
wrong 2 "random nodes" check "$fabric" --routing valiant
wrong 2 "is not a regular expression" check "$fabric" --endpoints 'node(0'
wrong 2 "none of 95 adapter ports has a matching name" check "$fabric" --endpoints xyz
wrong 2 "nmae: cannot be opened" check "$fabric" --order nmae
wrong 2 "did you mean 'fattree'" check fatree:n=8
wrong 2 "n=12 is not a power of two" check fattree:n=12
wrong 2 "no parameter 'order'" check fattree:n=8 --order name
wrong 2 "the LIDs of an imported fabric" check fattree:n=8 --lft "$ftree"
wrong 2 "at most 65536" check fattree:n=2^40
wrong 2 "at most 65536" check fattree:n=2^17

# ---- files that are none, or broken ----
gzip -c "$fabric" | head -c 700 >cut.gz
gzip -cd "$ftree" | gzip -c | head -c 300 >cut.lfts.gz
head -c 5000 /dev/urandom >noise
printf '\0\1\2\3\0' >binary
printf '\037\213not gzip at all' >bad.gz
: >empty
mkdir nothing two
cp "$fabric" two/a
cp "$fabric" two/b
wrong 2 "nosuch: cannot be opened: No such file" check nosuch
wrong 2 "cut.gz: the gzip file is truncated" check cut.gz
wrong 2 "bad.gz: cannot be read" check bad.gz
wrong 2 "noise" check noise
wrong 2 "binary:1: contains a NUL byte" check binary
wrong 2 "empty: is empty" check empty
wrong 2 "standard input: is empty" check -
wrong 2 "the directory contains no files" check nothing
wrong 2 "two: contains several fabric files of one kind; give one of them: two/a, two/b" check two
wrong 2 "nosuch: cannot be opened" check "$fabric" --lft nosuch
wrong 2 "cut.lfts.gz: the gzip file is truncated" check "$fabric" --lft cut.lfts.gz
wrong 2 "binary:1: contains a NUL byte" check "$fabric" --lft binary
wrong 2 "empty" check "$fabric" --lft empty
wrong 2 "cluster.ibnetdiscover:" check "$fabric" --lft "$fabric"
wrong 2 "cluster.ftree.lfts.gz:1:" check "$ftree"

# ---- the example: figures of an independent tracer ----
right "8930 of 8930 routed" check --details "$fabric" --lft "$ftree" --order name
also "endpoints   95" "switches    12 in 2 levels: 8 leaves, 4 above them" "cables      62 between switches" \
	"1 switch: 1034, 3 switches: 7896" "252 flows on the most loaded link" "4 flows at most" "2.755 on average" \
	"rack#3-leaf/16 - core#2-spine/6: 1 cable between these switches, other pairs like them have 2; the ports are free"
right "286 flows on the most loaded link" check --details "$fabric" --lft "$updn" --order name
also "5 flows at most" "3.553 on average"
"$bough" check --details - --lft "$ftree" --order name <"$fabric" >from-stdin
grep -q "252 flows" from-stdin || fail "- is not standard input"
right "expected values" check --details "$fabric"

# a spine that lost its table: what cannot be routed is counted, said, and leaves the loads alone
gzip -cd "$ftree" | awk '/^Unicast/ { keep = !/core#2-spine/ } keep' >lost.lfts
right "of 8930 pairs are not routed" check --details "$fabric" --lft lost.lfts
also "; the loads below are theirs" "(no-route)"

# tables of another fabric
gzip -cd "$ftree" | sed 's/guid 0x\(..\)/guid 0xff/' >other.lfts
right "0 of 8930 routed (tables of another fabric?" check --details "$fabric" --lft other.lfts
also "which is not in the fabric" "(no-table)"
! grep -q "most loaded link" out || fail "loads of nothing"

# a directory of per-switch tables
mkdir tables
gzip -cd "$ftree" | awk '/^Unicast/ { n++ } n { print > ("tables/" n) }'
right "252 flows on the most loaded link" check --details "$fabric" --lft tables --order name

# archives: tables like a directory, a fabric alone, one of several, and none of them
tar --sort=name -cf tables.tar tables
right "252 flows on the most loaded link" check --details "$fabric" --lft tables.tar --order name
also "routing     tables.tar" "rating      usable:"
cp "$fabric" fabric.txt
tar czf one.tar.gz fabric.txt
tar czf all.tar.gz fabric.txt tables
right "one.tar.gz/fabric.txt (ibnetdiscover)" check --details one.tar.gz --lft all.tar.gz/tables/1 --trials 0
right "all.tar.gz/fabric.txt (ibnetdiscover)" check --details all.tar.gz/fabric.txt --trials 0
right "252 flows on the most loaded link" check --details all.tar.gz --order name
also "routing     tables" "the fabric is read from fabric.txt (ibnetdiscover); tables, checked unless others are given: tables (bundle)"
wrong 2 "all.tar.gz: contains no file 'nosuch'; there are fabric.txt, tables/" net all.tar.gz/nosuch
# a support bundle is its fabric and its tables; --lft replaces these
bundle=$2/examples/fabric/cluster.bundle.tar.gz
for network in "$fabric --lft $ftree" "$bundle"; do
	# shellcheck disable=SC2086 # a path and an option
	right '"routed": 8930' check --details $network --json
	sed '/"spec"\|"routing"\|"where"\|"best"/d' out >"found.$(echo "$network" | tr -c '[:alnum:]' _ | tail -c 9)"
done
cmp found.* || fail "the bundle is checked otherwise than its files"
right "routing     cluster.ftree.lfts.gz" check --details "$bundle" --lft "$ftree" --trials 0
! grep -q "routing *opensm-lfts.dump" out || fail "tables of the bundle beside --lft"
right "comparison" check --details "$bundle" --routing updn --trials 0
also "routing     opensm-lfts.dump" "routing     updn"
right "cluster.bundle.tar.gz/ibdiagnet2/ibdiagnet2.db_csv (db_csv)" check --details "$bundle/ibdiagnet2" --trials 0
also "routing     random"
"$bough" check --details - --trials 0 <"$bundle" >out || fail "a bundle on standard input"
also "tables, which cannot be read from standard input: opensm/opensm-lfts.dump" "routing     random"
head -c 10240 tables.tar >cut.tar
wrong 2 "cut.tar/tables/10: the tar file is damaged or truncated: Truncated tar archive" check "$fabric" --lft cut.tar

# ---- several routings, other networks ----
right "routed pairs of 8930" check --details "$fabric" --lft "$ftree" --lft "$updn" --routing random --order name
also "252" "286" "routing     random"
right "shifts      1 flow at most" check --details xgft:down=4x4,up=1x4 --routing dmodk
right "single runs are slower" check --details xgft:down=4x4,up=1x4 --routing random
also "shifts      1 flow at most"
right "there is only one endpoint" check --details kary:k=1,levels=1
cp "$fabric" fattree:n=8
right "endpoints   95" check --details fattree:n=8 # a file that exists is meant
rm fattree:n=8

# ---- threads change nothing ----
"$bough" check --details "$fabric" --lft "$updn" --threads 1 >one
for threads in 2 3; do
	"$bough" check --details "$fabric" --lft "$updn" --threads "$threads" >many
	cmp -s one many || fail "$threads threads: another result"
done
"$bough" check --details "$fabric" --lft "$updn" --seed 2 >other
cmp -s one other && fail "the seed changes nothing"

# ---- exit status ----
status=0
"$bough" check --details "$fabric" --lft "$ftree" --fail-on warn >out 2>err || status=$?
[ "$status" -eq 3 ] || fail "--fail-on warn: $status"
if [ ! -s out ] || [ -s err ]; then fail "--fail-on warn: no report, or $(cat err)"; fi
right "8930 of 8930" check --details "$fabric" --lft "$ftree" --fail-on error
status=0
"$bough" check --details "$fabric" --lft lost.lfts --fail-on error >out 2>err || status=$?
[ "$status" -eq 3 ] || fail "--fail-on error: $status"
right "endpoints" check --details xgft:down=4x4,up=1x4 --routing dmodk --fail-on warn

# ---- a ring of three switches, clockwise: messages can wait for each other ----
for s in 1 2 3; do
	next=$((s % 3 + 1)) before=$(((s + 1) % 3 + 1))
	printf '\nSwitch\t36 "S-%016x"\t\t# "ring%d" base port 0 lid %d lmc 0\n' "$s" "$s" "$s"
	printf '[1]\t"H-%016x"[1](%x) \t\t# "host%d" lid %d 4xQDR\n' $((s + 16)) $((s + 32)) "$s" $((s + 10))
	printf '[2]\t"S-%016x"[3]\t\t# "ring%d" lid %d 4xQDR\n' "$next" "$next" "$next"
	printf '[3]\t"S-%016x"[2]\t\t# "ring%d" lid %d 4xQDR\n' "$before" "$before" "$before"
	printf '\nCa\t1 "H-%016x"\t\t# "host%d"\n' $((s + 16)) "$s"
	printf '[1](%x) \t"S-%016x"[1]\t\t# lid %d lmc 0 "ring%d" lid %d 4xQDR\n' $((s + 32)) "$s" $((s + 10)) "$s" "$s"
	printf 'Unicast lids [0-20] of switch Lid %d guid 0x%016x (ring%d):\n' "$s" "$s" "$s" >&3
	for host in 1 2 3; do
		printf '0x%04x %03d # \n' $((host + 10)) $((host == s ? 1 : 2)) >&3
	done
	printf '3 lids dumped\n' >&3
done >ring.ibnetdiscover 3>ring.lfts
right "6 of 6 routed" check --details ring.ibnetdiscover --lft ring.lfts
also "error  ring1/2 -> ring2/3: messages can wait for each other in a ring of 3 links" "(deadlock)"
right '"deadlock"' check --details ring.ibnetdiscover --lft ring.lfts --json
json 'o["results"][0]["routed"] == 6 and [f["severity"] for f in o["results"][0]["findings"] if f["kind"] == "deadlock"] == ["error"]'
json 'any("ring3/2 -> ring1/3 waits for the first" in f["text"] for f in o["results"][0]["findings"])'
status=0
"$bough" check --details ring.ibnetdiscover --lft ring.lfts --fail-on error >out 2>err || status=$?
[ "$status" -eq 3 ] || fail "a deadlock, --fail-on error: $status"
right "6 of 6 routed" check --details ring.ibnetdiscover --fail-on error
grep -q "deadlock)" out && fail "the shortest ways round three switches are no ring"

# ---- findings ----
"$bough" check --details "$fabric" --lft lost.lfts --findings 1 >few
"$bough" check --details "$fabric" --lft lost.lfts --findings 0 >all
[ "$(grep -c '(unused-links)$' few)" -lt "$(grep -c '(unused-links)$' all)" ] || fail "--findings changes nothing"
grep -q '^ *\.\.\. and [0-9]* more (no-route)$' few || fail "--findings 1 does not say how many more"

# ---- JSON: the contract ----
right '"endpoints": 95' check --details "$fabric" --lft "$ftree" --order name --json
json 'o["network"]["endpoints"] == 95 and o["network"]["switches"] == 12 and o["network"]["cables"] == 62 and o["results"][0]["pairs"] == 8930 and o["results"][0]["routed"] == 8930'
json 'o["results"][0]["hops"] == {"1": 1034, "3": 7896} and o["results"][0]["alltoall_max"] == 252 and o["results"][0]["shift_max"] == 4'
json 'abs(o["results"][0]["shift_mean"] - 2.7553) < 5e-5 and o["results"][0]["shift_worst_k"] > 0 and o["results"][0]["random_mean"] > 1 and o["results"][0]["random_ci95"] > 0'
json 'o["results"][0]["unused_links"] == 0 and o["bough"] and o["schema"] == 2'
json 'all(set(f) == {"severity", "kind", "where", "text"} for f in o["findings"]) and len(o["findings"]) == 2'
json 'all(f["severity"] in ("info", "warn", "error") for f in o["findings"])'
json 'o["results"][0]["worst_permutation"] == 12'
right '"results"' check --details "$fabric" --lft "$ftree" --lft "$updn" --order name --json --trials 0
json '[r["alltoall_max"] for r in o["results"]] == [252, 286] and o["network"]["endpoints"] == 95'
json 'all("random_mean" not in r and r["routing"].startswith("lft:") for r in o["results"])'
right '"alltoall_share": null' check --details fattree:n=8 --json
json 'o["network"]["endpoints"] == 8 and o["results"][0]["expected"] is True'
right '"pairs": 0' check --details kary:k=1,levels=1 --json
json 'o["results"][0]["alltoall_link"] is None and o["results"][0]["shift_mean"] == 0'
cp "$fabric" "$(printf 'odd "\\ \351\n name')"
right 'odd' check --details "$(printf 'odd "\\ \351\n name')" --json
json 'o["network"]["spec"].startswith("ibnet:file=\"odd ") and o["network"]["endpoints"] == 95'

closed check "$fabric" --lft "$ftree"
right "usage: bough check FABRIC" check --details --help
also "--fail-on SEVERITY" "--lft TABLES" "--help"

# ---- the recorded fabric of shared/data ----
[ -d "$2/../shared/data/fabrics" ] || exit 0
avakas=$2/../shared/data/fabrics/avakas
right '"pairs"' check --details "$avakas.ports" --order lid --lft "$avakas.ibroute.gz" --json
json 'o["network"]["endpoints"] == 281 and o["network"]["switches"] == 25 and o["network"]["cables"] == 288 and o["results"][0]["pairs"] == o["results"][0]["routed"] == 78680'
json 'o["results"][0]["hops"] == {"1": 4660, "3": 74020} and o["results"][0]["alltoall_max"] == 332 and o["results"][0]["shift_max"] == 6'
json 'abs(o["results"][0]["shift_mean"] - 4.1393) < 5e-5'
