#!/bin/sh
# --links: what every link carries, of sim and check. Bad input, a tree by hand, then against the metrics.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
fabric=$2/examples/fabric/cluster.ibnetdiscover
ftree=$2/examples/fabric/cluster.ftree.lfts.gz
updn=$2/examples/fabric/cluster.updn.lfts.gz
tree=xgft:down=2x2,up=1x1
head=routing,traffic,method,link,from,to,from_name,to_name,from_guid,to_guid,from_port,to_port,level,direction,rate,flows,bytes,use

wrong 2 "--links needs a method that knows what links carry: linkload or flow" sim "$tree" uniform circuit --links l.csv
wrong 2 "nowhere/l.csv: cannot be written" sim "$tree" shift:k=2 linkload --links nowhere/l.csv
wrong 2 "nowhere/l.csv: cannot be written" check "$tree" --links nowhere/l.csv
[ ! -e l.csv ] || fail "a file of a refused question"

# Two leaves of two hosts below one switch: each host sends 1 MB to the other leaf, so an uplink carries 2 flows for
# 2 MB * 8 / 100 Gb/s = 160 us of 160.4 us, with the delay of four links; a host's own link for 80 us.
right "160.4 us" sim "$tree" shift:k=2 linkload flow --routing dmodk --links l.csv
{
	echo "$head"
	for method in linkload flow:size=1MB; do
		[ "$method" = linkload ] && host=1,,0.5 uplink=2,,1 ||
			{ host=1,1e+06,0.4987531172069826 uplink=2,2e+06,0.9975062344139652; }
		link() { echo "dmodk,\"shift:k=2,m=4\",$method,$1,100000000000,$2"; }
		link 0,0,4,h0,s1.0,,,1,1,0,up "$host"
		link 1,1,4,h1,s1.0,,,1,2,0,up "$host"
		link 2,2,5,h2,s1.1,,,1,1,0,up "$host"
		link 3,3,5,h3,s1.1,,,1,2,0,up "$host"
		link 4,4,6,s1.0,s2.0,,,3,1,1,up "$uplink"
		link 5,5,6,s1.1,s2.0,,,3,2,1,up "$uplink"
		link 6,4,0,s1.0,h0,,,1,1,0,down "$host"
		link 7,4,1,s1.0,h1,,,2,1,0,down "$host"
		link 8,5,2,s1.1,h2,,,1,1,0,down "$host"
		link 9,5,3,s1.1,h3,,,2,1,0,down "$host"
		link 10,6,4,s2.0,s1.0,,,1,3,1,down "$uplink"
		link 11,6,5,s2.0,s1.1,,,2,3,1,down "$uplink"
	done
} >want.csv
cmp -s l.csv want.csv || fail "not as by hand: $(diff l.csv want.csv)"


# rates of the method, not of the network: uplinks of a quarter of the hosts' rate take all of the time
right link_use_max sim "$tree" randperm "flow:rate=25Gb/s,host_rate=100Gb/s" --links l.csv --trials 1 --routing dmodk
awk -F, 'NR > 1 && $(NF-3) != ($(NF-5) ? "25000000000" : "100000000000") { exit 1 }' l.csv || fail "rates: $(cat l.csv)"
right link_use_max sim "$tree" randperm flow linkload --links l.csv --trials 1 --routing dmodk --json
json "all(max(float(r.split(',')[-at]) for r in open('l.csv') if ',%s' % m in r and r[0] != 'r') ==
	next(r['mean'] for r in o['results'] if r['metric'] == metric)
	for m, at, metric in (('flow', 1, 'link_use_max'), ('linkload', 3, 'link_load_max')))"

# random traffic: means over its 20 trials
right link_load_mean sim fattree:n=16 randperm linkload --routing hash --links l.csv --trials 20
awk -F, 'NR > 1 { f = $(NF-2) * 20; if (f - int(f + 0.5) > 1e-9 || int(f + 0.5) - f > 1e-9) exit 1; part += f % 20 != 0 }
	END { exit !part }' l.csv || fail "not means of 20 trials: $(cat l.csv)"

# removed links have no line
right "" sim xgft:down=4x4,up=1x4 shift:k=4 linkload --routing random --faults chips:count=1 --links l.csv
[ "$(wc -l <l.csv)" -lt "$((1 + 2 * (16 + 16)))" ] || fail "dead links are listed"

# check: each routing under all-to-all, where the most loaded link is that of the verdict; GUIDs and ports of the file
right "252 flows on the most loaded link" check --details "$fabric" --lft "$ftree" --lft "$updn" --links l.csv --trials 0 --order name
also "286 flows on the most loaded link"
[ "$(wc -l <l.csv)" -eq "$((1 + 2 * 314))" ] || fail "$(wc -l <l.csv) lines"
for pair in "ftree 252" "updn 286"; do
	# shellcheck disable=SC2086
	set -- $pair
	[ "$(awk -F, -v t="$1" '$1 ~ t && $(NF-2) > most { most = $(NF-2) } END { print most }' l.csv)" = "$2" ] || fail "$pair"
	[ "$(awk -F, -v t="$1" '$1 ~ t && $NF == 1 { print $(NF-2) }' l.csv | sort -u)" = "$2" ] || fail "use 1 is not of $pair"
done
grep -q ',node001,"rack#1-leaf",0x248a070300010010,0x248a070300001040,1,1,0,up,100000000000,94,,' l.csv ||
	fail "the first link: $(sed -n 2p l.csv)"

# and each job, by linkload and flow
right "" check --details "$fabric" --lft "$ftree" --job allreduce:algo=ring,size=64MB --links l.csv --trials 0
[ "$(grep -c ',linkload,' l.csv)" -eq 628 ] || fail "linkload of all-to-all and the job: $(head -3 l.csv)"
[ "$(grep -c ',flow:size=1,' l.csv)" -eq 314 ] || fail "flow of the job: $(tail -3 l.csv)"
