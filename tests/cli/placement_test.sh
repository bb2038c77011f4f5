#!/bin/sh
# bough check --place: placements whose loads are plain, exact and bounded searches.
# $1: bough, $2: the source directory.
set -eu
bough=$1
fabric=$2/examples/fabric/cluster.ibnetdiscover
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded

wrong 2 "--place: the fabric has no host 'node113'" check "$fabric" --place 'node[001,113]'
wrong 2 "--place: hostlist 'node[001': [ without ]" check "$fabric" --place 'node[001'
wrong 2 "--place: node001 is busy, or listed twice" check "$fabric" --place node001,node001
wrong 2 "--place: node002 is busy, or listed twice" check "$fabric" --place 'node[001-002]' --busy node002
wrong 2 "--busy: the fabric has no host 'x'" check "$fabric" --place 2 --busy x
wrong 2 "--place: 99 hosts are wanted, and 95 of 95 are free" check "$fabric" --place 99
wrong 2 "--place: a job has at least one host" check "$fabric" --place 0
wrong 2 "--busy needs --place" check "$fabric" --busy node001

# Leaves of four hosts with one cable up. Among h hosts on a leaf and n elsewhere, h n flows leave it by one cable, and a host
# sends h + n - 1.
right "h[0-2,4-6], on 2 leaves" check --details xgft:down=4x4,up=1x1 --place 'h[0-2,4-6]'
also "1.8 times as long as the cables of the hosts take: 9 flows on s1.0/5 -> s2.0/1 and 3 more" \
	"h[0-5], on 2 leaves" "1.6 times as long as the cables of the hosts take: 8 flows on s1.0/5 -> s2.0/1 and 3 more" \
	"the best of all 11 rows of hosts, in the order of the leaves"
right "h[0-5], on 2 leaves" check --details xgft:down=4x4,up=1x1 --place 6
also "1.6 times as long" "exact: the best of all subsets of the 16 free hosts"
# With six leaves a host on each is better: every leaf sends five flows.
right "h[0,4,8,12,16,20], on 6 leaves" check --details xgft:down=4x6,up=1x1 --place 6
also "as fast as the cables of the hosts: 5 flows" "no placement is faster"
# Two leaves with two free hosts each, and one with four: the job of four goes there.
right "h[8-11], on 1 leaf" check --details xgft:down=4x4,up=1x1 --place 4 --busy 'h[0-1,4-5,12-15]'
# Two, two and one free hosts: no leaf has four, and 2 2 flows leave a leaf with two of them.
"$bough" check --details xgft:down=4x4,up=1x1 --place 4 --busy 'h[0-1,4-5,8-10,12-15]' --json >out
json "o['placements'][0]['best']['load'] == 4 and o['placements'][0]['best']['ratio'] == 4 / 3 and o['placements'][0]['exact']"
json "o['placements'][0]['free'] == 5 and o['placements'][0]['best']['leaves'] == 2"
# A ring leaves each leaf once, wherever its hosts are.
"$bough" check --details xgft:down=4x4,up=1x1 --place 'h[0-1,4-5]' --job shift:1 --job allreduce:algo=ring,size=4MB --json >out
json "[p['given']['ratio'] for p in o['placements']] == [1, 1] and o['placements'][0]['given']['load'] == 1"
json "o['placements'][1]['given']['load'] == 6000000 and o['placements'][1]['unit'] == 'bytes'"
json "'jobs' not in o"
# Names that alternate between two leaves of four, with one cable up: a ring in the order of leaves leaves each once, one in the order
# of names eight times, 4 on each cable. The order that is printed gives the figures again, in a list and in a file.
{
	echo "node,port,node,port,rate"
	for i in 1 2 3 4 5 6 7 8; do echo "n$i,1,leaf$((i % 2)),$i,100Gb/s"; done
	echo "leaf1,20,top,1,100Gb/s"
	echo "leaf0,20,top,2,100Gb/s"
} >mixed.csv
ring="--routing updn --trials 0 --job allreduce:algo=ring,size=64MB"
# shellcheck disable=SC2086
right "best        n[1,3,5,7,2,4,6,8], on 2 leaves" check --details mixed.csv $ring --place 8
also "as fast as the cables of the hosts: 112000000 bytes" "with the ranks in this order; 4 times as long in the order of names, which is Slurm's"
# shellcheck disable=SC2086
"$bough" check --details mixed.csv $ring --place 8 --json >out
json "(lambda b: (b['hosts'], b['ratio'], b['ratio_by_name']) == ('n[1,3,5,7,2,4,6,8]', 1, 4))(o['placements'][0]['best'])"
# shellcheck disable=SC2086
"$bough" check --details mixed.csv $ring --place 'n[1,3,5,7,2,4,6,8]' --json >out
json "[o['placements'][0]['given'][k] for k in ('hosts', 'ratio', 'load')] == ['n[1,3,5,7,2,4,6,8]', 1, 112e6]"
# shellcheck disable=SC2086
"$bough" check --details mixed.csv $ring --place 'n[1-8]' --json >out
json "[o['placements'][0]['given'][k] for k in ('hosts', 'ratio', 'ratio_by_name')] == ['n[1-8]', 4, 4]"
echo 'n[1,3,5,7,2,4,6,8]' >order
right "112 MB" sim mixed.csv allreduce:algo=ring,size=64MB,place=order linkload --routing updn
right "448 MB" sim mixed.csv allreduce:algo=ring,size=64MB linkload --routing updn
# The best order is that of names where it is no worse.
# shellcheck disable=SC2086
right "n[1-8], on 2 leaves" check --details mixed.csv --routing updn --trials 0 --place 8

# Many subsets: bounded, and the same for any number of threads.
"$bough" check --details xgft:down=8x8,up=1x1 --place 20 --threads 1 >one
"$bough" check --details xgft:down=8x8,up=1x1 --place 20 --threads 3 >three
cmp one three
grep -q 'bounded: the best of' one || fail "$(cat one)"

# The page has the placements, and Slurm's file, as tables.
"$bough" check --details xgft:down=4x4,up=1x1 --place 'h[0-2,4-6]' --html page.html >/dev/null
for words in '<dd>h[0-2,4-6], on 2 leaves</dd>' '<dd>1.8 times as long as the cables of the hosts take: 9 flows on s1.0/5 -&gt; s2.0/1' \
	'<dd>h[0-5], on 2 leaves</dd>' '<dd>1.6 times as long' 'the best of all'; do
	grep -qF "$words" page.html || fail "no '$words' on the page"
done
# shellcheck disable=SC2086
"$bough" check --details mixed.csv $ring --place 8 --html page.html >/dev/null
grep -qF 'with the ranks in this order; 4 times as long in the order of names' page.html || fail "no order of ranks on the page"
mkdir site
"$bough" net "$fabric" -o site/topology.conf >/dev/null
sed 's/node\[001-012\]/node[001-011,099]/' site/topology.conf >site/other.conf
"$bough" check --details "$fabric" --trials 0 --slurm "$tmp/site/other.conf" --html page.html >/dev/null
grep -qF '<dd>other.conf: 94 of 95 hosts are below their leaf, 1 not in the file; unknown to the fabric: 1 of 95 nodes</dd>' page.html ||
	fail "Slurm's file is not on the page"
if grep -qF "$tmp" page.html; then fail "the page names the directory"; fi
