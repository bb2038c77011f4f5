#!/bin/sh
# bough check --opensm: the engines of the real OpenSM beside bough's own routings; what is missing is said in one line.
# Skipped (77) where opensm and ibsim are not installed, after what needs neither.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded
example=$2/examples/fabric
fabric=$example/cluster.ibnetdiscover
mkdir private
TMPDIR=$tmp/private
export TMPDIR

# clean: nothing is left behind.
clean() {
	[ -z "$(ls -A private)" ] || fail "$1: left $(ls -A private)"
}

wrong 2 "OpenSM has no routing engine 'nonsense'; it has minhop updn" check "$fabric" --opensm ftree,nonsense
wrong 2 "OpenSM has no routing engine ''" check "$fabric" --opensm updn,
wrong 2 "--opensm-roots needs --opensm" check "$fabric" --opensm-roots "$fabric"
wrong 2 "nowhere: cannot be read" check "$fabric" --opensm updn --opensm-roots nowhere
wrong 2 "nowhere: cannot be read" check "$fabric" --opensm updn,ftree:hops=2,io=nowhere
wrong 2 "$example: is not a file of GUIDs" check "$fabric" --opensm "ftree:io=$example"
wrong 2 "updn has no parameter 'hops'" check "$fabric" --opensm updn:hops=2,ftree
wrong 2 "hops" check "$fabric" --opensm ftree:hops=many
wrong 2 "OpenSM has no routing engine 'order'" check "$fabric" --opensm minhop,order
wrong 2 "takes a fabric file, and fattree:n=8 is none" check fattree:n=8 --opensm updn
wrong 2 "which standard input cannot" check - --opensm updn
(
	PATH=/nowhere
	status=0
	"$bough" check --details "$fabric" --opensm updn >out 2>err || status=$?
	[ "$status" -eq 2 ] || fail "no ibsim: $status"
)
[ "$(cat err)" = "bough: --opensm: ibsim is missing; install OpenSM, ibsim and infiniband-diags (Debian: apt install opensm ibsim-utils infiniband-diags)" ] ||
	fail "no ibsim: $(cat err)"
clean "wrong words"

PATH=$PATH:/usr/sbin:/sbin
for tool in ibsim ibsim-run opensm ibnetdiscover; do
	command -v "$tool" >/dev/null || exit 77
done

# with the roots that were given to it for the example, OpenSM makes the tables of the example
right "opensm ftree" check --details "$fabric" --opensm ftree,updn --opensm-roots "$example/cluster.roots" \
	--lft "$example/cluster.ftree.lfts.gz" --lft "$example/cluster.updn.lfts.gz" --json
json '[r["routing"] for r in o["results"]][2:] == ["opensm ftree", "opensm updn"] and not [f for f in o["findings"] if f["kind"] == "opensm"]'
json '[{k: v for k, v in r.items() if k not in ("routing", "findings")} for r in o["results"][:2]] == [{k: v for k, v in r.items() if k not in ("routing", "findings")} for r in o["results"][2:]]'
! grep -q "bough-opensm" out || fail "a temporary directory is shown"
clean "two engines"

# without roots ftree gives up, which OpenSM tells its log alone
right "opensm ftree (gave up: minhop)" check --details "$fabric" --opensm ftree,minhop --trials 0
also "OpenSM's ftree could not route this fabric, and minhop took its place" "--opensm-roots FILE" "(opensm)" \
	"comparison  equal for all-to-all, shifts"
clean "an engine that gave up"

# adapters of today have port GUID = node GUID, which ibsim does not make; the files of GUIDs are those of the fabric
sed 's/(248a07030001\([0-9a-f]*\)1)/(248a07030001\10)/g' "$fabric" >today.ibnetdiscover
grep -q '^\[1\](248a070300010600)' today.ibnetdiscover || fail "port GUIDs are not those of nodes"
sed -n 's/^\[1\](\([0-9a-f]*\)).*/0x\1/p' today.ibnetdiscover | sort >all.guids
head -n 8 all.guids >io.guids
tail -n +9 all.guids >cn.guids
tail -n 40 all.guids >order.guids
cp "$example/cluster.roots" roots
right "opensm ftree:roots=roots" check --details today.ibnetdiscover \
	--opensm "ftree:roots=roots,ftree:roots=roots,cn=cn.guids,io=$tmp/io.guids,hops=1,updn:roots=roots" \
	--opensm updn:roots=roots,order=order.guids --routing updn:roots=roots \
	--routing updn:roots=roots,order=order.guids --trials 0 --json --html page.html
json '[r["routing"] for r in o["results"]][2:] == ["opensm ftree:roots=roots", "opensm ftree:roots=roots,cn=cn.guids,io=io.guids,hops=1", "opensm updn:roots=roots", "opensm updn:roots=roots,order=order.guids"]'
json 'not [f for r in [o] + o["results"] for f in r["findings"] if f["kind"] in ("opensm", "guid-mismatch")]'
json 'o["results"][2]["alltoall_max"] != o["results"][3]["alltoall_max"]' # the files were of use
json 'all(o["results"][i][k] == o["results"][i + 4][k] for i in (0, 1) for k in ("routed", "alltoall_max", "shift_max", "shift_mean"))'
! grep -q "$tmp" page.html || fail "the page tells where files lie"
clean "files of GUIDs"
# names instead of GUIDs
printf 'core#1-spine\n# a comment\n  MF0;core#2-spine:MSB7700/U1\ncore#3-spine \n0x248a070300002100 core#4-spine\n' >names
right "opensm updn:roots=names" check "$fabric" --opensm updn:roots=names --opensm updn:roots=roots --trials 0 --json
json 'all(o["results"][0][k] == o["results"][1][k] for k in ("routed", "alltoall_max", "shift_max", "shift_mean"))'
json 'not [f for r in [o] + o["results"] for f in r["findings"] if f["kind"] == "opensm"]'
printf 'node001\nnode999\n' >nobody
wrong 2 "nobody:2: 'node999' is neither a GUID nor the name of an endpoint" check "$fabric" --opensm ftree:io=nobody
wrong 2 "nobody:1: 'node001' is neither a GUID nor the name of a switch" check "$fabric" --opensm ftree:roots=nobody
clean "files of names"

# more switches than ibsim takes by itself
"$bough" net xgft:down=1x20x14,up=1x1x1 -o large.net || fail "no netlist"
right "opensm minhop" check --details large.net --opensm minhop --trials 0
clean "more than 256 switches"

# the fabric without a part: bough's updn and OpenSM's do the same
right "opensm updn" check --details "$fabric" --opensm updn --routing updn --faults 'cables:count=2,key=3' --trials 0 --json
json 'o["results"][0]["alltoall_max"] == o["results"][1]["alltoall_max"] and o["results"][1]["routed"] == 8930'
clean "a part missing"

# from a directory that nobody can write to: the programs leave their files in one of their own
(cd /proc && "$bough" check --details "$fabric" --opensm updn >"$tmp/out" 2>"$tmp/err") || fail "in /proc: $(cat err)"
clean "in /proc"

# interrupted; nothing runs on
for signal in TERM HUP; do
	"$bough" check --details "$fabric" --opensm ftree,updn,minhop >out 2>err &
	pid=$!
	tries=0
	until [ -n "$(ls -A private)" ] || [ "$tries" -ge 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	kill "-$signal" "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -ne 0 ] && [ ! -s out ] || fail "SIG$signal: status $status, $(cat out)"
	clean "SIG$signal"
done
